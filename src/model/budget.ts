// The policy rows: what guideline `context_budget` and `context_retrieval` may say.

import type { Ref } from './memory.ts';

/** The optional slices, in rendering order. */
export const optionalSlices = ['durable_facts', 'evidence', 'recalled_history', 'volatile_tail'] as const;

/** A slice that competes for the remainder. */
export type OptionalSlice = (typeof optionalSlices)[number];

/** The slices that are charged in full and never cut, in rendering order. */
export const fixedSlices = ['guidelines', 'persona', 'tool_surface', 'current_question'] as const;

/** A slice that is charged in full. */
export type FixedSlice = (typeof fixedSlices)[number];

/** A share of the remainder for every optional slice; they sum to 1. */
export type Shares = Readonly<Record<OptionalSlice, number>>;

/** Limits of a run that no window opened. */
export interface ImplicitRunPolicy {
  readonly maxRounds: number;
  readonly toolReserve: number;
  readonly maxToolResultTokens: number;
  readonly idleSeconds: number;
}

/** The budget row as used, defaults filled in. All figures are tokens unless named otherwise. */
export interface Budget {
  readonly usableContext: number;
  readonly outputReserve: number;
  readonly toolReserve: number;
  readonly requestOverheadReserve: number;
  readonly maxRounds: number;
  readonly maxToolResultTokens: number;
  readonly weights: { readonly rerank: number; readonly confidence: number; readonly recency: number };
  readonly recencyDays: number;
  readonly shares: Readonly<Record<string, Shares>>;
  readonly overflowOrder: readonly OptionalSlice[];
  readonly evidence: { readonly maxPerDocument: number; readonly nearDuplicate: number };
  readonly candidateCaps: Readonly<Record<OptionalSlice, number>>;
  readonly compress: boolean;
  readonly requiredCorrections: true | false | 'drop_history';
  readonly implicitRun: ImplicitRunPolicy;
  readonly weakBelow: number;
  readonly encoding: 'o200k_base';
}

/** A budget with the row that holds it. */
export interface BudgetPolicy {
  readonly ref: Ref;
  readonly budget: Budget;
}

/** What retrieval measures of a candidate; a policy weighs signals by these names (design Q4, Q11). */
export const signalNames = ['lexical', 'title', 'group', 'time', 'vector_text', 'vector_context', 'named'] as const;

/** One of {@link signalNames}. */
export type SignalName = (typeof signalNames)[number];

/** The retrieval row as used, defaults filled in (design Q11). `ref` null: no row, defaults. */
export interface RetrievalPolicy {
  readonly ref: Ref | null;
  readonly fusion: {
    readonly method: 'scaled_sum' | 'reciprocal_rank';
    readonly weights: Readonly<Partial<Record<SignalName, number>>>;
  };
  readonly rerank: { readonly candidates: number; readonly deadlineMs: number };
  readonly hops: number;
}
