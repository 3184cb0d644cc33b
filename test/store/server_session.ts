// The server engine as the contract wants it: each caller gets a database of its own on one server of the test run.

import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import type { ServerLimits } from '../../src/store/postgres/server.ts';
import { openServerEngine, openServerStore } from '../../src/store/postgres/server.ts';
import { rawSession } from './pglite_session.ts';
import type { StoreLog } from '../../src/store/problem.ts';
import type { EmbedderIdentity, Store } from '../../src/store/store.ts';
import { testEmbedder } from './harness.ts';
import type { OpenedStore } from './harness.ts';

/** A server to test on, or why there is none. */
export type TestServer = { readonly administrator: string } | { readonly missing: string };

declare module 'vitest' {
  // eslint-disable-next-line typescript/consistent-type-definitions
  interface ProvidedContext {
    readonly testServer: TestServer;
  }
}

/** Addresses of a database by what its logins may do. */
export interface TestDatabase {
  readonly name: string;
  readonly administrator: string;
  readonly owner: string;
  readonly operator: string;
  readonly app: string;
}

export const testLimits: ServerLimits = {
  pool: { most: 10, longestLine: 1000, waitMs: 10_000 },
  statementMs: 20_000,
};

/** The server of this test run: why the tests that need it are skipped, or null where they run. */
export function serverMissing(): string | null {
  const server = inject('testServer');
  return 'missing' in server ? server.missing : null;
}

function administratorUrl(): string {
  const server = inject('testServer');
  if ('missing' in server) throw new Error(`There is no server to test on: ${server.missing}`);
  return server.administrator;
}

const withPart = (
  url: string,
  parts: { readonly database?: string; readonly login?: string; readonly password?: string },
): string => {
  const changed = new URL(url);
  if (parts.database !== undefined) changed.pathname = `/${parts.database}`;
  if (parts.login !== undefined) changed.username = parts.login;
  if (parts.password !== undefined) changed.password = parts.password;
  return changed.href;
};

/** Runs statements as the administrator, on the database of this address. */
export async function administer(
  url: string,
  ...statements: readonly string[]
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows: readonly Readonly<Record<string, unknown>>[] = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  } finally {
    await client.end();
  }
}

/** Makes an empty database with three logins of its own. `administrator` stands for another server than the run's. */
export async function makeDatabase(
  given: { readonly administrator?: string; readonly template?: string } = {},
): Promise<TestDatabase> {
  const administrator = given.administrator ?? administratorUrl();
  const suffix = randomBytes(5).toString('hex');
  const name = `test_${suffix}`;
  const password = randomBytes(8).toString('hex');
  const login = (kind: string) => `${kind}_${suffix}`;
  await administer(
    administrator,
    `create role ${login('owner')} login createrole password '${password}'`,
    `create role ${login('operator')} login password '${password}'`,
    `create role ${login('app')} login password '${password}'`,
    // Roles are the server's, not the database's: another database's migration may have made them.
    ...['mem_owner', 'mem_operator', 'mem_app'].map(
      (role) => `do $$ begin
        if not exists (select from pg_roles where rolname = '${role}') then create role ${role} nologin noinherit; end if;
        exception when duplicate_object or unique_violation then null; end $$`,
    ),
    `grant mem_owner, mem_operator, mem_app to ${login('owner')} with admin option`,
    `create database ${name} owner ${login('owner')} template ${given.template ?? 'template1'}`,
  );
  const inside = withPart(administrator, { database: name });
  const as = (kind: string) => withPart(inside, { login: login(kind), password });
  if (given.template === undefined) await administer(inside, 'create extension if not exists vector');
  return { name, administrator: inside, owner: as('owner'), operator: as('operator'), app: as('app') };
}

const silent = { warn: () => {}, error: () => {} };

/** Applies all migrations to a database and lets its logins step down. */
export async function migrateDatabase(
  database: TestDatabase,
  embedder: EmbedderIdentity = testEmbedder,
): Promise<void> {
  const grantTo = { serve: database.app, operate: database.operator };
  const store = await openServerStore({
    url: database.owner,
    purpose: 'migrate',
    embedder,
    log: silent,
    limits: testLimits,
    grantTo,
  });
  try {
    await store.migrate();
  } finally {
    await store.close();
  }
}

/** Opens a store for serving on a migrated database. */
export function openApp(database: TestDatabase, limits: ServerLimits = testLimits): Promise<Store> {
  return openServerStore({ url: database.app, purpose: 'serve', embedder: testEmbedder, log: silent, limits });
}

/** Opens a store for operators on a migrated database. */
export function openOperator(database: TestDatabase): Promise<Store> {
  const { operator: url } = database;
  return openServerStore({ url, purpose: 'operate', embedder: testEmbedder, log: silent, limits: testLimits });
}

/** One store over two logins on a database of its own: end users through one, operators through the other. */
export async function openStoreOnServer(made: {
  readonly embedder: EmbedderIdentity;
  readonly log: StoreLog;
}): Promise<Store & { readonly database: TestDatabase }> {
  const database = await makeDatabase();
  await migrateDatabase(database, made.embedder);
  const app = await openServerStore({ ...made, url: database.app, purpose: 'serve', limits: testLimits });
  const operator = await openServerStore({ ...made, url: database.operator, purpose: 'operate', limits: testLimits });
  return {
    ...app,
    database,
    operate: (...given) => operator.operate(...given),
    erase: (...given) => operator.erase(...given),
    retain: (...given) => operator.retain(...given),
    readPast: (scope, ...given) => ('userId' in scope ? app : operator).readPast(scope, ...given),
    inspect: (...given) => operator.inspect(...given),
    async close() {
      await Promise.all([app.close(), operator.close()]);
    },
  };
}

/** A store of the contract on a database of its own, with statements of the administrator beside it. */
export async function openOnServer(): Promise<OpenedStore & { readonly administrator: string }> {
  const problems: OpenedStore['problems'][number][] = [];
  const note = (detail: Readonly<Record<string, unknown>>, message: string): void =>
    void problems.push({ message, detail: JSON.parse(JSON.stringify(detail)) });
  const app = await openStoreOnServer({ embedder: testEmbedder, log: { warn: note, error: note } });
  const url = app.database.administrator;
  const administrator = await openServerEngine(url, { limits: testLimits, log: () => {}, purpose: 'migrate' });
  const store: Store = {
    ...app,
    async close() {
      await Promise.all([app.close(), administrator.close()]);
    },
  };
  return { store, raw: rawSession(administrator), problems, administrator: url };
}
