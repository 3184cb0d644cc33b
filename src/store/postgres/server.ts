// The server engine: PostgreSQL 15 or newer with pgvector, reached by a pool of connections.

import type { Client, Pool, PoolConfig } from 'pg';
import { MemoryError } from '../../model/errors.ts';
import { reportTo } from '../problem.ts';
import type { LogProblem, StoreLog } from '../problem.ts';
import { readMigrations } from '../sql_files.ts';
import type { EmbedderIdentity, Store } from '../store.ts';
import type { Engine } from './connection.ts';
import { createToolboxListener } from './listener.ts';
import { createPool } from './pool.ts';
import type { PoolLimits } from './pool.ts';
import { readAccount, requireAccount, variableOf } from './server_account.ts';
import type { Account, Purpose } from './server_account.ts';
import { grantMemberships, loginOf, requireMigrationRights } from './server_roles.ts';
import type { Logins } from './server_roles.ts';
import { createPostgresStore } from './store.ts';
import { transaction } from './transaction.ts';
import { exactInteger, sameText, typeNumbers } from './value_parsers.ts';

/** Bounds of the use of a server. */
export interface ServerLimits {
  readonly pool: PoolLimits;
  /** The longest that one statement, one wait for a lock or a standstill inside a transaction may last. */
  readonly statementMs: number;
}

/** How to open a store on a server. */
export interface ServerOptions {
  /** The address of the purpose's own login, as libpq reads it; TLS by its parameters. */
  readonly url: string;
  readonly purpose: Purpose;
  readonly embedder: EmbedderIdentity;
  readonly log: StoreLog;
  readonly limits: ServerLimits;
  /** True: a store whose vectors are by another embedder opens too. */
  readonly anyEmbedder?: boolean;
  /** Addresses whose logins `migrate` lets step down to their roles. */
  readonly grantTo?: { readonly serve: string | null; readonly operate: string | null };
}

/** A store on a server, with what its login was when it was opened. */
export interface ServerStore extends Store {
  readonly account: Account;
}

/**
 * Opens a store on a server and looks at its login first. Throws `privileged_account`, `schema_missing`,
 * `invalid_configuration` and `store_unavailable`; it changes nothing, also not for a schema that is missing.
 */
export async function openServerStore(options: ServerOptions): Promise<ServerStore> {
  const { purpose, embedder, limits, anyEmbedder = false } = options;
  const log = reportTo(options.log);
  const engine = await openServerEngine(options.url, { limits, log, purpose });
  try {
    const account = await lookAtAccount(engine, log);
    requireAccount(account, purpose);
    const store = createPostgresStore({ engine, embedder, log, migrations: readMigrations('postgres'), anyEmbedder });
    if (purpose !== 'migrate') return { ...store, account, migrate: () => Promise.reject(noMigration()) };
    const { serve = null, operate = null } = options.grantTo ?? {};
    const logins = { serve: loginOf(serve), operate: loginOf(operate) };
    return { ...store, account, migrate: () => migrateServer(store, engine, { log, logins }) };
  } catch (error) {
    await engine.close();
    throw error;
  }
}

function noMigration(): MemoryError {
  const variable = variableOf.migrate;
  return new MemoryError('invalid_configuration', `Migrations need the login of ${variable}.`, { variable });
}

/** What the login of an engine is and may do. */
function lookAtAccount(engine: Engine, log: LogProblem): Promise<Account> {
  return transaction({ engine, log, call: { requestId: 'account' }, beginning: 'migrate' }, readAccount);
}

async function migrateServer(
  store: Store,
  engine: Engine,
  { log, logins }: { readonly log: LogProblem; readonly logins: Logins },
): ReturnType<Store['migrate']> {
  const inTransaction = { engine, log, call: { requestId: 'migrate' }, beginning: 'migrate' } as const;
  await transaction(inTransaction, async (session) =>
    requireMigrationRights(session, await readAccount(session), logins),
  );
  const state = await store.migrate();
  await transaction(inTransaction, async (session, connection) =>
    grantMemberships(session, connection, await readAccount(session), logins),
  );
  return state;
}

/** Opens the engine alone: a pool and a listener that connect when they are first needed. */
export async function openServerEngine(
  url: string,
  given: { readonly limits: ServerLimits; readonly log: LogProblem; readonly purpose: Purpose },
): Promise<Engine> {
  const { limits, log, purpose } = given;
  // Loaded when a server is opened: the embedded engine does without it.
  const { default: pg } = await import('pg');
  const driver: { getTypeParser(type: number): (text: string) => unknown } = pg.types;
  const parsers: Readonly<Record<number, (text: string) => unknown>> = {
    [typeNumbers.bigint]: exactInteger,
    [typeNumbers.timestamptz]: sameText,
    [typeNumbers.timestamptzArray]: driver.getTypeParser(typeNumbers.textArray),
    [typeNumbers.bigintArray]: (text) => texts(driver.getTypeParser(typeNumbers.textArray)(text)).map(exactInteger),
  };
  const settings: PoolConfig = {
    connectionString: url,
    fallback_application_name: 'context-assembly-memory',
    types: { getTypeParser: (type: number) => parsers[type] ?? driver.getTypeParser(type) },
  };
  requireReadable(() => new pg.Client(settings), variableOf[purpose]);
  const pool = createPool((more): Pool => new pg.Pool({ ...settings, ...more }), { limits: limits.pool, log });
  const listener = createToolboxListener((): Client => new pg.Client({ ...settings, keepAlive: true }), log);
  let closing: Promise<void> | null = null;
  return {
    mode: 'postgres',
    capabilities: { pastReads: 'history', approximateVectorIndex: false, inDatabaseRerank: false, soleWriter: false },
    analyzesItself: true,
    bounds: (leftMs) => (purpose === 'migrate' ? '' : boundsOf(limits.statementMs, leftMs)),
    use: (options, work) => pool.use(options, work),
    onToolboxChange: (told) => listener.add(told),
    close: () => (closing ??= Promise.all([listener.close(), pool.close()]).then(() => {})),
  };
}

/** Whole milliseconds, at least one: zero would mean no bound at all. */
function boundsOf(statementMs: number, leftMs: number | null): string {
  const most = Math.max(1, Math.ceil(Math.min(statementMs, leftMs ?? statementMs)));
  return (
    `SET LOCAL statement_timeout = ${most}; SET LOCAL lock_timeout = ${most};` +
    ` SET LOCAL idle_in_transaction_session_timeout = ${statementMs};`
  );
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** A driver that cannot read an address, or a certificate's file that it names, says so with the address in its words. */
function requireReadable(read: () => unknown, variable: string): void {
  try {
    read();
  } catch (error) {
    const message = `${variable} cannot be used: the address, or a file that it names, cannot be read.`;
    throw new MemoryError('invalid_configuration', message, { variable }, error);
  }
}
