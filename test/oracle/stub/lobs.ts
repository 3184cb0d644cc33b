// Texts that are too long for a bind, or are to stay as they are written, travel to a temporary LOB first.

import type { WireReader } from './wire.ts';
import { WireWriter } from './wire.ts';

const operations = { getChunkSize: 0x4000, write: 0x40, createTemporary: 0x110 } as const;
const locatorLength = 40;
const chunkSize = 8132;

/** The temporary LOBs of a connection. */
export interface Lobs {
  /** Answers an operation on a LOB; `end` is what ends every answer. */
  operate(reader: WireReader, end: Buffer): Buffer;
  /** The text behind a locator. */
  textOf(locator: Buffer): string;
}

/** A connection's LOBs, of which there are none at first. */
export function createLobs(): Lobs {
  const texts: string[] = [];
  return {
    operate(reader, end) {
      reader.byte();
      const length = reader.integer();
      reader.byte();
      reader.integers(3);
      reader.skip(3);
      const operation = reader.integer();
      reader.skip(2);
      reader.integers(2);
      reader.skip(7);
      const locator = Buffer.from(reader.raw(length));
      const answer = new WireWriter().byte(8);
      switch (operation) {
        case operations.createTemporary:
          locator.writeUInt32BE(texts.push('') - 1);
          return answer.raw(locator).integer(873).byte(0).raw(end).done();
        case operations.getChunkSize:
          return answer.raw(locator).integer(chunkSize).raw(end).done();
        case operations.write: {
          reader.byte();
          const number = locator.readUInt32BE();
          texts[number] = `${texts[number] ?? ''}${reader.text()}`;
          return answer.raw(locator).raw(end).done();
        }
        default:
          throw new Error(`the operation ${operation} on a LOB is none that is used`);
      }
    },
    textOf: (locator) => texts[locator.readUInt32BE()] ?? '',
  };
}

/** Reads over the locators that a message brings along to be freed. */
export function skipFreed(reader: WireReader): void {
  reader.byte();
  const length = reader.integer();
  reader.byte();
  reader.integers(3);
  reader.skip(3);
  reader.integer();
  reader.byte();
  reader.integers(3);
  reader.byte();
  for (let field = 0; field < 3; field += 1) {
    reader.byte();
    reader.integer();
  }
  if (length % locatorLength !== 0) throw new Error('locators have another length');
  reader.skip(length);
}
