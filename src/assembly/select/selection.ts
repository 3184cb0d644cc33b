// What selection hands to the fit: candidates in seating order with their status, notes and scores.

import type { OptionalSlice } from '../../model/budget.ts';
import type { Candidate, Status } from '../../model/candidate.ts';
import type { Exclusion, ScoresJson } from '../../model/manifest.ts';
import type { KnownVersion, MemoryLink, ProvenanceEdge, Ref } from '../../model/memory.ts';
import type { Plan } from '../../model/plan.ts';
import type { Scope } from '../../model/scope.ts';
import type { EvaluationTime } from '../../model/time.ts';
import type { BudgetPolicy } from '../../model/budget.ts';
import type { Annotation } from '../../model/window.ts';

/** Everything selection looks at; nothing else decides. */
export interface SelectionInput {
  readonly policy: BudgetPolicy;
  readonly scope: Scope;
  readonly question: string;
  readonly plan: Plan;
  readonly candidates: readonly Candidate[];
  readonly provenance: readonly ProvenanceEdge[];
  /** Lifecycle of versions that provenance leads to and that are no candidates. */
  readonly versions: readonly KnownVersion[];
  readonly links: readonly MemoryLink[];
  readonly evaluationTime: EvaluationTime;
  /** Refs that the caller named (tool results): admitted as historical although superseded (design S1). */
  readonly named: readonly Ref[];
}

/** A candidate that survived the rules. */
export interface Selected {
  readonly candidate: Candidate;
  readonly status: Status;
  readonly annotations: readonly Annotation[];
  readonly scores: ScoresJson;
}

/** A current fact that history in the window makes necessary (design B5). */
export interface RequiredFact {
  readonly fact: Selected;
  /** The surviving history that needs it, best first. */
  readonly neededBy: readonly Ref[];
}

/** The outcome of selection: every candidate is in exactly one of slices (or `results`) and excluded. */
export interface Selection {
  /** In seating order; the tail newest first. Facts that are required stand here too, in durable_facts. */
  readonly slices: Readonly<Record<OptionalSlice, readonly Selected[]>>;
  /** Candidates without a slice (tool results), in seating order. */
  readonly results: readonly Selected[];
  readonly required: readonly RequiredFact[];
  readonly excluded: readonly Exclusion[];
}
