// The assembled request and what stands in it.

import type { Status, Tier } from './candidate.ts';
import type { CitationId } from './ids.ts';
import type { JsonObject } from './json.ts';
import type { Memory, Ref } from './memory.ts';

/** A note of ours on a memory: a correction, or a contradiction (design A3, S3). */
export type Annotation =
  | {
      readonly kind: 'stale';
      /** The version that the memory used and that is not current any more. */
      readonly source: Ref;
      /** The current fact of that identity, or null when there is none. */
      readonly current: Ref | null;
      readonly currentId: CitationId | null;
      readonly currentContent: string | null;
    }
  | { readonly kind: 'contradicted'; readonly by: Ref; readonly byId: CitationId };

/** A memory ready to be rendered. */
export interface AnnotatedMemory {
  readonly memory: Memory;
  readonly id: CitationId;
  readonly status: Status;
  readonly annotations: readonly Annotation[];
}

/** One message in OpenAI Chat Completions shape. */
export type ChatMessage =
  | { readonly role: 'developer' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: null; readonly tool_calls: readonly ChatToolCall[] }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string };

/** An assistant's call of a tool; `arguments` is JSON text. */
export interface ChatToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/** A tool as the model sees it, in Chat Completions shape. */
export interface ChatTool {
  readonly type: 'function';
  readonly function: { readonly name: string; readonly description: string; readonly parameters: JsonObject };
}

/** The complete request that a provider would get. */
export interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ChatTool[];
}

/** A memory that got a place. */
export interface SeatedMemory extends AnnotatedMemory {
  readonly tier: Tier;
  /** The element as rendered. */
  readonly text: string;
  /** Tokens of exactly `text`. */
  readonly tokens: number;
}

/** Counts tokens of text, synchronously and purely. */
export type CountTokens = (text: string) => number;
