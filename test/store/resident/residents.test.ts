// Whose memories are kept in the process, from when on and how long, and that nobody finds another's among them.

import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { rowId, userId } from '../../../src/model/ids.ts';
import { createResidents, usualLimits } from '../../../src/store/resident/residents.ts';
import type { ResidentLimits } from '../../../src/store/resident/principals.ts';
import type { SharedResidents } from '../../../src/store/resident/residents.ts';
import type { Store } from '../../../src/store/store.ts';
import {
  entity,
  entry,
  ids,
  importRows,
  newTenant,
  operate,
  operator,
  options,
  read,
  scope,
  turn,
} from '../harness.ts';
import { openWatchedEngine } from './watched_engine.ts';
import type { WatchedEngine } from './watched_engine.ts';

const filter = { kinds: ['entity', 'conversation'], collections: null, exclude: [], limit: 50 } as const;

let watched: WatchedEngine;
beforeAll(async () => {
  watched = await openWatchedEngine();
});
beforeEach(() => watched.before(() => {}));
afterAll(() => watched.engine.close());

/** Everything that a principal finds for a word, by both searches. */
function search(store: Store, tenant: string, user = 'jane') {
  return read(store, scope(tenant, user), async (reader) => {
    const lexical = await reader.searchLexical(['word'], filter);
    const near = await reader.searchVector(Float32Array.from([1, 0, 0, 0]), 'text', filter);
    return { hits: ids(lexical.hits), documents: lexical.documents, near: ids(near) };
  });
}

const fromMemory = async (store: Store, tenant: string, user?: string): Promise<boolean> =>
  !(await watched.ran(() => search(store, tenant, user))).includes('lexical_statistics');

const untilFromMemory = (store: Store, tenant: string, user?: string) =>
  vi.waitFor(async () => expect(await fromMemory(store, tenant, user)).toBe(true), { timeout: 10_000 });

/** Facts of somebody (null: of all) that hold the word, with vectors. */
async function fill(tenant: string, names: readonly string[], owner: string | null = null): Promise<void> {
  const rows = names.map((name) =>
    entity({ id: rowId(name), subject: name, content: 'word', userId: owner === null ? null : userId(owner) }),
  );
  const index = rows.map((row) => entry(['entity', row.id, 1], 'word', { vector: [1, 0, 0, 0] }));
  await importRows(watched.storeWith(null), tenant, { rows, index });
}

/** Index rows without their memories, which searches do not read. */
async function fillMany({ raw }: WatchedEngine, tenant: string, count: number): Promise<void> {
  await raw.query(
    { role: null },
    `insert into memory.memory_term (tenant_id, kind, id, version, valid_from, quarantined, content_hash, terms, frequencies,
       lengths, analysis)
     select $1, 'entity', 'more_' || i, 1, '2026-01-01', false, 'h', array_to_tsvector(array[memory.tenant_lexeme($1), 'word']),
       '{{0,0,0,0},{0,0,1,0}}', '{0,0,1,0}', 1 from generate_series(1, $2::integer) i`,
    [tenant, count],
  );
}

const many = (count: number, prefix = 'row'): readonly string[] =>
  Array.from({ length: count }, (_, place) => `${prefix}_${String(place).padStart(4, '0')}`);

const limited = (limits: Partial<ResidentLimits>, manner: 'usual' | 'eager' = 'eager'): SharedResidents =>
  createResidents(manner, { ...usualLimits, ...limits });

describe('what is kept of memory', () => {
  it('is loaded beside the second search of a principal, page by page, and the first loads nothing', async () => {
    const [tenant, names] = [newTenant(), many(600)];
    await fill(tenant, names);
    const store = watched.storeWith(createResidents());
    const first = await watched.ran(async () => {
      await search(store, tenant);
      await read(store, scope(tenant), (reader) => reader.guidelines());
    });
    expect(first).not.toContain('index_page');
    const loaded = await watched.ran(async () => {
      expect((await search(store, tenant)).documents).toBe(600);
      await untilFromMemory(store, tenant);
    });
    expect(loaded).toContain('lexical_statistics');
    expect(await search(store, tenant)).toEqual(await search(watched.storeWith(null), tenant));
  });

  it('is read once, however often is searched meanwhile', async () => {
    const tenant = newTenant();
    await fillMany(watched, tenant, 3_000);
    const store = watched.storeWith(createResidents());
    const ran = await watched.ran(async () => {
      // A load takes its turns like everybody else.
      while (!(await fromMemory(store, tenant))) await new Promise((resolve) => void setImmediate(resolve));
    });
    expect(ran.filter((name) => name === 'lexical_statistics').length).toBeGreaterThan(4);
    // Twelve full pages, and one that finds no more.
    expect(ran.filter((name) => name === 'index_page')).toHaveLength(13);
  });

  it('leaves a turn to everybody else in the process between two pages', async () => {
    const tenant = newTenant();
    await fillMany(watched, tenant, 1_500);
    const store = watched.storeWith(createResidents());
    let turns = 0;
    const take = (): void => {
      turns += 1;
      next = setImmediate(take);
    };
    let next = setImmediate(take);
    const atPages: number[] = [];
    watched.before((name) => {
      if (name === 'index_page') atPages.push(turns);
    });
    await search(store, tenant);
    await search(store, tenant);
    await vi.waitFor(() => expect(atPages).toHaveLength(7), { timeout: 10_000 });
    clearImmediate(next);
    expect(new Set(atPages).size).toBe(7);
  });

  it('[Q3] brings the vectors where there is room for all of them, and else those that are compared', async () => {
    const [tenant, names] = [newTenant(), many(20)];
    await fill(tenant, names);
    const vectorsRead = async (work: () => Promise<unknown>): Promise<boolean> =>
      (await watched.ran(work)).includes('vectors_by_ref');
    const expected = await search(watched.storeWith(null), tenant);
    for (const [limits, withLoad] of [
      [{}, true],
      [{ vectorBytes: 1_000 }, false],
    ] as const) {
      const store = watched.storeWith(limited(limits));
      // The first search loads, and asks for no vector of its own.
      const load = () => read(store, scope(tenant), (reader) => reader.searchLexical(['word'], filter));
      expect(await vectorsRead(load)).toBe(withLoad);
      const ask = async () => expect(await search(store, tenant)).toEqual(expected);
      expect(await vectorsRead(ask)).toBe(!withLoad);
    }
  });

  it('[I1,N2] nobody finds what another user or tenant wrote, before and after, and nobody counts it', async () => {
    const [acme, globex] = [newTenant(), newTenant()];
    await fill(acme, ['shared']);
    await fill(acme, ['of_jane'], 'jane');
    await fill(acme, ['of_sam_1', 'of_sam_2'], 'sam');
    // The same ids of another tenant are other memories.
    await fill(globex, ['shared', 'of_jane']);
    const store = watched.storeWith(createResidents());
    const expected: readonly (readonly [tenant: string, user: string, found: readonly string[]])[] = [
      [acme, 'jane', ['of_jane', 'shared']],
      [acme, 'sam', ['of_sam_1', 'of_sam_2', 'shared']],
      [acme, 'kim', ['shared']],
      [globex, 'jane', ['of_jane', 'shared']],
      [newTenant(), 'jane', []],
    ];
    const expectOwn = async (): Promise<void> => {
      for (const [tenant, user, found] of expected)
        expect(await search(store, tenant, user)).toEqual({ hits: found, documents: found.length, near: found });
    };
    await expectOwn();
    for (const [tenant, user] of expected) await untilFromMemory(store, tenant, user);
    await expectOwn();
    await fill(acme, ['of_sam_3'], 'sam');
    await fill(globex, ['more']);
    expect(await search(store, acme, 'sam')).toMatchObject({ documents: 4 });
    expect(await search(store, acme, 'jane')).toMatchObject({ documents: 2, hits: ['of_jane', 'shared'] });
    expect(await search(store, globex, 'jane')).toMatchObject({ documents: 3, near: ['more', 'of_jane', 'shared'] });
  });

  it('[E1] nothing erased is found or kept: the whole tenant is forgotten, and nobody else', async () => {
    const [tenant, other] = [newTenant(), newTenant()];
    const said = turn({ id: rowId(`said_${tenant.slice(-6)}`), text: 'word' });
    await fill(tenant, ['fact']);
    await fill(other, ['fact']);
    await importRows(watched.storeWith(null), tenant, {
      rows: [said],
      index: [entry(['conversation', said.id, 1], 'word', { vector: [1, 0, 0, 0] })],
    });
    const store = watched.storeWith(createResidents('eager'));
    expect(await search(store, tenant)).toMatchObject({ documents: 2, near: [said.id, 'fact'] });
    await search(store, other);
    await store.erase(operator(tenant), { ...options(), dryRun: true }, { kind: 'event', id: said.id });
    expect(await watched.ran(() => search(store, tenant))).not.toContain('index_page');
    await store.erase(operator(tenant), { ...options(), dryRun: false }, { kind: 'event', id: said.id });
    const anew = await watched.ran(async () => {
      expect(await search(store, tenant)).toEqual({ hits: ['fact'], documents: 1, near: ['fact'] });
    });
    expect(anew).toContain('index_page');
    expect(await watched.ran(() => search(store, other))).not.toContain('index_page');
  });

  it('[N8] who sees too many rows is answered by the statements, and asked for again after many changes', async () => {
    const tenant = newTenant();
    await fill(tenant, many(12));
    const store = watched.storeWith(limited({ rows: 10 }));
    expect((await search(store, tenant)).documents).toBe(12);
    const again = await watched.ran(() => search(store, tenant));
    expect(again).toContain('lexical_statistics');
    expect(again).not.toContain('index_changes_since');
    await watched.raw.query(
      { role: null },
      "select setval('memory.index_change', nextval('memory.index_change') + 1000)",
    );
    expect(await watched.ran(() => search(store, tenant))).toContain('index_changes_since');
    expect((await search(store, tenant)).documents).toBe(12);
  });

  it('[N8] knows a number of principals, and forgets who did not search for the longest', async () => {
    const tenants = [newTenant(), newTenant(), newTenant()] as const;
    for (const tenant of tenants) await fill(tenant, ['fact']);
    const store = watched.storeWith(limited({ principals: 2 }));
    for (const place of [0, 1, 0, 2] as const) await search(store, tenants[place]);
    const loads = async (tenant: string) => (await watched.ran(() => search(store, tenant))).includes('index_page');
    expect([await loads(tenants[0]), await loads(tenants[2]), await loads(tenants[1])]).toEqual([false, false, true]);
  });

  it('[N8] who alone takes more bytes than there are is answered by the statements', async () => {
    const tenant = newTenant();
    await fill(tenant, ['fact']);
    const store = watched.storeWith(limited({ bytes: 1 }));
    expect(await search(store, tenant)).toMatchObject({ near: ['fact'] });
    expect(await fromMemory(store, tenant)).toBe(false);
  });

  it('is given up where reading it fails, and the statements answer as before', async () => {
    const tenant = newTenant();
    await fill(tenant, ['fact']);
    const store = watched.storeWith(createResidents());
    watched.before((name) => {
      if (name === 'index_page') throw new Error('the disk is gone');
    });
    const before = watched.problems.length;
    for (const _ of many(4)) expect(await search(store, tenant)).toMatchObject({ documents: 1, near: ['fact'] });
    await vi.waitFor(() => expect(watched.problems.length).toBeGreaterThan(before));
    expect(await search(store, tenant)).toMatchObject({ documents: 1, near: ['fact'] });
    expect(await watched.ran(() => search(store, tenant))).not.toContain('index_page');
  });

  it('[D6] a store whose embedder was changed meanwhile is refused from memory, too', async () => {
    const tenant = newTenant();
    await fill(tenant, ['fact']);
    const store = watched.storeWith(createResidents('eager'));
    await search(store, tenant);
    const setting = (value: string) =>
      watched.raw.query({ role: null }, "update memory.store_setting set value = $1 where name = 'embedder_id'", [
        value,
      ]);
    await setting('another');
    try {
      await expect(search(store, tenant)).rejects.toMatchObject({ code: 'embedder_mismatch' });
    } finally {
      await setting('test-embedder');
    }
    expect((await search(store, tenant)).near).toEqual(['fact']);
  });

  it('a vector without its text is more than can be kept: the statements answer', async () => {
    const tenant = newTenant();
    await fill(tenant, ['fact', 'bare']);
    await watched.raw.query({ role: null }, "delete from memory.memory_term where tenant_id = $1 and id = 'bare'", [
      tenant,
    ]);
    const store = watched.storeWith(createResidents('eager'));
    for (const _ of many(2))
      expect(await search(store, tenant)).toEqual({ hits: ['fact'], documents: 1, near: ['bare', 'fact'] });
  });

  it('[D3] what is derived may be dropped and made anew under it', async () => {
    const tenant = newTenant();
    await fill(tenant, ['one', 'two']);
    const store = watched.storeWith(createResidents('eager'));
    expect((await search(store, tenant)).near).toEqual(['one', 'two']);
    await operate(store, tenant, (writer) => writer.dropDerived(10));
    expect(await search(store, tenant)).toEqual({ hits: [], documents: 0, near: [] });
    const index = ['two', 'one'].map((id) => entry(['entity', rowId(id), 1], 'word', { vector: [1, 0, 0, 0] }));
    await operate(store, tenant, (writer) => writer.putIndex(index));
    expect(await search(store, tenant)).toEqual({ hits: ['one', 'two'], documents: 2, near: ['one', 'two'] });
  });

  it('[N8] more changes than are worth reading one by one lead to another load', async () => {
    const tenant = newTenant();
    await fill(tenant, ['zero']);
    const store = watched.storeWith(createResidents('eager'));
    await search(store, tenant);
    await fillMany(watched, tenant, 2_001);
    const ran = await watched.ran(async () => expect((await search(store, tenant)).documents).toBe(2002));
    expect(ran).toContain('index_page');
    expect(ran).not.toContain('index_by_ref');
  });
});

describe('closing', () => {
  it('[N7] ends a load that is under way, and waits for its transaction', async () => {
    const own = await openWatchedEngine();
    const store = own.storeWith(createResidents());
    const tenant = newTenant();
    await fillMany(own, tenant, 600);
    let pages = 0;
    const reached = new Promise<void>((resolve) => {
      own.before((name) => {
        if (name !== 'index_page') return;
        pages += 1;
        resolve();
      });
    });
    await search(store, tenant);
    await search(store, tenant);
    await reached;
    await store.close();
    expect(pages).toBe(1);
    expect(own.problems).toEqual([]);
    await expect(search(store, tenant)).rejects.toMatchObject({ code: 'store_unavailable' });
  });
});
