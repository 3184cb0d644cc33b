// The columns of each section of a seed file (design D7), with their defaults, and the row that they make.

import { z } from 'zod';
import { agentId, rowId, runId, threadId, userId } from '../model/ids.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import { memoryTypes } from '../model/memory.ts';
import type { Ref } from '../model/memory.ts';
import { instant } from '../model/time.ts';
import { textHash } from './content_hash.ts';
import { accessPolicyColumn } from './rows.ts';
import type { NewRow } from './written_rows.ts';

/** Text that a column can hold; an id or a time is made by `make`, whose own sentence says what is wrong. */
export function made<Value>(make: (text: string) => Value) {
  return z.string().transform((text, context) => {
    try {
      return make(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : 'is not valid' });
      return z.NEVER;
    }
  });
}

const text = z.string().refine((value) => !value.includes('\u0000'), { message: 'holds the character U+0000' });
const filledText = text.min(1);
const optionalText = text.nullable().default(null);
const id = made(rowId);
const optionalId = id.nullable().default(null);
const time = made((value) => instant(value));
const optionalTime = time.nullable().default(null);
const json = z.json().transform((value) => value as JsonValue);
const jsonObject = z.record(z.string(), z.json()).transform((value) => value as JsonObject);
const confidence = z.number().min(0).max(1).nullable().default(null);
const version = z.number().int().positive().default(1);
const trust = z.enum(['verified', 'stated', 'derived', 'imported']).default('imported');

const provenance = {
  id,
  created_at: optionalTime,
  written_by: filledText.default('seed'),
  trust,
  source_event_id: optionalId,
};
const owner = { user_id: made(userId).nullable().default(null), agent_id: made(agentId).nullable().default(null) };
const thread = { thread_id: made(threadId).nullable().default(null) };
const lifecycle = { valid_from: optionalTime, valid_until: optionalTime };
const versioned = { version, superseded_by: optionalId };

const base = { ...provenance, ...owner, ...lifecycle };

interface BaseColumns {
  readonly id: NewRow['id'];
  readonly user_id: NewRow['userId'];
  readonly agent_id: NewRow['agentId'];
  readonly thread_id?: NewRow['threadId'];
  readonly valid_from?: NewRow['validFrom'];
  readonly valid_until?: NewRow['validUntil'];
  readonly created_at: NewRow['createdAt'];
  readonly written_by: string;
  readonly trust: NewRow['trust'];
  readonly source_event_id: NewRow['sourceEventId'];
}

function baseOf(row: BaseColumns) {
  return {
    id: row.id,
    userId: row.user_id,
    agentId: row.agent_id,
    threadId: row.thread_id ?? null,
    validFrom: row.valid_from ?? null,
    validUntil: row.valid_until ?? null,
    createdAt: row.created_at,
    writtenBy: row.written_by,
    trust: row.trust,
    sourceEventId: row.source_event_id,
  };
}

function versionOf(row: { readonly version: number; readonly superseded_by: NewRow['id'] | null }) {
  return { version: row.version, supersededBy: row.superseded_by };
}

const guideline = z
  .strictObject({ ...base, ...thread, ...versioned, guideline_key: filledText, guideline_value: json })
  .transform((row) => ({
    ...baseOf(row),
    ...versionOf(row),
    type: 'guideline' as const,
    key: row.guideline_key,
    value: row.guideline_value,
  }));

const persona = z
  .strictObject({ ...base, ...thread, persona_key: filledText, persona_value: json, confidence })
  .transform((row) => ({
    ...baseOf(row),
    type: 'persona' as const,
    key: row.persona_key,
    value: row.persona_value,
    confidence: row.confidence,
  }));

const tool = z
  .strictObject({
    ...base,
    ...versioned,
    tool_name: filledText,
    tool_schema: jsonObject,
    tool_handler: filledText,
    access_policy: accessPolicyColumn.prefault({}),
    usage_notes: text,
  })
  .transform((row) => ({
    ...baseOf(row),
    ...versionOf(row),
    type: 'toolbox' as const,
    name: row.tool_name,
    schema: row.tool_schema,
    handler: row.tool_handler,
    accessPolicy: row.access_policy as JsonObject,
    usageNotes: row.usage_notes,
  }));

const entity = z
  .strictObject({
    ...base,
    ...thread,
    ...versioned,
    subject: filledText,
    predicate: filledText,
    content: filledText,
    conditions: jsonObject.nullable().default(null),
    aliases: z.array(filledText).default([]),
    value: json.prefault(null),
    unit: optionalText,
    source_document_id: optionalId,
    confidence,
  })
  .transform((row) => ({
    ...baseOf(row),
    ...versionOf(row),
    type: 'entity' as const,
    subject: row.subject,
    predicate: row.predicate,
    content: row.content,
    conditions: row.conditions,
    aliases: row.aliases,
    value: row.value,
    unit: row.unit,
    sourceDocumentId: row.source_document_id,
    confidence: row.confidence,
  }));

const workflow = z
  .strictObject({
    ...base,
    ...versioned,
    workflow_name: filledText,
    description: text,
    steps: z.array(filledText),
    preconditions: optionalText,
    expected_outcome: optionalText,
    success_count: z.number().int().nonnegative().default(0),
    failure_count: z.number().int().nonnegative().default(0),
    confidence,
  })
  .transform((row) => ({
    ...baseOf(row),
    ...versionOf(row),
    type: 'workflow' as const,
    name: row.workflow_name,
    description: row.description,
    steps: row.steps,
    preconditions: row.preconditions,
    expectedOutcome: row.expected_outcome,
    successCount: row.success_count,
    failureCount: row.failure_count,
    confidence: row.confidence,
  }));

const summary = z
  .strictObject({
    ...base,
    ...thread,
    task_type: filledText.default('conversation'),
    title: filledText,
    summary: filledText,
    key_steps: z.array(filledText).default([]),
    outcome: optionalText,
    artifacts: json.prefault(null),
    completed_at: time,
    confidence,
  })
  .transform((row) => ({
    ...baseOf(row),
    type: 'summary' as const,
    taskType: row.task_type,
    title: row.title,
    summary: row.summary,
    keySteps: row.key_steps,
    outcome: row.outcome,
    artifacts: row.artifacts,
    completedAt: row.completed_at,
    confidence: row.confidence,
  }));

const turn = z
  .strictObject({
    ...provenance,
    user_id: made(userId),
    agent_id: owner.agent_id,
    thread_id: made(threadId),
    created_at: time,
    run_id: made(runId).nullable().default(null),
    event_type: z.enum(['user_msg', 'model_msg']),
    speaker: optionalText,
    text: filledText,
  })
  .transform((row) => ({
    ...baseOf(row),
    type: 'conversation' as const,
    eventType: row.event_type,
    speaker: row.speaker,
    text: row.text,
    runId: row.run_id,
  }));

const document = z
  .strictObject({
    ...base,
    ...versioned,
    collection: filledText,
    title: filledText,
    source_uri: filledText,
    source_type: filledText,
    content_hash: z.string().optional(),
    metadata: jsonObject.prefault({}),
    chunks: z.array(z.strictObject({ id, content: filledText, metadata: jsonObject.prefault({}) })).min(1),
  })
  .transform((row) => ({
    ...baseOf(row),
    ...versionOf(row),
    type: 'document' as const,
    collection: row.collection,
    title: row.title,
    sourceUri: row.source_uri,
    sourceType: row.source_type,
    contentHash: row.content_hash ?? textHash(row.chunks.map((chunk) => chunk.content).join('\n\n')),
    metadata: row.metadata,
    chunks: row.chunks,
  }));

const ref = z
  .tuple([z.enum(memoryTypes), id, z.number().int().positive()])
  .transform((value): Ref => [value[0], value[1], value[2]]);
/** A row of `source_refs`. */
export const sourceRef = z.strictObject({
  derived: ref,
  source: ref,
  relation: z.enum(['derived_from', 'mentions', 'supports', 'annotates', 'used_in_window']),
});
/** A row of `links`. */
export const link = z.strictObject({
  source: ref,
  target: ref,
  relation: z.enum(['supersedes', 'refines', 'supports', 'contradicts', 'duplicates']),
});

/** The sections that hold rows, in the order in which they are read. */
export const rowSections = {
  guidelines: guideline,
  persona,
  toolbox: tool,
  entities: entity,
  workflows: workflow,
  summaries: summary,
  turns: turn,
  documents: document,
};
