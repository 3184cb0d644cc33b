// The sign bits of vectors in words of 32, row after row, and in how many of them two vectors differ.

import { grown } from './columns.ts';

/** The sign bits of one part of all rows. */
export interface SignColumn {
  /** How many rows have a vector. */
  readonly vectors: number;
  readonly bytes: number;
  /** Puts the bits of a row that has none, most significant bit first. */
  put(slot: number, bits: Uint8Array): void;
  remove(slot: number): void;
  /** 1 for each slot that has a vector. The next change may put another array in its place. */
  readonly present: Uint8Array;
  /**
   * For each slot, in how many bits its vector differs from this one, where it has one; the next call overwrites them.
   * A bit is 1 where a component is above 0, as `binary_quantize` of pgvector has it.
   */
  distances(vector: Float32Array): Uint16Array;
}

/** Makes an empty column for vectors of so many dimensions. */
export function createSignColumn(dimensions: number): SignColumn {
  const wordsEach = Math.ceil(dimensions / 32);
  let kept = new Uint32Array(0);
  let present = new Uint8Array(0);
  let measured = new Uint16Array(0);
  let vectors = 0;
  return {
    get vectors() {
      return vectors;
    },
    get bytes() {
      return kept.byteLength + present.byteLength + measured.byteLength;
    },
    put: (slot, bits) => {
      kept = grown(kept, (slot + 1) * wordsEach);
      present = grown(present, slot + 1);
      for (let word = 0; word < wordsEach; word += 1) kept[slot * wordsEach + word] = wordAt(bits, 4 * word);
      present[slot] = 1;
      vectors += 1;
    },
    remove: (slot) => {
      if (present[slot] !== 1) return;
      present[slot] = 0;
      vectors -= 1;
    },
    get present() {
      return present;
    },
    distances: (vector) => {
      if (measured.length < present.length) measured = new Uint16Array(present.length);
      measure(kept, signWords(vector, wordsEach), measured);
      return measured;
    },
  };
}

function signWords(vector: Float32Array, wordsEach: number): Uint32Array {
  const words = new Uint32Array(wordsEach);
  vector.forEach((component, at) => {
    if (component > 0) words[at >> 5] = (words[at >> 5] ?? 0) | (1 << (31 - (at & 31)));
  });
  return words;
}

function measure(kept: Uint32Array, words: Uint32Array, distances: Uint16Array): void {
  const slots = Math.min(distances.length, Math.floor(kept.length / words.length));
  let at = 0;
  for (let slot = 0; slot < slots; slot += 1) {
    let differing = 0;
    for (let word = 0; word < words.length; word += 1, at += 1) {
      differing += bitsSet((kept[at] ?? 0) ^ (words[word] ?? 0));
    }
    distances[slot] = differing;
  }
}

/** Four bytes as a word; beyond the last one they are 0. */
function wordAt(bits: Uint8Array, at: number): number {
  return ((bits[at] ?? 0) << 24) | ((bits[at + 1] ?? 0) << 16) | ((bits[at + 2] ?? 0) << 8) | (bits[at + 3] ?? 0);
}

/** How many of 32 bits are 1: counted in pairs, fours and bytes at once. */
function bitsSet(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
