// The memories among the rows of an export, each with its neighbours (design Q2, Q3): what their index rows are made of.

import { tenantId } from '../model/ids.ts';
import type { Memory } from '../model/memory.ts';
import type { OperatorScope } from '../model/scope.ts';
import { neighbourReach, noNeighbours } from '../retrieval/index_entry.ts';
import { mappers } from '../store/rows.ts';
import type { StoredRow } from '../store/rows.ts';
import type { TenantRow } from '../store/tenant_checks.ts';
import type { Placed } from './index_rows.ts';

const reach = neighbourReach.vector;

/** A line of memories of which only those are kept that are neighbours still, or wait for theirs. */
interface Line {
  readonly kept: Memory[];
  /** Place of the first that has not been handed on. */
  next: number;
}

/**
 * Hands on each memory that a search can find, once its neighbours are known: the living turns of a thread, the chunks
 * of a document. The rows stand in the order of an export; each thread keeps a few turns until the end.
 */
export async function* tenantMemories(rows: AsyncIterable<TenantRow>, scope: OperatorScope): AsyncGenerator<Placed> {
  const documents = new Map<unknown, StoredRow>();
  const lines = new Map<string, Line>();
  let document = '';
  for await (const { table, columns } of rows) {
    const row = { ...columns, tenant_id: tenantId(scope.tenantId) };
    if (table === 'knowledge_base_document') documents.set(columns['id'], documentColumns(columns));
    const memory = memoryOf(table, row, documents);
    if (memory === null) continue;
    const key = lineKey(memory);
    if (key === null) {
      yield { memory, neighbours: noNeighbours };
      continue;
    }
    // Documents stand one after the other; threads do not.
    if (memory.type === 'chunk' && key !== document) yield* rest(lines, document);
    if (memory.type === 'chunk') document = key;
    const line = lines.get(key) ?? { kept: [], next: 0 };
    lines.set(key, line);
    line.kept.push(memory);
    if (line.kept.length > line.next + reach) yield handedOn(line);
  }
  for (const key of lines.keys()) yield* rest(lines, key);
}

/** Those that have no more neighbours to wait for. */
function* rest(lines: Map<string, Line>, key: string): Generator<Placed> {
  const line = lines.get(key);
  if (line === undefined) return;
  while (line.next < line.kept.length) yield handedOn(line);
  lines.delete(key);
}

/** What a chunk takes from its document. */
function documentColumns({ collection, title, source_uri, version, ...row }: StoredRow): StoredRow {
  const { valid_from, valid_until, superseded_by, deleted_at, quarantined_at } = row;
  return {
    collection,
    title,
    source_uri,
    document_version: version,
    valid_from,
    valid_until,
    superseded_by,
    document_deleted_at: deleted_at,
    document_quarantined_at: quarantined_at,
  };
}

/** Null for what is no memory, is deleted, or would be left out when it is read. */
function memoryOf(
  table: TenantRow['table'],
  row: StoredRow,
  documents: ReadonlyMap<unknown, StoredRow>,
): Memory | null {
  try {
    const memory = readMemory(table, row, documents);
    return memory?.lifecycle.deletedAt === null ? memory : null;
  } catch {
    return null;
  }
}

function readMemory(
  table: TenantRow['table'],
  row: StoredRow,
  documents: ReadonlyMap<unknown, StoredRow>,
): Memory | null {
  switch (table) {
    case 'entity_memory':
      return mappers.entity(row);
    case 'workflow_memory':
      return mappers.workflow(row);
    case 'summarization_memory':
      return mappers.summary(row);
    case 'conversation_memory':
      return row['turn_index'] === null ? null : mappers.turn(row);
    case 'knowledge_base_chunk':
      return mappers.chunk({ ...row, ...documents.get(row['document_id']) });
    default:
      return null;
  }
}

/** Memories with the same key stand next to each other; null for one that stands alone. */
function lineKey({ type, scope, ...memory }: Memory): string | null {
  if (type === 'conversation') return JSON.stringify([type, scope.userId, scope.agentId, scope.threadId]);
  return type === 'chunk' && 'documentId' in memory ? JSON.stringify([type, memory.documentId]) : null;
}

function handedOn(line: Line): Placed {
  const { kept, next } = line;
  const memory = kept[next];
  if (memory === undefined) throw new Error('the line has no memory at that place');
  const neighbours = {
    before: kept.slice(Math.max(0, next - reach), next),
    after: kept.slice(next + 1, next + 1 + reach),
  };
  if (next < reach) line.next += 1;
  else kept.shift();
  return { memory, neighbours };
}
