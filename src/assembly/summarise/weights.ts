// How much a word tells within one text (design C1): rare ones more than common ones, and which sentences share them.

import { lightStems, type Features } from './features.ts';

/** The words and identifiers of a text, with the sentences that hold each. */
export interface Vocabulary {
  /** Rarer terms weigh more; a term of every sentence, or a short one as most languages' small words are, nearly nothing. */
  readonly weightOf: (term: string) => number;
  /** True for a term that tells two subjects apart. */
  readonly isHeavy: (term: string) => boolean;
  /** Sentences that hold a term, in order. */
  readonly holding: (term: string) => readonly number[];
  /** The words and identifiers of a sentence. */
  readonly termsOf: (sentence: number) => readonly string[];
  /** The summed weight of a sentence's terms. */
  readonly weightOfAll: (sentence: number) => number;
  /** The same of its words alone: identifiers are often what changes. */
  readonly weightOfWords: (sentence: number) => number;
}

/** How much lighter small words are, and those that say how something is meant. */
const lightness = 5;

/** How near a term's weight must come to that of a term of one sentence alone. */
const heavyShare = 0.55;

const shortWord = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]{1,3}$/u;

/** Counts the terms of all sentences. */
export function vocabularyOf(sentences: readonly Features[]): Vocabulary {
  const terms = sentences.map(({ words, identifiers }) => [
    ...words,
    ...[...identifiers].map((identifier) => identifier.toLowerCase()),
  ]);
  const holders = new Map<string, number[]>();
  for (const [index, own] of terms.entries()) {
    for (const term of own) {
      const found = holders.get(term);
      if (found === undefined) holders.set(term, [index]);
      else found.push(index);
    }
  }
  const weights = new Map<string, number>();
  for (const [term, found] of holders) {
    const rarity = Math.log2(1 + sentences.length / found.length);
    weights.set(term, shortWord.test(term) || lightStems.has(term) ? rarity / lightness : rarity);
  }
  const weightOf = (term: string) => weights.get(term) ?? 0;
  const summed = (own: readonly string[]) => own.reduce((sum, term) => sum + weightOf(term), 0);
  const sums = terms.map(summed);
  const wordSums = sentences.map(({ words }) => summed([...words]));
  // A term of at most about the square root of all sentences, small words aside.
  const heavy = Math.log2(1 + sentences.length) * heavyShare;
  return {
    weightOf,
    isHeavy: (term) => weightOf(term) >= heavy,
    holding: (term) => holders.get(term) ?? [],
    termsOf: (sentence) => terms[sentence] ?? [],
    weightOfAll: (sentence) => sums[sentence] ?? 0,
    weightOfWords: (sentence) => wordSums[sentence] ?? 0,
  };
}
