// Memories as typed values: what the tables hold, in the words of the design.

import type { AgentId, RowId, RunId, ThreadId, UserId } from './ids.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { RowScope } from './scope.ts';
import type { Instant } from './time.ts';

/** Types a ref can name, as written in refs. */
export const memoryTypes = [
  'guideline',
  'persona',
  'toolbox',
  'entity',
  'workflow',
  'summary',
  'conversation',
  'document',
  'chunk',
  'compression',
] as const;

/** One of {@link memoryTypes}. */
export type MemoryType = (typeof memoryTypes)[number];

/** Names one version of one row: `[type, row id, version]`. Types without versions have version 1. */
export type Ref = readonly [type: MemoryType, id: RowId, version: number];

/** The key under which a ref stands in maps. */
export function refKey(ref: Ref): string {
  return `${ref[0]}\u0000${ref[1]}\u0000${ref[2]}`;
}

/** How a row came to be believed. */
export type Trust = 'verified' | 'stated' | 'derived' | 'imported';

/** When a row counts. `validUntil` open is `null`; intervals are `[validFrom, validUntil)`. */
export interface Lifecycle {
  readonly validFrom: Instant;
  readonly validUntil: Instant | null;
  readonly createdAt: Instant;
  readonly deletedAt: Instant | null;
  readonly supersededBy: RowId | null;
  readonly quarantinedAt: Instant | null;
}

interface Row {
  readonly ref: Ref;
  readonly scope: RowScope;
  readonly lifecycle: Lifecycle;
  readonly trust: Trust;
  readonly sourceEventId: RowId | null;
}

/** A rule or setting; keys that begin with `context_` are configuration and are never rendered. */
export interface Guideline extends Row {
  readonly type: 'guideline';
  readonly key: string;
  readonly value: JsonValue;
}

/** What is known of a user or an agent; `value` null is an erased one. */
export interface Persona extends Row {
  readonly type: 'persona';
  readonly key: string;
  readonly value: JsonValue;
  readonly confidence: number | null;
}

/** Who may call a tool: each list present must match one; `{}` allows all. */
export interface AccessPolicy {
  readonly roles?: readonly string[];
  readonly scopes?: readonly string[];
  readonly users?: readonly string[];
  readonly agents?: readonly string[];
  readonly confirm?: boolean;
}

/** A tool as its row describes it; `schema` is the input schema, its `title` the tool's title. */
export interface Tool extends Row {
  readonly type: 'toolbox';
  readonly name: string;
  readonly schema: JsonObject;
  readonly handler: string;
  readonly accessPolicy: AccessPolicy;
  readonly usageNotes: string;
}

/** A canonical claim: one current row for each (subject, predicate, conditions) and scope. */
export interface Entity extends Row {
  readonly type: 'entity';
  readonly subject: string;
  readonly predicate: string;
  readonly content: string;
  readonly conditions: JsonObject | null;
  readonly aliases: readonly string[];
  readonly value: JsonValue;
  readonly unit: string | null;
  readonly sourceDocumentId: RowId | null;
  readonly confidence: number | null;
}

/** A way of doing something that worked. */
export interface Workflow extends Row {
  readonly type: 'workflow';
  readonly name: string;
  readonly description: string;
  readonly steps: readonly string[];
  readonly expectedOutcome: string | null;
  readonly confidence: number | null;
}

/** An episode's summary. */
export interface Summary extends Row {
  readonly type: 'summary';
  readonly title: string;
  readonly summary: string;
  readonly keySteps: readonly string[];
  readonly outcome: string | null;
  readonly completedAt: Instant;
  readonly confidence: number | null;
}

/** A user's or a model's turn; `validFrom` is `createdAt`. */
export interface Turn extends Row {
  readonly type: 'conversation';
  readonly role: 'user' | 'assistant';
  readonly speaker: string | null;
  readonly text: string;
  readonly turnIndex: number;
  readonly runId: RunId | null;
}

/** A passage of a document; takes its lifecycle from the document. */
export interface Chunk extends Row {
  readonly type: 'chunk';
  readonly documentId: RowId;
  readonly documentVersion: number;
  readonly chunkIndex: number;
  readonly collection: string;
  readonly title: string;
  readonly sourceUri: string;
  readonly content: string;
}

/** A memory that can be seated in an optional slice or in a tool result. */
export type Memory = Entity | Workflow | Summary | Turn | Chunk;

/** The types of {@link Memory}. */
export type SeatableType = Memory['type'];

/** Why a derived row exists. */
export type Relation = 'derived_from' | 'mentions' | 'supports' | 'annotates' | 'used_in_window';

/** One step of provenance: `derived` came from `source`. */
export interface ProvenanceEdge {
  readonly derived: Ref;
  readonly source: Ref;
  readonly relation: Relation;
}

/** What a typed link between memories says. */
export type LinkRelation = 'supersedes' | 'refines' | 'supports' | 'contradicts' | 'duplicates';

/** A typed link between two memories. */
export interface MemoryLink {
  readonly source: Ref;
  readonly target: Ref;
  readonly relation: LinkRelation;
}

/** The identity of a claim (design S2, S3). */
export interface ClaimIdentity {
  readonly subject: string;
  readonly predicate: string;
  readonly conditions: JsonObject | null;
}

/** A version that provenance leads to: enough to judge it at the evaluation time, no text. */
export interface KnownVersion {
  readonly ref: Ref;
  readonly scope: RowScope;
  readonly lifecycle: Lifecycle;
  /** Only entities have one. */
  readonly identity: ClaimIdentity | null;
}

/** Kinds of event in conversation_memory. */
export const eventTypes = [
  'user_msg',
  'model_msg',
  'tool_call',
  'tool_result',
  'retrieval',
  'context_manifest',
  'request',
  'clarification',
  'feedback',
  'promotion',
  'erasure',
  'tombstone',
] as const;

/** One of {@link eventTypes}. */
export type EventType = (typeof eventTypes)[number];

/** An event as stored. */
export interface StoredEvent {
  readonly eventId: RowId;
  readonly eventType: EventType;
  readonly role: string | null;
  readonly userId: UserId | null;
  readonly agentId: AgentId | null;
  readonly threadId: ThreadId | null;
  readonly runId: RunId | null;
  readonly turnIndex: number | null;
  readonly payload: JsonObject;
  readonly createdAt: Instant;
}
