// The Memory Manager's interface: the single entry to memory for every transport, command and host.

import type { ToolResultContent } from '../assembly/assembly_input.ts';
import type { RowId, RunId, ThreadId } from '../model/ids.ts';
import type { JsonObject } from '../model/json.ts';
import type { Manifest } from '../model/manifest.ts';
import type { Ref } from '../model/memory.ts';
import type { Intent } from '../model/plan.ts';
import type { Client, OperatorScope, Scope } from '../model/scope.ts';
import type { Instant } from '../model/time.ts';
import type { ChatRequest, SeatedMemory } from '../model/window.ts';
import type { StoredManifest } from '../store/store.ts';
import type { ImportReport } from '../store/written_rows.ts';

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
  | { readonly kind: 'clarify'; readonly content: ClarifyContent; readonly text: string }
  | { readonly kind: 'input_required'; readonly question: string; readonly options: readonly string[] };

/** A turn to keep. `cites` are citation ids of the answer; they become `mentions` provenance (design S3). */
export interface TurnToRecord {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly runId: RunId | null;
}

/** What became of a thread's digest. */
export interface Compaction {
  /**
   * `made`: a new one stands; `fresh`: the one that stands is of just these turns; `empty`: nothing to keep; `off`: the
   * policy does not compress; `overtaken`: another call changed the thread or its digest meanwhile, which stands.
   */
  readonly outcome: 'made' | 'fresh' | 'empty' | 'off' | 'overtaken';
  readonly ref: Ref | null;
  /** Turns that can be part of a digest now. */
  readonly turns: number;
  /** Index of the newest turn in the digest; 0 without one. */
  readonly lastTurn: number;
  readonly tokens: number;
  readonly model: string | null;
  /** Why the configured summariser did not make it, or null. */
  readonly failure: string | null;
}

/** A memory or thread whose derived text is not as it should be. */
export interface StaleText {
  readonly kind: 'compression' | 'digest';
  /** The memory; null for a digest. */
  readonly ref: Ref | null;
  /** The thread; null for a compression. */
  readonly thread: ThreadId | null;
  /** `stale`: made of other text, or by another model or prompt; `behind`: newer turns are not in it. */
  readonly state: 'missing' | 'stale' | 'behind';
}

/** What became of one of them; `listed` where nothing was to be made. */
export interface RebuiltText extends StaleText {
  readonly outcome: 'listed' | 'made' | 'unchanged' | 'nothing_fits';
  readonly tokens: number;
  readonly model: string | null;
  /** Why the configured summariser did not make it, or null. */
  readonly failure: string | null;
}

/** The methods that hosts, transports and commands call. Every method throws MemoryError and nothing else. */
export interface MemoryManager {
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

/** What operator commands call. */
export interface OperatorManager {
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
  countRows(call: OperatorCall): Promise<ReadonlyMap<string, number>>;
}
