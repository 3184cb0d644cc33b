// The form of an export: lines of JSON, the first about the tenant, the last about the lines before it, between them one
// row a line. The last line holds the SHA-256 of every byte before it, so that no changed byte goes unseen.

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { MemoryError } from '../model/errors.ts';
import type { StoredRow } from './rows.ts';
import type { TenantRow } from './tenant_checks.ts';
import { isTenantTable, tenantTables } from './tenant_tables.ts';
import type { TenantTable } from './tenant_tables.ts';

const format = 'context-assembly-memory tenant';
const form = 1;
const newline = 10;
/** In bytes; whoever claims more did not write a row. */
const longestLine = 128 * 1024 * 1024;

const counts = z.record(z.enum(tenantTables), z.number().int().nonnegative());

const headerLine = z.strictObject({
  format: z.literal(format),
  form: z.literal(form),
  tenant_id: z.string(),
  /** Number of the newest migration. */
  schema: z.number().int().positive(),
  /** What wrote the vectors, which do not travel. */
  embedder: z.strictObject({ id: z.string(), dimensions: z.number().int().positive() }).nullable(),
  counts,
  /** Version of the program that wrote it. */
  program: z.string(),
  /** When the snapshot was taken, by the database's clock. */
  created_at: z.string(),
});

const endLine = z.strictObject({
  end: z.strictObject({ rows: z.number().int().nonnegative(), counts, sha256: z.string() }),
});

/** What an export says of itself. */
export type TenantHeader = z.output<typeof headerLine>;

/** The rows of each table. */
export type TenantCounts = TenantHeader['counts'];

/** A line of a row. */
export function rowLine(table: TenantTable, text: string): string {
  return `{"table":"${table}","row":${text}}\n`;
}

/** What was hashed so far of a file that is written, and its first and last line. */
export interface TenantSeal {
  readonly header: string;
  add(bytes: Uint8Array): void;
  end(): { readonly line: string; readonly sha256: string };
}

/** Begins a file: the header's bytes are counted already. */
export function sealTenantFile(told: Omit<TenantHeader, 'format' | 'form'>): TenantSeal {
  const header = `${JSON.stringify({ format, form, ...told })}\n`;
  const hash = createHash('sha256').update(header);
  return {
    header,
    add: (bytes) => void hash.update(bytes),
    end() {
      const sha256 = hash.digest('hex');
      const rows = Object.values(told.counts).reduce((sum, count) => sum + count, 0);
      return { line: `${JSON.stringify({ end: { rows, counts: told.counts, sha256 } })}\n`, sha256 };
    },
  };
}

/** Cuts bytes into lines without their newline. Throws `backup_refused` for one that is too long. */
export async function* linesOf(name: string, source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let held: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of source) {
    let from = 0;
    for (let to = chunk.indexOf(newline); to !== -1; to = chunk.indexOf(newline, from)) {
      yield Buffer.concat([...held, chunk.subarray(from, to)]);
      held = [];
      size = 0;
      from = to + 1;
    }
    size += chunk.length - from;
    if (size > longestLine) throw damaged(name, 'one of its lines is longer than any row is');
    if (from < chunk.length) held.push(chunk.subarray(from));
  }
  if (size > 0) throw damaged(name, 'it ends within a line');
}

/**
 * Reads a file to its end and hands on each line of a row, as bytes without newline. Throws `backup_refused` for what is
 * no export, has another form, or is damaged: rows may have been handed on before that is known.
 */
export async function readTenantFile(
  name: string,
  source: AsyncIterable<Uint8Array>,
  each: { header(header: TenantHeader): void; row(line: Buffer): Promise<void> },
): Promise<TenantHeader> {
  const hash = createHash('sha256');
  const found = new Map<TenantTable, number>(tenantTables.map((table) => [table, 0]));
  let header: TenantHeader | null = null;
  let end: z.output<typeof endLine>['end'] | null = null;
  let number = 0;
  for await (const line of linesOf(name, source)) {
    number += 1;
    if (end !== null) throw damaged(name, 'something follows its last line');
    if (header === null) {
      header = parseHeader(name, line);
      each.header(header);
    } else if (line.subarray(0, 7).toString('latin1') === '{"end":') {
      end = parseEnd(name, line);
      continue;
    } else {
      const table = tableOf(name, line, number);
      found.set(table, (found.get(table) ?? 0) + 1);
      await each.row(line);
    }
    hash.update(line).update('\n');
  }
  if (header === null) throw damaged(name, 'it is empty');
  if (end === null) throw damaged(name, 'its last line is missing');
  if (hash.digest('hex') !== end.sha256) throw damaged(name, 'its content is not what was written');
  for (const [table, count] of found) {
    if (header.counts[table] !== count || end.counts[table] !== count)
      throw damaged(name, `it holds ${count} rows of ${table}, which is not what it says`);
  }
  return header;
}

/** The row of a line that {@link readTenantFile} handed on. Throws `backup_refused` with its number. */
export function parseRow(name: string, line: Buffer, number: number): TenantRow {
  const table = tableOf(name, line, number);
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
      .decode(line)
      .slice(rowLine(table, '').length - '}\n'.length, -1);
    const columns: unknown = JSON.parse(text);
    if (typeof columns === 'object' && columns !== null && !Array.isArray(columns))
      return { table, columns: columns as StoredRow, text, line: number };
  } catch (error) {
    // The parser's message quotes the file.
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
  }
  throw damaged(name, `line ${number} is no row of JSON`);
}

/** Rows are known by how their line begins and ends: the text between is the database's own. */
function tableOf(name: string, line: Buffer, number: number): TenantTable {
  const begin = /^\{"table":"([a-z_]{1,40})","row":\{/.exec(line.toString('latin1', 0, 80))?.[1] ?? '';
  if (isTenantTable(begin) && line.at(-1) === 125) return begin;
  throw damaged(name, `line ${number} is no row of a table that an export has`);
}

function parseHeader(name: string, line: Buffer): TenantHeader {
  const found = jsonOf(line);
  const marks = z.looseObject({ format: z.literal(format), form: z.number() }).safeParse(found);
  if (!marks.success) {
    throw new MemoryError('backup_refused', `${name} is no export of this program, or its first line is damaged.`, {
      file: name,
    });
  }
  if (marks.data.form !== form) {
    const message = `${name} has form ${marks.data.form}, and this version reads form ${form}: import it with the version that wrote it, or a newer one.`;
    throw new MemoryError('backup_refused', message, { file: name, form: marks.data.form, expected: form });
  }
  const header = headerLine.safeParse(found);
  if (!header.success) throw damaged(name, 'its first line lacks what every export says');
  return header.data;
}

function parseEnd(name: string, line: Buffer): z.output<typeof endLine>['end'] {
  const end = endLine.safeParse(jsonOf(line));
  if (!end.success) throw damaged(name, 'its last line lacks what every export says');
  return end.data.end;
}

function jsonOf(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8'));
  } catch {
    return null;
  }
}

function damaged(name: string, how: string): MemoryError {
  return new MemoryError('backup_refused', `${name} is damaged: ${how}. Use another copy of it.`, { file: name });
}
