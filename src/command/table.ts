// Tables for people: aligned columns, figures to the right, no lines to draw.

import { stripVTControlCharacters } from 'node:util';

/** A column: its heading, and where its cells stand. */
export interface Column {
  readonly heading: string;
  readonly align?: 'left' | 'right';
}

/** The lines of a table; a cell may hold colour. Two spaces stand between columns, none at the end of a line. */
export function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  paintHeading: (text: string) => string = (text) => text,
): readonly string[] {
  const widths = columns.map((column, index) =>
    Math.max(displayWidth(column.heading), ...rows.map((row) => displayWidth(row[index] ?? ''))),
  );
  const lineOf = (cells: readonly string[]): string =>
    cells
      .map((cell, index) => padded(cell, widths[index] ?? 0, columns[index]?.align ?? 'left'))
      .join('  ')
      .trimEnd();
  const heading = lineOf(columns.map((column) => column.heading));
  return [paintHeading(heading), ...rows.map(lineOf)];
}

function padded(cell: string, width: number, align: 'left' | 'right'): string {
  const space = ' '.repeat(Math.max(0, width - displayWidth(cell)));
  return align === 'right' ? space + cell : cell + space;
}

const wide =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|[\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u;
const noWidth = /\p{M}|\u200B|\u200D|\uFEFF/u;

/** Columns that a text takes on a terminal: colour takes none, East Asian characters take two. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of stripVTControlCharacters(text)) {
    if (!noWidth.test(character)) width += wide.test(character) ? 2 : 1;
  }
  return width;
}

/** The text cut to so many columns, with an ellipsis where something was cut. */
export function cut(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const character of text) {
    width += displayWidth(character);
    if (width > columns - 1) break;
    kept += character;
  }
  return `${kept.trimEnd()}…`;
}

/** Text in lines of at most so many columns, broken at spaces; a longer word stands alone. */
export function wrapped(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).filter((part) => part !== '')) {
    if (line !== '' && displayWidth(line) + 1 + displayWidth(word) > columns) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return line === '' ? lines : [...lines, line];
}

/** A whole number with thousands parted, the same on every machine. */
export function figure(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}
