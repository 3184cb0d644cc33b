// How a host's file is refused: in one sentence, with its name and the place in it, and with nothing of what it holds.

import { MemoryError } from '../model/errors.ts';

/** A text with the name of the file that it came from. */
export interface NamedText {
  readonly file: string;
  readonly text: string;
}

/** The refusal of a file for a reason; `reason` is a sentence's end, as in "it is a folder". */
export function refusedFile(file: string, reason: string, cause?: unknown): MemoryError {
  return new MemoryError('host_file_refused', `The file ${file} was left as it is: ${reason}.`, { file }, cause);
}

/** The refusal of a file for what stands at an offset of its text. */
export function refusedPlace({ file, text }: NamedText, offset: number, reason: string): MemoryError {
  const { line, column } = placeOf(text, offset);
  return refusedAt(file, { line, column }, reason);
}

/** The refusal of a file for what stands at a line and a column, both counted from 1. */
export function refusedAt(
  file: string,
  { line, column }: { readonly line: number; readonly column: number },
  reason: string,
): MemoryError {
  return new MemoryError(
    'host_file_refused',
    `The file ${file} was left as it is: line ${line}, column ${column}: ${reason}.`,
    { file, line, column },
  );
}

/** Line and column of an offset, counted from 1 as editors do. */
function placeOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}
