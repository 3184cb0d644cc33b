// The volatile tail (design S7): the newest unbroken run of turns that fits, shown in order, never in part.

import type { CountTokens } from '../model/window.ts';
import { exclusionOf, type FitOptions, type FittedSlice, type Seat, seatWithin } from './fit.ts';
import type { Selected } from './select/selection.ts';

/**
 * Seats turns from the newest back until one does not fit; that one and all older ones are excluded (rule tail_cut).
 * `newestFirst` is selection's order; the seats come oldest first, as they are shown.
 */
export function fitTail(newestFirst: readonly Selected[], available: number, countTokens: CountTokens): FittedSlice {
  const options: FitOptions = { slice: 'volatile_tail', tiers: ['full'], admittedBy: 'tail', countTokens };
  const seats: Seat[] = [];
  let left = available;
  for (const [index, selected] of newestFirst.entries()) {
    const attempt = seatWithin(selected, left, options);
    if (attempt.seat === null) {
      const ref = selected.candidate.memory.ref;
      const cut = exclusionOf(ref, 'volatile_tail', 'tail_cut', attempt.needed);
      const older = newestFirst
        .slice(index + 1)
        .map((turn) => exclusionOf(turn.candidate.memory.ref, 'volatile_tail', 'tail_cut', { cut_at: ref }));
      return { seats: seats.toReversed(), excluded: [cut, ...older], used: available - left };
    }
    seats.push(attempt.seat);
    left -= attempt.seat.seated.tokens;
  }
  return { seats: seats.toReversed(), excluded: [], used: available - left };
}
