// Shingles (design S6): the runs of five words that texts have in common, as sets of whole numbers.

import { equalRuns } from './equal_runs.ts';
import { foldCase, wordSpans } from './words.ts';

const shingleWords = 5;
/** Words of all texts that are compared, best first; a text beyond it is left alone, so that time and memory are bounded. */
const wordLimit = 1_000_000;
/** Odd numbers that spread hashes well (of xxHash and MurmurHash), one for each sieving. */
const sieves = [0x9e3779b1, 0x85ebca6b, 0xc2b2ae35] as const;

/** A text as near-duplicates are found by it: shingles that no other text has only count. */
export interface ShingleSet {
  /** How many distinct shingles the text has. */
  readonly size: number;
  /** Those that other texts have too, ascending: a shingle of fewer texts has the smaller number. */
  readonly shared: readonly number[];
}

/** The words of all texts in one sequence: where each stands, in which text, and its hash. */
interface Sequence {
  readonly folded: readonly string[];
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly places: Int32Array;
  readonly hashes: Int32Array;
  /** Where in the sequence shingles begin, ascending. */
  readonly shingles: Int32Array;
  /** How many of them each text has, its repetitions too. */
  readonly counts: readonly number[];
}

/** The shingles of each text; one without words, or beyond the limit of words, has none. Equal numbers are equal shingles. */
export function shingleSets(texts: readonly string[]): readonly ShingleSet[] {
  const sequence = sequenceOf(texts);
  const sizes = Int32Array.from(sequence.counts);
  const byTexts: number[][][] = [];
  for (const equal of equalRuns(numberWords(sequence), repeated(sequence), shingleWords)) {
    const places: number[] = [];
    for (const shingle of equal) {
      const place = sequence.places[shingle] ?? 0;
      // Ascending, so a text's own repetitions follow each other.
      if (places.at(-1) === place) sizes[place] = (sizes[place] ?? 0) - 1;
      else places.push(place);
    }
    if (places.length > 1) (byTexts[places.length] ??= []).push(places);
  }
  const shared = texts.map((): number[] => []);
  byTexts.flat().forEach((places, number) => {
    for (const place of places) shared[place]?.push(number);
  });
  return shared.map((numbers, place) => ({ size: sizes[place] ?? 0, shared: numbers }));
}

/** A text of fewer words than a shingle has is one shingle, filled up with empty words. */
function sequenceOf(texts: readonly string[]): Sequence {
  const folded = texts.map(foldCase);
  const spans = spansWithin(folded);
  const lengths = spans.map((own) => (own.length === 0 ? 0 : Math.max(own.length / 2, shingleWords)));
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const [starts, ends, places] = [new Int32Array(total), new Int32Array(total), new Int32Array(total)];
  const [hashes, shingles] = [new Int32Array(total), new Int32Array(total)];
  let [words, runs] = [0, 0];
  for (const [place, text] of folded.entries()) {
    const [own = [], length = 0] = [spans[place], lengths[place]];
    for (let word = 0; word < length; word += 1, words += 1) {
      const [start, end] = [own[2 * word] ?? 0, own[2 * word + 1] ?? 0];
      starts[words] = start;
      ends[words] = end;
      places[words] = place;
      hashes[words] = hashOf(text, start, end);
      if (word <= length - shingleWords) shingles[runs++] = words;
    }
  }
  const counts = lengths.map((length) => Math.max(0, length - shingleWords + 1));
  return { folded, starts, ends, places, hashes, shingles: shingles.subarray(0, runs), counts };
}

/** Where the words of each text stand; nowhere in a text that goes beyond the limit. */
function spansWithin(folded: readonly string[]): readonly (readonly number[])[] {
  let wordsLeft = wordLimit;
  return folded.map((text) => {
    const spans = wordSpans(text, wordsLeft);
    if (spans.length > 2 * wordsLeft) return [];
    wordsLeft -= spans.length / 2;
    return spans;
  });
}

/** By the prime of FNV-1a. */
function hashOf(text: string, start: number, end: number): number {
  let hash = 0;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}

/**
 * The shingles that may stand in more than one place, with few others: most texts have little in common, and comparing
 * exactly takes long. One that stands in more is never left out.
 */
function repeated({ shingles, hashes }: Sequence): Int32Array {
  return sieves.reduce((left, factor) => sieved(left, hashes, factor), shingles);
}

/** Leaves out each shingle that has a bucket to itself. */
function sieved(shingles: Int32Array, hashes: Int32Array, factor: number): Int32Array {
  const mask = 2 ** Math.ceil(Math.log2(4 * shingles.length + 1)) - 1;
  const counts = new Uint8Array(mask + 1);
  const buckets = new Int32Array(shingles.length);
  for (let at = 0; at < shingles.length; at += 1) {
    const start = shingles[at] ?? 0;
    let hash = 0;
    for (let offset = 0; offset < shingleWords; offset += 1) {
      hash = Math.imul(hash ^ (hashes[start + offset] ?? 0), factor);
      hash ^= hash >>> 15;
    }
    const bucket = hash & mask;
    buckets[at] = bucket;
    counts[bucket] = Math.min((counts[bucket] ?? 0) + 1, 2);
  }
  return shingles.filter((_, at) => counts[buckets[at] ?? 0] === 2);
}

/** Gives a word of the sequence its number, from 0: equal words have equal numbers. */
function numberWords({ folded, starts, ends, places }: Sequence): (word: number) => number {
  const numbers = new Map<string, number>();
  return (word) => {
    const text = (folded[places[word] ?? 0] ?? '').slice(starts[word], ends[word]);
    const number = numbers.get(text) ?? numbers.size;
    if (number === numbers.size) numbers.set(text, number);
    return number;
  };
}
