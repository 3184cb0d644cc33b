// What one rule of selection hands to the next: who stays, and a record for each one that does not.

import type { Candidate, Status } from '../../model/candidate.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Exclusion, ExclusionRule } from '../../model/manifest.ts';

/** A candidate that may be shown, before it is scored (design S1). */
export interface Admitted {
  readonly candidate: Candidate;
  readonly status: Status;
  /** Another fact or version stands in its place: it is here as history, only because the caller named it. */
  readonly replaced: boolean;
}

/** The result of one rule (design 3, selection): together, the kept and the excluded are all that came in. */
export interface Outcome<Kept> {
  readonly kept: readonly Kept[];
  readonly excluded: readonly Exclusion[];
}

/** The record of one candidate left out (design M1); `detail` never holds memory text. */
export function exclude(candidate: Candidate, rule: ExclusionRule, detail: JsonObject): Exclusion {
  return { ref: candidate.memory.ref, slice: candidate.slice ?? 'tool_results', rule, detail };
}
