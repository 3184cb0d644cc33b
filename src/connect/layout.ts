// The layout of a text as its author has it: line ends, indentation, and what stands on one line.

/** The line end that a text uses; that of POSIX where it has none. */
export function lineEndOf(text: string): string {
  return /\r\n|\n/.exec(text)?.[0] ?? '\n';
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

/** White space at the beginning of an offset's line. */
export function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset), offset))?.[0] ?? '';
}

/** True when nothing but white space stands before an offset on its line. */
export function isFirstOnLine(text: string, offset: number): boolean {
  return /^[ \t]*$/.test(text.slice(lineStart(text, offset), offset));
}

/** True when nothing but white space follows an offset on its line. */
export function isLastOnLine(text: string, offset: number): boolean {
  return /^[ \t]*(?:\r?\n|$)/.test(text.slice(offset));
}

/** Where the line before an offset's line ends, before its line end; 0 for the first line. */
export function endOfLineBefore(text: string, offset: number): number {
  const start = lineStart(text, offset);
  return start - (/\r?\n$/.exec(text.slice(0, start))?.[0].length ?? 0);
}

/** The text with a part of it replaced. */
export function replaced(text: string, from: number, to: number, by: string): string {
  return text.slice(0, from) + by + text.slice(to);
}
