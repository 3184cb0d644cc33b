// A memory as it enters the assembly: with its measurements, its cached token counts and its compression.

import type { OptionalSlice } from './budget.ts';
import type { RowId } from './ids.ts';
import type { LinkRelation, Memory, Ref } from './memory.ts';

/** How much of a memory is shown, best first. */
export const tiers = ['full', 'summary', 'pointer'] as const;

/** One of {@link tiers}. */
export type Tier = (typeof tiers)[number];

/** The role of a memory in a window (design A3). */
export type Status = 'current' | 'historical' | 'unverified' | 'evidence';

/** What a reranker said, in its own unit (design S4). */
export type RerankScore =
  | { readonly kind: 'logit'; readonly value: number }
  | { readonly kind: 'score'; readonly value: number; readonly low: number; readonly high: number };

/** Scores of a candidate; `fused` is scaled to 0..1 within its slice's candidate set. */
export interface Measured {
  readonly rerank: RerankScore | null;
  readonly fused: number;
}

/** Tokens of rendered elements without annotations, counted before; a missing one is counted anew. */
export interface CachedTokens {
  readonly full?: number;
  readonly summary?: number;
  readonly pointer?: number;
}

/** A stored summary of one source (design C1); usable only while `sourceHash` is the source's hash. */
export interface Compression {
  readonly id: RowId;
  readonly source: Ref;
  readonly sourceHash: string;
  readonly text: string;
  readonly tokens: number;
  readonly model: string;
  readonly promptVersion: string;
}

/** How a linked candidate came along (design Q7). */
export interface LinkedFrom {
  readonly ref: Ref;
  readonly relation: LinkRelation;
  readonly direction: 'outgoing' | 'incoming';
}

/** A memory that competes for a place. */
export interface Candidate {
  readonly memory: Memory;
  /** The slice it competes in; `null` in a tool result. */
  readonly slice: OptionalSlice | null;
  readonly measured: Measured;
  readonly cachedTokens: CachedTokens;
  readonly compression: Compression | null;
  /** Who produced the text: a query of a stored row, or a model (a summary, a model's turn). */
  readonly origin: 'query' | 'model';
  readonly linkedFrom: LinkedFrom | null;
}
