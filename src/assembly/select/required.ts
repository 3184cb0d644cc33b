// Required corrections (design S3, B5): the current facts that surviving history may not be shown without.

import type { Budget, OptionalSlice } from '../../model/budget.ts';
import { refKey, type Ref } from '../../model/memory.ts';
import { compareSeating } from './order.ts';
import type { RequiredFact, Selected } from './selection.ts';

/** Slices whose memories speak of the past; what stands in durable_facts speaks for itself. */
const history: readonly (OptionalSlice | null)[] = ['evidence', 'recalled_history', 'volatile_tail'];

/**
 * The refs of history that needs each current fact, best first, by the fact's key; empty where the policy requires no
 * corrections, and in tool results (design B5).
 */
export function needsOf(survivors: readonly Selected[], budget: Budget): ReadonlyMap<string, readonly Ref[]> {
  const needs = new Map<string, Ref[]>();
  if (budget.requiredCorrections === false) return needs;
  for (const { candidate, annotations } of survivors.toSorted(compareSeating)) {
    if (!history.includes(candidate.slice)) continue;
    for (const annotation of annotations) {
      if (annotation.kind !== 'stale' || annotation.current === null) continue;
      const key = refKey(annotation.current);
      const neededBy = needs.get(key) ?? [];
      neededBy.push(candidate.memory.ref);
      needs.set(key, neededBy);
    }
  }
  return needs;
}

/** The facts of durable_facts that surviving history needs, in the order of the survivors (design B5). */
export function requiredFacts(survivors: readonly Selected[], budget: Budget): readonly RequiredFact[] {
  const needs = needsOf(survivors, budget);
  return survivors.flatMap((fact) => {
    const { slice, memory } = fact.candidate;
    const neededBy = slice === 'durable_facts' ? needs.get(refKey(memory.ref)) : undefined;
    return neededBy === undefined ? [] : [{ fact, neededBy }];
  });
}
