// An embedded engine that tells which statements ran, for tests of what is answered without some of them.

import { openEngine } from '../../../src/store/postgres/pglite.ts';
import type { Engine } from '../../../src/store/postgres/connection.ts';
import { createPostgresStore } from '../../../src/store/postgres/store.ts';
import type { SharedResidents } from '../../../src/store/resident/residents.ts';
import { createQueries, queryNames, readMigrations } from '../../../src/store/sql_files.ts';
import type { Store } from '../../../src/store/store.ts';
import { testEmbedder } from '../harness.ts';
import type { OpenedStore, RawSession } from '../harness.ts';
import { rawSession } from '../pglite_session.ts';

/** What the searches of a store without residents read memory with. */
export const searchStatements = [
  'count_vectors',
  'lexical_hits',
  'lexical_statistics',
  'vectors_by_sign',
  'vectors_exact',
] as const;

const statement = createQueries('postgres');
const names = new Map(queryNames('postgres').map((name) => [statement(name), name]));

/** An engine in memory with all migrations applied. */
export interface WatchedEngine {
  readonly engine: Engine;
  readonly raw: RawSession;
  readonly problems: OpenedStore['problems'];
  /** Another store over it; null: one that asks the statements. */
  storeWith(residents: SharedResidents | null): Store;
  /** Names of the statements that run during some work. */
  ran(work: () => Promise<unknown>): Promise<readonly string[]>;
  /** Lets a statement fail that is about to run, or wait. */
  before(hook: (name: string) => void | Promise<void>): void;
}

/** Opens one. */
export async function openWatchedEngine(): Promise<WatchedEngine> {
  const inner = await openEngine(null);
  const problems: OpenedStore['problems'][number][] = [];
  const seen: string[] = [];
  let hook: (name: string) => void | Promise<void> = () => {};
  const engine: Engine = {
    ...inner,
    use: (given, work) =>
      inner.use(given, (lent, discard) =>
        work(
          {
            ...lent,
            async query(sql, parameters) {
              const name = names.get(sql) ?? 'other';
              seen.push(name);
              await hook(name);
              return await lent.query(sql, parameters);
            },
          },
          discard,
        ),
      ),
  };
  const storeWith = (residents: SharedResidents | null): Store =>
    createPostgresStore({
      engine,
      residents,
      embedder: testEmbedder,
      log: ({ message, detail }) => problems.push({ message, detail }),
      migrations: readMigrations('postgres'),
    });
  await storeWith(null).migrate();
  return {
    engine,
    raw: rawSession(engine),
    problems,
    storeWith,
    async ran(work) {
      const before = seen.length;
      await work();
      return seen.slice(before);
    },
    before: (given) => {
      hook = given;
    },
  };
}
