// Vectors that searches compared last, so that those of the nearest are not read from the database again and again.

import { refKey } from '../../model/memory.ts';
import type { Ref } from '../../model/memory.ts';
import type { VectorPart } from '../search_values.ts';

/** Vectors by ref and part; when there are too many, those go that were not asked for the longest. */
export interface VectorCache {
  /** About so many bytes. */
  readonly bytes: number;
  get(ref: Ref, part: VectorPart): Float32Array | null;
  put(ref: Ref, part: VectorPart, vector: Float32Array): void;
  /** Forgets the vectors of a memory that changed. */
  remove(ref: Ref): void;
}

/** What a vector takes beside its numbers: the key, the place in the map, the array itself. */
const bytesBeside = 250;

/** An empty cache of at most so many bytes. */
export function createVectorCache(mostBytes: number): VectorCache {
  // In the order in which they were last asked for.
  const vectors = new Map<string, Float32Array>();
  let bytes = 0;
  const keyOf = (ref: Ref, part: VectorPart): string => `${part}\u0000${refKey(ref)}`;
  const sizeOf = (vector: Float32Array): number => vector.byteLength + bytesBeside;
  const drop = (key: string): void => {
    const vector = vectors.get(key);
    if (vector === undefined) return;
    vectors.delete(key);
    bytes -= sizeOf(vector);
  };
  return {
    get bytes() {
      return bytes;
    },
    get(ref, part) {
      const key = keyOf(ref, part);
      const vector = vectors.get(key);
      if (vector === undefined) return null;
      vectors.delete(key);
      vectors.set(key, vector);
      return vector;
    },
    put(ref, part, vector) {
      const key = keyOf(ref, part);
      drop(key);
      vectors.set(key, vector);
      bytes += sizeOf(vector);
      for (const oldest of vectors.keys()) {
        if (bytes <= mostBytes) break;
        drop(oldest);
      }
    },
    remove(ref) {
      drop(keyOf(ref, 'text'));
      drop(keyOf(ref, 'context'));
    },
  };
}
