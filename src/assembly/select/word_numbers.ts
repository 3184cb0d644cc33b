// Words as whole numbers (design S6): equal words of all texts get one number, so that runs of them compare quickly.

import { foldCase, wordSpans } from './words.ts';

/** Steps a word is looked for from its slot on. Words written to meet in one slot go to a map, which nobody can foresee. */
const reach = 32;
/** Mixes a code unit into a hash (the prime of FNV-1a). */
const prime = 0x01000193;

/** The words of each text, in order. */
export interface NumberedWords {
  readonly texts: readonly (readonly number[])[];
  /** Above every number; they begin at 1. */
  readonly range: number;
}

/** Numbers the words of texts, up to `limit` words in all; a text that would go beyond it has none. */
export function numberWords(texts: readonly string[], limit: number): NumberedWords {
  const folded = texts.map(foldCase);
  const characters = folded.reduce((sum, text) => sum + text.length, 0);
  const known = wordTable(Math.min(limit, characters));
  let wordsLeft = limit;
  const numbered = folded.map((text): readonly number[] => {
    const spans = wordSpans(text, wordsLeft);
    if (spans.length > 2 * wordsLeft) return [];
    wordsLeft -= spans.length / 2;
    const numbers: number[] = [];
    for (let at = 0; at < spans.length; at += 2) numbers.push(known.numberOf(text, spans[at] ?? 0, spans[at + 1] ?? 0));
    return numbers;
  });
  return { texts: numbered, range: known.size() + 1 };
}

interface WordTable {
  readonly numberOf: (text: string, start: number, end: number) => number;
  readonly size: () => number;
}

/** Numbers up to `most` words by a hash of their own: faster than a map, since no word becomes a text of its own. */
function wordTable(most: number): WordTable {
  const mask = 2 ** Math.ceil(Math.log2(2 * most + 2)) - 1;
  const slots = new Int32Array(mask + 1);
  const beyond = new Map<string, number>();
  // Of each word where it stands, by its number; there is no word 0.
  const [texts, starts, ends, hashes] = [[''], [0], [0], [0]];
  const add = (text: string, start: number, end: number, hash: number): number => {
    texts.push(text);
    starts.push(start);
    ends.push(end);
    return hashes.push(hash) - 1;
  };
  const numberOf = (text: string, start: number, end: number): number => {
    const hash = hashOf(text, start, end);
    for (let step = 0; step < reach; step += 1) {
      const slot = (hash + step) & mask;
      const number = slots[slot] ?? 0;
      if (number === 0) return (slots[slot] = add(text, start, end, hash));
      if (hashes[number] !== hash || (ends[number] ?? 0) - (starts[number] ?? 0) !== end - start) continue;
      if (isSame(texts[number] ?? '', starts[number] ?? 0, text, start, end)) return number;
    }
    const word = text.slice(start, end);
    const number = beyond.get(word) ?? add(text, start, end, hash);
    beyond.set(word, number);
    return number;
  };
  return { numberOf, size: () => hashes.length - 1 };
}

function hashOf(text: string, start: number, end: number): number {
  let hash = 0;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), prime);
  return hash ^ (hash >>> 15);
}

function isSame(one: string, from: number, text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    if (one.charCodeAt(from + at - start) !== text.charCodeAt(at)) return false;
  }
  return true;
}
