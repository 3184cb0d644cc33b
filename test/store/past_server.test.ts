// Reads of the past where transactions overlap (design N4), which one connection never shows.

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Position } from '../../src/store/past.ts';
import type { Store } from '../../src/store/store.ts';
import { entity, ids, importRows, newTenant, operate, options, read, scope, testEmbedder } from './harness.ts';
import { makeDatabase, migrateDatabase, openApp, openStoreOnServer } from './server_session.ts';
import { describeOnServer } from './server_tests.ts';

describeOnServer('past reads on a PostgreSQL server', () => {
  let store: Store;
  beforeAll(async () => {
    store = await openStoreOnServer({ embedder: testEmbedder, log: { warn: () => {}, error: () => {} } });
  });
  afterAll(() => store.close());

  it('[N4] what was under way at a snapshot is not seen as of it, though it was committed soon after', async () => {
    const tenant = newTenant();
    const me = scope(tenant);
    const first = entity();
    await importRows(store, tenant, { rows: [first] });
    const second = entity({ id: entity().id, content: 'Helios reaches 0.78.', version: 2 });
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    let written = (): void => {};
    const isWritten = new Promise<void>((resolve) => (written = resolve));
    const correction = operate(store, tenant, async (writer) => {
      await writer.putVersion(second, 1, []);
      written();
      await held;
    });
    await isWritten;
    const during = await read(store, me, async (reader) => reader.position);
    release();
    await correction;
    const after = await read(store, me, async (reader) => reader.position);
    const seen = (position: Position) =>
      store.readPast(me, options(), async (records) => {
        const past = records.asOf(position, me);
        const rows = await past.memories([
          ['entity', first.id, 1],
          ['entity', second.id, 2],
        ]);
        return { ids: ids(rows), ends: rows.map(({ lifecycle }) => lifecycle.supersededBy) };
      });
    expect(await seen(during)).toEqual({ ids: [first.id], ends: [null] });
    expect((await seen(after)).ids.toSorted()).toEqual([first.id, second.id].toSorted());
    expect((await seen(after)).ends).toContain(second.id);
  });

  it('[N2] a serving login cannot look at the past as operator', async () => {
    const database = await makeDatabase();
    await migrateDatabase(database);
    const served = await openApp(database);
    try {
      const { tenantId } = scope(newTenant());
      const asked = served.readPast({ tenantId }, options(), (records) =>
        records.manifestIds({ since: null, limit: 1 }),
      );
      await expect(asked).rejects.toMatchObject({ code: expect.any(String) });
    } finally {
      await served.close();
    }
  });
});
