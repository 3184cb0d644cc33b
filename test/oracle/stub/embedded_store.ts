// The adapter over a scripted server that answers from an embedded engine: one store, as a process has two or three on a
// database, each with its own login.

import type { StoreProblem } from '../../../src/store/problem.ts';
import { openEngine } from '../../../src/store/postgres/pglite.ts';
import { createPostgresStore } from '../../../src/store/postgres/store.ts';
import type { Engine } from '../../../src/store/postgres/connection.ts';
import { readMigrations } from '../../../src/store/sql_files.ts';
import type { EmbedderIdentity, Store } from '../../../src/store/store.ts';
import { embeddedAnswers } from './embedded_answers.ts';
import { openScripted } from './scripted_store.ts';
import type { Answers, ScriptedStore } from './scripted_store.ts';

/** A store of the adapter with what stands behind it. */
export interface AdapterOnEmbedded {
  readonly store: Store;
  readonly scripted: ScriptedStore;
  /** The store of the embedded engine itself, over the same rows. */
  readonly embedded: Store;
  readonly engine: Engine;
  readonly problems: readonly StoreProblem[];
}

/**
 * Opens both over one database in memory. Closing the store closes all of it. `answers` come before the embedded
 * engine's, and a test may put some there later.
 */
export async function openAdapterOnEmbedded(
  embedder: EmbedderIdentity,
  answers: Answers = {},
): Promise<AdapterOnEmbedded> {
  const engine = await openEngine(null);
  const embedded = createPostgresStore({ engine, embedder, log: () => {}, migrations: readMigrations('postgres') });
  await embedded.migrate();
  const rows = embeddedAnswers(engine);
  const scripted = await openScripted(answers, {
    most: 4,
    embedder,
    fallback: rows.answer,
    ending: rows.ending,
    statementMs: 30_000,
    waitMs: 30_000,
  });
  const store: Store = {
    ...scripted.store,
    async close() {
      await scripted.close();
      await embedded.close();
    },
  };
  return { store, scripted, embedded, engine, problems: scripted.problems };
}
