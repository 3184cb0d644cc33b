// Vectors that searches compared last, so that those of the nearest are not read from the database again and again.

import type { VectorPart } from '../search_values.ts';

/** Vectors by slot and part; when there are too many, those go that were not asked for the longest. */
export interface VectorCache {
  /** About so many bytes. */
  readonly bytes: number;
  get(slot: number, part: VectorPart): Float32Array | null;
  /** Keeps the vector of a slot, which never has another one. */
  put(slot: number, part: VectorPart, vector: Float32Array): void;
}

/** What a vector takes beside its numbers: the place in the map, the array itself. */
const bytesBeside = 200;

/** About so many bytes does a vector of these dimensions take. */
export function vectorBytes(dimensions: number): number {
  return dimensions * Float32Array.BYTES_PER_ELEMENT + bytesBeside;
}

/** An empty cache of at most so many bytes. */
export function createVectorCache(mostBytes: number): VectorCache {
  // In the order in which they were last asked for.
  const vectors = new Map<number, Float32Array>();
  let bytes = 0;
  const keyOf = (slot: number, part: VectorPart): number => 2 * slot + (part === 'text' ? 0 : 1);
  return {
    get bytes() {
      return bytes;
    },
    get(slot, part) {
      const key = keyOf(slot, part);
      const vector = vectors.get(key);
      if (vector === undefined) return null;
      // As long as there is room, nobody has to go.
      if (bytes + vectorBytes(vector.length) > mostBytes) {
        vectors.delete(key);
        vectors.set(key, vector);
      }
      return vector;
    },
    put(slot, part, vector) {
      vectors.set(keyOf(slot, part), vector);
      bytes += vectorBytes(vector.length);
      for (const [oldest, other] of vectors) {
        if (bytes <= mostBytes) break;
        vectors.delete(oldest);
        bytes -= vectorBytes(other.length);
      }
    },
  };
}
