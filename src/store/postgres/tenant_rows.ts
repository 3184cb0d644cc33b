// A tenant's rows out of the database and into it (design D3, D7), a bounded number at a time and as the database's text.

import { z } from 'zod';
import { tenantTables } from '../tenant_tables.ts';
import type { TenantRows, TenantTable } from '../tenant_tables.ts';
import type { Session } from './session.ts';

const statements: Readonly<Record<TenantTable, readonly [declare: string, insert: string]>> = {
  guideline_memory: ['export_guidelines', 'import_guidelines'],
  persona_memory: ['export_personas', 'import_personas'],
  toolbox_memory: ['export_tools', 'import_tools'],
  entity_memory: ['export_entities', 'import_entities'],
  workflow_memory: ['export_workflows', 'import_workflows'],
  summarization_memory: ['export_summaries', 'import_summaries'],
  knowledge_base_document: ['export_documents', 'import_documents'],
  knowledge_base_chunk: ['export_chunks', 'import_chunks'],
  conversation_memory: ['export_events', 'import_events'],
  context_compression: ['export_compressions', 'import_compressions'],
  context_source_ref: ['export_provenance', 'import_provenance'],
  memory_link: ['export_links', 'import_links'],
  thread: ['export_threads', 'import_threads'],
  deletion_events: ['export_deletions', 'import_deletions'],
};

const exportedRow = z.object({ row: z.string() });
const countedRows = z.object({ name: z.string(), rows: z.number() });

/** All rows of the tenant, table by table; the database's cursor keeps the place. */
export async function* exportedRows(session: Session): AsyncGenerator<TenantRows> {
  for (const table of tenantTables) {
    await session.all(statements[table][0]);
    for (;;) {
      const rows = await session.all('fetch_exported');
      if (rows.length === 0) break;
      yield { table, rows: rows.map((row) => exportedRow.parse(row).row) };
    }
    await session.all('close_exported');
  }
}

/** Writes rows as they were exported. The first that is there already fails the whole transaction. */
export async function insertTenantRows(session: Session, { table, rows }: TenantRows): Promise<void> {
  if (rows.length > 0) await session.all(statements[table][1], `[${rows.join(',')}]`);
}

/** Rows of the tenant by table. */
export async function countTenantRows(session: Session): Promise<ReadonlyMap<string, number>> {
  const rows = (await session.all('count_rows')).map((row) => countedRows.parse(row));
  return new Map(rows.map(({ name, rows: count }) => [name, count]));
}
