// Conflict (design S3): of the current claims of one identity exactly one stays; contradicting memories name each other.

import type { Exclusion } from '../../model/manifest.ts';
import { refKey, type MemoryLink } from '../../model/memory.ts';
import type { Annotation } from '../../model/window.ts';
import { citationIdOf } from '../render/citation.ts';
import { claimKeyOf, compareStanding } from './claim_identity.ts';
import { compareRefs } from './compare.ts';
import { exclude, type Admitted, type Outcome } from './outcome.ts';
import type { Selected } from './selection.ts';

/** What is left after conflicts (design S3). */
export interface Settled extends Outcome<Admitted> {
  /** The one current fact of each identity, by its key. */
  readonly facts: ReadonlyMap<string, Admitted>;
}

/** Leaves one current fact of each identity; a named loser stays as history, replaced by the winner (design S3). */
export function settleConflicts(admitted: readonly Admitted[], named: ReadonlySet<string>): Settled {
  const facts = winners(admitted);
  const kept: Admitted[] = [];
  const excluded: Exclusion[] = [];
  for (const entry of admitted) {
    const winner = winnerOver(entry, facts);
    if (winner === undefined) kept.push(entry);
    else if (named.has(refKey(entry.candidate.memory.ref)))
      kept.push({ ...entry, status: 'historical', replaced: true });
    else excluded.push(exclude(entry.candidate, 'conflict', { kept: winner.candidate.memory.ref }));
  }
  return { kept, excluded, facts };
}

function winners(admitted: readonly Admitted[]): ReadonlyMap<string, Admitted> {
  const facts = new Map<string, Admitted>();
  for (const entry of admitted) {
    const key = currentClaimOf(entry);
    if (key === null) continue;
    const best = facts.get(key);
    if (best === undefined || compareStanding(entry.candidate.memory, best.candidate.memory) < 0) facts.set(key, entry);
  }
  return facts;
}

function winnerOver(entry: Admitted, facts: ReadonlyMap<string, Admitted>): Admitted | undefined {
  const key = currentClaimOf(entry);
  const winner = key === null ? undefined : facts.get(key);
  return winner === entry ? undefined : winner;
}

function currentClaimOf(entry: Admitted): string | null {
  return entry.replaced ? null : claimKeyOf(entry.candidate.memory);
}

/** Adds to both ends of each `contradicts` link that survived a note that names the other, in ref order (design S3). */
export function annotateContradictions(
  survivors: readonly Selected[],
  links: readonly MemoryLink[],
): readonly Selected[] {
  const present = new Map(survivors.map((entry) => [refKey(entry.candidate.memory.ref), entry]));
  const opponents = new Map<string, Map<string, Selected>>();
  for (const link of links) {
    const [source, target] = [refKey(link.source), refKey(link.target)];
    if (link.relation !== 'contradicts' || source === target) continue;
    addOpponent(opponents, source, target, present);
    addOpponent(opponents, target, source, present);
  }
  return survivors.map((entry) => {
    const others = [...(opponents.get(refKey(entry.candidate.memory.ref))?.values() ?? [])];
    return others.length === 0 ? entry : { ...entry, annotations: [...entry.annotations, ...notesOf(others)] };
  });
}

function addOpponent(
  opponents: Map<string, Map<string, Selected>>,
  key: string,
  otherKey: string,
  present: ReadonlyMap<string, Selected>,
): void {
  const other = present.get(otherKey);
  if (other === undefined) return;
  const others = opponents.get(key) ?? new Map<string, Selected>();
  opponents.set(key, others.set(otherKey, other));
}

function notesOf(others: readonly Selected[]): readonly Annotation[] {
  return others
    .map((other) => other.candidate.memory.ref)
    .toSorted(compareRefs)
    .map((ref) => ({ kind: 'contradicted', by: ref, byId: citationIdOf(ref) }));
}
