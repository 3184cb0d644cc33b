// Migrations and what the store says of itself (design N6, N5, D6), on databases of their own.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openEmbeddedStore, openEngine } from '../../src/store/postgres/pglite.ts';
import { openServerEngine } from '../../src/store/postgres/server.ts';
import { queryNames, sqlFolder } from '../../src/store/sql_files.ts';
import { describeMigrations } from './contract_migrations.ts';
import { guideline, importRows, newTenant, operate, read, scope, testEmbedder, write, event, ids } from './harness.ts';
import { makeDatabase, testLimits } from './server_session.ts';
import { describeOnServer } from './server_tests.ts';

const silent = { warn: () => {}, error: () => {} };
describeMigrations('the embedded store', () => openEngine(null));
describeOnServer('PostgreSQL server', () =>
  describeMigrations('a server', async () => {
    const database = await makeDatabase();
    return openServerEngine(database.owner, { limits: testLimits, log: () => {}, purpose: 'migrate' });
  }),
);

describe('statements', () => {
  it('are one a file, each is used, and what the sources name is there', () => {
    const folder = join(import.meta.dirname, '../../src/store');
    const sources = readdirSync(folder, { recursive: true })
      .map(String)
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('\n');
    for (const name of queryNames('postgres')) {
      const sql = readFileSync(join(sqlFolder('postgres'), 'queries', `${name}.sql`), 'utf8');
      expect({ name, statements: sql.replace(/--.*$/gm, '').split(';').length }).toEqual({ name, statements: 1 });
      expect({ name, used: sources.includes(`'${name}'`) }).toEqual({ name, used: true });
    }
  });
});

describe('a data directory', () => {
  const folder = mkdtempSync(join(tmpdir(), 'store-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('[N5,N6] keeps rows, numbers and incarnation over a restart, and closes twice without harm', async () => {
    const options = { directory: join(folder, 'data'), embedder: testEmbedder, log: silent, migrate: true };
    const tenant = newTenant();
    const first = await openEmbeddedStore(options);
    await importRows(first, tenant, { rows: [guideline()] });
    await write(first, scope(tenant), (writer) => writer.appendEvent(event()));
    const before = await first.schemaState();
    await first.close();
    await first.close();
    await expect(use(first, tenant)).rejects.toMatchObject({ code: 'store_unavailable' });

    const second = await openEmbeddedStore({ ...options, migrate: false });
    expect(await second.schemaState()).toEqual(before);
    expect(await use(second, tenant)).toHaveLength(1);
    const next = await write(second, scope(tenant), (writer) => writer.appendEvent(event()));
    expect(next.turnIndex).toBe(2);
    expect(ids(await read(second, scope(tenant), (reader) => reader.tail(5)))).toHaveLength(2);
    expect(await operate(second, tenant, (writer) => writer.hasToolbox())).toBe(false);
    await second.close();

    await expect(openEmbeddedStore({ ...options, embedder: { id: 'another', dimensions: 4 } })).rejects.toMatchObject({
      code: 'embedder_mismatch',
    });
    // The refused start has let go of the directory.
    const third = await openEmbeddedStore(options);
    await third.close();
  });

  const use = (store: Awaited<ReturnType<typeof openEmbeddedStore>>, tenant: string) =>
    read(store, scope(tenant), (reader) => reader.guidelines());
});
