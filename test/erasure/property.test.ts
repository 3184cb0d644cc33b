// Erasure as a property, on the embedded engine.

import { openEngine } from '../../src/store/postgres/pglite.ts';
import { createPostgresStore } from '../../src/store/postgres/store.ts';
import { reportTo } from '../../src/store/problem.ts';
import { readMigrations } from '../../src/store/sql_files.ts';
import { rawSession } from '../store/pglite_session.ts';
import { describeErasure } from './property.ts';

describeErasure(async ({ embedder, log }) => {
  const engine = await openEngine(null);
  const store = createPostgresStore({ engine, embedder, log: reportTo(log), migrations: readMigrations('postgres') });
  await store.migrate();
  return { store, raw: rawSession(engine) };
});
