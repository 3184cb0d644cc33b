// Functions that run as the owner (design N2): tried from contexts that must learn nothing from them.

import { expect, it } from 'vitest';
import { rowId, userId } from '../../src/model/ids.ts';
import { memoryTypes } from '../../src/model/memory.ts';
import type { OpenedStore, RawSession } from './harness.ts';
import { entity, entry, importRows, newTenant, operate, rawOf, sqlState } from './harness.ts';

const jane = userId('jane');

/** Each function that runs as the owner is tried from contexts that must learn nothing from it. */
export function contractOfDefiners(
  given: () => OpenedStore,
  { tenant, other }: { readonly tenant: string; readonly other: string },
): void {
  const raw = (): RawSession => rawOf(given());
  const strangers = [
    { role: 'mem_app', tenant: other, user: 'jane' },
    { role: 'mem_app', tenant, user: 'sam' },
    { role: 'mem_app', tenant },
    { role: 'mem_app' },
  ] as const;
  const kinds = '{entity,chunk,summary,conversation,workflow}';

  it('[N2] every definer function has a leak test here, pins its search path and is for named roles alone', async () => {
    const rows = await raw().query(
      { role: null },
      `select p.proname, p.proconfig::text[] as settings, p.proacl::text as acl from pg_proc p
       where p.pronamespace = 'memory'::regnamespace and p.prosecdef order by 1`,
    );
    expect(rows.map((row) => row['proname'])).toEqual([
      'archive_version',
      'erase',
      'gone_refs',
      'lexical_candidates',
      'lexical_statistics',
      'lock_rebuilt',
      'lock_sources',
      'retain',
      'retain_next',
      'sealing_secret',
      'switch_embedder',
      'sync_derived',
    ]);
    for (const row of rows) {
      expect(row['settings']).toEqual(['search_path=pg_catalog, pg_temp']);
      // A grant to everybody begins with the equals sign.
      expect(String(row['acl'])).not.toMatch(/[{,]=/);
    }
  });

  it('[N2] unseen and owner_of, which plan once for all callers, see what their caller sees', async () => {
    const [row] = await raw().query(
      { role: 'mem_app', tenant, user: 'jane' },
      "select kind, id, version from memory.memory_term where user_id = 'jane' order by kind, id limit 1",
    );
    const ref = [row?.['kind'], row?.['id'], row?.['version']] as never;
    const ask = (as: Parameters<RawSession['query']>[0]) =>
      raw().query(
        as,
        `select (select count(*)::integer from memory.unseen($1, jsonb_build_array(jsonb_build_object('id', $2::text,
           'version', $3::integer)))) as unseen, memory.owner_of($1, $2, $3) as owner`,
        ref,
      );
    expect(await ask({ role: 'mem_app', tenant, user: 'jane' })).toEqual([{ unseen: 0, owner: 'jane' }]);
    for (const stranger of strangers) expect(await ask(stranger)).toEqual([{ unseen: 1, owner: null }]);
  });

  it('[N2] unseen knows every type, and takes no other version for the one that is there', async () => {
    const refs = "jsonb_agg(jsonb_build_object('id', id, 'version', version + $1::integer))";
    const unseen = (offset: number) =>
      raw().query(
        { role: 'mem_app', tenant, user: 'jane' },
        `select type, count(*)::integer as rows, (select count(*)::integer from memory.unseen(type, ${refs})) as unseen
         from memory.known_version group by type order by type`,
        [offset],
      );
    const rows = await unseen(0);
    expect(rows.length).toBeGreaterThan(3);
    for (const row of rows) expect(row).toEqual({ ...row, unseen: 0 });
    for (const row of await unseen(7)) expect(row).toEqual({ ...row, unseen: row['rows'] });
    for (const type of [...memoryTypes, 'none that there is']) {
      const none = await raw().query(
        { role: 'mem_app' },
        'select from memory.unseen($1, \'[{"id": "x", "version": 1}]\')',
        [type],
      );
      expect(none).toHaveLength(1);
    }
  });

  it('[N2] lexical_statistics counts nothing of another tenant or user', async () => {
    const ask = (as: Parameters<RawSession['query']>[0]) =>
      raw().query(
        as,
        `select documents, frequencies from memory.lexical_statistics('{helios}', '${kinds}', null, 'main', now(), 100)`,
      );
    for (const stranger of strangers) expect(await ask(stranger)).toEqual([{ documents: 0, frequencies: [0] }]);
    expect(await ask({ role: 'mem_app', tenant, user: 'jane' })).toEqual([{ documents: 2, frequencies: [2] }]);
  });

  it('[N2,Q2] lexical_statistics of a large tenant come from a sample of what its caller can find', async () => {
    const [large, neighbour] = [newTenant(), newTenant()];
    // Every sixteenth row is in the sample, so that what is estimated here is what there is.
    const fill = (owner: string, user: string | null, made: { readonly rows: number; readonly length: number }) =>
      raw().query(
        { role: null },
        `insert into memory.memory_term (tenant_id, kind, id, version, user_id, valid_from, quarantined, content_hash,
           terms, frequencies, lengths, analysis)
         select $1, 'entity', coalesce($2, 'all') || i, 1, $2, '2026-01-01', false,
           case when i % 16 = 0 then '0' else '8' end || md5(i::text),
           array_to_tsvector(array[memory.tenant_lexeme($1), 'common'] || case when i <= 300 then '{rare}' else '{}' end::text[]),
           array[array[0, 0, 0, 0]], array[0, 0, $4::integer, 0], 1
         from generate_series(1, $3::integer) as i`,
        [owner, user, made.rows, made.length],
      );
    await fill(large, null, { rows: 5600, length: 4 });
    await fill(large, 'sam', { rows: 1600, length: 40 });
    await fill(neighbour, null, { rows: 800, length: 400 });
    const ask = (as: Parameters<RawSession['query']>[0], most = 50_000) =>
      raw().query(
        as,
        `select documents, average_lengths[3] as length, frequencies
         from memory.lexical_statistics('{common,rare,absent}', '${kinds}', null, 'main', now(), $1)`,
        [most],
      );
    const as = { role: 'mem_app', tenant: large } as const;
    expect(await ask({ ...as, user: 'jane' })).toEqual([{ documents: 5600, length: 4, frequencies: [5600, 300, 0] }]);
    expect(await ask({ ...as, user: 'jane' }, 5000)).toMatchObject([{ frequencies: [5000, 300, 0] }]);
    const sams = [{ documents: 7200, length: (5600 * 4 + 1600 * 40) / 7200, frequencies: [7200, 600, 0] }];
    expect(await ask({ ...as, user: 'sam' })).toEqual(sams);
    expect(await ask({ role: 'mem_app', tenant: neighbour, user: 'jane' })).toEqual([
      { documents: 800, length: 400, frequencies: [800, 300, 0] },
    ]);
    for (const stranger of [{ role: 'mem_app', tenant: other, user: 'jane' }, { role: 'mem_app' }, as] as const) {
      expect(await ask(stranger)).toEqual([{ documents: 0, length: 0, frequencies: [0, 0, 0] }]);
    }
    await raw().query({ role: null }, 'delete from memory.memory_term where tenant_id in ($1, $2)', [large, neighbour]);
  });

  it('[N2] lexical_candidates finds nothing of another tenant or user', async () => {
    const ask = (as: Parameters<RawSession['query']>[0]) =>
      raw().query(
        as,
        `select id from memory.lexical_candidates('{helios}', '{1000}', '${kinds}', null, '[]', null, 'main', now(), 100)`,
      );
    for (const stranger of strangers) expect(await ask(stranger)).toEqual([]);
    expect(await ask({ role: 'mem_app', tenant, user: 'jane' })).toHaveLength(2);
  });

  it('[N2] lock_sources locks nothing that its caller cannot see', async () => {
    const fact = entity({ userId: jane, subject: 'locked' });
    await importRows(given().store, tenant, { rows: [fact] });
    const locked = () =>
      raw().query(
        { role: null },
        `select xmax::text <> '0' as locked from memory.entity_memory where tenant_id = $1 and id = $2`,
        [tenant, fact.id],
      );
    const lock = (as: Parameters<RawSession['query']>[0]) =>
      raw().query(as, 'select memory.lock_sources($1::jsonb)', [JSON.stringify([{ type: 'entity', id: fact.id }])]);
    for (const stranger of strangers) await lock(stranger);
    expect(await locked()).toEqual([{ locked: false }]);
    await lock({ role: 'mem_app', tenant, user: 'jane' });
    expect(await locked()).toEqual([{ locked: true }]);
  });

  it('[N2] lock_rebuilt is for operators, and locks nothing of another tenant', async () => {
    const fact = entity({ subject: 'rebuilt' });
    await importRows(given().store, tenant, { rows: [fact] });
    const locked = () =>
      raw().query(
        { role: null },
        `select xmax::text <> '0' as locked from memory.entity_memory where tenant_id = $1 and id = $2`,
        [tenant, fact.id],
      );
    const lock = (as: Parameters<RawSession['query']>[0]) =>
      raw().query(as, 'select memory.lock_rebuilt($1::jsonb)', [JSON.stringify([{ type: 'entity', id: fact.id }])]);
    for (const stranger of [...strangers, { role: 'mem_operator' } as const])
      expect(await sqlState(lock(stranger))).toBe('42501');
    await lock({ role: 'mem_operator', tenant: other });
    expect(await locked()).toEqual([{ locked: false }]);
    await lock({ role: 'mem_operator', tenant });
    expect(await locked()).toEqual([{ locked: true }]);
  });

  it('[N2,D6] switch_embedder is for operators, says yes or no, and no while any tenant lacks a vector', async () => {
    const ready = newTenant();
    const facts = [tenant, ready].map((owner) => ({ owner, row: entity({ subject: 'switched' }) }));
    for (const { owner, row } of facts)
      await importRows(given().store, owner, { rows: [row], index: [entry(['entity', row.id, 1], row.content)] });
    const ask = (as: Parameters<RawSession['query']>[0]) =>
      raw().query(as, `select * from memory.switch_embedder('leaked', 4)`);
    for (const stranger of [...strangers, { role: 'mem_operator' } as const])
      expect(await sqlState(ask(stranger))).toBe('42501');
    const mark = {
      reach: 2,
      unreadable: [['entity', facts[1]!.row.id, 1] as const],
      embedder: { id: 'leaked', dimensions: 4 },
    };
    expect(await operate(given().store, ready, (writer) => writer.putVectors([], mark))).toBe(1);
    // Ready for itself, it learns of the others that they are there, and neither who nor how many.
    expect(await ask({ role: 'mem_operator', tenant: ready })).toEqual([{ switch_embedder: false }]);
    expect((await given().store.schemaState()).embedder?.id).not.toBe('leaked');
    const written = (as: Parameters<RawSession['query']>[0]) =>
      raw().query(as, `update memory.store_setting set value = 'leaked' where name = 'embedder_id'`);
    for (const role of ['mem_app', 'mem_operator'] as const)
      expect(await sqlState(written({ role, tenant, user: 'jane' }))).toBe('42501');
  });

  it('[N2] the triggers cannot be called, and touch the index of the changed memory alone', async () => {
    for (const name of ['archive_version', 'sync_derived']) {
      expect(
        await sqlState(raw().query({ role: 'mem_app', tenant, user: 'jane' }, `select memory.${name}()`)),
      ).not.toBeNull();
    }
    const twin = rowId('twin_fact');
    for (const owner of [tenant, other]) {
      await importRows(given().store, owner, {
        rows: [entity({ id: twin, subject: 'twin', content: 'twin' })],
        index: [entry(['entity', twin, 1], 'twin')],
      });
    }
    await operate(given().store, tenant, (writer) => writer.quarantine(['entity', twin, 1], 'test'));
    const rows = await raw().query(
      { role: null },
      'select tenant_id, quarantined from memory.memory_term where id = $1 and tenant_id in ($2, $3)',
      [twin, tenant, other],
    );
    expect(new Map(rows.map((row) => [row['tenant_id'], row['quarantined']]))).toEqual(
      new Map([
        [tenant, true],
        [other, false],
      ]),
    );
  });
}
