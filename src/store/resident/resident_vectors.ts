// Whose vectors are to be compared exactly: what count_vectors, vectors_exact and vectors_by_sign choose among, in memory.

import { mostExactVectors, nearestBySign } from '../search_bounds.ts';
import { createBest } from './best.ts';
import type { RowTable } from './row_table.ts';
import type { Scratch } from './scratch.ts';
import type { SignColumn } from './sign_column.ts';
import { marks } from './visibility.ts';

/** The slots of all wanted vectors where few are in scope, else of the nearest by sign bits, ties by key. */
export function chooseVectors(
  { rows, signs, scratch }: { readonly rows: RowTable; readonly signs: SignColumn; readonly scratch: Scratch },
  question: Float32Array,
  { marked, limit }: { readonly marked: Uint8Array; readonly limit: number },
): readonly number[] {
  if (limit <= 0) return [];
  // What is not current counts, too: the statement that decides this asks for the scope alone.
  const inScope = listMarked(signs.present, { marked, mark: marks.inScope }, scratch.slots).length;
  const wanted = listMarked(signs.present, { marked, mark: marks.wanted }, scratch.slots);
  const most = Math.max(nearestBySign, limit);
  if (inScope <= mostExactVectors || wanted.length <= most) return [...wanted];
  return nearest(wanted, signs.distances(question), { most, compare: (a, b) => rows.compare(a, b) });
}

/** The slots with a vector and the mark, rising, in the array given. */
function listMarked(
  present: Uint8Array,
  { marked, mark }: { readonly marked: Uint8Array; readonly mark: number },
  slots: Uint32Array,
): Uint32Array {
  let count = 0;
  for (let slot = 0; slot < present.length; slot += 1) {
    if (present[slot] !== 1 || ((marked[slot] ?? 0) & mark) === 0) continue;
    slots[count] = slot;
    count += 1;
  }
  return slots.subarray(0, count);
}

/** All below the distance up to which there are enough, and of those at it the first by key. */
function nearest(
  slots: Uint32Array,
  distances: Uint16Array,
  { most, compare }: { readonly most: number; readonly compare: (a: number, b: number) => number },
): readonly number[] {
  const edge = edgeOf(slots, distances, most);
  const below: number[] = [];
  const atEdge: number[] = [];
  for (const slot of slots) {
    const distance = distances[slot] ?? 0;
    if (distance < edge) below.push(slot);
    else if (distance === edge) atEdge.push(slot);
  }
  const first = createBest(most - below.length, compare);
  for (const slot of atEdge) first.offer(slot, 0);
  return [...below, ...first.taken()];
}

/** The distance at which, counted from the nearest, so many slots are reached. */
function edgeOf(slots: Uint32Array, distances: Uint16Array, most: number): number {
  const counts: number[] = [];
  for (const slot of slots) {
    const distance = distances[slot] ?? 0;
    counts[distance] = (counts[distance] ?? 0) + 1;
  }
  let edge = 0;
  for (let reached = counts[0] ?? 0; reached < most; reached += counts[edge] ?? 0) edge += 1;
  return edge;
}
