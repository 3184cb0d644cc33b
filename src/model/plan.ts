// The query plan: what a question asks for, by rules that can be read.

import type { Instant } from './time.ts';

/** What a question wants. */
export const intents = ['comparison', 'fact_check', 'how_to', 'recall', 'open'] as const;

/** One of {@link intents}. */
export type Intent = (typeof intents)[number];

/** A range of time that a question names; ends are exclusive, open ones null. */
export interface TimeRange {
  readonly from: Instant | null;
  readonly until: Instant | null;
}

/** A subject of the caller's memory that the question names, by subject or by alias. */
export interface PlannedSubject {
  readonly subject: string;
  /** The subject and all its aliases in scope, sorted. */
  readonly names: readonly string[];
}

/** The query plan (design Q1). */
export interface Plan {
  readonly intent: Intent;
  readonly subjects: readonly PlannedSubject[];
  readonly predicates: readonly string[];
  readonly collections: readonly string[];
  readonly timeRange: TimeRange | null;
  readonly languageHints: readonly string[];
}
