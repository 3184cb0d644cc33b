// Where new rows become columns: the write side of rows.ts, one object of snake_case columns a row.

import type { JsonObject, JsonValue } from '../model/json.ts';
import { conditionsHash, jsonHash, textHash } from './content_hash.ts';
import type {
  DocumentKey,
  NewDocument,
  NewEntity,
  NewGuideline,
  NewPersona,
  NewRow,
  NewRowScope,
  NewSummary,
  NewTool,
  NewTurn,
  NewVersionedRow,
  NewWorkflow,
} from './written_rows.ts';

type Columns = Readonly<Record<string, JsonValue>>;

function scopeColumns({ userId, agentId, threadId }: NewRowScope): Columns {
  return { user_id: userId, agent_id: agentId, thread_id: threadId };
}

function baseColumns(row: NewRow): Columns {
  return {
    id: row.id,
    ...scopeColumns(row),
    valid_from: row.validFrom,
    valid_until: row.validUntil,
    created_at: row.createdAt,
    written_by: row.writtenBy,
    trust: row.trust,
    source_event_id: row.sourceEventId,
    ...('version' in row ? { version: row.version, superseded_by: row.supersededBy } : {}),
  };
}

function guidelineColumns(row: NewGuideline): Columns {
  return { guideline_key: row.key, guideline_value: row.value };
}

function personaColumns(row: NewPersona): Columns {
  return { persona_key: row.key, persona_value: row.value, confidence: row.confidence };
}

function toolColumns(row: NewTool): Columns {
  return {
    tool_name: row.name,
    tool_schema: row.schema,
    tool_handler: row.handler,
    access_policy: row.accessPolicy,
    usage_notes: row.usageNotes,
  };
}

function entityColumns(row: NewEntity): Columns {
  const hash = conditionsHash(row.conditions);
  return {
    subject: row.subject,
    predicate: row.predicate,
    content: row.content,
    content_hash: textHash(row.content),
    content_json: {
      conditions: hash === null ? null : row.conditions,
      aliases: row.aliases,
      value: row.value,
      unit: row.unit,
      source_document_id: row.sourceDocumentId,
    },
    conditions_hash: hash,
    confidence: row.confidence,
  };
}

function workflowColumns(row: NewWorkflow): Columns {
  return {
    workflow_name: row.name,
    description: row.description,
    steps: row.steps,
    preconditions: row.preconditions,
    expected_outcome: row.expectedOutcome,
    success_count: row.successCount,
    failure_count: row.failureCount,
    confidence: row.confidence,
  };
}

function summaryColumns(row: NewSummary): Columns {
  return {
    task_type: row.taskType,
    title: row.title,
    summary: row.summary,
    key_steps: row.keySteps,
    outcome: row.outcome,
    artifacts: row.artifacts,
    confidence: row.confidence,
    completed_at: row.completedAt,
  };
}

function turnColumns(row: NewTurn): Columns {
  return {
    run_id: row.runId,
    event_type: row.eventType,
    role: row.eventType === 'user_msg' ? 'user' : 'assistant',
    payload: row.speaker === null ? { text: row.text } : { text: row.text, speaker: row.speaker },
  };
}

function documentColumns(row: NewDocument): Columns {
  return {
    collection: row.collection,
    title: row.title,
    source_uri: row.sourceUri,
    source_type: row.sourceType,
    content_hash: row.contentHash,
    metadata: row.metadata,
  };
}

function ownColumns(row: NewRow): Columns {
  switch (row.type) {
    case 'guideline':
      return guidelineColumns(row);
    case 'persona':
      return personaColumns(row);
    case 'toolbox':
      return toolColumns(row);
    case 'entity':
      return entityColumns(row);
    case 'workflow':
      return workflowColumns(row);
    case 'summary':
      return summaryColumns(row);
    case 'conversation':
      return turnColumns(row);
    case 'document':
      return documentColumns(row);
    default:
      throw row satisfies never;
  }
}

/** All columns of a new row but the tenant's, which the context gives. */
export function newRowColumns(row: NewRow): Columns {
  return { ...baseColumns(row), ...ownColumns(row) };
}

/** The chunks of a document as columns, numbered from 0. */
export function chunkColumns(row: NewDocument): readonly JsonObject[] {
  return row.chunks.map((chunk, index) => ({
    id: chunk.id,
    document_id: row.id,
    chunk_index: index,
    content: chunk.content,
    content_hash: textHash(chunk.content),
    metadata: chunk.metadata,
  }));
}

/** The key under which at most one row is active (design D1), scope included. */
export function keyColumns(row: Exclude<NewVersionedRow, NewDocument> | DocumentKey | NewPersona): Columns {
  const scope = scopeColumns(row);
  switch (row.type) {
    case 'guideline':
      return { ...scope, guideline_key: row.key };
    case 'persona':
      return { ...scope, persona_key: row.key };
    case 'toolbox':
      return { ...scope, tool_name: row.name };
    case 'entity':
      return {
        ...scope,
        subject: row.subject,
        predicate: row.predicate,
        conditions_hash: conditionsHash(row.conditions),
      };
    case 'workflow':
      return { ...scope, workflow_name: row.name };
    case 'document':
      return { ...scope, collection: row.collection, source_uri: row.sourceUri };
    default:
      throw row satisfies never;
  }
}

// What an update would change. Counts of a workflow's use are no part of what it says.
const contentColumns = {
  guideline: ['guideline_value'],
  persona: ['persona_value', 'confidence'],
  toolbox: ['tool_schema', 'tool_handler', 'access_policy', 'usage_notes'],
  entity: ['content', 'content_json', 'confidence'],
  workflow: ['description', 'steps', 'preconditions', 'expected_outcome', 'confidence'],
  document: ['title', 'source_type', 'content_hash', 'metadata'],
} as const;

/** Hashes what a row says, of its columns as stored or as they would be: equal hashes, nothing to change. */
export function contentColumnsHash(
  type: keyof typeof contentColumns,
  columns: Readonly<Record<string, unknown>>,
): string {
  return jsonHash(Object.fromEntries(contentColumns[type].map((name) => [name, columns[name] ?? null])));
}
