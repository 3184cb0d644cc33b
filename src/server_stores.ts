// Stores on a database server: each purpose has its own login, and with it a pool of its own (design N2).

import type { ServerAccount, StorePurpose } from './command/command.ts';
import type { DatabaseServer } from './database_server.ts';
import type { Log } from './log.ts';
import { MemoryError } from './model/errors.ts';
import type { ServerStore } from './store/postgres/server.ts';
import type { EmbedderIdentity, Store } from './store/store.ts';

/** The stores of a process: one in a folder or in memory, or on a server one for each login that is needed. */
export interface Stores {
  open(purpose: StorePurpose): Promise<Store>;
  account(purpose: StorePurpose): Promise<ServerAccount>;
  /** Safe to call twice. */
  close(): Promise<void>;
}

/** A store for each purpose. One that did not open is tried again: a server that was away may be back. */
export function serverStores(openIt: (purpose: StorePurpose) => Promise<ServerStore>): Stores {
  const opened = new Map<StorePurpose, Promise<ServerStore>>();
  let closed: Promise<void> | undefined;
  const open = (purpose: StorePurpose): Promise<ServerStore> => {
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
    await Promise.allSettled([...opened.values()].map(async (store) => (await store).close()));
  };
  return {
    open,
    async account(purpose) {
      const { login, database, version_name: version } = (await open(purpose)).account;
      return { login, database, version };
    },
    close: () => (closed ??= closeAll()),
  };
}

/** How many calls may wait for a connection, for each connection that there is. */
const waitingForEach = 100;

/** Opens the store of one purpose with its own login. Throws `invalid_configuration` where that login is not set. */
export async function openOnServer(
  server: DatabaseServer,
  log: Log,
  asked: { readonly purpose: StorePurpose; readonly embedder: EmbedderIdentity },
): Promise<ServerStore> {
  const [{ openServerStore }, { variableOf }] = await Promise.all([
    import('./store/postgres/server.ts'),
    import('./store/postgres/server_account.ts'),
  ]);
  const { purpose, embedder } = asked;
  const variable = variableOf[purpose];
  const url = { serve: server.url, operate: server.operatorUrl, migrate: server.ownerUrl }[purpose];
  if (url === null) {
    throw new MemoryError('invalid_configuration', `${variable} is not set, and this needs its login.`, { variable });
  }
  const { poolMax, statementTimeoutMs } = server;
  return openServerStore({
    url,
    purpose,
    embedder,
    log,
    limits: {
      pool: { most: poolMax, longestLine: poolMax * waitingForEach, waitMs: Math.min(statementTimeoutMs, 10_000) },
      statementMs: statementTimeoutMs,
    },
    grantTo: { serve: server.url, operate: server.operatorUrl },
  });
}
