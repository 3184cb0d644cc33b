// The answers of the scripted server: what ends a call, the rows of a query, what a block gives.

import { columnTypes, writeValue, type ColumnType, type StubValue } from './values.ts';
import { WireWriter } from './wire.ts';

/** What stands at the end of every answer. */
export interface CallEnd {
  readonly inTransaction: boolean;
  readonly cursor?: number;
  readonly affected?: number;
  readonly error?: readonly [number: number, message: string];
  readonly warning?: boolean;
}

const noMoreRows = [1403, 'ORA-01403: no data found'] as const;

/** The message that ends an execution, in failure or success. */
export function endOfCall({ inTransaction, cursor = 0, affected = 0, error, warning = false }: CallEnd): Buffer {
  const [number, message] = error ?? [0, ''];
  const writer = new WireWriter()
    .byte(4)
    .integer(inTransaction ? 2 : 0, 0, 0, number, 0, 0, cursor, 0)
    .byte(0, 0, 0, 0, 0, warning ? 0x20 : 0)
    // A row's address, which nobody asks for.
    .integer(0, 0)
    .byte(0)
    .integer(0, 0, 0)
    .byte(0, 0)
    .integer(0, 0, 0, 0, 0, 0, number, affected);
  return (number === 0 ? writer : writer.text(`${message}\n`)).done();
}

/** The answer to what has no result: commit, rollback, a ping. */
export function status(inTransaction: boolean): Buffer {
  return new WireWriter()
    .byte(9)
    .integer(inTransaction ? 2 : 0, 0)
    .done();
}

/** Columns of a query with their rows. */
export interface Rows {
  readonly columns: Readonly<Record<string, ColumnType>>;
  readonly rows: readonly Readonly<Record<string, StubValue>>[];
}

/** True where rows are sent only once the client has said how it takes them. */
export function needsDefine({ columns }: Pick<Rows, 'columns'>): boolean {
  return Object.values(columns).some((type) => type === 'clob' || type === 'json' || type === 'vector');
}

/** What the columns are. Names come in upper case, as the database has them. */
export function describeColumns({ columns }: Pick<Rows, 'columns'>): Buffer {
  const entries = Object.entries(columns);
  const writer = new WireWriter().byte(16).text('-').integer(100, entries.length).byte(0);
  for (const [name, type] of entries) {
    const isText = type === 'text' || type === 'clob';
    writer
      .byte(columnTypes[type], 0, 0, type === 'number' ? 0x81 : 0)
      .integer(4000, 0, 0, 0, 0, isText ? 873 : 0)
      .byte(isText ? 1 : 0)
      .integer(4000)
      .byte(1, 0)
      .named(name.toUpperCase())
      .integer(0, 0, 1, 0);
  }
  return writer.integer(0, 0, 0, 0, 0, 0).done();
}

/** Rows, and that there are no more. */
export function rowsOfQuery({ columns, rows }: Rows, end: CallEnd): Buffer {
  const entries = Object.entries(columns);
  const writer = new WireWriter().byte(6, 0).integer(1, 0, 1, 0, 0, 0);
  for (const row of rows) {
    writer.byte(7);
    for (const [name, type] of entries) writeValue(writer, type, row[name]);
  }
  return writer.raw(endOfCall({ ...end, affected: rows.length, error: noMoreRows })).done();
}

const inward = 32;
const outward = 16;

/** What a block gives: the direction of each bind, then the values of those that go outward. */
export function resultOfBlock(names: readonly string[], result: StubValue, end: CallEnd): Buffer {
  const writer = new WireWriter().byte(11, 0).integer(names.length, 0, 1, 0, 0, 0);
  for (const name of names) writer.byte(name === 'result' ? outward : inward);
  writer.byte(7);
  writeValue(writer, 'json', result);
  return writer.integer(0).raw(endOfCall(end)).done();
}

/** The first answer of a connection: what the server is and can do. Nothing newer than release 12.1 of the protocol. */
export function protocolInfo(): Buffer {
  const formats = Buffer.alloc(20);
  formats.writeUInt16BE(2000, 9);
  const compiled = Buffer.alloc(45);
  compiled.writeUInt8(7, 7);
  const running = Buffer.alloc(7);
  running.writeUInt8(1, 1);
  // Texts of up to 32,767 bytes.
  running.writeUInt8(4, 6);
  return new WireWriter()
    .byte(1, 6, 0)
    .raw(Buffer.from('Stub\0'))
    .raw(Buffer.from([873 & 0xff, 873 >> 8, 1, 0, 0, 0, formats.length]))
    .raw(formats)
    .bytes(compiled)
    .bytes(running)
    .done();
}

/** The second answer: types of data, and that the database's time zone is UTC. */
export function dataTypes(): Buffer {
  const zone = Buffer.alloc(11);
  zone.writeUInt32BE(0x80000000);
  zone.writeUInt8(60, 4);
  zone.writeUInt8(60, 5);
  return new WireWriter().byte(2).raw(zone).byte(0, 0).done();
}
