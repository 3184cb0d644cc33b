// The nearest vectors of a copy: the index says which are to be compared, their vectors come from the cache or the database,
// and each comparison gives to the last bit what the database's own would.

import { refKey } from '../../model/memory.ts';
import type { SearchFilter, VectorHit, VectorPart } from '../search_values.ts';
import { unitVector } from '../statements/search.ts';
import type { SearchContext } from '../statements/search.ts';
import type { Session } from '../statements/session.ts';
import { readVectors } from './index_reads.ts';
import type { ResidentCopy } from './resident_sync.ts';

/** What is searched for, and among what. */
export interface Question {
  /** Not zero. */
  readonly vector: Float32Array;
  readonly part: VectorPart;
  readonly filter: SearchFilter;
}

/** Nearest first, ties by ref. Vectors that are not kept are read in the session's transaction. */
export async function nearestVectors(
  session: Session,
  copy: ResidentCopy,
  context: SearchContext,
  { vector, part, filter }: Question,
): Promise<readonly VectorHit[]> {
  const { index } = copy;
  const near = index.near(vector, part, filter, context);
  const [slots, vectors] = await vectorsOf(session, copy, { part, slots: near });
  const cosines = innerProducts(Float32Array.from(unitVector(vector)), vectors);
  return slots
    .map((slot, place) => ({ slot, cosine: cosines[place] ?? 0 }))
    .toSorted((a, b) => b.cosine - a.cosine || index.compare(a.slot, b.slot))
    .slice(0, filter.limit)
    .map(({ slot, cosine }) => ({ ref: index.refAt(slot), cosine }));
}

/** The slots that have a vector, and those. */
async function vectorsOf(
  session: Session,
  { index, vectors, embedder }: ResidentCopy,
  { part, slots }: { readonly part: VectorPart; readonly slots: readonly number[] },
): Promise<readonly [slots: readonly number[], vectors: readonly Float32Array[]]> {
  const found: number[] = [];
  const kept: Float32Array[] = [];
  const missing = new Map<string, number>();
  for (const slot of slots) {
    const vector = vectors.get(slot, part);
    if (vector === null) {
      missing.set(refKey(index.refAt(slot)), slot);
      continue;
    }
    found.push(slot);
    kept.push(vector);
  }
  const refs = [...missing.values()].map((slot) => index.refAt(slot));
  for (const [ref, vector] of await readVectors(session, embedder, { part, refs })) {
    const slot = missing.get(refKey(ref));
    if (slot === undefined) continue;
    vectors.put(slot, part, vector);
    found.push(slot);
    kept.push(vector);
  }
  return [found, kept];
}

/** Four at a time: a sum waits for its own last addition, and the others need not wait with it. */
const lanes = 4;

/** The cosines with vectors of length 1, in single precision and in the order of their numbers, as the database adds. */
function innerProducts(one: Float32Array, others: readonly Float32Array[]): Float32Array {
  const products = new Float32Array(others.length);
  const beyond = new Float32Array(one.length);
  for (let first = 0; first < others.length; first += lanes) {
    const [a, b] = [others[first] ?? beyond, others[first + 1] ?? beyond];
    const [c, d] = [others[first + 2] ?? beyond, others[first + 3] ?? beyond];
    let [withA, withB, withC, withD] = [0, 0, 0, 0];
    for (let place = 0; place < one.length; place += 1) {
      const value = one[place] ?? 0;
      withA = Math.fround(withA + Math.fround(value * (a[place] ?? 0)));
      withB = Math.fround(withB + Math.fround(value * (b[place] ?? 0)));
      withC = Math.fround(withC + Math.fround(value * (c[place] ?? 0)));
      withD = Math.fround(withD + Math.fround(value * (d[place] ?? 0)));
    }
    // What is beyond the last of them is not written.
    products.set([withA, withB, withC, withD].slice(0, others.length - first), first);
  }
  return products;
}
