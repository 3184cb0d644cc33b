// A tenant's rows out and in (design D3, N2, N3): every column of every table, to the letter, and of no other tenant.

import { expect, it } from 'vitest';
import { agentId, rowId, userId } from '../../src/model/ids.ts';
import type { Store } from '../../src/store/store.ts';
import { tenantTables } from '../../src/store/tenant_tables.ts';
import { createTenantCheck } from '../../src/store/tenant_checks.ts';
import type { OpenedStore } from './harness.ts';
import {
  document,
  entity,
  entry,
  event,
  guideline,
  importRows,
  newId,
  newTenant,
  operate,
  operator,
  options,
  persona,
  read,
  run,
  scope,
  summary,
  tool,
  turn,
  workflow,
  write,
} from './harness.ts';

/** Columns that the receiving database gives, or makes of others. */
const made = new Set(['tenant_id', 'xid', 'user_key', 'agent_key', 'event_order', 'manifest_id']);
/** Tables that do not travel: what can be made again, what ends with its run, and what describes the store itself. */
const staying = [
  'memory_term',
  'memory_vector',
  'memory_sign',
  'memory_name',
  'token_count',
  'context_run',
  'issued_memory',
  'history_horizon',
  'history_mark',
  'schema_version',
  'store_setting',
];

/** The rows of a tenant by table. */
async function rowsOf(store: Store, tenant: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  await store.inspect(operator(tenant), options(), async (reader) => {
    for await (const { table, rows } of reader.tenantRows()) found.set(table, [...(found.get(table) ?? []), ...rows]);
  });
  return found;
}

async function putAll(store: Store, tenant: string, rows: ReadonlyMap<string, readonly string[]>): Promise<void> {
  await operate(store, tenant, async (writer) => {
    for (const table of tenantTables) await writer.putTenantRows({ table, rows: rows.get(table) ?? [] });
  });
}

/** A row of every table, with what is rare in it. */
async function fill(store: Store, tenant: string): Promise<void> {
  const fact = entity({
    userId: userId('jané'),
    agentId: agentId('a'),
    content: 'Helios\u2028',
    conditions: { a: [] },
  });
  const paper = document({}, ['One.', 'Two.', 'Three.']);
  const said = turn();
  await importRows(store, tenant, {
    rows: [guideline({ value: null }), persona({ value: null }), tool(), fact, workflow(), summary(), paper, said],
    provenance: [{ derived: ['entity', fact.id, 1], source: ['document', paper.id, 1], relation: 'derived_from' }],
    links: [{ source: ['entity', fact.id, 1], target: ['document', paper.id, 1], relation: 'supports' }],
  });
  await write(store, scope(tenant), async (writer) => {
    const opened = run();
    await writer.openRun(opened);
    await writer.appendEvent(event({ payload: { text: 'after', deep: { null: null, empty: '' } } }));
    await writer.appendEvent(event({ eventType: 'feedback', role: null, latencyMs: 0.1, runId: opened.runId }));
    await writer.putVersion(entity({ userId: userId('jane') }), 0, []);
    await writer.putCompressions([
      {
        id: newId(),
        source: ['entity', fact.id, 1],
        sourceHash: 'another',
        text: 'x',
        tokens: 1,
        model: 'm',
        promptVersion: '1',
      },
    ]);
  });
}

export function contractOfPortable(given: () => OpenedStore): void {
  it('[D3,D7] every row comes back as it was, with the checks of an import passed', async () => {
    const { store } = given();
    const [from, to] = [newTenant(), newTenant()];
    await fill(store, from);
    const rows = await rowsOf(store, from);
    const check = createTenantCheck('test');
    let line = 1;
    for (const [table, texts] of rows) {
      for (const text of texts)
        check.row({
          table: table as (typeof tenantTables)[number],
          columns: JSON.parse(text),
          text,
          line: (line += 1),
        });
    }
    check.end();
    await putAll(store, to, rows);
    expect(await rowsOf(store, to)).toEqual(rows);
    await expect(putAll(store, to, rows)).rejects.toMatchObject({ code: 'version_conflict' });
    expect(await rowsOf(store, to)).toEqual(rows);
  });

  it('[D3] numbers longer than the program’s, times to the microsecond, JSON null and what is not there are kept', async ({
    skip,
  }) => {
    const { store, raw } = given();
    if (raw === null) skip('the engine offers no statements beside the store');
    const [from, to] = [newTenant(), newTenant()];
    const as = { role: 'mem_operator', tenant: from } as const;
    const value =
      '{"long": 123456789012345678901234567890.10, "none": null, "big": 1e400, "text": "\\\\u0041 \u{10FFFF}"}';
    const at = '2026-01-02T03:04:05.000001Z';
    await raw!.query(
      as,
      `insert into memory.guideline_memory (tenant_id, id, guideline_key, guideline_value, version, valid_from,
         created_at, written_by, trust) values ($1, 'g', 'k', $2::jsonb, 1, $3, $3, 'x', 'stated')`,
      [from, value, at],
    );
    await raw!.query(
      as,
      `insert into memory.persona_memory (tenant_id, id, persona_key, persona_value, valid_from, created_at, written_by,
         trust, quarantined_at, quarantine_reason, deleted_at)
       values ($1, 'erased', 'k', null, $2, $2, 'x', 'stated', null, null, null),
         ($1, 'null', 'l', 'null', $2, $2, 'x', 'stated', $2, 'why', $2)`,
      [from, at],
    );
    const rows = await rowsOf(store, from);
    expect(rows.get('guideline_memory')?.[0]).toContain('123456789012345678901234567890.10');
    await putAll(store, to, rows);
    expect(await rowsOf(store, to)).toEqual(rows);
    const [kept] = await raw!.query(
      { role: 'mem_operator', tenant: to },
      `select (select g.guideline_value = $1::jsonb and g.valid_from = $2 from memory.guideline_memory g) as same,
         (select string_agg(id, ',' order by id) from memory.persona_memory where persona_value is null) as erased`,
      [value, at],
    );
    expect(kept).toEqual({ same: true, erased: 'erased' });
  });

  it('[D3] every table and column travels, or is known to stay', async ({ skip }) => {
    const { store, raw } = given();
    if (raw === null) skip('the engine offers no statements beside the store');
    const tenant = newTenant();
    await fill(store, tenant);
    await raw!.query(
      { role: 'mem_operator', tenant },
      `insert into memory.deletion_events (tenant_id, id, deletion_scope, reason, deleted_at)
       values ($1, 'd', 'user', 'asked', now())`,
      [tenant],
    );
    const [compressed] = await raw!.query(
      { role: null },
      `insert into memory.context_compression (tenant_id, id, source_type, source_id, source_version, source_hash, text,
         tokens, model, prompt_version, created_at)
       select tenant_id, 'c', 'workflow', id, 1, 'h', 't', 1, 'm', '1', now() from memory.workflow_memory
       where tenant_id = $1 returning id`,
      [tenant],
    );
    expect(compressed).toEqual({ id: 'c' });
    const columns = await raw!.query(
      { role: null },
      `select c.relname as table_name, array_agg(a.attname::text order by a.attname) as names
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       where c.relnamespace = 'memory'::regnamespace and c.relkind in ('r', 'p') and c.relname not like '%\\_history'
       group by c.relname order by c.relname`,
    );
    const rows = await rowsOf(store, tenant);
    const travelling = Object.fromEntries(
      [...rows].map(([table, [row = '{}']]) => [table, Object.keys(JSON.parse(row) as object).toSorted()]),
    );
    const expected = columns
      .filter(({ table_name: table }) => !staying.includes(String(table)))
      .map(({ table_name: table, names }) => [table, (names as string[]).filter((name) => !made.has(name)).toSorted()]);
    expect(travelling).toEqual(Object.fromEntries(expected));
    expect(Object.keys(travelling).toSorted()).toEqual([...tenantTables].toSorted());
  });

  it('[D4,D7] what leads nowhere stays behind, so that an import can ask for both ends', async () => {
    const { store } = given();
    const tenant = newTenant();
    const fact = entity();
    const nowhere = ['entity', rowId('nowhere'), 1] as const;
    const own = ['entity', fact.id, 1] as const;
    await importRows(store, tenant, {
      rows: [fact],
      provenance: [
        { derived: own, source: nowhere, relation: 'derived_from' },
        { derived: nowhere, source: own, relation: 'mentions' },
      ],
      links: [{ source: nowhere, target: own, relation: 'supports' }],
    });
    expect([...(await rowsOf(store, tenant)).keys()]).toEqual(['entity_memory']);
  });

  it('[N2] an operator reads no row of another tenant, and an end user’s login none at all', async () => {
    const { store } = given();
    const [own, other] = [newTenant(), newTenant()];
    await importRows(store, own, { rows: [entity({ id: rowId('same'), content: 'own words' })] });
    await importRows(store, other, { rows: [entity({ id: rowId('same'), content: 'foreign words' }), turn()] });
    const rows = await rowsOf(store, own);
    expect([...rows.keys()]).toEqual(['entity_memory']);
    expect(JSON.stringify([...rows])).not.toContain('foreign');
    await store.inspect(operator(own), options(), async (reader) => {
      expect(Object.values(Object.fromEntries(await reader.countRows())).reduce((a, b) => a + b, 0)).toBe(1);
    });
    const leftOver = await read(store, scope(newTenant()), (reader) => reader.guidelines());
    expect(leftOver).toEqual([]);
  });

  it('[N2] rows are written for the operator’s own tenant, whatever they say', async () => {
    const { store } = given();
    const [own, other] = [newTenant(), newTenant()];
    await importRows(store, own, { rows: [workflow()] });
    const [text = ''] = (await rowsOf(store, own)).get('workflow_memory') ?? [];
    const forged = JSON.stringify({ ...JSON.parse(text), tenant_id: other, id: newId() });
    await putAll(store, own, new Map([['workflow_memory', [forged.replace('rotate_logs', 'another')]]]));
    expect((await rowsOf(store, other)).size).toBe(0);
    expect((await rowsOf(store, own)).get('workflow_memory')).toHaveLength(2);
  });

  it('[N3] all rows are of one moment', async () => {
    const { store } = given();
    const tenant = newTenant();
    const rows = Array.from({ length: 250 }, (_, index) => entity({ subject: `s${index}` }));
    await importRows(store, tenant, { rows, index: rows.map((row) => entry(['entity', row.id, 1], row.content)) });
    let begin: () => void = () => {};
    // On one connection it waits for the reader; on a server it commits meanwhile.
    const late = new Promise<void>((resolve) => (begin = resolve)).then(() =>
      importRows(store, tenant, { rows: [workflow(), entity({ subject: 'z', id: newId('zz') })] }),
    );
    const seen = await store.inspect(operator(tenant), options(), async (reader) => {
      let count = 0;
      for await (const page of reader.tenantRows()) {
        begin();
        await new Promise((resolve) => setTimeout(resolve, 50));
        count += page.rows.length;
      }
      return count;
    });
    await late;
    expect(seen).toBe(250);
    const after = await rowsOf(store, tenant);
    expect([...after.values()].flat()).toHaveLength(252);
  });
}
