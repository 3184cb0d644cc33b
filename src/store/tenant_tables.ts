// Which tables make a tenant: their rows cannot be derived from others (design D3), and they travel in this order.

/**
 * The tables of an export, in the order in which their rows stand in it and are written: what a row names stands before
 * it. Compressions are here because a model's cannot be made again with the same words, and a window shows them.
 */
export const tenantTables = [
  'guideline_memory',
  'persona_memory',
  'toolbox_memory',
  'entity_memory',
  'workflow_memory',
  'summarization_memory',
  'knowledge_base_document',
  'knowledge_base_chunk',
  'conversation_memory',
  'context_compression',
  'context_source_ref',
  'memory_link',
  'thread',
  'deletion_events',
] as const;

/** One of {@link tenantTables}. */
export type TenantTable = (typeof tenantTables)[number];

/** A row as it travels: the text of a JSON object of its columns, as the database writes it, without the tenant's. */
export interface TenantRows {
  readonly table: TenantTable;
  readonly rows: readonly string[];
}

/** True for the name of a table of an export. */
export function isTenantTable(name: string): name is TenantTable {
  return (tenantTables as readonly string[]).includes(name);
}
