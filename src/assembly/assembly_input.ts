// The assembly's inputs and outputs as values: what the manager reads, and what it stores and returns.

import type { RetrievalPolicy } from '../model/budget.ts';
import type { CitationId, RowId, RunId } from '../model/ids.ts';
import type { JsonObject } from '../model/json.ts';
import type { Manifest } from '../model/manifest.ts';
import type { Guideline, Persona, Ref, Tool } from '../model/memory.ts';
import type { Client } from '../model/scope.ts';
import type { ChatRequest, CountTokens, SeatedMemory } from '../model/window.ts';
import type { ResultShape, ShapedContent } from './result_shapes.ts';
import type { SelectionInput } from './select/selection.ts';

/** Rows of the static prefix, as read: lifecycle and scope are judged by the assembly. */
export interface PrefixRows {
  readonly guidelines: readonly Guideline[];
  readonly personas: readonly Persona[];
  /** Only tools that the caller may list; a bad row never comes here. */
  readonly tools: readonly Tool[];
}

/** What is recorded and decides nothing. */
export interface AssemblyRecord {
  readonly manifestId: RowId;
  readonly runId: RunId;
  readonly round: number;
  readonly client: Client | null;
  readonly model: string | null;
  readonly embedder: string;
  readonly reranker: string;
  readonly fallbacks: readonly string[];
  readonly mode: string;
  readonly incarnation: string;
  readonly scn: string;
  /** The provider's own count of the request (design B6), where it was asked. */
  readonly providerCount: number | null;
}

/** One window's inputs. */
export interface AssemblyInput extends SelectionInput {
  readonly retrieval: RetrievalPolicy;
  readonly prefix: PrefixRows;
  readonly record: AssemblyRecord;
  readonly countTokens: CountTokens;
}

/** An assembled window. */
export interface AssembledWindow {
  readonly request: ChatRequest;
  readonly manifest: Manifest;
  /** In rendering order. */
  readonly seated: readonly SeatedMemory[];
}

/** The loop's state before a tool result is made (design L1). */
export interface LoopState {
  readonly kind: 'window' | 'implicit';
  readonly tokensLeft: number;
  readonly roundsLeft: number;
  readonly maxToolResultTokens: number;
  /** The request so far: the initial one with all recorded calls and results; without messages in an implicit run. */
  readonly request: ChatRequest;
}

/** One tool result's inputs; `candidates` have slice null and come in the handler's order of wish. */
export interface ToolResultInput extends AssemblyInput {
  readonly loop: LoopState;
  readonly call: { readonly id: string; readonly tool: string; readonly arguments: string };
  /** How the handler wants its candidates: `ranked` by S5, or `given` (lookup: the current version first). */
  readonly order: 'ranked' | 'given';
  /** At most this many memories. */
  readonly limit: number;
  /** Tiers that may be used, in order of trying (expand never points). */
  readonly tiers: readonly ('full' | 'summary' | 'pointer')[];
  /** Sentences of the handler for `notes`. */
  readonly notes: readonly string[];
  /** What `more` should say if candidates remain beyond those shown; null when nothing can remain. */
  readonly moreHint: string | null;
  readonly admittedBy: 'fit' | 'requested';
  /** Left out: ours. */
  readonly shape?: ResultShape;
}

/** One entry of a tool result (design T5). */
export interface ResultMemory {
  readonly id: CitationId;
  readonly type: string;
  readonly status: string;
  readonly tier: string;
  readonly content: string;
  readonly tokens: number;
  readonly provenance: {
    readonly title: string;
    readonly source: string | null;
    readonly version: number;
    readonly date: string;
  };
  readonly annotations: readonly JsonObject[];
}

/** The structured content of a tool result (design T5). */
export interface ToolResultContent {
  readonly memories: readonly ResultMemory[];
  readonly evidence: 'found' | 'weak' | 'none';
  readonly more: string | null;
  readonly loop: { readonly tokens_left: number; readonly rounds_left: number };
  readonly notes: readonly string[];
}

/** A tool result: its content, the same as JSON text, what it costs the loop, and its manifest. */
export interface AssembledResult {
  readonly content: ToolResultContent;
  /** The content in the shape that was asked for; null: that is ours. */
  readonly shaped: ShapedContent | null;
  /** `shaped`, or else `content`, as JSON. */
  readonly text: string;
  /** Tokens charged to the run: the text with both loop figures written as 0, plus 4. */
  readonly cost: number;
  readonly manifest: Manifest;
  /** The complete request of the next round. */
  readonly request: ChatRequest;
  readonly seated: readonly SeatedMemory[];
  readonly issued: readonly { readonly citationId: CitationId; readonly ref: Ref }[];
}
