// Every row of every table as text that can be compared and searched.

import type { RawSession } from './harness.ts';

/** Rows as canonical text, by table, sorted. */
export type Dump = ReadonlyMap<string, readonly string[]>;

/** Names of all tables of the schema, history too. */
export async function tableNames(raw: RawSession): Promise<readonly string[]> {
  const rows = await raw.query(
    { role: null },
    `select c.relname from pg_class c
     where c.relnamespace = 'memory'::regnamespace and c.relkind in ('r', 'p') order by 1`,
  );
  return rows.map((row) => String(row['relname']));
}

/** All rows of all tables, or a tenant's alone; whoever the engine's login is sees them all. */
export async function dump(raw: RawSession, tenant: string | null = null): Promise<Dump> {
  const tables = new Map<string, readonly string[]>();
  for (const name of await tableNames(raw)) {
    if (tenant !== null && ['schema_version', 'store_setting'].includes(name)) continue;
    // A long vector is told by its digest.
    const row =
      name === 'memory_vector' ? `to_jsonb(t) || jsonb_build_object('vector', md5(vector::text))` : 'to_jsonb(t)';
    const rows = await raw.query(
      { role: null },
      `select (${row})::text as row from memory.${name} t ${tenant === null ? '' : 'where tenant_id = $1'}`,
      tenant === null ? [] : [tenant],
    );
    const texts = rows.map((found) => String(found['row']));
    tables.set(name, texts.toSorted());
  }
  return tables;
}

/** Rows of the first dump that the second has not, by table; tables without any are left out. */
export function missingFrom(before: Dump, after: Dump): Readonly<Record<string, readonly string[]>> {
  const missing = [...before].flatMap(([name, rows]) => {
    const kept = new Set(after.get(name));
    const gone = rows.filter((row) => !kept.has(row));
    return gone.length === 0 ? [] : [[name, gone] as const];
  });
  return Object.fromEntries(missing);
}
