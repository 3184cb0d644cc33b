// The port of the store: every engine offers exactly this, and test/store/contract.ts says what each method owes.

import type { CachedTokens, Compression } from '../model/candidate.ts';
import type { CitationId, RowId, RunId, ThreadId } from '../model/ids.ts';
import type { Manifest } from '../model/manifest.ts';
import type {
  ClaimIdentity,
  Entity,
  EventType,
  Guideline,
  KnownVersion,
  Memory,
  MemoryLink,
  Persona,
  ProvenanceEdge,
  Ref,
  SeatableType,
  StoredEvent,
  Summary,
  Tool,
  Turn,
} from '../model/memory.ts';
import type { OperatorScope, Scope } from '../model/scope.ts';
import type { Instant } from '../model/time.ts';
import type { ChatRequest } from '../model/window.ts';
import type { DatabaseModels } from './database_models.ts';
import type { EmbedderIdentity } from './embedder_identity.ts';
import type { ErasureReport, ErasureTarget, RetentionReport, RetentionStep } from './erasure.ts';
import type { Position, RecordReader, Transcript } from './past.ts';
import type { SearchFilter, LexicalResult, VectorPart, VectorHit, SubjectNames } from './search_values.ts';
import type { TenantRows } from './tenant_tables.ts';
import type { OperatorWriter, Run, Writer } from './write_port.ts';

export type { EmbedderIdentity } from './embedder_identity.ts';
export type { Position, Transcript } from './past.ts';
export type { OperatorWriter, Run, Writer } from './write_port.ts';

/** What an engine can do, as data (design N9): code asks for a capability, never for an engine's name. */
export interface Capabilities {
  readonly pastReads: 'history' | 'flashback';
  /** An index that finds near vectors without comparing all of them was built. */
  readonly approximateVectorIndex: boolean;
  /** A model that can rerank is there, whether it is used or not. */
  readonly inDatabaseRerank: boolean;
  /** No other process writes the database, and this one does so over one connection. */
  readonly soleWriter: boolean;
}

/** Bounds of one use of the store. `requestId` goes to the log with any database error. */
export interface CallOptions {
  readonly requestId: string;
  readonly signal?: AbortSignal;
  readonly deadlineMs?: number;
}

/** A stored manifest with its request's event. */
export interface StoredManifest {
  readonly manifest: Manifest;
  readonly request: ChatRequest | null;
  readonly createdAt: Instant;
}

/** The digest of a thread: a summary made of its turns, never of an earlier digest (design C1). */
export interface ThreadDigest {
  readonly memory: Summary;
  readonly model: string;
  readonly promptVersion: string;
  /** Hash over the turns that it was made of. */
  readonly sourceHash: string;
  /** Their first and last index, and how many they are. */
  readonly firstTurn: number;
  readonly lastTurn: number;
  readonly turns: number;
  readonly tokens: number;
}

/** One of the caller's threads. `turns` counts deleted ones too. */
export interface OwnThread {
  readonly threadId: ThreadId;
  readonly turns: number;
}

/**
 * Reads of one window: all of them see one snapshot (design N3), under the caller's scope. Rows of another tenant or
 * user do not exist here; agent and thread predicates are in the statements. A row that cannot be read as its type is
 * left out and logged, as if quarantined. Lists are ordered by id unless said otherwise.
 */
export interface SnapshotReader {
  readonly position: Position;
  /** Rows current at the evaluation time. */
  guidelines(): Promise<readonly Guideline[]>;
  /** Rows current at the evaluation time. */
  personas(): Promise<readonly Persona[]>;
  /** Rows current at the evaluation time. */
  tools(): Promise<readonly Tool[]>;
  /** Subjects that have one of these names; names are compared as `retrieval/analyse` writes them. */
  subjectsNamed(names: readonly string[]): Promise<readonly SubjectNames[]>;
  /** Names of the document collections that have a current document in scope, sorted, at most 200. */
  collections(): Promise<readonly string[]>;
  /** Bounded, rare terms first, rows current at the evaluation time. */
  searchLexical(terms: readonly string[], filter: SearchFilter): Promise<LexicalResult>;
  /** Nearest first, ties by id, rows current at the evaluation time. */
  searchVector(vector: Float32Array, part: VectorPart, filter: SearchFilter): Promise<readonly VectorHit[]>;
  /** Any lifecycle state; refs that do not exist in scope are absent. Recalled turns and summaries: any own thread. */
  memories(refs: readonly Ref[]): Promise<readonly Memory[]>;
  /** Current entities of these subjects (and predicates, null: all). */
  entitiesOf(subjects: readonly string[], predicates: readonly string[] | null): Promise<readonly Entity[]>;
  /** Every version of a claim of these subjects, whatever its conditions and lifecycle state; at most 500. */
  claimVersions(subjects: readonly string[], predicate: string): Promise<readonly Entity[]>;
  /** Every version of each identity, all lifecycle states. */
  entityVersions(identities: readonly ClaimIdentity[]): Promise<readonly Entity[]>;
  /** The newest user and model turns of the scope's thread, highest turn_index first. */
  tail(limit: number): Promise<readonly Turn[]>;
  /** derived_from and mentions edges from these refs, followed to any depth. */
  provenance(refs: readonly Ref[]): Promise<readonly ProvenanceEdge[]>;
  /** Lifecycle of any refs, without text. */
  versions(refs: readonly Ref[]): Promise<readonly KnownVersion[]>;
  /** Links that begin or end at these refs. */
  links(refs: readonly Ref[]): Promise<readonly MemoryLink[]>;
  /** Of whatever model and prompt, made of whatever text the source had. */
  compressions(refs: readonly Ref[]): Promise<readonly Compression[]>;
  /** The digest of the scope's thread that holds at the evaluation time, or null. */
  threadDigest(): Promise<ThreadDigest | null>;
  /** The caller's threads with the scope's agent that come after a name, by name. */
  ownThreads(after: string, limit: number): Promise<readonly OwnThread[]>;
  /**
   * Refs whose element is counted as larger than the limit of its type, of any lifecycle state and also out of the scope's
   * agent and thread; by type, id and version, after a ref (null: from the first).
   */
  longMemories(
    limits: ReadonlyMap<SeatableType, number>,
    page: {
      readonly after: Ref | null;
      readonly limit: number;
      readonly rendererVersion: string;
      readonly encoding: string;
    },
  ): Promise<readonly Ref[]>;
  tokenCounts(
    refs: readonly Ref[],
    version: { readonly rendererVersion: string; readonly encoding: string },
  ): Promise<ReadonlyMap<string, CachedTokens>>;
  /** The scope's latest run, idle or spent ones too. */
  currentRun(): Promise<Run | null>;
  /** The ref issued under this id in this run, or null. */
  issuedIn(runId: RunId, id: CitationId): Promise<Ref | null>;
  transcript(runId: RunId): Promise<Transcript>;
  /** A manifest of this scope's own principal (any thread), or null. */
  manifest(manifestId: RowId): Promise<StoredManifest | null>;
  /** The manifests of a run in order of their rounds. */
  manifestsOfRun(runId: RunId): Promise<readonly StoredManifest[]>;
  /** This principal's events of these types in the scope's thread, newest first. */
  recentEvents(types: readonly EventType[], limit: number): Promise<readonly StoredEvent[]>;
  /** This principal's feedback on a manifest (any thread), newest first, at most 500. */
  feedbackOn(manifestId: RowId): Promise<readonly StoredEvent[]>;
  /** The newest manifests of this principal, newest first. */
  recentManifests(limit: number): Promise<readonly StoredManifest[]>;
}

/** Reads of an operator: the whole tenant, in one snapshot (design N3). */
export interface OperatorReader {
  readonly position: Position;
  /** Rows by table. */
  countRows(): Promise<ReadonlyMap<string, number>>;
  /**
   * All rows that cannot be derived, a bounded number at a time, in the order of the tables of an export and of their keys;
   * events in the order in which they were written. Provenance, links and compressions that lead nowhere are left out.
   */
  tenantRows(): AsyncIterable<TenantRows>;
}

/** What `doctor` and the tests want to know of the schema. */
export interface SchemaState {
  readonly applied: readonly number[];
  readonly known: number;
  readonly embedder: EmbedderIdentity | null;
  readonly incarnation: string | null;
}

/** A copy of a whole store, of all tenants. */
export interface StoreCopy {
  readonly state: SchemaState;
  /** Rows by table; null where the schema is not the one that this program knows. */
  readonly rows: Readonly<Record<string, number>> | null;
  readonly postgresMajor: string;
  /** A tar of the database's own files. */
  readonly tar: Uint8Array;
}

/** A store: opened by its engine, closed by the composition root. */
export interface Store {
  /** Recorded in manifests; never branched on. */
  readonly mode: string;
  readonly capabilities: Capabilities;
  /**
   * Applies what is missing; safe to run twice and from two processes at once (design N6). Throws `schema_newer`, and
   * `invalid_configuration` where the store was not opened for it.
   */
  migrate(): Promise<SchemaState>;
  schemaState(): Promise<SchemaState>;
  /** One snapshot for all reads of `use` (REPEATABLE READ, read only). `evaluationTime` null: the database's clock. */
  read<T>(
    scope: Scope,
    options: CallOptions & { readonly evaluationTime: Instant | null },
    use: (reader: SnapshotReader) => Promise<T>,
  ): Promise<T>;
  write<T>(scope: Scope, options: CallOptions, use: (writer: Writer) => Promise<T>): Promise<T>;
  /**
   * One snapshot for what was recorded and for the past behind it (REPEATABLE READ, read only): an end user's own, or as
   * operator the tenant's.
   */
  readPast<T>(
    scope: Scope | OperatorScope,
    options: CallOptions,
    use: (records: RecordReader) => Promise<T>,
  ): Promise<T>;
  operate<T>(scope: OperatorScope, options: CallOptions, use: (writer: OperatorWriter) => Promise<T>): Promise<T>;
  /** One snapshot for all reads of `use` (REPEATABLE READ, read only), as operator. */
  inspect<T>(scope: OperatorScope, options: CallOptions, use: (reader: OperatorReader) => Promise<T>): Promise<T>;
  /**
   * Erases what the target names and all that came of it however far, in one transaction in which nobody else writes for
   * the tenant (design E1); a dry run only counts. Nothing found: every count is zero, and no record is left.
   */
  erase(
    scope: OperatorScope,
    options: CallOptions & { readonly dryRun: boolean },
    target: ErasureTarget,
  ): Promise<ErasureReport>;
  /** Expires events and prunes history as the tenant's policy says (N4), step by step; null: it has no such policy. */
  retain(scope: OperatorScope, options: CallOptions & { readonly dryRun: boolean }): Promise<RetentionReport | null>;
  /**
   * One step of the same for a tenant whose last one is so many seconds ago, as no operator: it can do nothing but what a
   * policy says. Null: none is due, or another process is at it.
   */
  retainNext(options: CallOptions, everySeconds: number): Promise<RetentionStep | null>;
  /**
   * Calls back with a tenant's id after a committed change of its toolbox rows, by whatever process; null: changes may
   * have been missed, of whatever tenant. Returns the way to stop.
   */
  watchToolbox(listener: (tenantId: string | null) => void): () => void;
  /** 32 bytes that seal what a client carries between two requests: the same for every process on one database. */
  sealingKey(): Promise<Uint8Array>;
  /** Models inside the database. Undefined: it runs none. */
  readonly models?: DatabaseModels;
  /** Copies everything between two calls, which wait meanwhile. Undefined: the database has tools of its own for that. */
  readonly copy?: ((call: CallOptions) => Promise<StoreCopy>) | undefined;
  close(): Promise<void>;
}
