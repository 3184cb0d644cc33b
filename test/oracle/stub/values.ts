// How values stand in binds and rows, by type. Numbers, JSON and vectors are written and read by the driver's own code:
// what is proved over this server is what the adapter gives the driver and gets from it, not the driver's formats.

import { createRequire } from 'node:module';
import type { Lobs } from './lobs.ts';
import type { WireReader, WireWriter } from './wire.ts';

/** Types of a column, by the name that a script calls them. */
export const columnTypes = {
  text: 1,
  number: 2,
  double: 101,
  clob: 112,
  json: 119,
  vector: 127,
  boolean: 252,
} as const;

/** A type of a column. */
export type ColumnType = keyof typeof columnTypes;

/** What a statement is given or gives. */
export type StubValue = unknown;

const textOf = (value: StubValue): string => (typeof value === 'string' ? value : JSON.stringify(value));

const long = 8;

interface Codec {
  encode(value: unknown, longestName?: number): Buffer;
}
interface Decoder {
  decode(): unknown;
}
interface NumberBuffer {
  readonly buf: Buffer;
  pos: number;
  writeOracleNumber(text: string): void;
  parseOracleNumber(bytes: Buffer): string | number;
}

const load = createRequire(import.meta.url);
const { OsonEncoder, OsonDecoder } = load('oracledb/lib/impl/datahandlers/oson.js') as {
  OsonEncoder: new () => Codec;
  OsonDecoder: new (bytes: Buffer) => Decoder;
};
const { transformJsonValue } = load('oracledb/lib/transformer.js') as {
  transformJsonValue: (value: unknown) => unknown;
};
const { VectorEncoder, VectorDecoder } = load('oracledb/lib/impl/datahandlers/vector.js') as {
  VectorEncoder: new () => Codec;
  VectorDecoder: new (bytes: Buffer) => Decoder;
};
const { GrowableBuffer } = load('oracledb/lib/impl/datahandlers/buffer.js') as {
  GrowableBuffer: new () => NumberBuffer;
};

const longestFieldName = 255;

/** Reads one value of the row of binds. Throws for a type that no statement of ours binds. */
export function readBind(reader: WireReader, type: number, lobs: Lobs): StubValue {
  switch (type) {
    case columnTypes.text:
    case long:
      return reader.bytes()?.toString() ?? null;
    case columnTypes.number: {
      const bytes = reader.bytes();
      return bytes === null ? null : Number(new GrowableBuffer().parseOracleNumber(bytes));
    }
    case columnTypes.clob: {
      const locator = reader.integer() === 0 ? null : reader.bytes();
      return locator === null ? null : lobs.textOf(locator);
    }
    case columnTypes.json: {
      const bytes = readLocated(reader);
      return bytes === null ? null : new OsonDecoder(bytes).decode();
    }
    case columnTypes.vector: {
      const bytes = readLocated(reader);
      return bytes === null ? null : new VectorDecoder(bytes).decode();
    }
    default:
      throw new Error(`a bind of type ${type} was sent, which no statement has`);
  }
}

/** What travels behind a locator: its length, the locator, the bytes. */
function readLocated(reader: WireReader): Buffer | null {
  if (reader.integer() === 0) return null;
  reader.bytes();
  return reader.bytes();
}

/** Writes one value of a row. */
export function writeValue(writer: WireWriter, type: ColumnType, value: StubValue): void {
  const isNull = value === null || value === undefined;
  switch (type) {
    case 'text':
      return void (isNull ? writer.byte(0) : writer.text(textOf(value)));
    case 'clob':
      // Fetched as text it travels as a LONG: with an indicator and a return code behind it.
      return void (isNull ? writer.byte(0) : writer.text(textOf(value))).integer(0, 0);
    case 'number':
      return void (isNull ? writer.byte(0) : writer.bytes(numberBytes(textOf(value))));
    case 'double':
      return void (isNull ? writer.byte(0) : writer.bytes(doubleBytes(Number(value))));
    case 'boolean':
      return void (isNull ? writer.byte(0) : writer.bytes(Buffer.from(value === true ? [1, 1] : [0])));
    case 'json':
      return writeLocated(
        writer,
        isNull ? null : new OsonEncoder().encode(transformJsonValue(value), longestFieldName),
      );
    case 'vector':
      return writeLocated(writer, isNull ? null : new VectorEncoder().encode(value));
    default:
      throw type satisfies never;
  }
}

function writeLocated(writer: WireWriter, bytes: Buffer | null): void {
  if (bytes === null) writer.integer(0);
  else writer.integer(40, bytes.length, 0).bytes(bytes).bytes(Buffer.alloc(40));
}

function numberBytes(text: string): Buffer {
  const buffer = new GrowableBuffer();
  buffer.writeOracleNumber(text);
  // The first byte is the length, which is written here anew.
  return buffer.buf.subarray(1, buffer.pos);
}

/** The order of bytes in which doubles compare as bytes do. */
function doubleBytes(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  if (bytes.readUInt8(0) < 0x80) bytes.writeUInt8(bytes.readUInt8(0) | 0x80, 0);
  else bytes.forEach((byte, index) => bytes.writeUInt8(~byte & 0xff, index));
  return bytes;
}
