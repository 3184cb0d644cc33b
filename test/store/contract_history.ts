// One snapshot for all reads of a window, a position that names its database, and old versions that stay readable.

import { expect, it } from 'vitest';
import { userId } from '../../src/model/ids.ts';
import type { OpenedStore, RawSession } from './harness.ts';
import {
  entity,
  event,
  guideline,
  historyOf,
  ids,
  importRows,
  newId,
  newTenant,
  operate,
  read,
  scope,
  turn,
  write,
} from './harness.ts';

/** Content of one entity as of a recorded snapshot: base rows visible then, and history rows retired since. */
const asOf = `
  select content from (
    select tenant_id, id, content, xid, null::xid8 as retired_xid from memory.entity_memory
    union all
    select tenant_id, id, content, xid, retired_xid from memory.entity_memory_history
  ) version
  where id = $1 and pg_visible_in_snapshot(xid, $2::pg_snapshot)
    and (retired_xid is null or not pg_visible_in_snapshot(retired_xid, $2::pg_snapshot))`;

export function contractOfHistory(given: () => OpenedStore): void {
  it('[N5] a position names engine, database incarnation and snapshot; the incarnation stays', async () => {
    const { store } = given();
    const tenant = newTenant();
    const position = () => read(store, scope(tenant), async (reader) => reader.position);
    const before = await position();
    await importRows(store, tenant, { rows: [guideline()] });
    const after = await position();
    expect(before.incarnation).toMatch(/^[0-9a-f-]{36}\/\d+\/\d+$/);
    expect(after.incarnation).toBe(before.incarnation);
    expect((await store.schemaState()).incarnation).toBe(before.incarnation);
    expect(after.mode).toBe(store.mode);
    expect(after.scn).not.toBe(before.scn);
    expect(after.evaluationTime > before.evaluationTime).toBe(true);
  });

  it('[N3] the evaluation time is the caller’s where one is given, else the database’s clock to the microsecond', async () => {
    const { store } = given();
    const own = await read(store, scope(newTenant()), async (reader) => reader.position, '2026-09-28T12:00:00Z');
    expect(own.evaluationTime).toBe('2026-09-28T12:00:00.000000Z');
    const clock = await read(store, scope(newTenant()), async (reader) => reader.position);
    expect(clock.evaluationTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  });

  const history = (): RawSession => historyOf(given());

  it('[N4] a read as of a recorded snapshot gives the version of that time', async () => {
    const { store } = given();
    const tenant = newTenant();
    const scn = () => read(store, scope(tenant), async (reader) => reader.position.scn);
    const first = entity({ userId: userId('jane'), content: 'first' });
    const at0 = await scn();
    await importRows(store, tenant, { rows: [first] });
    const at1 = await scn();
    await operate(store, tenant, (writer) => writer.quarantine(['entity', first.id, 1], 'odd'));
    const at2 = await scn();
    await history().query({ role: null }, `update memory.entity_memory set content = 'third' where id = $1`, [
      first.id,
    ]);
    const at3 = await scn();
    await history().query({ role: null }, 'delete from memory.entity_memory where id = $1', [first.id]);
    const at4 = await scn();
    const seen = async (position: string) =>
      (await history().query({ role: 'mem_app', tenant, user: 'jane' }, asOf, [first.id, position])).map(
        (row) => row['content'],
      );
    expect(await seen(at0)).toEqual([]);
    expect(await seen(at1)).toEqual(['first']);
    expect(await seen(at2)).toEqual(['first']);
    expect(await seen(at3)).toEqual(['third']);
    expect(await seen(at4)).toEqual([]);
    for (const stranger of [
      { role: 'mem_app', tenant, user: 'sam' },
      { role: 'mem_app', tenant: newTenant(), user: 'jane' },
    ] as const) {
      expect(await history().query(stranger, asOf, [first.id, at3])).toEqual([]);
    }
  });

  it('[N4] what one transaction wrote and replaced itself was never visible, and leaves no history', async () => {
    const { store } = given();
    const tenant = newTenant();
    const row = entity();
    await operate(store, tenant, async (writer) => {
      await writer.importRows({ rows: [row], provenance: [], links: [], index: [] });
      await writer.quarantine(['entity', row.id, 1], 'odd');
    });
    const count = async () =>
      (await history().query({ role: null }, 'select 1 from memory.entity_memory_history where id = $1', [row.id]))
        .length;
    expect(await count()).toBe(0);
    await operate(store, tenant, (writer) => writer.quarantine(['entity', row.id, 1], null));
    expect(await count()).toBe(1);
    await expect(
      operate(store, tenant, async (writer) => {
        await writer.quarantine(['entity', row.id, 1], 'odd');
        throw new Error('rolled back');
      }),
    ).rejects.toThrow();
    expect(await count()).toBe(1);
  });

  it('[N4] nobody can forge who wrote a version, or write history', async () => {
    const tenant = newTenant();
    const row = entity({ userId: userId('jane') });
    await write(given().store, scope(tenant), (writer) => writer.putVersion(row, 0, []));
    const forged = await history().query(
      { role: 'mem_app', tenant, user: 'jane' },
      `insert into memory.context_source_ref (tenant_id, user_id, derived_type, derived_id, derived_version, source_type,
         source_id, source_version, relation, created_at, xid)
       values ($1, 'jane', 'entity', 'a', 1, 'entity', 'b', 1, 'mentions', now(), '3') returning xid::text as xid`,
      [tenant],
    );
    expect(forged[0]?.['xid']).not.toBe('3');
    await expect(
      history().query(
        { role: 'mem_operator', tenant },
        'update memory.entity_memory_history set content = null where tenant_id = $1',
        [tenant],
      ),
    ).rejects.toMatchObject({ code: '42501' });
  });

  it('[N4] every canonical table keeps history, and its history has the same columns', async () => {
    const rows = await history().query(
      { role: null },
      `select c.relname as name,
         (select string_agg(attname, ',' order by attnum) from pg_attribute a where a.attrelid = c.oid and attnum > 0) as base,
         (select string_agg(attname, ',' order by attnum) from pg_attribute a
          where a.attrelid = to_regclass('memory.' || c.relname || '_history') and attnum > 0) as history
       from pg_class c join pg_trigger t on t.tgrelid = c.oid and t.tgname = 'archive_version'
       where c.relnamespace = 'memory'::regnamespace order by 1`,
    );
    expect(rows.map((row) => row['name'])).toEqual([
      'context_compression',
      'context_source_ref',
      'conversation_memory',
      'entity_memory',
      'guideline_memory',
      'knowledge_base_chunk',
      'knowledge_base_document',
      'memory_link',
      'persona_memory',
      'summarization_memory',
      'toolbox_memory',
      'workflow_memory',
    ]);
    for (const row of rows) expect(row['history']).toBe(`retired_xid,${String(row['base'])}`);
  });

  it('[N3] rows that were committed before a read began are in it, and all its reads agree', async () => {
    const { store } = given();
    const tenant = newTenant();
    await importRows(store, tenant, { rows: [turn()] });
    const own = scope(tenant);
    let begin = (): void => {};
    const written = new Promise<void>((resolve) => (begin = resolve)).then(() =>
      write(store, own, (writer) => writer.appendEvent(event({ eventId: newId() }))),
    );
    const seen = await read(store, own, async (reader) => {
      const first = ids(await reader.tail(5));
      // On one connection this waits for the read; on several it commits meanwhile and must not be seen.
      begin();
      await new Promise((resolve) => setTimeout(resolve, 30));
      return [first, ids(await reader.tail(5))];
    });
    await written;
    expect(seen[1]).toEqual(seen[0]);
    expect(await read(store, own, async (reader) => (await reader.tail(5)).length)).toBe(2);
  });
}
