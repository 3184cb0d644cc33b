// What is put into lists of terms comes out of them again, whatever the gaps between slots and however long the list.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPostings } from '../../../src/store/resident/postings.ts';
import type { PerField } from '../../../src/store/search_values.ts';

const step = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 3 }) },
  { weight: 2, arbitrary: fc.integer({ min: 100, max: 300 }) },
  { weight: 1, arbitrary: fc.constantFrom(127, 128, 16_383, 16_384, 2_097_151, 2_097_152, 5_000_000) },
);
const frequencies: fc.Arbitrary<PerField> = fc.oneof(
  fc.tuple(fc.nat(1), fc.nat(1), fc.nat(3), fc.nat(3)),
  fc.tuple(fc.nat(32_767), fc.nat(32_767), fc.nat(32_767), fc.nat(32_767)),
);
const terms = fc.uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'c', '検索'), frequencies), {
  selector: ([term]) => term,
});

describe('lists of terms', () => {
  it('[Q2] give back slots in order with their frequencies', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(step, terms), { maxLength: 400, size: 'max' }), (rows) => {
        const postings = createPostings();
        const expected = new Map<string, (readonly [number, PerField])[]>();
        let slot = -1;
        for (const [gap, held] of rows) {
          slot += gap;
          postings.add(slot, held);
          for (const [term, counts] of held) expected.set(term, [...(expected.get(term) ?? []), [slot, counts]]);
        }
        for (const term of ['a', 'b', 'c', '検索', 'unknown']) {
          const { count, slots, frequencies: codes } = postings.read(term);
          const read = Array.from({ length: count }, (_, at) => [slots[at], postings.frequenciesAt(codes[at] ?? -1)]);
          expect(read).toEqual(expected.get(term) ?? []);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('[Q2] stay whole beyond one block and take few bytes a row', () => {
    const postings = createPostings();
    const rows = 60_000;
    for (let slot = 0; slot < rows; slot += 1) {
      postings.add(slot, [
        ['everywhere', [0, 0, 1 + (slot % 3), 0]],
        [`only_${slot % 20_000}`, [1, 0, 0, 0]],
      ]);
    }
    const { count, slots, frequencies: codes } = postings.read('everywhere');
    expect(count).toBe(rows);
    for (const slot of [0, 1, 29_999, 59_999]) {
      expect(slots[slot]).toBe(slot);
      expect(postings.frequenciesAt(codes[slot] ?? -1)).toEqual([0, 0, 1 + (slot % 3), 0]);
    }
    expect([...postings.read('only_7').slots.subarray(0, 3)]).toEqual([7, 20_007, 40_007]);
    expect(postings.bytes).toBeLessThan(100 * rows);
  });
});
