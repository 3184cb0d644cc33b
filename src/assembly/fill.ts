// The optional slices, filled (design B4, B5, F1, S6, S7): required facts first, then each slice in overflow order.

import { type Budget, type OptionalSlice, optionalSlices } from '../model/budget.ts';
import type { AllocationEntry, Exclusion } from '../model/manifest.ts';
import { refKey } from '../model/memory.ts';
import type { CountTokens } from '../model/window.ts';
import { type Allotments, fillSlices, fromSlices } from './budget/allocate.ts';
import type { Charged } from './budget/required.ts';
import { fitSlice, type FittedSlice, type Seat } from './fit.ts';
import { fitTail } from './tail.ts';

/** Seats of each optional slice with the slice's account. */
export interface Filling {
  /** In seating order, best first; the tail's oldest first, as it is shown. */
  readonly seats: Readonly<Record<OptionalSlice, readonly Seat[]>>;
  readonly allocation: Readonly<Record<OptionalSlice, AllocationEntry>>;
  readonly excluded: readonly Exclusion[];
}

/** Fits every slice in overflow order with what the ones before it leave (design B4). */
export function fillOptional(
  charged: Charged,
  allotments: Allotments,
  options: { readonly budget: Budget; readonly countTokens: CountTokens },
): Filling {
  const { budget, countTokens } = options;
  const filled = fillSlices(budget, allotments, (slice, available): FittedSlice => {
    const candidates = charged.slices[slice];
    if (slice === 'volatile_tail') return fitTail(candidates, available, countTokens);
    const fit = { slice, tiers: ['full', 'summary', 'pointer'], admittedBy: 'fit', countTokens } as const;
    if (slice !== 'durable_facts') return fitSlice(candidates, available, fit);
    const required = new Map(charged.seats.map((seat) => [refKey(seat.seated.memory.ref), seat]));
    const others = candidates.filter(({ candidate }) => !required.has(refKey(candidate.memory.ref)));
    const fitted = fitSlice(others, available - charged.tokens, fit);
    const seated = new Map([...fitted.seats, ...charged.seats].map((seat) => [refKey(seat.seated.memory.ref), seat]));
    return {
      seats: candidates.flatMap(({ candidate }) => seated.get(refKey(candidate.memory.ref)) ?? []),
      excluded: fitted.excluded,
      used: fitted.used + charged.tokens,
    };
  });
  const { uses, allocation } = filled;
  return {
    seats: fromSlices((slice) => uses[slice].seats),
    allocation,
    excluded: [...charged.excluded, ...optionalSlices.flatMap((slice) => uses[slice].excluded)],
  };
}

/** All seats in rendering order: slice by slice, evidence by document, the tail from old to new (design S6, S7). */
export function renderingOrder(seats: Filling['seats']): readonly Seat[] {
  return optionalSlices.flatMap((slice) => (slice === 'evidence' ? byDocument(seats.evidence) : seats[slice]));
}

/** Documents in the order of their best chunk, within one by chunk_index (design S6). */
function byDocument(seats: readonly Seat[]): readonly Seat[] {
  const documents = new Map<string, Seat[]>();
  for (const seat of seats) {
    const { memory } = seat.seated;
    const key = memory.type === 'chunk' ? `document ${memory.documentId}` : refKey(memory.ref);
    const group = documents.get(key);
    if (group === undefined) documents.set(key, [seat]);
    else group.push(seat);
  }
  return [...documents.values()].flatMap((group) => group.toSorted((a, b) => chunkIndex(a) - chunkIndex(b)));
}

function chunkIndex({ seated: { memory } }: Seat): number {
  return memory.type === 'chunk' ? memory.chunkIndex : 0;
}
