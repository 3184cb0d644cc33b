// Seating order (design S5), and the tail's own (design S7).

import type { OptionalSlice } from '../../model/budget.ts';
import type { Candidate } from '../../model/candidate.ts';
import { compareRefs, compareText } from './compare.ts';
import type { Selected } from './selection.ts';

/** Priority and valid_from descending, then table, row id and version: no two candidates are equal (design S5). */
export function compareSeating(a: Selected, b: Selected): number {
  return (
    b.scores.priority - a.scores.priority ||
    compareText(b.candidate.memory.lifecycle.validFrom, a.candidate.memory.lifecycle.validFrom) ||
    compareRefs(a.candidate.memory.ref, b.candidate.memory.ref)
  );
}

/** The newest turn first, by turn_index (design S7). */
export function newestFirst(a: Candidate, b: Candidate): number {
  return turnIndexOf(b) - turnIndexOf(a) || compareRefs(a.memory.ref, b.memory.ref);
}

/** One slice of a ranked list, in its order: the tail newest first, all else as ranked (design S5, S7). */
export function seatingOf(ranked: readonly Selected[], slice: OptionalSlice | null): readonly Selected[] {
  const seats = ranked.filter((entry) => entry.candidate.slice === slice);
  return slice === 'volatile_tail' ? seats.toSorted((a, b) => newestFirst(a.candidate, b.candidate)) : seats;
}

function turnIndexOf({ memory }: Candidate): number {
  return memory.type === 'conversation' ? memory.turnIndex : -1;
}
