// Where a text compares, found by words of several languages.

import { comparisonCues, falseComparisons, type Direction } from './comparison_words.ts';
import { blank, blanked } from './fold.ts';

/** A comparison where a text makes it. */
export interface Comparison {
  readonly start: number;
  readonly end: number;
  /** The words that compare, in lower case. */
  readonly words: string;
  readonly direction: Direction;
  readonly superlative: boolean;
}

/** The comparisons of a folded text in its order, none over another. */
export function comparisonsOf(folded: string): readonly Comparison[] {
  let rest = folded.replace(falseComparisons, (found) => blank.repeat(found.length));
  const found: Comparison[] = [];
  for (const { pattern, direction, superlative } of comparisonCues) {
    const fresh = [...rest.matchAll(pattern)].map((match): Comparison => {
      const [words] = match;
      const start = match.index;
      return { start, end: start + words.length, words: words.toLowerCase(), direction, superlative };
    });
    found.push(...fresh);
    rest = blanked(rest, fresh);
  }
  return found.toSorted((a, b) => a.start - b.start);
}
