// Exports as tests handle them: made in memory, taken apart into lines, and sealed again after a change.

import { createHash } from 'node:crypto';
import type { TenantExport, TenantFile, TenantImport } from '../../src/manager/manager.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { operatorCall } from '../fixture.ts';
import type { Fixture } from '../fixture.ts';

/** An export as lines without newline: header, rows, end. */
export interface Lines {
  readonly header: JsonObject;
  readonly rows: readonly string[];
}

/** Exports a tenant. */
export async function exported(
  fixture: Pick<Fixture, 'operator'>,
  tenant: string,
): Promise<{ readonly bytes: Buffer; readonly told: TenantExport }> {
  const parts: Uint8Array[] = [];
  const told = await fixture.operator.exportTenant(operatorCall(tenant), {
    program: 'test',
    write: async (bytes) => void parts.push(Uint8Array.from(bytes)),
  });
  return { bytes: Buffer.concat(parts), told };
}

/** Imports bytes, which come in parts of an odd size. */
export async function imported(
  fixture: Pick<Fixture, 'operator'>,
  tenant: string,
  bytes: Uint8Array,
  more: Partial<TenantFile & { readonly signal: AbortSignal; onProgress(done: number, what: string): void }> = {},
): Promise<TenantImport> {
  const { signal, onProgress, ...file } = more;
  const call = { ...operatorCall(tenant), ...(signal && { signal }), ...(onProgress && { onProgress }) };
  const given = { name: 'test.jsonl', asTenant: false, allowSecrets: false };
  return fixture.operator.importTenant(call, { ...given, source: inParts(bytes), ...file });
}

async function* inParts(bytes: Uint8Array, size = 65_537): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

/** Takes a file apart. */
export function linesOf(bytes: Buffer): Lines {
  const [header = '', ...rest] = bytes.toString('utf8').split('\n').slice(0, -1);
  return { header: JSON.parse(header), rows: rest.slice(0, -1) };
}

/** A file of these lines with counts and hash that fit: whoever forges one can do that too. */
export function sealed({ header, rows }: Lines): Buffer {
  const counts: Record<string, number> = Object.fromEntries(
    Object.keys(header['counts'] as JsonObject).map((table) => [table, 0]),
  );
  for (const row of rows) {
    const table = /^\{"table":"([a-z_]+)"/.exec(row)?.[1] ?? '';
    if (table in counts) counts[table] = (counts[table] ?? 0) + 1;
  }
  const content = [JSON.stringify({ ...header, counts }), ...rows, ''].join('\n');
  const sha256 = createHash('sha256').update(content).digest('hex');
  return Buffer.from(`${content}${JSON.stringify({ end: { rows: rows.length, counts, sha256 } })}\n`);
}

/** A changed file with the hash that it has now. */
export function resealed(file: Buffer): Buffer {
  const content = file.subarray(0, file.lastIndexOf('{"end"'));
  const { end } = JSON.parse(file.subarray(content.length).toString('utf8'));
  const sha256 = createHash('sha256').update(content).digest('hex');
  return Buffer.concat([content, Buffer.from(`${JSON.stringify({ end: { ...end, sha256 } })}\n`)]);
}

/** The rows of a table, each with its place among all. */
export function rowsOf(lines: Lines, table: string): readonly { readonly place: number; readonly row: JsonObject }[] {
  return lines.rows.flatMap((line, place) =>
    line.startsWith(`{"table":"${table}"`) ? [{ place, row: JSON.parse(line).row }] : [],
  );
}

/** The lines with the first row of a table changed. */
export function changed(lines: Lines, table: string, change: (row: JsonObject) => object): Lines {
  const [first] = rowsOf(lines, table);
  if (first === undefined) throw new Error(`the file has no row of ${table}`);
  const line = JSON.stringify({ table, row: change(first.row) });
  return { ...lines, rows: lines.rows.with(first.place, line) };
}

/** How many rows of any table a tenant has. */
export async function rowsIn(fixture: Pick<Fixture, 'operator'>, tenant: string): Promise<number> {
  const counts = await fixture.operator.countRows(operatorCall(tenant));
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}
