// Colliding citation ids (design A4): of two memories with one id in a window the lower-ranked one is left out.

import type { Budget } from '../../model/budget.ts';
import { refKey } from '../../model/memory.ts';
import { citationIdOf } from '../render/citation.ts';
import { compareSeating } from './order.ts';
import { exclude, type Outcome } from './outcome.ts';
import { needsOf } from './required.ts';
import type { Selected } from './selection.ts';

/** Leaves one memory for each citation id: a required fact, else the first in seating order (design A4). */
export function dropCollisions(survivors: readonly Selected[], budget: Budget): Outcome<Selected> {
  const needs = needsOf(survivors, budget);
  const isNeeded = (entry: Selected): boolean => needs.has(refKey(entry.candidate.memory.ref));
  const keepers = new Map<string, Selected>();
  const excluded = [];
  const dropped = new Set<Selected>();
  for (const entry of survivors.toSorted((a, b) => Number(isNeeded(b)) - Number(isNeeded(a)) || compareSeating(a, b))) {
    const id = citationIdOf(entry.candidate.memory.ref);
    const keeper = keepers.get(id);
    if (keeper === undefined) keepers.set(id, entry);
    else {
      dropped.add(entry);
      excluded.push(exclude(entry.candidate, 'id_collision', { kept: keeper.candidate.memory.ref }));
    }
  }
  return { kept: survivors.filter((entry) => !dropped.has(entry)), excluded };
}
