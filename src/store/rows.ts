// Where rows of the database become memories: columns in snake_case, JSON columns validated by zod.

import { z } from 'zod';
import { agentId, rowId, runId, tenantId, threadId, userId } from '../model/ids.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import type {
  AccessPolicy,
  Chunk,
  Entity,
  Guideline,
  Lifecycle,
  MemoryType,
  Persona,
  Ref,
  Summary,
  Tool,
  Turn,
  Workflow,
} from '../model/memory.ts';
import type { RowScope } from '../model/scope.ts';
import { instant } from '../model/time.ts';
import type { Instant } from '../model/time.ts';

/** A row as an engine gives it. */
export type StoredRow = Readonly<Record<string, unknown>>;

const text = z.string();
const nullableText = z.string().nullable();
const json = z.custom<JsonValue>((value) => value !== undefined);
const jsonObject = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);
const confidence = z.number().min(0).max(1).nullable();

const scopeColumns = z.object({
  tenant_id: text,
  user_id: nullableText,
  agent_id: nullableText,
  thread_id: nullableText.default(null),
});

const lifecycleColumns = z.object({
  valid_from: text,
  valid_until: nullableText.default(null),
  created_at: text,
  deleted_at: nullableText,
  superseded_by: nullableText.default(null),
  quarantined_at: nullableText,
});

const rowColumns = z.object({
  id: text,
  version: z.number().int().default(1),
  trust: z.enum(['verified', 'stated', 'derived', 'imported']),
  source_event_id: nullableText,
});

const names = z.array(z.string());

/** An access policy as a tool's row states it; an unknown key makes the row a bad one. */
export const accessPolicyColumn = z.strictObject({
  roles: names.optional(),
  scopes: names.optional(),
  users: names.optional(),
  agents: names.optional(),
  confirm: z.boolean().optional(),
});

/** What stands in entity_memory.content_json. */
const contentJsonColumn = z.object({
  conditions: jsonObject.nullable().default(null),
  aliases: z.array(z.string()).default([]),
  value: json.default(null),
  unit: nullableText.default(null),
  source_document_id: nullableText.default(null),
});

/** What a user's or a model's turn has in its payload. */
const turnPayload = z.object({ text, speaker: nullableText.default(null) });

const guidelineColumns = z.object({ guideline_key: text, guideline_value: json });
const personaColumns = z.object({ persona_key: text, persona_value: json, confidence });
const toolColumns = z.object({
  tool_name: text,
  tool_schema: jsonObject,
  tool_handler: text,
  access_policy: accessPolicyColumn,
  usage_notes: text,
});
const entityColumns = z.object({
  subject: text,
  predicate: text,
  content: text,
  content_json: contentJsonColumn,
  confidence,
});
const workflowColumns = z.object({
  workflow_name: text,
  description: text,
  steps: z.array(z.string()),
  expected_outcome: nullableText,
  confidence,
});
const summaryColumns = z.object({
  title: text,
  summary: text,
  key_steps: z.array(z.string()),
  outcome: nullableText,
  completed_at: text,
  confidence,
});
const turnColumns = z.object({
  event_id: text,
  role: z.enum(['user', 'assistant']),
  payload: turnPayload,
  turn_index: z.number().int(),
  run_id: nullableText,
});
const chunkColumns = z.object({
  document_id: text,
  document_version: z.number().int(),
  chunk_index: z.number().int(),
  collection: text,
  title: text,
  source_uri: text,
  content: text,
});

/** Makes a value where there is one. */
export const orNull = <From, To>(value: From | null, make: (value: From) => To): To | null =>
  value === null ? null : make(value);

/** The instant of a time as the database writes it. */
export const instantOf = (value: string): Instant => instant(value, 'time');

/** The scope columns of a row. */
export function scopeOf(row: StoredRow): RowScope {
  const columns = scopeColumns.parse(row);
  return {
    tenantId: tenantId(columns.tenant_id),
    userId: orNull(columns.user_id, userId),
    agentId: orNull(columns.agent_id, agentId),
    threadId: orNull(columns.thread_id, threadId),
  };
}

/** The lifecycle columns of a row. */
export function lifecycleOf(row: StoredRow): Lifecycle {
  const columns = lifecycleColumns.parse(row);
  return {
    validFrom: instantOf(columns.valid_from),
    validUntil: orNull(columns.valid_until, instantOf),
    createdAt: instantOf(columns.created_at),
    deletedAt: orNull(columns.deleted_at, instantOf),
    supersededBy: orNull(columns.superseded_by, rowId),
    quarantinedAt: orNull(columns.quarantined_at, instantOf),
  };
}

/** What all have. Mappers put it last: an object that begins with another's properties gets each further one slowly. */
function baseOf<Type extends MemoryType>(row: StoredRow, type: Type) {
  const columns = rowColumns.parse(row);
  return {
    type,
    ref: [type, rowId(columns.id), columns.version] as const satisfies Ref,
    scope: scopeOf(row),
    lifecycle: lifecycleOf(row),
    trust: columns.trust,
    sourceEventId: orNull(columns.source_event_id, rowId),
  };
}

function guideline(row: StoredRow): Guideline {
  const columns = guidelineColumns.parse(row);
  return { key: columns.guideline_key, value: columns.guideline_value, ...baseOf(row, 'guideline') };
}

function persona(row: StoredRow): Persona {
  const columns = personaColumns.parse(row);
  return {
    key: columns.persona_key,
    value: columns.persona_value,
    confidence: columns.confidence,
    ...baseOf(row, 'persona'),
  };
}

function tool(row: StoredRow): Tool {
  const columns = toolColumns.parse(row);
  return {
    name: columns.tool_name,
    schema: columns.tool_schema,
    handler: columns.tool_handler,
    accessPolicy: columns.access_policy as AccessPolicy,
    usageNotes: columns.usage_notes,
    ...baseOf(row, 'toolbox'),
  };
}

function entity(row: StoredRow): Entity {
  const columns = entityColumns.parse(row);
  const { conditions, aliases, value, unit, source_document_id } = columns.content_json;
  return {
    subject: columns.subject,
    predicate: columns.predicate,
    content: columns.content,
    conditions,
    aliases,
    value,
    unit,
    sourceDocumentId: orNull(source_document_id, rowId),
    confidence: columns.confidence,
    ...baseOf(row, 'entity'),
  };
}

function workflow(row: StoredRow): Workflow {
  const columns = workflowColumns.parse(row);
  return {
    name: columns.workflow_name,
    description: columns.description,
    steps: columns.steps,
    expectedOutcome: columns.expected_outcome,
    confidence: columns.confidence,
    ...baseOf(row, 'workflow'),
  };
}

function summary(row: StoredRow): Summary {
  const columns = summaryColumns.parse(row);
  return {
    title: columns.title,
    summary: columns.summary,
    keySteps: columns.key_steps,
    outcome: columns.outcome,
    completedAt: instantOf(columns.completed_at),
    confidence: columns.confidence,
    ...baseOf(row, 'summary'),
  };
}

function turn(row: StoredRow): Turn {
  const columns = turnColumns.parse(row);
  return {
    role: columns.role,
    speaker: columns.payload.speaker,
    text: columns.payload.text,
    turnIndex: columns.turn_index,
    runId: orNull(columns.run_id, runId),
    ...baseOf({ ...row, id: columns.event_id, valid_from: row['created_at'] }, 'conversation'),
  };
}

function chunk(row: StoredRow): Chunk {
  const columns = chunkColumns.parse(row);
  return {
    documentId: rowId(columns.document_id),
    documentVersion: columns.document_version,
    chunkIndex: columns.chunk_index,
    collection: columns.collection,
    title: columns.title,
    sourceUri: columns.source_uri,
    content: columns.content,
    ...baseOf(
      {
        ...row,
        deleted_at: row['deleted_at'] ?? row['document_deleted_at'],
        quarantined_at: row['quarantined_at'] ?? row['document_quarantined_at'],
      },
      'chunk',
    ),
  };
}

/** How a row of each kind becomes a value; each throws on a row that is none. */
export const mappers = { guideline, persona, tool, entity, workflow, summary, turn, chunk };
