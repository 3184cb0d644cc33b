// Near-duplicates (design S6): Jaccard similarity of 5-word shingles, found through an inverted index.

import { shingleSets, type ShingleSet } from './shingles.ts';

/** Floating-point products may end just above a whole number; a bound that is one too low only costs time. */
const slack = 1e-9;

/** A text that gives way: the place of the better one, and how similar they are (design S6). */
export interface NearDuplicate {
  readonly of: number;
  readonly similarity: number;
}

/**
 * For each text, best first, the best-placed kept text that is at least `threshold` similar, or null when it is kept
 * itself. Exact: the index only leaves out pairs that cannot be similar enough. A text without words is never one.
 */
export function findNearDuplicates(texts: readonly string[], threshold: number): readonly (NearDuplicate | null)[] {
  if (texts.length < 2) return texts.map(() => null);
  const sets = shingleSets(texts);
  const index = new Map<number, { readonly place: number; readonly offset: number }[]>();
  const judged = new Int32Array(sets.length).fill(-1);
  return sets.map((set, place) => {
    const prefix = set.shared.slice(0, prefixLength(set, threshold));
    const similar: number[] = [];
    prefix.forEach((shingle, offset) => {
      for (const entry of index.get(shingle) ?? []) {
        const other = sets[entry.place] ?? set;
        if (judged[entry.place] === place) continue;
        judged[entry.place] = place;
        // The rarest shingle in common: nothing before it is shared.
        const reachable = Math.min(set.shared.length - offset, other.shared.length - entry.offset);
        if (reachable >= requiredOverlap(set, other, threshold)) similar.push(entry.place);
      }
    });
    const found = bestMatch(set, similar, sets, threshold);
    if (found === null) {
      prefix.forEach((shingle, offset) => {
        const entries = index.get(shingle);
        if (entries === undefined) index.set(shingle, [{ place, offset }]);
        else entries.push({ place, offset });
      });
    }
    return found;
  });
}

/**
 * So many of a set's rarest shingles that two similar sets must share one of them, without those that only this text
 * has: they are the rarest, and shared with none.
 */
function prefixLength({ size, shared }: ShingleSet, threshold: number): number {
  const prefix = Math.min(size, size - Math.ceil(threshold * size - slack) + 1);
  return Math.max(0, prefix - (size - shared.length));
}

function requiredOverlap(set: ShingleSet, other: ShingleSet, threshold: number): number {
  return Math.ceil((threshold / (1 + threshold)) * (set.size + other.size) - slack);
}

function bestMatch(
  set: ShingleSet,
  places: readonly number[],
  sets: readonly ShingleSet[],
  threshold: number,
): NearDuplicate | null {
  for (const place of places.toSorted((a, b) => a - b)) {
    const other = sets[place] ?? set;
    const overlap = overlapOf(set.shared, other.shared, requiredOverlap(set, other, threshold));
    const similarity = overlap / (set.size + other.size - overlap);
    if (similarity >= threshold) return { of: place, similarity };
  }
  return null;
}

/** Members in common of two ascending lists; stops early, with less, when `needed` is out of reach. */
function overlapOf(a: readonly number[], b: readonly number[], needed: number): number {
  let [i, j, overlap] = [0, 0, 0];
  while (i < a.length && j < b.length && overlap + Math.min(a.length - i, b.length - j) >= needed) {
    const difference = (a[i] ?? 0) - (b[j] ?? 0);
    if (difference === 0) overlap += 1;
    if (difference <= 0) i += 1;
    if (difference >= 0) j += 1;
  }
  return overlap;
}
