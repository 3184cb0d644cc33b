// Shingles (design S6): the runs of five words that texts have in common, as sets of whole numbers.

import { numberWords } from './word_numbers.ts';

const shingleWords = 5;
/** Words of all texts that are compared, best first; a text beyond it is left alone, so that time and memory are bounded. */
const wordLimit = 1_000_000;
/** Fills a text of fewer words up to one shingle; no word has this number. */
const noWord = 0;

/** A text as near-duplicates are found by it: what no other text has can only tell it apart. */
export interface ShingleSet {
  /** How many distinct shingles the text has. */
  readonly size: number;
  /** Those that other texts have too, ascending: a shingle of fewer texts has the smaller number. */
  readonly shared: readonly number[];
}

/** Where shingles begin in one sequence of all words, in its order, and the place of the text of each word. */
interface Sequence {
  readonly words: Int32Array;
  readonly textAt: Int32Array;
  readonly starts: Int32Array;
  /** Above every word's number. */
  readonly wordRange: number;
}

/** The shingles of each text; one without words, or beyond the limit of words, has none. Equal numbers are equal shingles. */
export function shingleSets(texts: readonly string[]): readonly ShingleSet[] {
  const sequence = sequenceOf(texts);
  const sorted = sortShingles(sequence);
  const sizes = new Int32Array(texts.length);
  const byTexts: number[][][] = [];
  for (let from = 0, to = 0; from < sorted.length; from = to) {
    to = endOfEqual(sequence.words, sorted, from);
    if (to - from === 1) {
      const place = sequence.textAt[sorted[from] ?? 0] ?? 0;
      sizes[place] = (sizes[place] ?? 0) + 1;
      continue;
    }
    const places = distinctPlaces(sequence.textAt, sorted, from, to);
    for (const place of places) sizes[place] = (sizes[place] ?? 0) + 1;
    if (places.length > 1) (byTexts[places.length] ??= []).push(places);
  }
  const shared = texts.map((): number[] => []);
  let number = 0;
  for (const shingles of byTexts) {
    for (const places of shingles ?? []) {
      for (const place of places) shared[place]?.push(number);
      number += 1;
    }
  }
  return shared.map((numbers, place) => ({ size: sizes[place] ?? 0, shared: numbers }));
}

/** All words as one sequence. A text of fewer words than a shingle has is one shingle, filled up. */
function sequenceOf(texts: readonly string[]): Sequence {
  const numbered = numberWords(texts, wordLimit);
  const lengths = numbered.texts.map(({ length }) => (length === 0 ? 0 : Math.max(length, shingleWords)));
  const length = lengths.reduce((sum, own) => sum + own, 0);
  const words = new Int32Array(length).fill(noWord);
  const textAt = new Int32Array(length);
  const starts: number[] = [];
  let begin = 0;
  numbered.texts.forEach((own, place) => {
    const end = begin + (lengths[place] ?? 0);
    words.set(own, begin);
    textAt.fill(place, begin, end);
    for (let start = begin; start <= end - shingleWords; start += 1) starts.push(start);
    begin = end;
  });
  return { words, textAt, starts: Int32Array.from(starts), wordRange: numbered.range };
}

/**
 * Brings equal shingles together, each group in the order of the texts: sorts by the last word, then by the one before
 * it, and so on, keeping ties as they are. No hashes, so no text can be written that takes longer than others.
 */
function sortShingles({ words, starts, wordRange }: Sequence): Int32Array {
  let [sorted, next] = [starts, new Int32Array(starts.length)];
  for (let offset = shingleWords - 1; offset >= 0; offset -= 1) {
    const slots = new Int32Array(wordRange + 1);
    for (const start of sorted) {
      const slot = (words[start + offset] ?? 0) + 1;
      slots[slot] = (slots[slot] ?? 0) + 1;
    }
    for (let slot = 1; slot <= wordRange; slot += 1) slots[slot] = (slots[slot] ?? 0) + (slots[slot - 1] ?? 0);
    for (const start of sorted) {
      const word = words[start + offset] ?? 0;
      const slot = slots[word] ?? 0;
      next[slot] = start;
      slots[word] = slot + 1;
    }
    [sorted, next] = [next, sorted];
  }
  return sorted;
}

/** The end of the group of equal shingles that begins at `from`. */
function endOfEqual(words: Int32Array, sorted: Int32Array, from: number): number {
  const first = sorted[from] ?? 0;
  let to = from + 1;
  while (to < sorted.length && isSame(words, first, sorted[to] ?? 0)) to += 1;
  return to;
}

function isSame(words: Int32Array, one: number, other: number): boolean {
  for (let offset = 0; offset < shingleWords; offset += 1) {
    if (words[one + offset] !== words[other + offset]) return false;
  }
  return true;
}

/** The places of the texts that have the shingle, ascending. */
function distinctPlaces(textAt: Int32Array, sorted: Int32Array, from: number, to: number): number[] {
  const places: number[] = [];
  let last = -1;
  for (let at = from; at < to; at += 1) {
    const place = textAt[sorted[at] ?? 0] ?? 0;
    if (place !== last) places.push(place);
    last = place;
  }
  return places;
}
