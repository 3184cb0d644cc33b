// Versioned updates (design D1, D2): the active row of a key is locked, retired and followed by the next version.

import { z } from 'zod';
import { MemoryError } from '../../model/errors.ts';
import { rowId } from '../../model/ids.ts';
import type { Ref } from '../../model/memory.ts';
import type { Instant } from '../../model/time.ts';
import { chunkColumns, contentColumnsHash, keyColumns, newRowColumns } from '../new_rows.ts';
import { checkPolicyRow } from '../policy_rows.ts';
import { instantOf } from '../rows.ts';
import type { EmbedderIdentity } from '../store.ts';
import { wellFormed } from '../well_formed.ts';
import type { DocumentKey, IndexEntry, NewDocument, NewPersona, NewVersionedRow } from '../written_rows.ts';
import { batches, writeIndex } from './index_writer.ts';
import type { DatabaseRow, Session } from './session.ts';

const chunksAtOnce = 200;

/** The statements of each table that a key lives in. */
export const keyedStatements = {
  guideline: { active: 'active_guideline', retire: 'retire_guideline', insert: 'insert_guidelines' },
  persona: { active: 'active_persona', retire: 'retire_persona', insert: 'insert_personas' },
  toolbox: { active: 'active_tool', retire: 'retire_tool', insert: 'insert_tools' },
  entity: { active: 'active_entity', retire: 'retire_entity', insert: 'insert_entities' },
  workflow: { active: 'active_workflow', retire: 'retire_workflow', insert: 'insert_workflows' },
  document: { active: 'active_document', retire: 'retire_document', insert: 'insert_documents' },
} as const;

const activeColumns = z.object({ id: z.string(), version: z.number().int().default(1), active: z.boolean() });

interface Newest {
  readonly id: string;
  readonly version: number;
  readonly active: boolean;
  readonly row: DatabaseRow;
}

/** The active row of a key, else its newest version, else null; locked until the transaction ends. */
async function newestOf(session: Session, row: Parameters<typeof keyColumns>[0]): Promise<Newest | null> {
  const found = (await session.all(keyedStatements[row.type].active, JSON.stringify(keyColumns(row))))[0];
  return found === undefined ? null : { ...activeColumns.parse(found), row: found };
}

function conflict(): MemoryError {
  return new MemoryError('version_conflict', 'Another update of the same row came first.');
}

/** Writes the next version of a key, as {@link Writer.putVersion} says. */
export async function writeVersion(
  session: Session,
  given: { readonly row: NewVersionedRow; readonly expectedVersion: number; readonly index: readonly IndexEntry[] },
  embedder: EmbedderIdentity,
): Promise<Ref> {
  const row = wellFormed(given.row, '');
  if (row.type === 'guideline') checkPolicyRow(row);
  const newest = await newestOf(session, row);
  const active = newest?.active === true ? newest : null;
  if ((active?.version ?? 0) !== given.expectedVersion) throw conflict();
  const version = (newest?.version ?? 0) + 1;
  const validFrom = active === null ? row.validFrom : await retire(session, row, active.id);
  await insertOne(session, { ...row, version, validFrom, supersededBy: null });
  // The entries were made before the version was known.
  const entries = given.index.map(
    (entry): IndexEntry =>
      entry.ref[0] === row.type && entry.ref[1] === row.id ? { ...entry, ref: [row.type, row.id, version] } : entry,
  );
  await writeIndex(session, entries, { embedder, freshness: 'inserted' });
  return [row.type, row.id, version];
}

/** Retires the active row of a persona's key, if there is one, and writes the new one. */
export async function writePersona(session: Session, given: NewPersona): Promise<Ref> {
  const row = wellFormed(given, '');
  const newest = await newestOf(session, row);
  const validFrom = newest?.active === true ? await retire(session, row, newest.id) : row.validFrom;
  await insertOne(session, { ...row, validFrom });
  return ['persona', row.id, 1];
}

/** The active row of a key, as {@link OperatorWriter.activeVersion} says. */
export async function readActiveVersion(
  session: Session,
  given: NewVersionedRow | NewPersona,
): Promise<{ readonly ref: Ref; readonly same: boolean } | null> {
  const row = wellFormed(given, '');
  const newest = await newestOf(session, row);
  if (newest?.active !== true) return null;
  const same = contentColumnsHash(row.type, newest.row) === contentColumnsHash(row.type, newRowColumns(row));
  return { ref: [row.type, rowId(newest.id), newest.version], same };
}

/** Retires the active version of a document's key, as {@link OperatorWriter.retireDocument} says. */
export async function retireDocument(session: Session, given: DocumentKey): Promise<Ref | null> {
  const newest = await newestOf(session, wellFormed(given, ''));
  if (newest?.active !== true) return null;
  await session.all(keyedStatements.document.retire, newest.id, null, null);
  return ['document', rowId(newest.id), newest.version];
}

/** Where the old version ends, the new one begins: the database says when. */
async function retire(session: Session, row: NewVersionedRow | NewPersona, oldId: string): Promise<Instant> {
  const { retire: statement } = keyedStatements[row.type];
  const next = row.type === 'persona' ? [] : [row.id];
  const retired = await session.all(statement, oldId, ...next, row.validFrom);
  const columns = z.object({ valid_until: z.string() }).optional().parse(retired[0]);
  // Row security hides the shared row of another owner from the update.
  if (columns === undefined) throw new MemoryError('scope_violation', 'The active row of this key has another owner.');
  return instantOf(columns.valid_until);
}

async function insertOne(session: Session, row: NewVersionedRow | NewPersona): Promise<void> {
  const inserted = await session.all(keyedStatements[row.type].insert, JSON.stringify([newRowColumns(row)]));
  if (inserted.length === 0) throw conflict();
  if (row.type === 'document') await insertChunks(session, [row]);
}

/** Writes the chunks of documents that this transaction inserted. */
export async function insertChunks(session: Session, documents: readonly NewDocument[]): Promise<void> {
  for (const batch of batches(documents.flatMap(chunkColumns), chunksAtOnce)) {
    await session.all('insert_chunks', JSON.stringify(batch));
  }
}
