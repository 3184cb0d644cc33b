// The columns of each table of an export (design D7): every one is there, none beside them, each of its own kind.

import { z } from 'zod';
import { agentId, rowId, runId, threadId, userId } from '../model/ids.ts';
import { eventTypes, memoryTypes } from '../model/memory.ts';
import { instant } from '../model/time.ts';
import { accessPolicyColumn } from './rows.ts';
import { made } from './seed_columns.ts';
import type { TenantTable } from './tenant_tables.ts';

const text = z.string();
const filledText = text.min(1);
const optionalText = text.nullable();
const id = made(rowId);
const optionalId = id.nullable();
// Only the form that the database's text has in an export: what is read and what is written are the same then.
const time = text.refine((value) => isInstant(value), { message: 'must look like 2026-09-28T12:00:00.000000Z' });
const optionalTime = time.nullable();
// It was read from JSON, so it is JSON.
const json = z.custom((value) => value !== undefined);
const jsonObject = z.custom((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
  message: 'must be an object',
});
const texts = z.array(text);
const confidence = z.number().min(0).max(1).nullable();
const whole = z.number().int().min(-2_147_483_648).max(2_147_483_647);
const count = whole.min(0);
const version = whole.min(1);
const relation = z.enum(['derived_from', 'mentions', 'supports', 'annotates', 'used_in_window']);

const owner = { user_id: made(userId).nullable(), agent_id: made(agentId).nullable() };
const thread = { thread_id: made(threadId).nullable() };
const versions = { version, superseded_by: optionalId };
const validity = { valid_from: time, valid_until: optionalTime };
const provenance = {
  created_at: time,
  deleted_at: optionalTime,
  written_by: text,
  source_event_id: optionalId,
  trust: z.enum(['verified', 'stated', 'derived', 'imported']),
  quarantined_at: optionalTime,
  quarantine_reason: optionalText,
};

const memoryType = z.enum(memoryTypes);
const source = { source_type: memoryType, source_id: id, source_version: version };
const target = { target_type: memoryType, target_id: id, target_version: version };
const derived = { derived_type: memoryType, derived_id: id, derived_version: version };

function isInstant(value: string): boolean {
  try {
    return instant(value) === value;
  } catch {
    return false;
  }
}

const columns: Readonly<Record<TenantTable, z.ZodType<Readonly<Record<string, unknown>>>>> = {
  guideline_memory: z.strictObject({
    id,
    ...owner,
    ...thread,
    ...versions,
    ...validity,
    ...provenance,
    guideline_key: filledText,
    guideline_value: json,
  }),
  persona_memory: z.strictObject({
    id,
    ...owner,
    ...thread,
    ...validity,
    ...provenance,
    // An erased value is missing.
    persona_key: filledText,
    persona_value: json.optional(),
    confidence,
  }),
  toolbox_memory: z.strictObject({
    id,
    ...owner,
    ...versions,
    ...validity,
    ...provenance,
    tool_name: text,
    tool_schema: jsonObject,
    tool_handler: text,
    usage_notes: text,
    access_policy: accessPolicyColumn,
  }),
  entity_memory: z.strictObject({
    id,
    ...owner,
    ...thread,
    ...versions,
    ...validity,
    ...provenance,
    subject: filledText,
    predicate: filledText,
    content: optionalText,
    content_hash: optionalText,
    content_json: jsonObject,
    conditions_hash: optionalText,
    confidence,
  }),
  workflow_memory: z.strictObject({
    id,
    ...owner,
    ...versions,
    ...validity,
    ...provenance,
    workflow_name: filledText,
    description: text,
    steps: texts,
    preconditions: optionalText,
    expected_outcome: optionalText,
    success_count: count,
    failure_count: count,
    confidence,
  }),
  summarization_memory: z.strictObject({
    id,
    ...owner,
    ...thread,
    ...validity,
    ...provenance,
    task_type: text,
    title: text,
    summary: text,
    key_steps: texts,
    outcome: optionalText,
    artifacts: json,
    confidence,
    completed_at: time,
  }),
  knowledge_base_document: z.strictObject({
    id,
    ...owner,
    ...versions,
    ...validity,
    ...provenance,
    collection: filledText,
    title: text,
    source_uri: text,
    source_type: text,
    content_hash: text,
    metadata: jsonObject,
    ingested_at: time,
    ingested_by: text,
  }),
  knowledge_base_chunk: z.strictObject({
    id,
    ...owner,
    ...provenance,
    document_id: id,
    chunk_index: count,
    content: text,
    content_hash: text,
    metadata: jsonObject,
  }),
  conversation_memory: z
    .strictObject({
      event_id: id,
      ...owner,
      ...thread,
      ...provenance,
      run_id: made(runId).nullable(),
      turn_index: whole.nullable(),
      event_type: z.enum(eventTypes),
      role: z.enum(['user', 'assistant', 'tool', 'system']).nullable(),
      payload: jsonObject,
      token_cost: whole.nullable(),
      latency_ms: z.number().nullable(),
      retention_class: optionalText,
    })
    .refine((row) => (row.turn_index !== null) === ['user_msg', 'model_msg'].includes(row.event_type), {
      path: ['turn_index'],
      message: 'must be there for turns, and for nothing else',
    }),
  context_compression: z.strictObject({
    id,
    ...owner,
    ...thread,
    ...source,
    source_hash: text,
    text,
    tokens: count,
    model: text,
    prompt_version: text,
    created_at: time,
  }),
  context_source_ref: z.strictObject({
    ...owner,
    ...thread,
    ...derived,
    ...source,
    relation,
    created_at: time,
  }),
  memory_link: z.strictObject({
    ...owner,
    ...thread,
    ...source,
    ...target,
    metadata: jsonObject,
    created_at: time,
    relation: z.enum(['supersedes', 'refines', 'supports', 'contradicts', 'duplicates']),
  }),
  thread: z.strictObject({
    user_id: made(userId),
    agent_id: owner.agent_id,
    thread_id: made(threadId),
    next_turn_index: whole.min(1),
    created_at: time,
  }),
  deletion_events: z.strictObject({
    id,
    ...owner,
    ...thread,
    deletion_scope: text,
    reason: text,
    deleted_at: time,
  }),
};

/** What is wrong with the columns of a row, and in which; null: nothing. */
export function columnProblem(
  table: TenantTable,
  row: unknown,
): { readonly field: string; readonly message: string } | null {
  const result = columns[table].safeParse(row);
  if (result.success) return null;
  const issue = result.error.issues[0];
  if (issue === undefined) return { field: '', message: 'is not valid' };
  const path = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0] ?? ''] : issue.path;
  return { field: path.map(String).join('.'), message: issue.message };
}
