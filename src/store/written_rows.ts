// What is handed to a store to be written: rows, index rows, events, runs.

import type { CachedTokens } from '../model/candidate.ts';
import type { AgentId, RowId, RunId, ThreadId, UserId } from '../model/ids.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import type { EventType, MemoryLink, ProvenanceEdge, Ref, Trust } from '../model/memory.ts';
import type { Instant } from '../model/time.ts';
import type { PerField, VectorPart } from './search_values.ts';

/** An event to append, its payload as model/event.ts says; the database gives `turn_index` (design D5) and `created_at`. */
export interface NewEvent {
  readonly eventId: RowId;
  readonly eventType: EventType;
  readonly role: 'user' | 'assistant' | 'tool' | 'system' | null;
  readonly runId: RunId | null;
  readonly payload: JsonObject;
  readonly tokenCost: number | null;
  readonly latencyMs: number | null;
  readonly retentionClass: string | null;
}

/** What the database made of an appended event. */
export interface AppendedEvent {
  readonly eventId: RowId;
  readonly turnIndex: number | null;
  readonly createdAt: Instant;
}

/** A run to open; it becomes the scope's current one. */
export interface NewRun {
  readonly runId: RunId;
  readonly kind: 'window' | 'implicit';
  readonly maxRounds: number;
  readonly toolReserve: number;
  readonly maxToolResultTokens: number;
  readonly idleSeconds: number;
}

/** Index rows of one memory, computed in TypeScript alike for every engine (design Q2). */
export interface IndexEntry {
  readonly ref: Ref;
  readonly contentHash: string;
  /** Version of the analysis that the terms and names come from. */
  readonly analysis: number;
  /** Distinct terms with their frequency in each field. */
  readonly terms: ReadonlyMap<string, PerField>;
  readonly lengths: PerField;
  /** A text without a vector (nothing known in it) has none. */
  readonly vectors: readonly { readonly part: VectorPart; readonly vector: Float32Array }[];
  /** Names that a question may use for it (entities: subject and aliases), normalised. */
  readonly names: readonly string[];
}

/** Tokens of a rendered element, to be kept (design: token counts come with candidates). */
export interface NewTokenCount {
  readonly ref: Ref;
  /** Hash of the memory's canonical text; the row is written only if it is still that. */
  readonly contentHash: string;
  readonly tokens: CachedTokens;
  readonly rendererVersion: string;
  readonly encoding: string;
}

/** Scope columns of a new row; the tenant is the context's, always. */
export interface NewRowScope {
  readonly userId: UserId | null;
  readonly agentId: AgentId | null;
  readonly threadId: ThreadId | null;
}

interface NewRowBase extends NewRowScope {
  readonly id: RowId;
  /** Null: the database's clock. */
  readonly validFrom: Instant | null;
  readonly validUntil: Instant | null;
  readonly createdAt: Instant | null;
  readonly writtenBy: string;
  readonly trust: Trust;
  readonly sourceEventId: RowId | null;
}

interface NewVersioned extends NewRowBase {
  readonly version: number;
  readonly supersededBy: RowId | null;
}

/** A guideline row to write. */
export interface NewGuideline extends NewVersioned {
  readonly type: 'guideline';
  readonly key: string;
  readonly value: JsonValue;
}

/** A persona row to write. */
export interface NewPersona extends NewRowBase {
  readonly type: 'persona';
  readonly key: string;
  readonly value: JsonValue;
  readonly confidence: number | null;
}

/** A tool row to write. */
export interface NewTool extends NewVersioned {
  readonly type: 'toolbox';
  readonly name: string;
  readonly schema: JsonObject;
  readonly handler: string;
  readonly accessPolicy: JsonObject;
  readonly usageNotes: string;
}

/** An entity row to write. */
export interface NewEntity extends NewVersioned {
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

/** A workflow row to write. */
export interface NewWorkflow extends NewVersioned {
  readonly type: 'workflow';
  readonly name: string;
  readonly description: string;
  readonly steps: readonly string[];
  readonly preconditions: string | null;
  readonly expectedOutcome: string | null;
  readonly successCount: number;
  readonly failureCount: number;
  readonly confidence: number | null;
}

/** A summary row to write. */
export interface NewSummary extends NewRowBase {
  readonly type: 'summary';
  readonly taskType: string;
  readonly title: string;
  readonly summary: string;
  readonly keySteps: readonly string[];
  readonly outcome: string | null;
  readonly artifacts: JsonValue;
  readonly completedAt: Instant;
  readonly confidence: number | null;
}

/** The digest of a thread to write, in place of the one that was read. */
export interface NewThreadDigest {
  /** Of the writer's own scope, its thread set. */
  readonly row: NewSummary;
  /** The digest that it replaces, or null: there must be none. */
  readonly replaces: RowId | null;
  /** Every turn that it was made of. */
  readonly sources: readonly Ref[];
  readonly index: readonly IndexEntry[];
  readonly counts: readonly NewTokenCount[];
}

/** A past turn to import; `createdAt` is required and `turn_index` follows the order of the batch within its thread. */
export interface NewTurn extends NewRowBase {
  readonly type: 'conversation';
  readonly eventType: 'user_msg' | 'model_msg';
  readonly speaker: string | null;
  readonly text: string;
  readonly runId: RunId | null;
}

/** A document to write with its chunks; chunks take its scope and lifecycle. */
export interface NewDocument extends NewVersioned {
  readonly type: 'document';
  readonly collection: string;
  readonly title: string;
  readonly sourceUri: string;
  readonly sourceType: string;
  readonly contentHash: string;
  readonly metadata: JsonObject;
  readonly chunks: readonly { readonly id: RowId; readonly content: string; readonly metadata: JsonObject }[];
}

/** What a document is known by (design D1), beside its tenant. */
export type DocumentKey = Pick<NewDocument, 'type' | 'collection' | 'sourceUri' | keyof NewRowScope>;

/** A row that a seed or an import brings. */
export type NewRow = NewGuideline | NewPersona | NewTool | NewEntity | NewWorkflow | NewSummary | NewTurn | NewDocument;

/** A row of a table with versions (design D2). */
export type NewVersionedRow = NewGuideline | NewTool | NewEntity | NewWorkflow | NewDocument;

/** One import: written in one transaction, all or nothing. Rows whose id exists already are left as they are. */
export interface ImportBatch {
  readonly rows: readonly NewRow[];
  readonly provenance: readonly ProvenanceEdge[];
  readonly links: readonly MemoryLink[];
  readonly index: readonly IndexEntry[];
}

/** What an import did, by type. */
export interface ImportReport {
  readonly inserted: number;
  readonly unchanged: number;
}
