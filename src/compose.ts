// The composition root's workshop: each part is loaded and made when it is first asked for, and closed once.

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { DirectoryState, Models, Opening, Parts, ServerAccount, StorePurpose } from './command/command.ts';
import type { Config } from './config.ts';
import type { DatabaseServer } from './database_server.ts';
import type { Embedder } from './embed/embedder.ts';
import type { StaticTable } from './embed/static_table.ts';
import type { Log } from './log.ts';
import type { ManagerParts } from './manager/parts.ts';
import { MemoryError } from './model/errors.ts';
import { rowId } from './model/ids.ts';
import type { CountTokens } from './model/window.ts';
import type { ProviderCount } from './provider_count.ts';
import type { Reranker } from './rerank/reranker.ts';
import type { ServerStore } from './store/postgres/server.ts';
import type { Store } from './store/store.ts';

/** Name of the tokenizer's encoding, as windows record it. */
const encoding = 'o200k_base';

/** Numbers in a vector of the built-in table; known without reading it, so that a store opens without. */
const tableDimensions = 256;

const inMemory = ':memory:';

// The same distance from src and from dist.
const tableFolder = join(import.meta.dirname, '..', 'models', 'potion-base-8m');

/** The parts of a process with this configuration; nothing is loaded yet. */
export function compose(config: Config, log: Log, opening: Opening = {}): Parts {
  const stores = createStores(config, log, opening);
  const measures = createMeasures();
  const providerCount = createCounter(config, log);
  const managerParts = async (purpose: StorePurpose): Promise<ManagerParts> => ({
    store: await stores.open(purpose),
    ...measures,
    log,
    newId: (prefix) => rowId(`${prefix}_${randomBytes(16).toString('hex')}`),
    providerCount,
    clockMs: () => performance.now(),
  });
  return {
    store: (purpose = 'serve') => stores.open(purpose),
    account: (purpose) => stores.account(purpose),
    manager: once(async () => {
      const [{ createManager }, parts] = await Promise.all([
        import('./manager/create_manager.ts'),
        managerParts('serve'),
      ]);
      return createManager(parts);
    }),
    operator: once(async () => {
      const [{ createOperatorManager }, parts] = await Promise.all([
        import('./manager/operator.ts'),
        managerParts('operate'),
      ]);
      return createOperatorManager(parts);
    }),
    models: () => namesOf(measures),
    providerCount,
    close: () => stores.close(),
  };
}

/** The stores of a process: one in a folder or in memory, or on a server one for each login that is needed. */
interface Stores {
  open(purpose: StorePurpose): Promise<Store>;
  account(purpose: StorePurpose): Promise<ServerAccount>;
  /** Safe to call twice. */
  close(): Promise<void>;
}

function createStores(config: Config, log: Log, opening: Opening): Stores {
  const server = opening.inMemory === true ? null : config.server;
  return server === null
    ? ownStore(() => openStore(config, log, opening))
    : serverStores((purpose) => openOnServer(server, log, purpose));
}

/** One store for every purpose. */
function ownStore(openIt: () => Promise<Store>): Stores {
  let opened: Promise<Store> | undefined;
  let closed: Promise<void> | undefined;
  return {
    open: () => (opened ??= openIt()),
    account: () => Promise.reject(new MemoryError('invalid_argument', 'Only a database server has logins.')),
    // A store that never opened has nothing to close; why it did not open was told to whoever asked for it.
    close: () =>
      (closed ??= (opened ?? Promise.resolve(null)).then(
        async (open) => open?.close(),
        () => {},
      )),
  };
}

/** A store for each purpose. One that did not open is tried again: a server that was away may be back. */
function serverStores(openIt: (purpose: StorePurpose) => Promise<ServerStore>): Stores {
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

async function openOnServer(server: DatabaseServer, log: Log, purpose: StorePurpose): Promise<ServerStore> {
  const [{ openServerStore }, { variableOf }, { staticTableId }] = await Promise.all([
    import('./store/postgres/server.ts'),
    import('./store/postgres/server_account.ts'),
    import('./embed/static_table.ts'),
  ]);
  const variable = variableOf[purpose];
  const url = { serve: server.url, operate: server.operatorUrl, migrate: server.ownerUrl }[purpose];
  if (url === null) {
    throw new MemoryError('invalid_configuration', `${variable} is not set, and this needs its login.`, { variable });
  }
  const { poolMax, statementTimeoutMs } = server;
  return openServerStore({
    url,
    purpose,
    embedder: { id: staticTableId, dimensions: tableDimensions },
    log,
    limits: {
      pool: { most: poolMax, longestLine: poolMax * waitingForEach, waitMs: Math.min(statementTimeoutMs, 10_000) },
      statementMs: statementTimeoutMs,
    },
    grantTo: { serve: server.url, operate: server.operatorUrl },
  });
}

/** What measures text, each loaded when first needed: a list of tools needs none. */
interface Measures {
  readonly embedder: () => Promise<Embedder>;
  readonly reranker: () => Promise<Reranker>;
  readonly tokenizer: () => Promise<CountTokens>;
}

function createMeasures(): Measures {
  const table = once(openTable);
  return {
    embedder: table,
    reranker: once(async () => {
      const { lateInteraction } = await import('./rerank/late_interaction.ts');
      return lateInteraction(await table());
    }),
    tokenizer: once(async () => (await import('./tokens/tokenizer.ts')).loadTokenizer()),
  };
}

async function openTable(): Promise<StaticTable> {
  const { openStaticTable } = await import('./embed/static_table.ts');
  return openStaticTable(tableFolder);
}

async function namesOf({ embedder, reranker, tokenizer }: Measures): Promise<Models> {
  const [{ id, dimensions }, { id: rerankerId }] = await Promise.all([embedder(), reranker(), tokenizer()]);
  return { embedder: id, dimensions, reranker: rerankerId, encoding };
}

async function openStore(config: Config, log: Log, opening: Opening): Promise<Store> {
  const [{ openEmbeddedStore }, { staticTableId }] = await Promise.all([
    import('./store/postgres/pglite.ts'),
    import('./embed/static_table.ts'),
  ]);
  const directory = opening.inMemory === true ? inMemory : config.dataDirectory;
  const embedder = { id: staticTableId, dimensions: tableDimensions };
  try {
    return await openEmbeddedStore({ directory, embedder, log, migrate: opening.migrate ?? true });
  } catch (error) {
    throw error instanceof MemoryError ? error : unusable(directory, error);
  }
}

/** What the file system said of the folder, in words; the log has the rest. */
function unusable(directory: string, error: unknown): MemoryError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  const reasons: Readonly<Record<string, string>> = {
    EACCES: 'this user may not write there',
    EPERM: 'this user may not write there',
    EROFS: 'it can only be read',
    ENOSPC: 'the disk is full',
    ENOTDIR: 'a part of its path is a file',
    EEXIST: 'a file stands in its place',
    ENOENT: 'it cannot be made',
  };
  const reason = reasons[code] ?? `the system says ${code}`;
  return new MemoryError(
    'store_unavailable',
    `The folder ${directory} cannot be used: ${reason}.`,
    { directory },
    error,
  );
}

/** What is known of the data directory without opening it; a store in memory is nobody's but this process's. */
export async function directoryState(config: Config): Promise<DirectoryState> {
  if (config.dataDirectory === inMemory) return { exists: true, holder: null, alive: false };
  const directory = await import('./store/postgres/data_directory.ts');
  return directory.directoryState(config.dataDirectory);
}

/** Takes the lock of the data directory away, whoever holds it. The caller has asked a person. */
export async function unlockDirectory(config: Config): Promise<void> {
  if (config.dataDirectory === inMemory) return;
  const { unlock } = await import('./store/postgres/data_directory.ts');
  unlock(config.dataDirectory);
}

function createCounter(config: Config, log: Log): ProviderCount | null {
  const { providerCount: endpoint } = config;
  if (endpoint === null) return null;
  const load = once(async () => {
    const { createProviderCount } = await import('./provider_count.ts');
    return createProviderCount(endpoint, log);
  });
  return async (request) => (await load())(request);
}

/** The result of the first call for every call; a failure is forgotten, so that the next call tries again. */
function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
