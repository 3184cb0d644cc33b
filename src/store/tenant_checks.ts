// What the rows of an export owe each other (design D1, D5, D7): checked in one pass over them, in their order.

import { createHash } from 'node:crypto';
import { MemoryError } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import type { MemoryType } from '../model/memory.ts';
import { conditionsHash, textHash } from './content_hash.ts';
import { checkPolicyRow } from './policy_rows.ts';
import type { StoredRow } from './rows.ts';
import { columnProblem } from './tenant_columns.ts';
import type { TenantTable } from './tenant_tables.ts';
import { wellFormed } from './well_formed.ts';
import type { NewGuideline } from './written_rows.ts';

/** A row with where it stands. */
export interface TenantRow {
  readonly table: TenantTable;
  readonly columns: StoredRow;
  /** The same as the text in which it travels. */
  readonly text: string;
  /** Counted from 1. */
  readonly line: number;
}

/** Checks rows one after the other, then as a whole. Both throw `invalid_seed`, `policy_invalid` or `text_refused`. */
export interface TenantCheck {
  row(row: TenantRow): void;
  end(): void;
}

interface Rule {
  /** The type that a ref to one of the rows has; null: nothing can name them. */
  readonly type: MemoryType | null;
  /** The columns of which at most one row may be active; null: none. */
  readonly active: readonly string[] | null;
  /** The columns by which the rows ascend, each text by its bytes; null: they stand as they were written. */
  readonly order: readonly string[] | null;
}

const owner = ['user_id', 'agent_id'];
const scope = [...owner, 'thread_id'];
const byId = ['id'];
const source = ['source_type', 'source_id', 'source_version'];
const derived = ['derived_type', 'derived_id', 'derived_version'];
const target = ['target_type', 'target_id', 'target_version'];

const rules: Readonly<Record<TenantTable, Rule>> = {
  guideline_memory: { type: 'guideline', active: [...scope, 'guideline_key'], order: byId },
  persona_memory: { type: 'persona', active: [...scope, 'persona_key'], order: byId },
  toolbox_memory: { type: 'toolbox', active: [...owner, 'tool_name'], order: byId },
  entity_memory: { type: 'entity', active: [...scope, 'subject', 'predicate', 'conditions_hash'], order: byId },
  workflow_memory: { type: 'workflow', active: [...owner, 'workflow_name'], order: byId },
  summarization_memory: { type: 'summary', active: null, order: byId },
  knowledge_base_document: { type: 'document', active: [...owner, 'collection', 'source_uri'], order: byId },
  knowledge_base_chunk: { type: 'chunk', active: null, order: ['document_id', 'chunk_index'] },
  conversation_memory: { type: 'conversation', active: null, order: null },
  context_compression: { type: 'compression', active: null, order: byId },
  context_source_ref: { type: null, active: null, order: [...derived, ...source, 'relation', 'user_id'] },
  memory_link: { type: null, active: null, order: [...source, ...target, 'relation', 'user_id'] },
  thread: { type: null, active: null, order: ['user_id', 'agent_id', 'thread_id'] },
  deletion_events: { type: null, active: null, order: byId },
};

/** A check of one file's rows. It keeps a short key for each row and the last turn of each thread, and no text. */
export function createTenantCheck(fileName: string): TenantCheck {
  const known = new Set<string>();
  const active = new Set<string>();
  const lastTurns = new Map<string, number>();
  const threads = new Set<string>();
  let before: TenantRow | null = null;
  const refuse = (row: TenantRow, field: string, message: string): never => refuseRow(fileName, row, field, message);
  const requireKnown = (row: TenantRow, prefix: string): void => {
    const [type, id, version] = ['type', 'id', 'version'].map((name) => row.columns[`${prefix}_${name}`]);
    if (!known.has(shortKey([type, id, version]))) refuse(row, `${prefix}_id`, 'there is no such row');
  };
  const checkNames = (row: TenantRow): void => {
    const { table, columns } = row;
    if (table === 'knowledge_base_chunk' && !known.has(shortKey(['document', columns['document_id']])))
      refuse(row, 'document_id', 'there is no such document');
    if (table === 'context_compression') requireKnown(row, 'source');
    if (table === 'context_source_ref') for (const prefix of ['derived', 'source']) requireKnown(row, prefix);
    if (table === 'memory_link') for (const prefix of ['source', 'target']) requireKnown(row, prefix);
  };
  const checkTurn = (row: TenantRow): void => {
    const { turn_index: index, next_turn_index: next } = row.columns;
    if (typeof index !== 'number' && typeof next !== 'number') return;
    const key = shortKey(scope.map((name) => row.columns[name] ?? null));
    const last = lastTurns.get(key) ?? Number.NEGATIVE_INFINITY;
    if (typeof index === 'number') {
      if (index <= last) refuse(row, 'turn_index', 'it does not come after the last turn of its thread');
      lastTurns.set(key, index);
      return;
    }
    if (Number(next) <= last) refuse(row, 'next_turn_index', 'its thread has that turn already');
    threads.add(key);
  };
  return {
    row(row) {
      const { table, columns } = row;
      checkColumns(fileName, row);
      const rule = rules[table];
      if (rule.order !== null && before?.table === table && compareBy(rule.order, before.columns, columns) >= 0)
        refuse(row, rule.order.at(-1) ?? '', 'the row does not come after the one before it, or is the same');
      before = row;
      checkNames(row);
      if (rule.type !== null) {
        const id = columns['event_id'] ?? columns['id'];
        const own = shortKey([rule.type, id]);
        if (known.has(own)) refuse(row, 'id', 'the id is there already');
        known.add(own).add(shortKey([rule.type, id, columns['version'] ?? 1]));
      }
      if (rule.active !== null && isOpen(columns)) {
        const key = shortKey([table, ...rule.active.map((name) => columns[name] ?? null)]);
        if (active.has(key)) refuse(row, 'valid_until', 'another active row has the same key');
        active.add(key);
      }
      checkTurn(row);
    },
    end() {
      const [lost] = [...lastTurns.keys()].filter((key) => !threads.has(key));
      if (lost === undefined) return;
      throw new MemoryError('invalid_seed', `${fileName}: a thread that has turns has no row of its own.`, {
        file: fileName,
      });
    },
  };
}

/** Throws a refusal that names the line and the field. */
export function refuseRow(fileName: string, row: TenantRow, field: string, message: string): never {
  const { line, table } = row;
  throw new MemoryError('invalid_seed', `${fileName}, line ${line}, field ${field}: ${message}.`, {
    file: fileName,
    line,
    table,
    field,
  });
}

/** True for a row that no later version and no erasure closed. */
export function isOpen(columns: StoredRow): boolean {
  return (columns['valid_until'] ?? null) === null && (columns['deleted_at'] ?? null) === null;
}

/** What a row owes by itself. */
function checkColumns(fileName: string, row: TenantRow): void {
  const { table, columns, line } = row;
  const problem = columnProblem(table, columns);
  if (problem !== null) refuseRow(fileName, row, problem.field, problem.message);
  checkText(fileName, row);
  const content = columns['content'];
  if (typeof content === 'string' && columns['content_hash'] !== textHash(content))
    refuseRow(fileName, row, 'content_hash', 'it is not the hash of the content');
  if (table === 'entity_memory') {
    const { conditions = null } = columns['content_json'] as { readonly conditions?: JsonObject | null };
    if (columns['conditions_hash'] !== conditionsHash(conditions))
      refuseRow(fileName, row, 'conditions_hash', 'it is not the hash of the conditions');
  }
  // What is history, or quarantined, may be of a form that was right once.
  if (table !== 'guideline_memory' || !isOpen(columns) || columns['quarantined_at'] !== null) return;
  try {
    checkPolicyRow(policyOf(columns));
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error;
    const data = { file: fileName, line, ...error.data };
    throw new MemoryError(error.code, `${fileName}, line ${line}: ${error.message}`, data);
  }
}

function policyOf(columns: StoredRow): Parameters<typeof checkPolicyRow>[0] {
  return {
    key: String(columns['guideline_key']),
    value: columns['guideline_value'] as NewGuideline['value'],
    userId: columns['user_id'] as NewGuideline['userId'],
    agentId: columns['agent_id'] as NewGuideline['agentId'],
    threadId: columns['thread_id'] as NewGuideline['threadId'],
  };
}

/** Text that was stored is well-formed (design D8): what is not was not written by an export. */
function checkText(fileName: string, row: TenantRow): void {
  const { columns, text, line } = row;
  if (!/\\u(?:0000|d[89a-f])/i.test(text)) return;
  try {
    const clean = wellFormed(columns, '');
    if (JSON.stringify(clean) === JSON.stringify(columns)) return;
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error;
    throw new MemoryError(error.code, `${fileName}, line ${line}: ${error.message}`, { ...error.data, line });
  }
  throw new MemoryError('text_refused', `${fileName}, line ${line}: a text holds half of a character.`, {
    file: fileName,
    line,
  });
}

/** A key of fixed size: what is kept for each row must not grow with what the row says. */
function shortKey(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts), 'utf8').digest('base64url').slice(0, 22);
}

function compareBy(names: readonly string[], left: StoredRow, right: StoredRow): number {
  for (const name of names) {
    const [a, b] = [left[name] ?? '', right[name] ?? ''];
    const order = typeof a === 'number' && typeof b === 'number' ? a - b : Buffer.compare(bytesOf(a), bytesOf(b));
    if (order !== 0) return order;
  }
  return 0;
}

function bytesOf(value: unknown): Buffer {
  return Buffer.from(String(value), 'utf8');
}
