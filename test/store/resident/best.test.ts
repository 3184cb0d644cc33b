// The best of many are those that a sort of all would put first.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { createBest } from '../../../src/store/resident/best.ts';

it('[Q2] keeps what a sort puts first, ties in the given order', () => {
  const scores = fc.array(fc.integer({ min: -3, max: 3 }), { maxLength: 60 });
  fc.assert(
    fc.property(scores, fc.integer({ min: -1, max: 70 }), fc.boolean(), (given, limit, isRising) => {
      const compare = (a: number, b: number): number => (isRising ? a - b : b - a);
      const best = createBest(limit, compare);
      given.forEach((score, slot) => best.offer(slot, score));
      const sorted = given
        .map((score, slot) => ({ score, slot }))
        .toSorted((a, b) => b.score - a.score || compare(a.slot, b.slot));
      expect(best.taken()).toEqual(sorted.slice(0, Math.max(0, limit)).map(({ slot }) => slot));
    }),
  );
});
