// Which vectors are kept.

import { expect, it } from 'vitest';
import { rowId } from '../../../src/model/ids.ts';
import type { Ref } from '../../../src/model/memory.ts';
import { createVectorCache } from '../../../src/store/resident/vector_cache.ts';

const ref = (id: string): Ref => ['entity', rowId(id), 1];
const vector = Float32Array.from([1, 2, 3, 4]);

it('[Q3] keeps the vectors that were asked for last, within its bytes', () => {
  const one = createVectorCache(10_000);
  one.put(ref('a'), 'text', vector);
  const cache = createVectorCache(3 * one.bytes);
  for (const id of ['a', 'b', 'c']) cache.put(ref(id), 'text', vector);
  expect(cache.get(ref('a'), 'text')).toEqual(vector);
  cache.put(ref('d'), 'text', vector);
  expect(['a', 'b', 'c', 'd'].filter((id) => cache.get(ref(id), 'text') !== null)).toEqual(['a', 'c', 'd']);
  expect(cache.bytes).toBe(3 * one.bytes);
});

it('[Q3] gives a vector of the part that is asked for, and none of a memory that was removed', () => {
  const cache = createVectorCache(10_000);
  const other = Float32Array.from([4, 3, 2, 1]);
  cache.put(ref('a'), 'text', vector);
  cache.put(ref('a'), 'context', vector);
  cache.put(ref('a'), 'context', other);
  cache.put(ref('b'), 'text', vector);
  expect([cache.get(ref('a'), 'text'), cache.get(ref('a'), 'context')]).toEqual([vector, other]);
  cache.remove(ref('a'));
  expect([cache.get(ref('a'), 'text'), cache.get(ref('a'), 'context')]).toEqual([null, null]);
  cache.remove(ref('b'));
  expect(cache.bytes).toBe(0);
});
