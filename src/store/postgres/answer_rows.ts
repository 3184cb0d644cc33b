// Rows of the embedded engine's answers, read from the bytes of the wire protocol: its own reader makes an object of each
// message and a view of each value first, which for thousands of values a call took longer than many a statement.

import type { DatabaseRow } from '../statements/session.ts';

/** How the text of a value becomes the value, by the number of its type; a type without one stays text. */
export type ValueReaders = Readonly<Record<number, (text: string, type?: number) => unknown>>;

interface Column {
  readonly name: string;
  readonly type: number;
  readonly read: ValueReaders[number] | undefined;
}

// The first byte of a message says what it is; its length, which counts itself, stands in the next four.
const [rowDescription, dataRow, failure] = ['T', 'D', 'E'].map((letter) => letter.charCodeAt(0));
const headBytes = 5;
/** What stands behind a column's name: table, column, type, size, modifier, format. */
const columnBytes = 18;
const typeOffset = 6;

/** The rows of one statement's answer; null where it holds a failure, which the engine's own reader can tell. */
export function rowsOfAnswer(answer: Buffer, readers: ValueReaders): readonly DatabaseRow[] | null {
  const rows: DatabaseRow[] = [];
  let columns: readonly Column[] = [];
  for (let at = 0; at < answer.length; at += 1 + answer.readInt32BE(at + 1)) {
    const kind = answer[at];
    if (kind === failure) return null;
    if (kind === rowDescription) columns = columnsAt(answer, at + headBytes, readers);
    if (kind === dataRow) rows.push(rowAt(answer, at + headBytes, columns));
  }
  return rows;
}

function columnsAt(answer: Buffer, start: number, readers: ValueReaders): readonly Column[] {
  const columns: Column[] = [];
  let at = start + 2;
  for (let left = answer.readInt16BE(start); left > 0; left -= 1) {
    const end = answer.indexOf(0, at);
    const type = answer.readUInt32BE(end + 1 + typeOffset);
    columns.push({ name: answer.toString('utf8', at, end), type, read: readers[type] });
    at = end + 1 + columnBytes;
  }
  return columns;
}

function rowAt(answer: Buffer, start: number, columns: readonly Column[]): DatabaseRow {
  const row: Record<string, unknown> = {};
  let at = start + 2;
  for (const { name, type, read } of columns) {
    const length = answer.readInt32BE(at);
    at += 4;
    // A length below zero: no value.
    if (length < 0) {
      row[name] = null;
      continue;
    }
    const text = answer.toString('utf8', at, at + length);
    row[name] = read === undefined ? text : read(text, type);
    at += length;
  }
  return row;
}
