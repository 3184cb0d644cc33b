// The Memory Manager's interface: the single entry to memory for every transport, command and host.

import type { ToolResultContent } from '../assembly/assembly_input.ts';
import type { CheckReport } from '../check/report.ts';
import type { ManifestDifference } from '../diff/difference.ts';
import type { FeedbackVerdict } from '../model/event.ts';
import type { Affected, Trace } from '../model/consequences.ts';
import type { ShapedContent } from '../assembly/result_shapes.ts';
import type { RowId, RunId } from '../model/ids.ts';
import type { JsonObject } from '../model/json.ts';
import type { Manifest, RefJson } from '../model/manifest.ts';
import type { Intent } from '../model/plan.ts';
import type { Replayed } from '../model/replay.ts';
import type { Client, OperatorScope, Scope } from '../model/scope.ts';
import type { Instant } from '../model/time.ts';
import type { ChatRequest, SeatedMemory } from '../model/window.ts';
import type { ErasureReport, ErasureTarget, RetentionReport } from '../store/erasure.ts';
import type { StoredManifest } from '../store/store.ts';
import type { TenantCounts, TenantHeader } from '../store/tenant_file.ts';
import type { ImportReport } from '../store/written_rows.ts';
import type { Compaction, RebuiltText } from './compaction.ts';
import type { Ingestion, IngestReport } from './ingested.ts';
import type { Reembedding, Reindexing, ReindexOptions } from './rebuilding.ts';

export type { Compaction, RebuiltText, StaleText } from './compaction.ts';
export type { Reembedding, Reindexing, ReindexOptions } from './rebuilding.ts';

/** Who calls, and within what bounds. The request id names the call in logs and in errors. */
export interface Call {
  readonly scope: Scope;
  readonly requestId: string;
  readonly client: Client | null;
  readonly signal?: AbortSignal;
  readonly deadlineMs?: number;
  /** Progress of long work, 0..1 with a word on what is being done. */
  readonly onProgress?: (done: number, what: string) => void;
}

/** What a host asks of a window. `at` null: the database's clock. */
export interface WindowQuestion {
  readonly question: string;
  readonly intent: Intent | null;
  readonly at: Instant | null;
  /** The model the window is for, where known. */
  readonly model: string | null;
}

/** An assembled window, its manifest stored, its run opened. */
export interface WindowResult {
  readonly runId: RunId;
  readonly request: ChatRequest;
  readonly manifest: Manifest;
  readonly seated: readonly SeatedMemory[];
}

/** A tool as listed: from its row, with what belongs to its handler (design T2). */
export interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject;
  readonly annotations: {
    readonly title: string;
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
}

/** What became of a question to the user (design L4). */
export type Asked =
  | { readonly outcome: 'answered'; readonly answer: string }
  | { readonly outcome: 'declined' | 'unsupported' | 'late' }
  /** The newer era: the transport must send the question and be called again with the answer. */
  | { readonly outcome: 'input_required' };

/** How a transport asks its user; it keeps the deadline and never throws for a silent client. */
export type AskUser = (question: string, options: readonly string[]) => Promise<Asked>;

/** What clarify returns when no user could be asked, or what the user said. */
export interface ClarifyContent {
  readonly status: 'answered' | 'declined' | 'ask_in_reply';
  readonly question: string;
  readonly options: readonly string[];
  readonly answer: string | null;
  readonly notes: readonly string[];
}

/** The outcome of a tool call; failures are thrown as MemoryError. `text` is `content` as JSON. */
export type ToolOutcome =
  | {
      readonly kind: 'memory';
      readonly content: ToolResultContent;
      readonly text: string;
      readonly manifest: Manifest | null;
    }
  | {
      /** In the shape that another host asks for (search, fetch). */
      readonly kind: 'shaped';
      readonly content: ShapedContent;
      readonly text: string;
      readonly manifest: Manifest | null;
    }
  | { readonly kind: 'clarify'; readonly content: ClarifyContent; readonly text: string }
  | { readonly kind: 'input_required'; readonly question: string; readonly options: readonly string[] };

/** A turn to keep. `cites` are citation ids of the answer; they become `mentions` provenance (design S3). */
export interface TurnToRecord {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly runId: RunId | null;
}

/** An answer, and the manifest of the window or tool result after which it was given. */
export interface AnswerToCheck {
  readonly manifestId: RowId;
  readonly answer: string;
}

/** What the citation check says of an answer; places in it are UTF-16 units. */
export interface AnswerCheck {
  readonly manifestId: RowId;
  readonly runId: RunId;
  readonly report: CheckReport;
}

/** An answer to keep with its check; `verdict` is a person's, null where nobody gave one. */
export interface FeedbackToRecord extends AnswerToCheck {
  readonly verdict: FeedbackVerdict | null;
}

/** Feedback as stored. */
export interface StoredFeedback extends FeedbackToRecord {
  readonly eventId: RowId;
  readonly report: CheckReport;
  readonly createdAt: Instant;
}

/** The difference of two manifests, and titles of rows in it that the caller may see now. */
export interface WindowDifference {
  readonly difference: ManifestDifference;
  readonly titles: readonly { readonly ref: RefJson; readonly title: string }[];
}

/** Questions about what was recorded: of the caller's own, or as operator of the whole tenant. */
export interface RecordMethods<Caller> {
  /** Builds a recorded window or tool result again and compares (design R1). Throws `not_found`, also for another's. */
  replay(call: Caller, manifestId: RowId): Promise<Replayed>;
  /** Ids of manifests since a time (null: of any time), newest first, at most `limit`. */
  manifestIds(
    call: Caller,
    asked: { readonly since: Instant | null; readonly limit: number },
  ): Promise<readonly RowId[]>;
  /** What used a version that was corrected later (design R3); throws as `affected.ts` says. */
  affected(call: Caller, ref: string): Promise<Affected>;
  /** The way back from a cited id (design R3); throws as `trace.ts` says. */
  trace(call: Caller, asked: { readonly citation: string; readonly manifestId: RowId | null }): Promise<Trace>;
}

/** The methods that hosts, transports and commands call. Every method throws MemoryError and nothing else. */
export interface MemoryManager extends RecordMethods<Call> {
  assembleWindow(call: Call, question: WindowQuestion): Promise<WindowResult>;
  /** Tools of the caller's scope from active rows, by name; a denied one is absent, a broken one is logged and absent. */
  listTools(call: Call): Promise<readonly ListedTool[]>;
  callTool(call: Call, tool: string, args: unknown, ask: AskUser): Promise<ToolOutcome>;
  /** Byte-equal to the window's section; the empty string when there is none. */
  guidelines(call: Call): Promise<string>;
  /** Byte-equal to the window's section; the empty string when there is none. */
  persona(call: Call): Promise<string>;
  /** Throws `not_found`, also for another principal's. */
  manifest(call: Call, manifestId: RowId): Promise<StoredManifest>;
  /** The manifests of a run of this principal, by round. Throws `not_found`. */
  run(call: Call, runId: RunId): Promise<readonly StoredManifest[]>;
  /** Newest first. */
  recentManifests(call: Call, limit: number): Promise<readonly StoredManifest[]>;
  /**
   * Checks the citations of an answer against all that its run had shown (design K1). Throws `not_found`, also for
   * another principal's manifest and where the request is not stored any more, and `invalid_argument`.
   */
  checkAnswer(call: Call, asked: AnswerToCheck): Promise<AnswerCheck>;
  /** Checks an answer and keeps it with the report as an event. Throws as `checkAnswer`, and `secret_refused`, `text_refused`. */
  recordFeedback(call: Call, given: FeedbackToRecord): Promise<AnswerCheck & { readonly eventId: RowId }>;
  /** Feedback recorded on a manifest of this principal, newest first. Throws `not_found`. */
  feedbackOn(call: Call, manifestId: RowId): Promise<readonly StoredFeedback[]>;
  /** Compares two manifests of this principal (design R2). Throws `not_found`, also for another principal's. */
  diff(call: Call, asked: { readonly from: RowId; readonly to: RowId }): Promise<WindowDifference>;
  recordTurn(call: Call, turn: TurnToRecord): Promise<{ readonly eventId: RowId; readonly turnIndex: number }>;
  /**
   * Makes the digest of the call's thread anew from its turns where it is missing or stale. Throws `policy_missing` and
   * `policy_invalid`.
   */
  compactThread(call: Call): Promise<Compaction>;
  /**
   * Lists the compressions and digests of the caller's memory that are missing or stale, and makes them if that is
   * asked for: each is stored by itself, so that what is done stays done when the rest is cancelled. `thread`: only the
   * digest of the call's thread. Throws `policy_missing` and `policy_invalid`.
   */
  compress(
    call: Call,
    wanted: { readonly thread: boolean; readonly rebuild: boolean },
  ): Promise<readonly RebuiltText[]>;
  /** Calls back after a committed change of the tenant's toolbox rows. */
  watchTools(tenant: Scope['tenantId'], listener: () => void): () => void;
}

/** A call of an operator: one tenant, no user. */
export interface OperatorCall {
  readonly scope: OperatorScope;
  readonly requestId: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, what: string) => void;
}

/** What `apply` did to one row. */
export interface AppliedRow {
  readonly type: string;
  readonly key: string;
  readonly outcome: 'inserted' | 'updated' | 'unchanged';
  readonly version: number;
}

/** An export that was written. */
export interface TenantExport {
  readonly counts: TenantCounts;
  readonly bytes: number;
  readonly sha256: string;
  /** Provenance, links and compressions that lead nowhere, which do not travel. */
  readonly leftOut: number;
  /** When the snapshot was taken, by the database's clock. */
  readonly createdAt: Instant;
}

/** A file to import. */
export interface TenantFile {
  /** How it is called in a refusal. */
  readonly name: string;
  readonly source: AsyncIterable<Uint8Array>;
  /** Take the rows of another tenant as rows of the call's. */
  readonly asTenant: boolean;
  /** Take texts that look like credentials too. */
  readonly allowSecrets: boolean;
}

/** An import that stands. */
export interface TenantImport extends ImportReport {
  readonly header: TenantHeader;
  /** What wrote the vectors here: with another one than the file's, searches may find other memories. */
  readonly embedder: TenantHeader['embedder'];
}

/** What operator commands call. */
export interface OperatorManager extends RecordMethods<OperatorCall> {
  /** Validates every file before anything is written; each tenant's rows go in one transaction (design D7). */
  seed(
    files: readonly { readonly name: string; readonly json: unknown }[],
    call: Omit<OperatorCall, 'scope'>,
  ): Promise<ReadonlyMap<string, ImportReport>>;
  /** Writes the default profile if the tenant never had a toolbox row; tells whether it did. */
  init(call: OperatorCall, profile: unknown): Promise<boolean>;
  /** Validated upsert of guidelines, persona, toolbox, entities, workflows and documents (design 4). */
  apply(call: OperatorCall, fileName: string, json: unknown): Promise<readonly AppliedRow[]>;
  /** Every check that `apply` makes of a file before it opens a transaction; throws as it does, writes nothing. */
  checkFile(call: OperatorCall, fileName: string, json: unknown): Promise<void>;
  /**
   * Makes the program's embedder the store's (design D6): embeds the tenant's memories beside the vectors that serve, and
   * changes over when no tenant lacks any; then removes the tenant's old vectors. Safe to interrupt and to run twice at
   * once. Throws `version_conflict` and what the embedder throws; what is written by then stands. The store of its parts is
   * one that opens for any embedder.
   */
  reembed(call: OperatorCall, options: { readonly dryRun: boolean }): Promise<Reembedding>;
  /**
   * Makes anew what is missing in the tenant's index or comes of an earlier analysis (design D3), with the store's own
   * embedder; or all of it. Safe to interrupt and to run twice at once. Throws `embedder_mismatch` and what the embedder
   * throws; what is written by then stands.
   */
  reindex(call: OperatorCall, options: ReindexOptions): Promise<Reindexing>;
  countRows(call: OperatorCall): Promise<ReadonlyMap<string, number>>;
  /** Erases the target and all that came of it (design E1), or counts what would go. Unknown ids: every count is zero. */
  erase(call: OperatorCall, target: ErasureTarget, options: { readonly dryRun: boolean }): Promise<ErasureReport>;
  /** Does what guideline `context_retention` says, or counts it (N4); null: the tenant has no such policy. */
  retain(call: OperatorCall, options: { readonly dryRun: boolean }): Promise<RetentionReport | null>;
  /** Writes the tenant's rows in the form of an export, from one snapshot. Throws `backup_refused` where it has none. */
  exportTenant(
    call: OperatorCall,
    given: { readonly program: string; write(bytes: Uint8Array): Promise<void> },
  ): Promise<TenantExport>;
  /**
   * Checks a whole file, then writes its rows into an empty tenant in one transaction; rows that are all there already
   * are left as they are. Throws `backup_refused`, `schema_newer`, `invalid_seed`, `policy_invalid`, `text_refused`,
   * `secret_refused` and `version_conflict`; nothing is written then.
   */
  importTenant(call: OperatorCall, file: TenantFile): Promise<TenantImport>;
  /**
   * Brings documents into the knowledge base, a transaction each (design Q8). What fails of one document stands in the
   * report; throws what the store throws, with the documents before kept, and `cancelled`.
   */
  ingest(call: OperatorCall, ingestion: Ingestion): Promise<IngestReport>;
}
