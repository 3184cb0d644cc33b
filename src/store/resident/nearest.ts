// The nearest vectors of a copy: the index says which are to be compared, their vectors come from the cache or the database,
// and each comparison gives to the last bit what the database's own would.

import type { Ref } from '../../model/memory.ts';
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
  const refs = copy.index.near(vector, part, filter, context);
  const found = await vectorsOf(session, copy, { part, refs });
  const unit = Float32Array.from(unitVector(vector));
  return found
    .map(([ref, other]): VectorHit => ({ ref, cosine: innerProduct(unit, other) }))
    .toSorted((a, b) => b.cosine - a.cosine || compareKeys(a.ref, b.ref))
    .slice(0, filter.limit);
}

async function vectorsOf(
  session: Session,
  { vectors, embedder }: ResidentCopy,
  { part, refs }: { readonly part: VectorPart; readonly refs: readonly Ref[] },
): Promise<readonly (readonly [ref: Ref, vector: Float32Array])[]> {
  const found: (readonly [Ref, Float32Array])[] = [];
  const missing: Ref[] = [];
  for (const ref of refs) {
    const vector = vectors.get(ref, part);
    if (vector === null) missing.push(ref);
    else found.push([ref, vector]);
  }
  const read = await readVectors(session, embedder, { part, refs: missing });
  for (const [ref, vector] of read) vectors.put(ref, part, vector);
  return [...found, ...read];
}

/** The cosine of two vectors of length 1, in single precision and in the order of their numbers, as the database adds. */
function innerProduct(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let place = 0; place < one.length; place += 1) {
    sum = Math.fround(sum + Math.fround((one[place] ?? 0) * (other[place] ?? 0)));
  }
  return sum;
}

function compareKeys([typeA, idA, versionA]: Ref, [typeB, idB, versionB]: Ref): number {
  if (typeA !== typeB) return typeA < typeB ? -1 : 1;
  if (idA !== idB) return idA < idB ? -1 : 1;
  return versionA - versionB;
}
