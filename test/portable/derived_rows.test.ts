// What an import derives is what was derived when the rows were first written (D3): terms, vectors, names, counts.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { openEngine } from '../../src/store/postgres/pglite.ts';
import { createPostgresStore } from '../../src/store/postgres/store.ts';
import { readMigrations } from '../../src/store/sql_files.ts';
import { callAs, jane, openFixture, operatorCall } from '../fixture.ts';
import type { Fixture } from '../fixture.ts';
import type { RawSession } from '../store/harness.ts';
import { rawSession } from '../store/pglite_session.ts';
import { exported, imported } from './files.ts';

interface Opened {
  readonly fixture: Fixture;
  readonly raw: RawSession;
}

async function open(isSeeded: boolean): Promise<Opened> {
  const engine = await openEngine(null);
  const fixture = await openFixture({
    ...(isSeeded ? {} : { isSeeded: true }),
    async openStore({ embedder }) {
      const store = createPostgresStore({ engine, embedder, log: () => {}, migrations: readMigrations('postgres') });
      await store.migrate();
      return store;
    },
  });
  return { fixture, raw: rawSession(engine) };
}

let source: Opened;
let target: Opened;
beforeAll(async () => {
  source = await open(true);
  const { manager, operator } = source.fixture;
  for (let turn = 0; turn < 7; turn += 1)
    await manager.recordTurn(callAs(jane), {
      role: 'user',
      text: `Turn ${turn}: recall rose by ${turn}.`,
      runId: null,
    });
  await operator.apply(operatorCall('acme'), 'more', {
    entities: [{ subject: 'a b', predicate: 'is', content: 'Old.', aliases: ['c'] }],
    documents: [{ collection: 'c', title: 'Undated', source_uri: 'x', text: 'One.\n\nTwo.\n\nThree.\n\nFour.' }],
  });
  await operator.apply(operatorCall('acme'), 'more', {
    entities: [{ subject: 'a b', predicate: 'is', content: 'New.', aliases: ['c'] }],
  });
  target = await open(false);
  await imported(target.fixture, 'acme', (await exported(source.fixture, 'acme')).bytes);
});
afterAll(async () => Promise.all([source.fixture.close(), target.fixture.close()]));

const derived = {
  memory_term: 'tenant_id, kind, id, version',
  memory_vector: 'tenant_id, part, kind, id, version',
  memory_sign: 'tenant_id, part, kind, id, version',
  memory_name: 'tenant_id, kind, id, version, name',
  token_count: 'tenant_id, kind, id, version, tier',
};

it.each(Object.entries(derived))('[D3] %s is made again as it was', async (table, order) => {
  const as = { role: 'mem_operator', tenant: 'acme' } as const;
  const rows = ({ raw }: Opened) =>
    raw.query(as, `select to_jsonb(t) - 'user_id' - 'user_key' as row from memory.${table} t order by ${order}`);
  const before = await rows(source);
  expect(before.length).toBeGreaterThan(50);
  expect(await rows(target)).toEqual(before);
});
