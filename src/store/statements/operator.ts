// Writes of an operator: the whole tenant, shared rows too, many at once (design D7, N2).

import { z } from 'zod';
import { MemoryError } from '../../model/errors.ts';
import { refKey } from '../../model/memory.ts';
import { newRowColumns } from '../new_rows.ts';
import { checkPolicyRow } from '../policy_rows.ts';
import type { EmbedderIdentity, OperatorWriter } from '../store.ts';
import { wellFormed } from '../well_formed.ts';
import type { ImportBatch, ImportReport, NewDocument, NewRow, NewTurn } from '../written_rows.ts';
import { writeCompressions, writeLinks, writeProvenance, writeTokenCounts } from './derived_writer.ts';
import { batches, writeIndex } from './index_writer.ts';
import type { Session } from './session.ts';
import { createRebuilder } from './rebuild.ts';
import { countTenantRows, insertTenantRows } from './tenant_rows.ts';
import {
  insertChunks,
  keyedStatements,
  readActiveVersion,
  retireDocument,
  writePersona,
  writeVersion,
} from './version_writer.ts';

const batchSize = 400;

const insertStatements = {
  guideline: keyedStatements.guideline.insert,
  persona: keyedStatements.persona.insert,
  toolbox: keyedStatements.toolbox.insert,
  entity: keyedStatements.entity.insert,
  workflow: keyedStatements.workflow.insert,
  document: keyedStatements.document.insert,
  summary: 'insert_summaries',
  conversation: 'insert_turns',
} as const satisfies Record<NewRow['type'], string>;

/** The order in which tables are filled, always the same: two imports at once cannot block each other. */
const importOrder = Object.keys(insertStatements).toSorted() as readonly NewRow['type'][];

/** A writer over a session whose tenant is set and that has the operator's role. */
export function createOperatorWriter(session: Session, embedder: EmbedderIdentity): OperatorWriter {
  return {
    importRows: (batch) => importRows(session, batch, embedder),
    putVersion: (row, expectedVersion, index) => writeVersion(session, { row, expectedVersion, index }, embedder),
    putPersona: (row) => writePersona(session, row),
    activeVersion: (row) => readActiveVersion(session, row),
    addProvenance: (edges) => writeProvenance(session, edges),
    putIndex: (entries) => writeIndex(session, entries, { embedder, freshness: 'existing' }),
    putCompressions: (compressions) => writeCompressions(session, compressions),
    putTokenCounts: (counts) => writeTokenCounts(session, counts),
    async documentsUnder({ agentId, collection, writtenBy, prefix, after, limit }) {
      const rows = await session.all('documents_under', agentId, collection, writtenBy, prefix, after, limit);
      return rows.map((row) => z.object({ source_uri: z.string() }).parse(row).source_uri);
    },
    retireDocument: (row) => retireDocument(session, row),
    async hasToolbox() {
      return z.object({ present: z.boolean() }).parse(await session.one('has_toolbox')).present;
    },
    async quarantine([type, id, version], reason) {
      const clean = reason === null ? null : wellFormed(reason, 'reason');
      const { marked } = z
        .object({ marked: z.number() })
        .parse(await session.one('quarantine', type, id, version, clean));
      if (marked === 0) throw new MemoryError('not_found', 'There is no such row.', { type, id, version });
    },
    countRows: () => countTenantRows(session),
    putTenantRows: (rows) => insertTenantRows(session, rows),
    ...createRebuilder(session, embedder),
    putNewIndex: (entries) => writeIndex(session, entries, { embedder, freshness: 'inserted' }),
  };
}

async function importRows(session: Session, batch: ImportBatch, embedder: EmbedderIdentity): Promise<ImportReport> {
  const rows = batch.rows.map((row) => wellFormed(row, ''));
  rows.forEach(checkImported);
  const inserted = new Set<string>();
  for (const type of importOrder) {
    const ofType = rows.filter((row) => row.type === type);
    for (const part of batches(ofType, batchSize)) {
      const ids = new Set(await insertRows(session, type, part));
      for (const id of ids) inserted.add(refKey([type, id, 0]));
      const documents = part.filter((row): row is NewDocument => row.type === 'document' && ids.has(row.id));
      await insertChunks(session, documents);
      for (const chunk of documents.flatMap((document) => document.chunks)) {
        inserted.add(refKey(['chunk', chunk.id, 0]));
      }
    }
  }
  await writeProvenance(session, batch.provenance);
  await writeLinks(session, batch.links);
  const fresh = batch.index.filter(({ ref }) => inserted.has(refKey([ref[0], ref[1], 0])));
  await writeIndex(session, fresh, { embedder, freshness: 'inserted' });
  const insertedRows = rows.filter((row) => inserted.has(refKey([row.type, row.id, 0]))).length;
  return { inserted: insertedRows, unchanged: rows.length - insertedRows };
}

function checkImported(row: NewRow): void {
  if (row.type === 'guideline') checkPolicyRow(row);
  if (row.type !== 'conversation') return;
  const missing = (['userId', 'threadId', 'createdAt'] as const satisfies readonly (keyof NewTurn)[]).find(
    (field) => row[field] === null,
  );
  if (missing !== undefined) {
    throw new MemoryError('invalid_argument', `The turn ${row.id} has no ${missing}.`, { id: row.id, field: missing });
  }
}

async function insertRows(
  session: Session,
  type: NewRow['type'],
  rows: readonly NewRow[],
): Promise<readonly NewRow['id'][]> {
  const columns = rows.map((row, position) => ({ ...newRowColumns(row), position }));
  const inserted = await session.all(insertStatements[type], JSON.stringify(columns));
  const known = new Map(rows.map((row) => [row.id as string, row.id]));
  return inserted.flatMap((row) => known.get(z.object({ id: z.string() }).parse(row).id) ?? []);
}
