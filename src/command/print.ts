// Where a command writes: people get text and colour, machines one JSON value; nothing else writes to stdout.

import { styleText } from 'node:util';

/** Styles that mean something here; how they look is the terminal's affair. */
const styles = {
  heading: ['bold'],
  good: ['green'],
  bad: ['red', 'bold'],
  warning: ['yellow'],
  faint: ['dim'],
  id: ['cyan'],
} as const;

/** One of the styles. */
export type Style = keyof typeof styles;

/** A command's two streams. A line has no newline at its end; writing adds it. */
export interface Print {
  line(text?: string): void;
  /** For people beside the result: progress, notes, errors. */
  note(text: string): void;
  json(value: unknown): void;
  /** The text in a style where stdout shows colour, else as it is. */
  paint(style: Style, text: string): string;
  /** Like {@link Print.paint}, for notes. */
  paintNote(style: Style, text: string): string;
  /** True where a person sees notes as they come. */
  readonly isWatched: boolean;
  /** Columns of the terminal; 100 where they are not known. */
  readonly columns: number;
}

/** A stream that text is written to. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

const widest = 140;
const unknownWidth = 100;

/** Writes to these streams. Colour only on a terminal, and not where NO_COLOR is set or TERM is `dumb`. */
export function createPrint(streams: {
  readonly out: Output;
  readonly err: Output;
  readonly environment: Readonly<Record<string, string | undefined>>;
}): Print {
  const { out, err, environment } = streams;
  const allowed = (environment['NO_COLOR'] ?? '') === '' && environment['TERM'] !== 'dumb';
  const painter = (stream: Output) => (style: Style, text: string) =>
    allowed && stream.isTTY === true && text !== '' ? styleText([...styles[style]], text) : text;
  return {
    line: (text = '') => void out.write(`${text}\n`),
    note: (text) => void err.write(`${text}\n`),
    json: (value) => void out.write(`${JSON.stringify(value, null, 2)}\n`),
    paint: painter(out),
    paintNote: painter(err),
    isWatched: err.isTTY === true,
    // A terminal may not know its width, and says 0 then.
    columns: Math.min(out.columns || unknownWidth, widest),
  };
}

// Control characters, and marks that turn the direction of writing, could make a terminal show what is not there.
const unsafe = /(?![\t\n])\p{Cc}|[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/** Stored or foreign text as a terminal may show it: what could steer the terminal becomes a mark like ⟦U+001B⟧. */
export function plain(text: string): string {
  return text
    .toWellFormed()
    .replace(unsafe, (mark) => `⟦U+${(mark.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟧`);
}
