// Lifecycle and quarantine (design S1): what counts at the evaluation time, and with which status it is shown.

import type { Candidate, Status } from '../../model/candidate.ts';
import { refKey, type Lifecycle, type SeatableType } from '../../model/memory.ts';
import type { EvaluationTime } from '../../model/time.ts';
import { exclude, type Admitted, type Outcome } from './outcome.ts';

/** Where a row stands at an instant (design S1). */
export type LifecycleState = 'current' | 'deleted' | 'not_yet_effective' | 'superseded' | 'expired';

/** Judges one row: a row without end is current for as long as it is not deleted (design S1). */
export function lifecycleState(lifecycle: Lifecycle, evaluationTime: EvaluationTime): LifecycleState {
  if (lifecycle.deletedAt !== null) return 'deleted';
  if (lifecycle.validFrom > evaluationTime) return 'not_yet_effective';
  if (lifecycle.validUntil === null || evaluationTime < lifecycle.validUntil) return 'current';
  return lifecycle.supersededBy === null ? 'expired' : 'superseded';
}

/** Admits what is current and not quarantined, and superseded rows that were named, as history (design S1). */
export function admitByLifecycle(
  candidates: readonly Candidate[],
  named: ReadonlySet<string>,
  evaluationTime: EvaluationTime,
): Outcome<Admitted> {
  const kept: Admitted[] = [];
  const excluded = [];
  for (const candidate of candidates) {
    const { ref, type, lifecycle } = candidate.memory;
    const state = lifecycleState(lifecycle, evaluationTime);
    const replaced = state === 'superseded' && named.has(refKey(ref));
    if (state !== 'current' && !replaced) excluded.push(exclude(candidate, 'lifecycle', { state }));
    else if (lifecycle.quarantinedAt !== null) excluded.push(exclude(candidate, 'quarantine', {}));
    else kept.push({ candidate, status: replaced ? 'historical' : statusOf(type), replaced });
  }
  return { kept, excluded };
}

function statusOf(type: SeatableType): Status {
  switch (type) {
    case 'entity':
    case 'workflow':
      return 'current';
    case 'summary':
      return 'historical';
    case 'conversation':
      return 'unverified';
    case 'chunk':
      return 'evidence';
    default:
      throw type satisfies never;
  }
}
