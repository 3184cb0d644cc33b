// What a client asks of the scripted server, read from its messages.

import { createRequire } from 'node:module';
import { skipFreed } from './lobs.ts';
import type { Lobs } from './lobs.ts';
import { readBind, type StubValue } from './values.ts';
import type { WireReader } from './wire.ts';

const { Statement } = createRequire(import.meta.url)('oracledb/lib/thin/statement.js') as {
  Statement: new () => { _prepare(sql: string): void; readonly bindInfoList: readonly { readonly bindName: string }[] };
};

/** A statement that the server has parsed. */
export interface Cursor {
  readonly sql: string;
  /** Of the binds, in their order. */
  readonly names: readonly string[];
  types: readonly number[];
}

/** A cursor for a statement. */
export function parse(sql: string): Cursor {
  const statement = new Statement();
  statement['_prepare'](sql);
  return { sql, names: statement.bindInfoList.map(({ bindName }) => bindName.toLowerCase()), types: [] };
}

/** A call that executes. */
export interface Execution {
  /** 0: the statement is new. */
  readonly cursor: number;
  readonly sql: string | null;
  /** True where the client says how it takes the columns, and nothing is executed. */
  readonly isDefine: boolean;
  readonly bindTypes: readonly number[];
}

const defineOption = 0x10;

/** Reads a full execution up to its row of binds. */
export function readExecution(reader: WireReader): Execution {
  const options = reader.integer();
  const cursor = reader.integer();
  reader.byte();
  reader.integer();
  reader.byte();
  reader.integer();
  reader.skip(3);
  reader.integers(2);
  reader.byte();
  const bindCount = reader.integer();
  reader.skip(6);
  const defineCount = reader.integer();
  reader.integer();
  reader.skip(3);
  reader.integer();
  reader.byte();
  reader.integers(2);
  reader.byte();
  reader.integer();
  reader.byte();
  const sql = cursor === 0 ? reader.text() : null;
  reader.integers(13);
  const isDefine = (options & defineOption) > 0;
  const types = Array.from({ length: isDefine ? defineCount : bindCount }, () => readBindType(reader));
  return { cursor, sql, isDefine, bindTypes: isDefine ? [] : types };
}

function readBindType(reader: WireReader): number {
  const type = reader.byte();
  reader.skip(3);
  reader.integers(3);
  if (reader.integer() > 0) reader.bytes();
  reader.integers(2);
  reader.byte();
  reader.integer();
  return type;
}

const rowOfBinds = 7;

/** The row of binds that follows; `isAgain`: what goes outward is left out. */
export function readBinds(
  reader: WireReader,
  { names, types }: Cursor,
  { isAgain, lobs }: { readonly isAgain: boolean; readonly lobs: Lobs },
): Record<string, StubValue> {
  if (reader.isAtEnd() || reader.byte() !== rowOfBinds) return {};
  const binds: Record<string, StubValue> = {};
  names.forEach((name, index) => {
    binds[name] = isAgain && name === 'result' ? null : readBind(reader, types[index] ?? 1, lobs);
  });
  return binds;
}

/** Tags of a session that a message brings along. */
export interface Tags {
  clientId?: string;
  module?: string;
  action?: string;
}

/** Reads what travels before a call; returns the kind of the message that follows. */
export function readPiggybacks(reader: WireReader, tags: Tags): number {
  for (;;) {
    const kind = reader.byte();
    if (kind !== 17) return kind;
    const what = reader.byte();
    reader.byte();
    if (what === 135) readTags(reader, tags);
    else if (what === 105 || what === 120) {
      reader.byte();
      reader.integers(reader.integer());
    } else if (what === 96) skipFreed(reader);
    else throw new Error(`a message brings ${what} along, which nobody here reads`);
  }
}

function readTags(reader: WireReader, tags: Tags): void {
  reader.skip(2);
  reader.integer();
  const one = (): boolean => {
    const isSent = reader.byte() === 1;
    return reader.integer() > 0 && isSent;
  };
  const sent = [one(), one(), one(), one()];
  reader.byte();
  reader.integer();
  const info = one();
  reader.byte();
  reader.integer();
  reader.byte();
  reader.integer();
  const operation = one();
  const names = ['clientId', 'module', 'action'] as const;
  names.forEach((name, index) => {
    if (sent[index] === true) tags[name] = reader.text();
  });
  for (const isSent of [sent[3], info, operation]) if (isSent === true) reader.bytes();
}
