// Whose vectors are to be compared exactly: what count_vectors, vectors_exact and vectors_by_sign choose among, in memory.

import { mostExactVectors, nearestBySign } from '../search_bounds.ts';
import { createBest } from './best.ts';
import type { RowTable } from './row_table.ts';
import type { SignColumn } from './sign_column.ts';
import { marks } from './visibility.ts';

/** The slots of all wanted vectors where few are in scope, else of the nearest by sign bits, ties by key. */
export function chooseVectors(
  { rows, signs }: { readonly rows: RowTable; readonly signs: SignColumn },
  question: Float32Array,
  { marked, limit }: { readonly marked: Uint8Array; readonly limit: number },
): readonly number[] {
  if (limit <= 0) return [];
  const { slots } = rows;
  const isNear = (slot: number, mark: number): boolean => ((marked[slot] ?? 0) & mark) !== 0 && signs.has(slot);
  // What is not current counts, too: the statement that decides this asks for the scope alone.
  let inScope = 0;
  for (let slot = 0; slot < slots; slot += 1) if (isNear(slot, marks.inScope)) inScope += 1;
  if (inScope <= mostExactVectors) {
    return Array.from({ length: slots }, (_, slot) => slot).filter((slot) => isNear(slot, marks.wanted));
  }
  const best = createBest(Math.max(nearestBySign, limit), (a, b) => rows.compare(a, b));
  const words = signs.wordsOf(question);
  for (let slot = 0; slot < slots; slot += 1) {
    if (isNear(slot, marks.wanted)) best.offer(slot, -signs.distance(slot, words));
  }
  return best.taken();
}
