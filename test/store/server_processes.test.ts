// Several processes on one server (design D5, T3, N8), and a server that is started anew under load.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MemoryError } from '../../src/model/errors.ts';
import type { Store } from '../../src/store/store.ts';
import { event, newId, newTenant, options, read, scope } from './harness.ts';
import { openTransactions } from './server_faults.ts';
import { runWorker } from './run_worker.ts';
import { serverScript } from './server_script.ts';
import { administer, makeDatabase, migrateDatabase, openApp } from './server_session.ts';
import type { TestDatabase } from './server_session.ts';
import { describeOnServer } from './server_tests.ts';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describeOnServer('several processes on a PostgreSQL server', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await makeDatabase();
    await migrateDatabase(database);
  });

  it('[D5] 64 turns from four processes at once get the numbers 1 to 64', async () => {
    const tenant = newTenant();
    const task = { kind: 'append', url: database.app, tenant, times: 16 } as const;
    const numbers = await Promise.all([1, 2, 3, 4].map(() => runWorker(task)));
    const sorted = numbers.flat().toSorted((a, b) => Number(a) - Number(b));
    expect(sorted).toEqual(Array.from({ length: 64 }, (_, index) => index + 1));
    expect(await openTransactions(database)).toEqual([]);
  });

  it('[T3] a tool row that another process writes is told to those who listen, with its tenant', async () => {
    const store = await openApp(database);
    const tenant = newTenant();
    const heard: (string | null)[] = [];
    store.watchToolbox((name) => heard.push(name));
    await pause(200);
    await runWorker({ kind: 'tool', url: database.operator, tenant });
    await expect.poll(() => heard, { timeout: 5000 }).toEqual([tenant]);
    expect(await read(store, scope(tenant), (reader) => reader.tools())).toHaveLength(1);
    await store.close();
  });
});

interface Load {
  readonly kept: string[];
  readonly failures: MemoryError[];
  /** How many were kept since the last `mark`. */
  since: number;
  stop: boolean;
}

/** One writer of a thread of its own, until it is told to stop; it repeats nothing. */
async function writeOn(store: Store, tenant: string, user: string, load: Load): Promise<void> {
  while (!load.stop) {
    const said = event({ eventId: newId('load') });
    try {
      await store.write(scope(tenant, user), { ...options(), deadlineMs: 5000 }, (writer) => writer.appendEvent(said));
      load.kept.push(said.eventId);
      load.since += 1;
    } catch (error) {
      if (!(error instanceof MemoryError)) throw error;
      load.failures.push(error);
      await pause(50);
    }
  }
}

// The server of the run serves other tests: this one stops its own, and never one that somebody lent.
const isLent = (process.env['TEST_DATABASE_OWNER_URL'] ?? '') !== '';
if (isLent) console.warn('restart tests: skipped, TEST_DATABASE_OWNER_URL names a server that is not ours to stop');
describe.skipIf(isLent)('a server of its own', () => {
  describeOnServer('a PostgreSQL server that goes away under load', () => {
    const folder = mkdtempSync(join(tmpdir(), 'context-restart-'));
    let database: TestDatabase;
    beforeAll(async () => {
      const { administrator = '' } = await serverScript('start', folder);
      database = await makeDatabase({ administrator });
      await migrateDatabase(database);
    });
    afterAll(async () => {
      await serverScript('stop', folder, 'immediate');
      rmSync(folder, { recursive: true, force: true });
    });

    it.each(['immediate', 'fast'] as const)(
      '[N8] restarted (%s): every failure is coded, the pool heals, and nothing acknowledged is lost',
      async (mode) => {
        const store = await openApp(database);
        const tenant = newTenant();
        const heard: (string | null)[] = [];
        store.watchToolbox((name) => heard.push(name));
        const users = Array.from({ length: 8 }, (_, number) => `user-${number}`);
        const load: Load = { kept: [], failures: [], since: 0, stop: false };
        const writers = users.map((user) => writeOn(store, tenant, user, load));
        for (let round = 0; round < 3; round += 1) {
          await pause(400);
          await serverScript('restart', folder, mode);
          load.since = 0;
          await expect.poll(() => load.since, { timeout: 15_000 }).toBeGreaterThan(40);
        }
        load.stop = true;
        await Promise.all(writers);
        expect(load.failures.length).toBeGreaterThan(0);
        const codes = new Set(load.failures.map(({ code }) => code));
        expect([...codes].filter((code) => !['store_unavailable', 'outcome_unknown'].includes(code))).toEqual([]);
        const rows = await administer(
          database.administrator,
          `select user_id, event_id, turn_index from memory.conversation_memory where tenant_id = '${tenant}' order by turn_index`,
        );
        const stored = new Set(rows.map(({ event_id: id }) => id));
        expect(load.kept.filter((id) => !stored.has(id))).toEqual([]);
        for (const user of users) {
          const numbers = rows.filter(({ user_id: id }) => id === user).map(({ turn_index: turn }) => turn);
          expect(numbers).toEqual(numbers.map((_, index) => index + 1));
        }
        await expect.poll(() => heard.includes(null), { timeout: 20_000 }).toBe(true);
        expect(await openTransactions(database)).toEqual([]);
        await store.close();
      },
    );
  });
});
