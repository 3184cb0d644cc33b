// Near-duplicates (design S6): Jaccard similarity of 5-word shingles, found through an inverted index.

import { wordsOf } from './words.ts';

const shingleWords = 5;
/** Words of all texts that are compared, best first; a text beyond it is left alone, so that time and memory are bounded. */
const wordLimit = 1_000_000;
/** Floating-point products may end just above a whole number; a bound that is one too low only costs time. */
const slack = 1e-9;
/** Above every number that so many words and their sequences can get. */
const idRange = 2 ** 26;

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
  const sets = rarestFirst(shingleSets(texts));
  const index = new Map<number, { readonly place: number; readonly offset: number }[]>();
  const judged = new Int32Array(sets.length).fill(-1);
  return sets.map((set, place) => {
    const prefix = set.slice(0, prefixLength(set.length, threshold));
    const similar: number[] = [];
    prefix.forEach((shingle, offset) => {
      for (const entry of index.get(shingle) ?? []) {
        const other = sets[entry.place] ?? set;
        if (judged[entry.place] === place) continue;
        judged[entry.place] = place;
        // The rarest shingle in common: nothing before it is shared.
        const reachable = Math.min(set.length - offset, other.length - entry.offset);
        if (reachable >= requiredOverlap(set.length + other.length, threshold)) similar.push(entry.place);
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

/** So many of a set's rarest shingles that two similar sets must share one of them. */
function prefixLength(size: number, threshold: number): number {
  return Math.min(size, Math.max(0, size - Math.ceil(threshold * size - slack) + 1));
}

function requiredOverlap(sizes: number, threshold: number): number {
  return Math.ceil((threshold / (1 + threshold)) * sizes - slack);
}

function bestMatch(
  set: Int32Array,
  places: readonly number[],
  sets: readonly Int32Array[],
  threshold: number,
): NearDuplicate | null {
  for (const place of places.toSorted((a, b) => a - b)) {
    const other = sets[place] ?? set;
    const overlap = overlapOf(set, other, requiredOverlap(set.length + other.length, threshold));
    const similarity = overlap / (set.length + other.length - overlap);
    if (similarity >= threshold) return { of: place, similarity };
  }
  return null;
}

/** Members in common of two ascending sets; stops early, with less, when `needed` is out of reach. */
function overlapOf(a: Int32Array, b: Int32Array, needed: number): number {
  let [i, j, overlap] = [0, 0, 0];
  while (i < a.length && j < b.length && overlap + Math.min(a.length - i, b.length - j) >= needed) {
    const difference = (a[i] ?? 0) - (b[j] ?? 0);
    if (difference === 0) overlap += 1;
    if (difference <= 0) i += 1;
    if (difference >= 0) j += 1;
  }
  return overlap;
}

/** Each text's distinct shingles as whole numbers: equal numbers are equal shingles. */
function shingleSets(texts: readonly string[]): readonly (readonly number[])[] {
  const number = numbering();
  let wordsLeft = wordLimit;
  return texts.map((text) => {
    const words = wordsOf(text);
    if (words.length > wordsLeft) return [];
    wordsLeft -= words.length;
    return [...new Set(shinglesOf(words, number))];
  });
}

/** Numbers a word, or the sequence of words that an earlier number stands for and one word more. */
interface Numbering {
  readonly word: (word: string) => number;
  readonly sequence: (start: number, last: number) => number;
}

function numbering(): Numbering {
  const words = new Map<string, number>();
  const sequences = new Map<number, number>();
  const numberIn = <Key>(numbers: Map<Key, number>, key: Key): number => {
    const known = numbers.get(key);
    if (known !== undefined) return known;
    // One count for both, so that no sequence has the number of a word.
    const number = words.size + sequences.size;
    numbers.set(key, number);
    return number;
  };
  return {
    word: (word) => numberIn(words, word),
    sequence: (start, last) => numberIn(sequences, start * idRange + last),
  };
}

/** The runs of five words, or all words of a shorter text as one. */
function shinglesOf(words: readonly string[], number: Numbering): readonly number[] {
  const ids = words.map(number.word);
  const length = Math.min(shingleWords, ids.length);
  const starts = ids.slice(0, ids.length - length + 1);
  return starts.map((first, at) => {
    let shingle = first;
    for (let next = 1; next < length; next += 1) shingle = number.sequence(shingle, ids[at + next] ?? 0);
    return shingle;
  });
}

/** Renumbers shingles so that rare ones are small, and sorts each set: what many texts share is looked at last. */
function rarestFirst(sets: readonly (readonly number[])[]): readonly Int32Array[] {
  const counts = new Map<number, number>();
  for (const set of sets) for (const shingle of set) counts.set(shingle, (counts.get(shingle) ?? 0) + 1);
  const byCount: number[][] = [];
  for (const [shingle, count] of counts) (byCount[count] ??= []).push(shingle);
  const ranks = new Map<number, number>();
  for (const shingles of byCount) for (const shingle of shingles ?? []) ranks.set(shingle, ranks.size);
  return sets.map((set) => Int32Array.from(set, (shingle) => ranks.get(shingle) ?? 0).toSorted());
}
