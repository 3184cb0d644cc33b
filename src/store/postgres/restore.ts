// Fills an embedded data directory from a backup: beside the place where the database is to stand, and moved there last.

import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { MemoryError } from '../../model/errors.ts';
import type { BackupHeader, ReadBackup } from '../backup_file.ts';
import { reportTo } from '../problem.ts';
import type { StoreLog } from '../problem.ts';
import { readMigrations } from '../sql_files.ts';
import type { EmbedderIdentity, SchemaState } from '../store.ts';
import { countRows, renewIncarnation } from './backup.ts';
import { directoryState, holdDirectory, postgresMajor } from './data_directory.ts';
import { openEngine } from './pglite.ts';
import { migrateSchema, readSchemaState } from './schema.ts';

/** What is restored, and where to. */
export interface RestoreOptions {
  readonly directory: string;
  readonly backup: ReadBackup;
  /** A database that is there already is moved aside; else it is a reason to refuse. */
  readonly replace: boolean;
  /** The program's own, for a copy that was taken before there was a schema. */
  readonly embedder: EmbedderIdentity;
  readonly log: StoreLog;
}

/** What became of it. */
export interface Restored {
  /** What the database says of itself now: its incarnation is a new one (design N5). */
  readonly state: SchemaState;
  readonly rows: Readonly<Record<string, number>> | null;
  /** Data directory to which the former database was moved; null where there was none. */
  readonly movedTo: string | null;
}

// What this program leaves in a directory that has no database.
const ownNames = /^(?:owner|owner\.json|owner\.log(?:\.1)?|owner\.starting|making|postgres|restoring)$/;

/**
 * Restores a backup. Throws `backup_refused`, `schema_newer` and `store_locked` before anything is written, and leaves
 * the directory as it was when anything fails later.
 */
export async function restoreDirectory(options: RestoreOptions): Promise<Restored> {
  const { directory, backup, replace } = options;
  refuseOtherVersion(backup.header);
  refuseOccupied(directory, replace);
  const held = holdDirectory(directory);
  const draft = join(directory, 'restoring');
  try {
    // Whoever came first may have made a database of it.
    refuseOccupied(directory, replace);
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft, { mode: 0o700 });
    const filled = await fill(draft, options);
    const movedTo = putInPlace(draft, directory, held.databaseFolder);
    held.opened();
    return { ...filled, movedTo };
  } finally {
    rmSync(draft, { recursive: true, force: true });
    held.release();
  }
}

function refuseOtherVersion({ postgres_major: major, program, schema }: BackupHeader): void {
  if (major !== postgresMajor) {
    const message = `The backup holds files of PostgreSQL ${major}, and this version opens those of PostgreSQL ${postgresMajor}. Restore it with version ${program} of this program, which wrote it.`;
    throw new MemoryError('backup_refused', message, { major, expected: postgresMajor, program });
  }
  const known = readMigrations('postgres').length;
  if (schema <= known) return;
  const message = `The backup has schema ${schema}, written by version ${program}, and this version knows only ${known}. Use that version or a newer one.`;
  throw new MemoryError('schema_newer', message, { applied: schema, known, program });
}

function refuseOccupied(directory: string, replace: boolean): void {
  if (!existsSync(directory)) return;
  const foreign = readdirSync(directory).find((name) => !ownNames.test(name));
  if (foreign !== undefined) {
    const message = `${directory} holds files that are no part of a memory, such as ${foreign}. Set CONTEXT_DATA_DIR to a folder that is empty or does not exist.`;
    throw new MemoryError('backup_refused', message, { directory });
  }
  if (replace || !directoryState(directory).exists) return;
  const message = `${directory} holds a memory already. Set CONTEXT_DATA_DIR to a folder that is empty or does not exist, or add --replace to move that memory aside.`;
  throw new MemoryError('backup_refused', message, { directory });
}

/** Makes a database of the copy, with the newest schema and a name of its own, and closes it. */
async function fill(draft: string, options: RestoreOptions): Promise<Omit<Restored, 'movedTo'>> {
  const { header, tar } = options.backup;
  const log = reportTo(options.log);
  const engine = await openEngine(draft, () => {}, tar).catch((error: unknown) => {
    throw notMade(options, error);
  });
  try {
    // The vectors are the writer's, whatever this program is set to.
    const embedder = header.embedder ?? options.embedder;
    const parts = { engine, embedder, log, migrations: readMigrations('postgres') };
    if (header.schema > 0) {
      await migrateSchema(parts);
      await renewIncarnation(engine, log);
    }
    const rows = header.schema > 0 ? await countRows(engine, log) : null;
    requireRows(rows, header);
    return { state: await readSchemaState(parts), rows };
  } finally {
    await engine.close();
  }
}

/** Most often there is no room; the database's own words are for the log. */
function notMade({ directory, backup }: RestoreOptions, error: unknown): MemoryError {
  const megabytes = Math.ceil(backup.tar.length / 1_000_000);
  const message = `The database of the backup cannot be made in ${directory}: it needs ${megabytes} MB of free space there.`;
  return new MemoryError('store_unavailable', message, { directory, megabytes }, error);
}

/** The rows must be those that were counted for the copy; a migration may have added tables, and rows to them. */
function requireRows(rows: Restored['rows'], { rows: expected, schema }: BackupHeader): void {
  if (rows === null || expected === null || schema !== readMigrations('postgres').length) return;
  const differs = Object.entries(expected).find(([table, count]) => rows[table] !== count);
  if (differs === undefined) return;
  const [table, count] = differs;
  const message = `The backup should hold ${count} rows of ${table} and holds ${rows[table] ?? 0}.`;
  throw new MemoryError('backup_refused', message, { table });
}

/** Moves what was there to a data directory of its own and the new database into its place. Gives that directory. */
function putInPlace(draft: string, directory: string, place: string): string | null {
  if (!existsSync(join(place, 'PG_VERSION'))) {
    // Holding an empty directory made an empty folder.
    rmdirSync(place);
    renameSync(draft, place);
    return null;
  }
  const aside = `${directory}.before-restore-${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')}`;
  const movedFolder = join(aside, basename(place));
  try {
    mkdirSync(aside, { mode: 0o700 });
    renameSync(place, movedFolder);
  } catch (error) {
    quietly(() => rmdirSync(aside));
    const message = `The memory in ${directory} cannot be moved to ${aside}. Set CONTEXT_DATA_DIR to a folder that is empty or does not exist.`;
    throw new MemoryError('backup_refused', message, { directory }, error);
  }
  try {
    renameSync(draft, place);
  } catch (error) {
    renameSync(movedFolder, place);
    quietly(() => rmdirSync(aside));
    throw error;
  }
  return aside;
}

function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // What is left is an empty folder.
  }
}
