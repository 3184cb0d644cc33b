// The composition root's workshop: each part is loaded and made when it is first asked for, and closed once.

import { randomBytes } from 'node:crypto';
import type { DirectoryState, Models, Opening, Parts, RestoredDirectory, StorePurpose } from './command/command.ts';
import type { Config } from './config.ts';
import { inMemory } from './data_folder.ts';
import type { Log } from './log.ts';
import type { ManagerParts } from './manager/parts.ts';
import { createMeasuring, type Measures, type Measuring, requireModels } from './measures.ts';
import { MemoryError } from './model/errors.ts';
import { rowId } from './model/ids.ts';
import type { ProviderCount } from './provider_count.ts';
import { once } from './once.ts';
import { openOnServer, serverStores, type Stores } from './server_stores.ts';
import type { ReadBackup } from './store/backup_file.ts';
import type { HeldDirectory } from './store/postgres/data_directory.ts';
import type { EmbeddedStores } from './store/postgres/pglite.ts';
import type { EmbedderIdentity, Store } from './store/store.ts';
import type { Summariser } from './summarise/summariser.ts';

/** Name of the tokenizer's encoding, as windows record it. */
const encoding = 'o200k_base';

/** A store that several runs of the program share, and what measures text for all of them. */
export interface Shared {
  /**
   * The open store for an embedder, with all migrations applied if that is asked for: a run that is set to another one
   * than the store's is refused by itself, unless it is to change that. A failure is tried anew by the next caller.
   */
  store(embedder: EmbedderIdentity, opening: Opening): Promise<Store>;
  /** Runs that are set alike share what measures text. */
  readonly measuring: Measuring;
  /** Ends it for all. */
  close(): Promise<void>;
}

/** Shares the store of a directory that this process holds already. */
export function share(config: Config, log: Log, held: HeldDirectory): Shared {
  let opened: EmbeddedStores | null = null;
  const open = once(async () => (opened = await openStores(config, log, held)));
  // What is looked at before a first use is looked at once for each embedder.
  const stores = new Map<string, Store>();
  const migrated = new Set<string>();
  const measuring = createMeasuring(log);
  return {
    async store(embedder, { migrate = true, anyEmbedder = false }) {
      const key = JSON.stringify([embedder.id, embedder.dimensions, anyEmbedder]);
      const store = stores.get(key) ?? (await open()).of(embedder, { anyEmbedder });
      stores.set(key, store);
      if (migrate && !migrated.has(key)) await store.migrate();
      if (migrate) migrated.add(key);
      return store;
    },
    measuring,
    close: async () => {
      measuring.close();
      await opened?.close();
    },
  };
}

/** The parts of a process with this configuration; nothing is loaded yet. What is shared is not closed with them. */
export function compose(config: Config, log: Log, opening: Opening = {}, shared: Shared | null = null): Parts {
  const measuring = shared?.measuring ?? createMeasuring(log);
  const measures = measuring.of(config.models);
  const stores = createStores(config, log, { opening, shared, measures });
  const providerCount = createCounter(config, log);
  const summariser = once(() => openSummariser(config));
  const managerParts = async (purpose: StorePurpose): Promise<ManagerParts> => {
    const store = await stores.open(purpose);
    requireModels(config.models, store);
    return {
      store,
      embedder: async () => measures.embedder(async () => store),
      reranker: async () => measures.reranker(async () => store),
      standInReranker: async () => measures.standInReranker(),
      tokenizer: async () => measures.tokenizer(),
      summariser,
      log,
      newId: (prefix) => rowId(`${prefix}_${randomBytes(16).toString('hex')}`),
      providerCount,
      documentUrl: config.documentUrl,
      clockMs: () => performance.now(),
    };
  };
  return {
    store: (purpose = 'serve') => stores.open(purpose),
    account: (purpose) => stores.account(purpose),
    prerequisites: () => stores.prerequisites(),
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
    models: () => namesOf(measures, () => stores.open('serve')),
    tryModels: async (signal) => {
      const { tryModels } = await import('./try_models.ts');
      return tryModels(measures, async () => stores.open('serve'), signal);
    },
    providerCount,
    close: async () => {
      if (shared === null) measuring.close();
      await stores.close();
    },
  };
}

function createStores(
  config: Config,
  log: Log,
  {
    opening,
    shared,
    measures,
  }: { readonly opening: Opening; readonly shared: Shared | null; readonly measures: Measures },
): Stores {
  const openOwn = async () => openStore(config, log, { opening, embedder: await measures.identity() });
  if (opening.inMemory === true) return ownStore(openOwn);
  if (shared !== null) return sharedStore(shared, opening, measures);
  const { server } = config;
  return server === null
    ? ownStore(openOwn)
    : serverStores(async (purpose) => {
        const { anyEmbedder = false } = opening;
        return openOnServer(server, log, { purpose, embedder: await measures.identity(), anyEmbedder });
      });
}

const noLogins = () => Promise.reject(new MemoryError('invalid_argument', 'Only a database server has logins.'));

/** The store of the process that holds the directory: whoever shares it does not close it. */
function sharedStore(shared: Shared, opening: Opening, measures: Measures): Stores {
  return {
    open: async () => shared.store(await measures.identity(), opening),
    account: noLogins,
    prerequisites: noLogins,
    close: async () => {},
  };
}

/** One store for every purpose. */
function ownStore(openIt: () => Promise<Store>): Stores {
  let opened: Promise<Store> | undefined;
  let closed: Promise<void> | undefined;
  return {
    open: () => (opened ??= openIt()),
    account: noLogins,
    prerequisites: noLogins,
    // A store that never opened has nothing to close; why it did not open was told to whoever asked for it.
    close: () =>
      (closed ??= (opened ?? Promise.resolve(null)).then(
        async (open) => open?.close(),
        () => {},
      )),
  };
}

async function namesOf(measures: Measures, store: () => Promise<Store>): Promise<Models> {
  const [{ id, dimensions }, { id: rerankerId }] = await Promise.all([
    measures.embedder(store),
    measures.reranker(store),
    measures.tokenizer(),
  ]);
  return { embedder: id, dimensions, reranker: rerankerId, encoding };
}

async function openStore(
  config: Config,
  log: Log,
  { opening, embedder }: { readonly opening: Opening; readonly embedder: EmbedderIdentity },
): Promise<Store> {
  const { openEmbeddedStore } = await import('./store/postgres/pglite.ts');
  const directory = opening.inMemory === true ? inMemory : config.dataDirectory;
  const { migrate = true, anyEmbedder = false } = opening;
  return usableFolder(directory, () => openEmbeddedStore({ directory, embedder, log, migrate, anyEmbedder }));
}

async function openStores(
  { dataDirectory: directory }: Config,
  log: Log,
  held: HeldDirectory,
): Promise<EmbeddedStores> {
  const { openEmbeddedStores } = await import('./store/postgres/pglite.ts');
  return usableFolder(directory, () => openEmbeddedStores({ directory, held, log }));
}

/** Fills the data directory from a backup. Throws as `restoreDirectory` does, and `store_unavailable`. */
export async function restoreStore(
  config: Config,
  log: Log,
  given: { readonly backup: ReadBackup; readonly replace: boolean },
): Promise<RestoredDirectory> {
  if (config.dataDirectory === inMemory) {
    throw new MemoryError('backup_refused', 'CONTEXT_DATA_DIR is :memory:, which would be gone with this command.');
  }
  const { restoreDirectory } = await import('./store/postgres/restore.ts');
  const { dataDirectory: directory } = config;
  const embedder = await createMeasuring(log).of(config.models).identity();
  const restored = await usableFolder(directory, () => restoreDirectory({ ...given, directory, embedder, log }));
  return { ...restored, programEmbedder: embedder };
}

/** Takes the data directory for this process. Throws `store_locked`, `store_unavailable`, `invalid_configuration`. */
export async function holdDataDirectory(config: Config): Promise<HeldDirectory> {
  const { holdDirectory } = await import('./store/postgres/data_directory.ts');
  return usableFolder(config.dataDirectory, async () => holdDirectory(config.dataDirectory));
}

async function usableFolder<Value>(directory: string, use: () => Promise<Value>): Promise<Value> {
  try {
    return await use();
  } catch (error) {
    throw error instanceof MemoryError ? error : unusable(directory, error);
  }
}

/** What the file system said of the folder, in words; the log has the rest. */
function unusable(directory: string, error: unknown): MemoryError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : null;
  const reasons: Readonly<Record<string, string>> = {
    EACCES: 'this user may not write there',
    EPERM: 'this user may not write there',
    EROFS: 'it can only be read',
    ENOSPC: 'the disk is full',
    ENOTDIR: 'a part of its path is a file',
    EEXIST: 'a file stands in its place',
    ENOENT: 'it cannot be made',
  };
  const reason = code === null ? 'the log says why' : (reasons[code] ?? `the system says ${code}`);
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

async function openSummariser({ summariser: endpoint }: Config): Promise<Summariser> {
  if (endpoint === null) return (await import('./summarise/built_in.ts')).builtInSummariser;
  return (await import('./summarise/endpoint.ts')).createEndpointSummariser(endpoint);
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
