// The embedded engine: PGlite with pgvector in a data directory of this process, or in memory.

import type { PGlite } from '@electric-sql/pglite';
import { MemoryError } from '../../model/errors.ts';
import { reportTo } from '../problem.ts';
import type { StoreLog } from '../problem.ts';
import { createResidents } from '../resident/residents.ts';
import type { ResidentManner } from '../resident/residents.ts';
import { readMigrations } from '../sql_files.ts';
import type { EmbedderIdentity, Store } from '../store.ts';
import { closed, createTurnstile } from '../turnstile.ts';
import type { Connection, Engine } from './connection.ts';
import { holdDirectory, postgresMajor } from './data_directory.ts';
import type { HeldDirectory } from './data_directory.ts';
import { preparedStatements, type PreparedStatements } from './prepared.ts';
import { createPostgresStore } from './store.ts';
import { exactInteger, sameText, typeNumbers } from './value_parsers.ts';
import { logKeeper, logSettings } from './write_ahead_log.ts';

/** Where the embedded database is. */
export interface EmbeddedPlace {
  /** A folder, created when it is missing, or `:memory:`. */
  readonly directory: string;
  /** The directory when this process holds it already: it stays held if the database does not open. */
  readonly held?: HeldDirectory | null;
  readonly log: StoreLog;
  /** When what searches read begins to be kept in this process; `usual` if unsaid. */
  readonly residents?: ResidentManner;
}

/** How to open the embedded store. */
export interface EmbeddedOptions extends EmbeddedPlace {
  readonly embedder: EmbedderIdentity;
  /** Apply missing migrations before the store is handed out. */
  readonly migrate: boolean;
  /** True: a store whose vectors are by another embedder opens too. */
  readonly anyEmbedder?: boolean;
}

/** An open database, of which there is a store for each embedder that somebody is set to; only one can be the right one. */
export interface EmbeddedStores {
  /** Nothing is looked at before its first use. Closing it closes the database. */
  of(embedder: EmbedderIdentity, manner?: { readonly anyEmbedder?: boolean }): Store;
  close(): Promise<void>;
}

const inMemory = ':memory:';
const toolboxChannel = 'memory_toolbox';

// The files lie in the operating system's memory: a page out of order costs hardly more than the next one.
const sessionSettings = 'SET random_page_cost = 1.1';

/**
 * Opens the embedded store. Throws `store_locked` when another process has the directory, `schema_newer`,
 * `embedder_mismatch`, and `store_unavailable` when the database's files cannot be opened.
 */
export async function openEmbeddedStore(options: EmbeddedOptions): Promise<Store> {
  const { embedder, migrate, anyEmbedder = false, ...place } = options;
  const store = (await openEmbeddedStores(place)).of(embedder, { anyEmbedder });
  try {
    if (migrate) await store.migrate();
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Opens the embedded database. Throws `store_locked` and `store_unavailable` as {@link openEmbeddedStore} does. */
export async function openEmbeddedStores(place: EmbeddedPlace): Promise<EmbeddedStores> {
  const given = place.held ?? null;
  const held = given ?? (place.directory === inMemory ? null : holdDirectory(place.directory));
  const release = () => {
    if (given === null) held?.release();
  };
  try {
    const engine = await openEngine(held?.databaseFolder ?? null, release);
    held?.opened();
    const residents = createResidents(place.residents);
    const parts = { engine, residents, log: reportTo(place.log), migrations: readMigrations('postgres') };
    return {
      of: (embedder, manner = {}) => createPostgresStore({ ...parts, ...manner, embedder }),
      async close() {
        await residents.close();
        await engine.close();
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}

/** Opens PGlite as an engine. `folder` null: in memory. `tar`: a copy to fill a folder with that has no database yet. */
export async function openEngine(
  folder: string | null,
  afterClose: () => void = () => {},
  tar: Uint8Array<ArrayBuffer> | null = null,
): Promise<Engine> {
  const { database, prepared } = await openDatabase(folder, tar);
  const listeners = new Set<(tenantId: string | null) => void>();
  const turnstile = createTurnstile();
  const connection = connectionOf(database, prepared);
  let broken = false;
  let closing: Promise<void> | null = null;
  // Tools may change in the middle of a call of the listener's own: it is told outside of any transaction.
  await database.exec(sessionSettings);
  await database.listen(toolboxChannel, (tenantId) =>
    setImmediate(() => {
      for (const listener of listeners) listener(tenantId);
    }),
  );
  const close = async (): Promise<void> => {
    await turnstile.shut();
    listeners.clear();
    try {
      await database.close();
    } finally {
      afterClose();
    }
  };
  return {
    mode: 'embedded',
    capabilities: { pastReads: 'history', approximateVectorIndex: false, inDatabaseRerank: false, soleWriter: true },
    analyzesItself: false,
    use: (options, work) =>
      turnstile.enter(options, async () => {
        // One connection is all there is: without it the store is gone until it is opened anew.
        if (broken) throw closed();
        return await work(connection, () => (broken = true));
      }),
    // A time-out of the database does not interrupt a statement here: deadlines act between statements.
    bounds: () => '',
    onToolboxChange(listener) {
      // A function of our own, so that one listener given twice is told twice and stopped once.
      const own = (tenantId: string | null): void => listener(tenantId);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    // Packing is left to the caller: it takes longer than copying, and everybody waits for this.
    copyFiles: async () => ({
      tar: new Uint8Array(await (await database.dumpDataDir('none')).arrayBuffer()),
      postgresMajor,
    }),
    close: () => (closing ??= close()),
  };
}

async function openDatabase(
  folder: string | null,
  tar: Uint8Array<ArrayBuffer> | null,
): Promise<{ readonly database: PGlite; readonly prepared: PreparedStatements }> {
  // Loaded when a store is opened: a help text or a tool list of a closed store does not wait for it.
  const [{ PGlite, protocol }, { vector }] = await Promise.all([
    import('@electric-sql/pglite'),
    import('@electric-sql/pglite-pgvector'),
  ]);
  try {
    const database = await PGlite.create({
      ...(folder === null ? {} : { dataDir: folder }),
      ...(tar === null ? {} : { loadDataDir: new Blob([tar], { type: 'application/x-tar' }) }),
      extensions: { vector },
      parsers,
      startParams: [...PGlite.defaultStartParams, ...logSettings.flatMap((setting) => ['-c', setting])],
    });
    return { database, prepared: preparedStatements(database, protocol) };
  } catch (error) {
    throw new MemoryError('store_unavailable', 'The embedded database cannot be opened.', { folder }, error);
  }
}

const parsers = { [typeNumbers.bigint]: exactInteger, [typeNumbers.timestamptz]: sameText };

/** What begins and ends a transaction; all else that is executed may change what statements give. */
const bracket = /^(?:BEGIN|ROLLBACK)\b/;

function connectionOf(database: PGlite, prepared: PreparedStatements): Connection {
  const query: Connection['query'] = (sql, parameters) => prepared.run(sql, parameters);
  const keepLogShort = logKeeper(query);
  return {
    query,
    async execute(sql) {
      await database.exec(sql);
      if (!bracket.test(sql)) await prepared.forget();
    },
    async commit() {
      await database.exec('COMMIT');
      await keepLogShort();
    },
  };
}
