// The schema's state and its migrations (design N6, N5, D6) on Oracle, which commits every statement that defines
// something: a file that failed half-way is run again from its beginning, and recorded last.

import { z } from 'zod';
import { applyMigrations, requireEmbedder } from '../migrate.ts';
import type { MigrationFile } from '../sql_files.ts';
import type { Session } from '../statements/session.ts';
import type { EmbedderIdentity, SchemaState } from '../store.ts';
import { scriptStatements } from './script.ts';
import { transaction } from './transaction.ts';
import type { OracleEngine } from './transaction.ts';

/** What a schema is looked at with. */
export interface SchemaParts {
  readonly engine: OracleEngine;
  readonly embedder: EmbedderIdentity;
  readonly migrations: readonly MigrationFile[];
  /** How often changed tools are asked for while somebody listens; a few seconds where it is not said. */
  readonly toolboxEveryMs?: number;
  /** True: it opens also where the vectors are by another embedder, which is to be changed. */
  readonly anyEmbedder?: boolean;
}

/** What is applied, what the program knows, and what the store says of itself once its schema is whole. */
export function readSchemaState({ engine, migrations }: SchemaParts): Promise<SchemaState> {
  const call = { requestId: 'schema' };
  return transaction(engine, { beginning: { as: 'look' }, call }, async (session) => {
    const applied = await appliedTo(session);
    const known = migrations.length;
    // Which database it is, a function says that one of the migrations makes.
    if (applied.length < known) return { applied, known, embedder: null, incarnation: null };
    return { applied, known, ...(await settingsOf(session)) };
  });
}

async function appliedTo(session: Session): Promise<readonly number[]> {
  const { present } = z.object({ present: z.boolean() }).parse(await session.one('schema_exists'));
  if (!present) return [];
  const numbers = await session.all('applied_migrations');
  return numbers.map((row) => z.object({ number: z.number() }).parse(row).number);
}

const settingColumns = z.object({
  incarnation: z.string().nullable(),
  embedder_id: z.string().nullable(),
  embedder_dimensions: z.number().int().nullable(),
});

async function settingsOf(session: Session): Promise<Pick<SchemaState, 'embedder' | 'incarnation'>> {
  const settings = settingColumns.parse(await session.one('store_settings'));
  const { embedder_id: id, embedder_dimensions: dimensions, incarnation } = settings;
  return { incarnation, embedder: id === null || dimensions === null ? null : { id, dimensions } };
}

/**
 * Applies all missing migrations under the database's migration lock. The first run records the embedder. Throws
 * `schema_newer` and, unless any embedder will do, `embedder_mismatch`.
 */
export async function migrateSchema({ engine, embedder, migrations, anyEmbedder }: SchemaParts): Promise<void> {
  const call = { requestId: 'migrate' };
  await applyMigrations(
    {
      next: (choose) =>
        transaction(engine, { beginning: { as: 'migrate' }, call }, async (session, _, connection) => {
          await session.all('migration_lock');
          try {
            const file = choose(await appliedTo(session));
            if (file === null) return false;
            for (const statement of scriptStatements(file.sql)) await connection.define(statement);
            await session.all('record_setting', 'embedder_id', embedder.id);
            await session.all('record_setting', 'embedder_dimensions', String(embedder.dimensions));
            await session.all('record_migration', file.number, file.name);
            await connection.commit();
            return true;
          } finally {
            // The lock is the session's, which goes back to the pool.
            await session.all('migration_unlock');
          }
        }),
    },
    migrations,
  );
  const { embedder: stored } = await readSchemaState({ engine, embedder, migrations });
  if (anyEmbedder !== true) requireEmbedder(stored, embedder);
}
