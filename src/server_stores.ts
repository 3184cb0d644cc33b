// Stores on a database server: each purpose has its own login, and with it a pool of its own (design N2).

import type { Check } from './command/doctor_finding.ts';
import type { ServerAccount, StorePurpose } from './command/command.ts';
import type { DatabaseServer, PostgresAddresses } from './database_server.ts';
import type { Log } from './log.ts';
import { MemoryError } from './model/errors.ts';
import type { OracleLogins } from './oracle_logins.ts';
import type { EmbedderIdentity, Store } from './store/store.ts';

/** The stores of a process: one in a folder or in memory, or on a server one for each login that is needed. */
export interface Stores {
  open(purpose: StorePurpose): Promise<Store>;
  account(purpose: StorePurpose): Promise<ServerAccount>;
  /** What else the server needs or may have, by its login for migrations; nothing where the product has no such things. */
  prerequisites(): Promise<readonly Check[]>;
  /** Safe to call twice. */
  close(): Promise<void>;
}

/** A store on a server, with who its login is. */
export interface OpenedOnServer {
  readonly store: Store;
  readonly account: ServerAccount;
  readonly prerequisites: () => Promise<readonly Check[]>;
}

/** A store for each purpose. One that did not open is tried again: a server that was away may be back. */
export function serverStores(openIt: (purpose: StorePurpose) => Promise<OpenedOnServer>): Stores {
  const opened = new Map<StorePurpose, Promise<OpenedOnServer>>();
  let closed: Promise<void> | undefined;
  const open = (purpose: StorePurpose): Promise<OpenedOnServer> => {
    const store =
      opened.get(purpose) ??
      openIt(purpose).catch((error: unknown) => {
        opened.delete(purpose);
        throw error;
      });
    opened.set(purpose, store);
    return store;
  };
  const closeAll = async (): Promise<void> => {
    await Promise.allSettled([...opened.values()].map(async (given) => (await given).store.close()));
  };
  return {
    open: async (purpose) => (await open(purpose)).store,
    account: async (purpose) => (await open(purpose)).account,
    prerequisites: async () => (await open('migrate')).prerequisites(),
    close: () => (closed ??= closeAll()),
  };
}

/** How many calls may wait for a connection, for each connection that there is. */
const waitingForEach = 100;

/** What opening a store on a server is asked for. */
interface Asked {
  readonly purpose: StorePurpose;
  readonly embedder: EmbedderIdentity;
  /** True: a store whose vectors are by another embedder opens too. */
  readonly anyEmbedder: boolean;
}

/** Opens the store of one purpose with its own login. Throws `invalid_configuration` where that login is not set. */
export async function openOnServer(server: DatabaseServer, log: Log, asked: Asked): Promise<OpenedOnServer> {
  const { variable, isSet } = server.logins[asked.purpose];
  if (!isSet) {
    throw new MemoryError('invalid_configuration', `${variable} is not set, and this needs its login.`, { variable });
  }
  const { poolMax, statementTimeoutMs: statementMs } = server;
  const waitMs = Math.min(statementMs, 10_000);
  const limits = { pool: { most: poolMax, longestLine: poolMax * waitingForEach, waitMs }, statementMs };
  const given = { ...asked, log, limits };
  if (server.oracle !== null) return openOnOracle(server.oracle, given);
  if (server.postgres !== null) return openOnPostgres(server.postgres, given);
  throw new Error('a server is of no known product');
}

interface Given extends Asked {
  readonly log: Log;
  readonly limits: {
    readonly pool: { readonly most: number; readonly longestLine: number; readonly waitMs: number };
    readonly statementMs: number;
  };
}

async function openOnPostgres(addresses: PostgresAddresses, given: Given): Promise<OpenedOnServer> {
  const { openServerStore } = await import('./store/postgres/server.ts');
  const url = addresses[given.purpose] ?? '';
  const store = await openServerStore({ ...given, url, grantTo: addresses });
  const { login, database, version_name: version } = store.account;
  return { store, account: { product: 'PostgreSQL', login, database, version }, prerequisites: async () => [] };
}

async function openOnOracle(logins: OracleLogins, given: Given): Promise<OpenedOnServer> {
  const { openOracleStore } = await import('./store/oracle/server.ts');
  const { connectString, walletFolder, walletPassword } = logins;
  const { user, password } = logins[given.purpose] ?? { user: '', password: '' };
  const store = await openOracleStore({
    ...given,
    login: { user, password, connectString, walletFolder, walletPassword },
  });
  const { login, database, version_name: version } = store.account;
  return {
    store,
    account: { product: 'Oracle Database', login, database, version },
    prerequisites: () => store.prerequisites(),
  };
}
