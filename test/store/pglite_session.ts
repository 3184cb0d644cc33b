// The embedded engine as the contract wants it: a store and raw statements over one PGlite in memory.

import { beginnings } from '../../src/store/postgres/transaction.ts';
import type { Engine } from '../../src/store/postgres/connection.ts';
import type { Parameter } from '../../src/store/statements/session.ts';
import { openEngine } from '../../src/store/postgres/pglite.ts';
import { createPostgresStore } from '../../src/store/postgres/store.ts';
import { readMigrations } from '../../src/store/sql_files.ts';
import { options, testEmbedder } from './harness.ts';
import type { OpenedStore, RawSession } from './harness.ts';

/** Raw statements over an engine: each one its own transaction, as the role and context given. */
export function rawSession(engine: Engine): RawSession {
  return {
    query: ({ role, tenant = '', user = '' }, sql, parameters = []) =>
      engine.use(options(), async (connection) => {
        await connection.execute(role === null ? beginnings.migrate.begin : `BEGIN; SET LOCAL ROLE ${role}`);
        try {
          await connection.query(
            "select set_config('memory.tenant_id', $1, true), set_config('memory.user_id', $2, true)",
            [tenant, user],
          );
          const rows = await connection.query(sql, parameters satisfies readonly Parameter[]);
          await connection.execute('COMMIT');
          return rows;
        } catch (error) {
          await connection.execute('ROLLBACK');
          throw error;
        }
      }),
  };
}

/** A migrated store in memory, with its engine. */
export async function openInMemory(): Promise<OpenedStore & { readonly engine: Engine; readonly raw: RawSession }> {
  const engine = await openEngine(null);
  const problems: OpenedStore['problems'][number][] = [];
  const store = createPostgresStore({
    engine,
    embedder: testEmbedder,
    log: ({ message, detail }) => problems.push({ message, detail }),
    migrations: readMigrations('postgres'),
  });
  await store.migrate();
  return { store, engine, raw: rawSession(engine), problems };
}
