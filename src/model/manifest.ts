// The manifest's JSON (design M1): what was prepared, what was left out and why. No memory text, no question text.

import type { FixedSlice, OptionalSlice } from './budget.ts';
import type { Status, Tier } from './candidate.ts';
import type { JsonObject } from './json.ts';
import type { MemoryType } from './memory.ts';

/** Why a candidate is not in the window: the closed list of the design. */
export const exclusionRules = [
  'lifecycle',
  'quarantine',
  'dedup',
  'conflict',
  'per_document',
  'near_duplicate',
  'candidate_cap',
  'id_collision',
  'tail_cut',
  'slice_budget',
  'request_budget',
] as const;

/** One of {@link exclusionRules}. */
export type ExclusionRule = (typeof exclusionRules)[number];

/** A ref as JSON. */
export type RefJson = readonly [type: MemoryType, id: string, version: number];

/** One candidate left out. `detail` says more (for lifecycle: deleted, superseded …), never memory text. */
export interface Exclusion {
  readonly ref: RefJson;
  readonly slice: OptionalSlice | 'tool_results';
  readonly rule: ExclusionRule;
  readonly detail: JsonObject;
}

/** How a memory was admitted. */
export type AdmittedBy = 'required_correction' | 'fit' | 'tail' | 'requested';

/** The parts of a priority, rounded to six decimals. */
export interface ScoresJson {
  readonly priority: number;
  readonly p: number;
  readonly confidence: number;
  readonly recency: number;
  /** `logit` or `score` as measured, or `fused` where the reranker did not reach it. */
  readonly source: 'logit' | 'score' | 'fused';
  readonly raw: number;
  readonly low?: number;
  readonly high?: number;
}

/** One memory in the window. `position` counts from 0 in rendering order. */
export interface ManifestMemory {
  readonly id: string;
  readonly ref: RefJson;
  readonly type: MemoryType;
  readonly status: Status;
  readonly slice: OptionalSlice | 'tool_results';
  readonly position: number;
  readonly tier: Tier;
  readonly tokens: number;
  /** SHA-256 of the memory's canonical text (not of the rendered element). */
  readonly content_hash: string;
  readonly scores: ScoresJson | null;
  readonly origin: 'query' | 'model';
  readonly admitted_by: AdmittedBy;
  readonly annotation_refs: readonly { readonly current: RefJson | null; readonly source: RefJson }[];
  readonly contradicted_by: readonly RefJson[];
  readonly compression: string | null;
}

/** A row of the static prefix. */
export interface PrefixEntry {
  readonly ref: RefJson;
  readonly slice: 'guidelines' | 'persona' | 'tool_surface';
  readonly content_hash: string;
}

/** Tokens of one optional slice. `used + left = allotted + carried_in − carried_out`. */
export interface AllocationEntry {
  readonly share: number;
  readonly allotted: number;
  readonly carried_in: number;
  readonly used: number;
  readonly left: number;
}

/** Something the window depends on. */
export interface Dependency {
  readonly ref: RefJson | null;
  /** For events and compressions, which are no seated memories. */
  readonly id: string;
  readonly role: 'memory' | 'source' | 'correction' | 'parent_document' | 'source_event' | 'compression' | 'prefix';
}

/** Every token accounted for: usable_context = reserves + fixed + optional_used + left. */
export interface Totals {
  readonly usable_context: number;
  readonly reserves: number;
  readonly fixed: Readonly<Record<FixedSlice, number>>;
  readonly fixed_total: number;
  readonly optional_used: number;
  readonly left: number;
  /** Tokens of the whole request by the tokenizer (design B6); 0 in an implicit run. */
  readonly request: number;
  readonly provider_count: number | null;
}

/** The run's figures after this round. */
export interface LoopJson {
  readonly tokens_left: number;
  readonly rounds_left: number;
}

/** The manifest of one window or of one tool result. */
export interface Manifest {
  readonly manifest_id: string;
  readonly kind: 'window' | 'tool_result';
  readonly mode: string;
  readonly incarnation: string;
  readonly scn: string;
  readonly renderer_version: string;
  readonly selection_version: string;
  readonly code_hash: string;
  readonly encoding: string;
  readonly evaluation_time: string;
  readonly budget_ref: RefJson;
  readonly retrieval_ref: RefJson | null;
  /** The budget as used, in the row's own keys, defaults filled in. */
  readonly budget: JsonObject;
  readonly intent: string;
  readonly plan: JsonObject;
  readonly allocation: Readonly<Partial<Record<OptionalSlice, AllocationEntry>>>;
  readonly required_refs: readonly RefJson[];
  readonly prefix: readonly PrefixEntry[];
  readonly memories: readonly ManifestMemory[];
  readonly excluded: readonly Exclusion[];
  readonly dependencies: readonly Dependency[];
  readonly prefix_hash: string;
  readonly request_hash: string;
  readonly round: number;
  readonly run_id: string;
  readonly client: { readonly name: string; readonly version: string } | null;
  readonly model: string | null;
  readonly embedder: string;
  readonly reranker: string;
  /** Fallbacks taken on the way, e.g. `rerank_deadline`, `rerank_cap`. */
  readonly fallbacks: readonly string[];
  readonly loop: LoopJson | null;
  readonly totals: Totals;
}
