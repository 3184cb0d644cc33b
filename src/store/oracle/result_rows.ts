// How what the driver gives becomes rows: names in lower case, CLOBs as text, an empty text in place of NULL where
// NULL cannot be meant.

import type { ExecuteOptions, Metadata, Result } from 'oracledb';
import { z } from 'zod';
import type { DatabaseRow } from '../statements/session.ts';
import type { Driver } from './driver.ts';

/** Rows that one round trip brings: most statements are bounded by fewer. */
const rowsAtOnce = 200;

/** How statements are executed, the same for all of them; the driver's process-wide settings have no say. */
export function executeOptions(driver: Driver): ExecuteOptions {
  return {
    autoCommit: false,
    outFormat: driver.OUT_FORMAT_ARRAY,
    fetchArraySize: rowsAtOnce,
    prefetchRows: rowsAtOnce,
    maxRows: 0,
    fetchTypeHandler: ({ dbType }) => (dbType === driver.DB_TYPE_CLOB ? { type: driver.STRING } : undefined),
  };
}

// Oracle holds an empty text as NULL. In these columns the other dialect has no NULL.
const emptyWhenNull: ReadonlySet<string> = new Set(['usage_notes', 'description']);

const resultBind = z.object({ result: z.array(z.record(z.string(), z.unknown())).nullable() });

/** The rows of a statement: of its query, or of the JSON array that a block gave. */
export function rowsOf(result: Result<unknown>, hasResult: boolean): readonly DatabaseRow[] {
  if (hasResult) return (resultBind.parse(result.outBinds).result ?? []).map(withEmptyTexts);
  return namedRows(result.metaData ?? [], result.rows ?? []);
}

/** Rows that came as arrays, with the names of their columns. */
export function namedRows(columns: readonly Metadata<unknown>[], rows: readonly unknown[]): readonly DatabaseRow[] {
  const names = columns.map(({ name }) => name.toLowerCase());
  return rows.map((row) => {
    const values: readonly unknown[] = Array.isArray(row) ? row : [];
    return withEmptyTexts(Object.fromEntries(names.map((name, index) => [name, values[index] ?? null])));
  });
}

function withEmptyTexts(row: DatabaseRow): DatabaseRow {
  const empty = [...emptyWhenNull].filter((name) => row[name] === null);
  return empty.length === 0 ? row : { ...row, ...Object.fromEntries(empty.map((name) => [name, ''])) };
}
