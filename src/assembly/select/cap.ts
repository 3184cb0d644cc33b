// Caps (design 3, candidate_caps): how many candidates of a slice may be tried, and the facts that no cap removes.

import type { Budget, OptionalSlice } from '../../model/budget.ts';
import type { Exclusion } from '../../model/manifest.ts';
import { refKey } from '../../model/memory.ts';
import { seatingOf } from './order.ts';
import { exclude, type Outcome } from './outcome.ts';
import { needsOf } from './required.ts';
import type { Selected } from './selection.ts';

/** Keeps the first of each slice up to its cap; a fact that surviving history requires stays beyond it (design B5). */
export function capSlices(ranked: readonly Selected[], budget: Budget): Outcome<Selected> {
  const excluded = new Map<Selected, Exclusion>();
  const capSlice = (slice: OptionalSlice, exempt: ReadonlySet<string>): void => {
    const cap = budget.candidateCaps[slice];
    for (const entry of seatingOf(ranked, slice).slice(cap)) {
      if (exempt.has(refKey(entry.candidate.memory.ref))) continue;
      excluded.set(entry, exclude(entry.candidate, 'candidate_cap', { cap }));
    }
  };
  const left = (): readonly Selected[] => ranked.filter((entry) => !excluded.has(entry));
  // History first: only what is left of it can require a fact.
  for (const slice of ['evidence', 'recalled_history', 'volatile_tail'] as const) capSlice(slice, new Set());
  capSlice('durable_facts', new Set(needsOf(left(), budget).keys()));
  return { kept: left(), excluded: [...excluded.values()] };
}
