// Which vectors are kept.

import { expect, it } from 'vitest';
import { createVectorCache } from '../../../src/store/resident/vector_cache.ts';

const vector = Float32Array.from([1, 2, 3, 4]);

it('[Q3] keeps the vectors that were asked for last, within its bytes', () => {
  const one = createVectorCache(10_000);
  one.put(1, 'text', vector);
  const cache = createVectorCache(3 * one.bytes);
  for (const slot of [1, 2, 3]) cache.put(slot, 'text', vector);
  expect(cache.get(1, 'text')).toEqual(vector);
  cache.put(4, 'text', vector);
  expect([1, 2, 3, 4].filter((slot) => cache.get(slot, 'text') !== null)).toEqual([1, 3, 4]);
  expect(cache.bytes).toBe(3 * one.bytes);
});

it('[Q3] gives a vector of the slot and the part that are asked for', () => {
  const cache = createVectorCache(10_000);
  const other = Float32Array.from([4, 3, 2, 1]);
  cache.put(1, 'text', vector);
  cache.put(1, 'context', other);
  cache.put(2, 'context', vector);
  expect([cache.get(1, 'text'), cache.get(1, 'context')]).toEqual([vector, other]);
  expect([cache.get(2, 'text'), cache.get(2, 'context')]).toEqual([null, vector]);
});
