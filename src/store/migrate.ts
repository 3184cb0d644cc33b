// Design N6 and D6 without a dialect: which migrations are to be applied, and when a store is refused.

import { MemoryError } from '../model/errors.ts';
import type { MigrationFile } from './sql_files.ts';
import type { EmbedderIdentity } from './store.ts';

/** What an engine does for a migration; each call of `next` is one transaction under the database's migration lock. */
export interface MigrationTarget {
  /** Applies what `choose` picks from the numbers applied so far (null: nothing to do), and says whether it did. */
  next(choose: (applied: readonly number[]) => MigrationFile | null): Promise<boolean>;
}

/** Applies all missing migrations in order. Throws `schema_newer`, and what the target throws. */
export async function applyMigrations(target: MigrationTarget, files: readonly MigrationFile[]): Promise<void> {
  while (await target.next((applied) => firstMissing(applied, files)));
}

/** The next migration to apply, or null. Throws `schema_newer` when the database knows one that the program does not. */
function firstMissing(applied: readonly number[], files: readonly MigrationFile[]): MigrationFile | null {
  refuseNewer(applied, files.length);
  return files.find((file) => !applied.includes(file.number)) ?? null;
}

/** Throws `schema_newer` or `schema_missing` unless exactly the known migrations are applied. */
export function requireSchema(applied: readonly number[], known: number): void {
  refuseNewer(applied, known);
  if (applied.length < known) {
    throw new MemoryError(
      'schema_missing',
      'The database does not have the schema of this version. Run: context-assembly-memory migrate',
      { applied: applied.length, known },
    );
  }
}

function refuseNewer(applied: readonly number[], known: number): void {
  const newest = Math.max(0, ...applied);
  if (newest > known) {
    throw new MemoryError(
      'schema_newer',
      `The database has schema ${newest}, and this version knows only ${known}. Use a newer version of the program.`,
      { applied: newest, known },
    );
  }
}

/** True for two names of one embedder. */
export function isSameEmbedder(one: EmbedderIdentity, other: EmbedderIdentity): boolean {
  return one.id === other.id && one.dimensions === other.dimensions;
}

/**
 * Throws `embedder_mismatch` when the store's embedder was changed since this process opened it: its vectors would find
 * nothing any more, and what it writes would not be found (design D6).
 */
export function requireUnchangedEmbedder(stored: EmbedderIdentity, given: EmbedderIdentity): void {
  if (isSameEmbedder(stored, given)) return;
  throw new MemoryError(
    'embedder_mismatch',
    `The memory was embedded anew by ${stored.id} (${stored.dimensions} dimensions), and this process was started with ${given.id} (${given.dimensions}). Set CONTEXT_EMBEDDER to the first one and start it again.`,
    { stored: stored.id, given: given.id },
  );
}

/** Throws `embedder_mismatch` when the store's vectors were written by another embedder (design D6). */
export function requireEmbedder(stored: EmbedderIdentity | null, given: EmbedderIdentity): void {
  if (stored === null || isSameEmbedder(stored, given)) return;
  throw new MemoryError(
    'embedder_mismatch',
    `The vectors of this store were written by ${stored.id} (${stored.dimensions} dimensions), and the program is set to ${given.id} (${given.dimensions}). Set the first one, or run: context-assembly-memory reembed`,
    { stored: stored.id, given: given.id, command: 'context-assembly-memory reembed' },
  );
}
