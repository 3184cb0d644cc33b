// The schema's state and its migrations (design N6, N5, D6) on PostgreSQL.

import { z } from 'zod';
import { applyMigrations, requireEmbedder } from '../migrate.ts';
import type { LogProblem } from '../problem.ts';
import type { MigrationFile } from '../sql_files.ts';
import type { Session } from '../statements/session.ts';
import type { EmbedderIdentity, SchemaState } from '../store.ts';
import type { Engine } from './connection.ts';
import { transaction } from './transaction.ts';

interface SchemaOptions {
  readonly engine: Engine;
  readonly embedder: EmbedderIdentity;
  readonly log: LogProblem;
  readonly migrations: readonly MigrationFile[];
  readonly anyEmbedder?: boolean;
}

/** What is applied, what the program knows, and what the store says of itself. */
export async function readSchemaState({ engine, log, migrations }: SchemaOptions): Promise<SchemaState> {
  const call = { requestId: 'schema' };
  const found = await transaction({ engine, log, call, beginning: 'migrate' }, stateSeen);
  return { ...found, known: migrations.length };
}

const nothingRecorded = { applied: [], embedder: null, incarnation: null } as const;

// A login has no rights of its own in the schema, and the roles that have them may not exist yet.
const mayLook = ['mem_owner', 'mem_app', 'mem_operator'];

async function stateSeen(session: Session): Promise<Omit<SchemaState, 'known'>> {
  await session.all('inspect_as', mayLook);
  return (await schemaExists(session)) ? await recordedState(session) : nothingRecorded;
}

async function schemaExists(session: Session): Promise<boolean> {
  return z.object({ present: z.boolean() }).parse(await session.one('schema_exists')).present;
}

const settingColumns = z.object({
  incarnation: z.string().nullable(),
  embedder_id: z.string().nullable(),
  embedder_dimensions: z.number().int().nullable(),
});

async function recordedState(session: Session): Promise<Omit<SchemaState, 'known'>> {
  const numbers = await session.all('applied_migrations');
  const settings = settingColumns.parse(await session.one('store_settings'));
  const { embedder_id: id, embedder_dimensions: dimensions } = settings;
  return {
    applied: numbers.map((row) => z.object({ number: z.number() }).parse(row).number),
    embedder: id === null || dimensions === null ? null : { id, dimensions },
    incarnation: settings.incarnation,
  };
}

/**
 * Applies all missing migrations, each file in one transaction under the database's migration lock. The first one
 * records the embedder. Throws `schema_newer` and, unless any embedder will do, `embedder_mismatch`.
 */
export async function migrateSchema({ engine, embedder, log, migrations, anyEmbedder }: SchemaOptions): Promise<void> {
  const call = { requestId: 'migrate' };
  await applyMigrations(
    {
      next: (choose) =>
        transaction({ engine, log, call, beginning: 'migrate' }, async (session, connection) => {
          await session.one('migration_lock');
          const state = await stateSeen(session);
          await session.all('leave_role');
          const file = choose(state.applied);
          if (anyEmbedder !== true) requireEmbedder(state.embedder, embedder);
          if (file === null) return false;
          await session.one('migration_setting', String(embedder.dimensions));
          await connection.execute(file.sql);
          await session.all('record_setting', 'embedder_id', embedder.id);
          await session.all('record_setting', 'embedder_dimensions', String(embedder.dimensions));
          await session.all('record_migration', file.number, file.name);
          return true;
        }),
    },
    migrations,
  );
}
