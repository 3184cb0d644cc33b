// What only a server shows of one call (design N1, N8): time-outs, cancelling, conflicts of transactions, and that
// nothing of a call stays on its connection.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { openServerEngine } from '../../src/store/postgres/server.ts';
import type { ServerLimits } from '../../src/store/postgres/server.ts';
import { createPostgresStore } from '../../src/store/postgres/store.ts';
import { readMigrations } from '../../src/store/sql_files.ts';
import type { Store } from '../../src/store/store.ts';
import {
  entity,
  entry,
  event,
  importRows,
  newTenant,
  operate,
  operator,
  options,
  read,
  scope,
  testEmbedder,
  tool,
  write,
} from './harness.ts';
import { installFaults, openTransactions } from './server_faults.ts';
import { administer, makeDatabase, migrateDatabase, openApp, openOperator, testLimits } from './server_session.ts';
import type { TestDatabase } from './server_session.ts';
import { describeOnServer } from './server_tests.ts';

const narrow = (given: Partial<ServerLimits['pool']>, statementMs = 20_000): ServerLimits => ({
  pool: { ...testLimits.pool, ...given },
  statementMs,
});

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** How long a promise takes to settle, in milliseconds. */
async function timeOf(promise: Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await promise.catch(() => {});
  return performance.now() - startedMs;
}

describeOnServer('one call on a PostgreSQL server', () => {
  let database: TestDatabase;
  const opened: Store[] = [];
  const app = async (limits?: ServerLimits): Promise<Store> => {
    const store = await openApp(database, limits);
    opened.push(store);
    return store;
  };
  const append = (store: Store, tenant: string, retentionClass: string | null, more: object = {}) =>
    store.write(scope(tenant), { ...options(), ...more }, (writer) => writer.appendEvent(event({ retentionClass })));

  beforeAll(async () => {
    database = await makeDatabase();
    await migrateDatabase(database);
    await installFaults(database);
  });
  afterAll(async () => {
    await Promise.all(opened.map(async (store) => store.close()));
  });

  it('[N8] a slow statement ends at the deadline of its call, on the server too, and its connection serves the next', async () => {
    const store = await app(narrow({ most: 1 }));
    const tenant = newTenant();
    await append(store, tenant, null);
    const slow = append(store, tenant, 'slow', { deadlineMs: 300 });
    const took = timeOf(slow);
    await expect(slow).rejects.toMatchObject({ code: 'deadline_exceeded' });
    expect(await took).toBeLessThan(2000);
    expect((await append(store, tenant, null)).turnIndex).toBe(2);
    expect(await openTransactions(database)).toEqual([]);
  });

  it('[D6] a change of the embedder waits for writes that bring vectors of the former one', async () => {
    const tenant = newTenant();
    const [store, changing] = [await openOperator(database), await openOperator(database)];
    opened.push(store, changing);
    const fact = entity({});
    const order: string[] = [];
    let switching: Promise<unknown> = Promise.resolve();
    await operate(store, tenant, async (writer) => {
      const index = [entry(['entity', fact.id, 1], fact.content, { vector: [1, 0, 0, 0] })];
      await writer.importRows({ rows: [fact], provenance: [], links: [], index });
      switching = operate(changing, newTenant(), (other) =>
        other.switchEmbedder({ id: 'another', dimensions: 4 }),
      ).then((isSwitched) => order.push(`switched: ${isSwitched}`));
      await pause(200);
      order.push('written');
    });
    await switching;
    // It sees what was written before it: a memory that lacks a vector of the new embedder.
    expect(order).toEqual(['written', 'switched: false']);
  });

  it('[N8] without a deadline the bound on statements ends it', async () => {
    const store = await app(narrow({}, 300));
    const slow = append(store, newTenant(), 'slow');
    const took = timeOf(slow);
    await expect(slow).rejects.toMatchObject({ code: 'deadline_exceeded' });
    expect(await took).toBeLessThan(2000);
  });

  it('[N8] an aborted call frees its connection at once, waiting or at work', async () => {
    const store = await app(narrow({ most: 1 }));
    const tenant = newTenant();
    await append(store, tenant, null);
    const [atWork, waiting] = [new AbortController(), new AbortController()];
    const slow = append(store, tenant, 'slow', { signal: atWork.signal });
    const queued = append(store, tenant, null, { signal: waiting.signal });
    const next = append(store, tenant, null);
    await pause(200);
    waiting.abort();
    await expect(queued).rejects.toMatchObject({ code: 'cancelled' });
    atWork.abort();
    await expect(slow).rejects.toMatchObject({ code: 'cancelled' });
    expect(await timeOf(next)).toBeLessThan(1500);
    expect((await next).turnIndex).toBe(2);
    await pause(100);
    expect(await openTransactions(database)).toEqual([]);
  });

  it('[N8] a commit that has begun is not cancelled: its call succeeds', async () => {
    const store = await app();
    const tenant = newTenant();
    const committed = append(store, tenant, 'slow-commit', { deadlineMs: 700 });
    expect((await committed).turnIndex).toBe(1);
    expect(await read(store, scope(tenant), (reader) => reader.tail(5))).toHaveLength(1);
  });

  it('[N8] a connection that is lost while it commits gives outcome_unknown', async () => {
    const store = await app();
    const committing = append(store, newTenant(), 'slow-commit');
    const failure = committing.catch((error: unknown) => error);
    await pause(400);
    await administer(
      database.administrator,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database.name}' and query = 'COMMIT' and state = 'active'`,
    );
    expect(await failure).toMatchObject({ code: 'outcome_unknown' });
  });

  it('[N8] a line that is full refuses at once, and waiting has an end', async () => {
    const store = await app(narrow({ most: 1, longestLine: 1, waitMs: 300 }));
    const tenant = newTenant();
    await append(store, tenant, null);
    const controller = new AbortController();
    const slow = append(store, tenant, 'slow', { signal: controller.signal }).catch(() => {});
    const waiting = append(store, tenant, null).catch((error: unknown) => error);
    await expect(append(store, tenant, null)).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(await waiting).toMatchObject({ code: 'store_unavailable' });
    controller.abort();
    await slow;
  });

  it('[N8] a transaction that the database gave up for another one runs again, and stands once', async () => {
    const store = await app();
    const tenant = newTenant();
    await administer(database.administrator, 'alter sequence public.fault_attempts restart');
    expect((await append(store, tenant, 'serialization-2')).turnIndex).toBe(1);
    expect(await read(store, scope(tenant), (reader) => reader.tail(5))).toHaveLength(1);
  });

  it('[N8] one that the database always gives up ends as a conflict after a few attempts', async () => {
    const store = await app();
    await administer(database.administrator, 'alter sequence public.fault_attempts restart');
    await expect(append(store, newTenant(), 'serialization-1000')).rejects.toMatchObject({ code: 'version_conflict' });
    const [row] = await administer(database.administrator, 'select last_value from public.fault_attempts');
    expect(Number(row?.['last_value'])).toBe(5);
  });

  it('[N8] two writers that wait for each other both get through', async () => {
    const store = await openOperator(database);
    opened.push(store);
    const tenant = newTenant();
    const [one, two] = [entity({ subject: 'one' }), entity({ subject: 'two' })];
    await importRows(store, tenant, { rows: [one, two] });
    const mark = (first: typeof one, second: typeof one) =>
      operate(store, tenant, async (writer) => {
        await writer.quarantine([first.type, first.id, 1], 'a reason');
        await pause(300);
        await writer.quarantine([second.type, second.id, 1], 'a reason');
      });
    await Promise.all([mark(one, two), mark(two, one)]);
    const [row] = await administer(
      database.administrator,
      `select count(*)::integer as marked from memory.entity_memory where tenant_id = '${tenant}' and quarantined_at is not null`,
    );
    expect(row).toEqual({ marked: 2 });
  });

  it('[N1,N8] failing calls leave no open transaction, no setting, no lock and no prepared statement behind', async () => {
    const engine = await openServerEngine(database.app, {
      limits: narrow({ most: 2 }),
      log: () => {},
      purpose: 'serve',
    });
    const store = createPostgresStore({
      engine,
      embedder: testEmbedder,
      log: () => {},
      migrations: readMigrations('postgres'),
    });
    const tenant = newTenant();
    const call = async (number: number): Promise<void> => {
      await append(store, tenant, null);
      await read(store, scope(tenant), (reader) => reader.tail(3));
      if (number % 3 === 0) await store.operate(operator(tenant), options(), (writer) => writer.hasToolbox());
      await store.write(scope(tenant), options(), async (writer) => {
        await writer.appendEvent(event());
        throw new Error('the caller failed');
      });
    };
    const settled = await Promise.allSettled(Array.from({ length: 12 }, (_, number) => call(number)));
    expect(settled.every(({ status }) => status === 'rejected')).toBe(true);
    expect(await openTransactions(database)).toEqual([]);
    // As a pooler in transaction mode asks it: whoever has the connection next finds it as it was when it was new.
    const left = await Promise.all(
      [1, 2].map(() =>
        engine.use(options(), async (connection) => {
          await pause(50);
          const [state] = await connection.query(
            `select current_user = session_user as own_role,
               (select count(*) from pg_prepared_statements) as prepared,
               (select count(*) from pg_listening_channels()) as channels,
               (select count(*) from pg_locks where pid = pg_backend_pid() and locktype = 'advisory') as locks,
               (select count(*) from pg_settings where source = 'session') as settings,
               nullif(current_setting('memory.tenant_id', true), '') as tenant,
               nullif(current_setting('memory.user_id', true), '') as user_name`,
            [],
          );
          return state;
        }),
      ),
    );
    const clean = { own_role: true, prepared: 0, channels: 0, locks: 0, settings: 0, tenant: null, user_name: null };
    expect(left).toEqual([clean, clean]);
    await engine.close();
  });

  it('[N1] a use within a use is refused instead of waiting for itself', async () => {
    const store = await app(narrow({ most: 1 }));
    await expect(
      write(store, scope(newTenant()), () => read(store, scope(newTenant()), (reader) => reader.tools())),
    ).rejects.toMatchObject({ code: 'internal' });
  });

  it('[T3] whoever listens is told that something may be missed when its connection was lost, and hears again', async () => {
    const [store, writer] = [await app(), await openOperator(database)];
    opened.push(writer);
    const heard: (string | null)[] = [];
    const stop = store.watchToolbox((tenant) => heard.push(tenant));
    await pause(200);
    await administer(
      database.administrator,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database.name}' and query like 'LISTEN%'`,
    );
    const tenant = newTenant();
    await expect.poll(() => heard, { timeout: 5000 }).toEqual([null]);
    await importRows(writer, tenant, { rows: [tool()] });
    await expect.poll(() => heard, { timeout: 5000 }).toEqual([null, tenant]);
    stop();
  });
});
