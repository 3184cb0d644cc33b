// How much one search reads at most, and which of its terms choose the candidates: alike wherever searches are answered.

import { indexableTerm } from './terms.ts';

// A question of more distinct terms than this is no question; the rest measure nothing.
const mostTerms = 200;
// Rows that the chosen terms may bring together, before the best of them are kept: so many, or a part of a large tenant.
// With fewer a large one's question is searched by one of its words alone, and the first by id of many equals are kept.
const mostPostings = 5_000;
const postingsPart = 0.2;

/** Above this many rows a term says nothing, and exact counts of it are not worth their time. */
export const mostCounted = 50_000;

/** Where the sample says that a caller can find more rows than this, it stands for them in statistics. */
export const mostCountedWhole = 5_000;

/** There, a term's rows are counted up to here, and the sample says how many more there are. */
export const mostCountedBeforeSample = 1_000;

/** One row of so many is in the sample. */
export const sampledPart = 16;

/** Exact search reads every visible vector; above this many, sign bits choose which. Counting them costs time, too. */
export const mostExactVectors = 2_000;

/** So many vectors, or the limit of a search where that is more, are chosen by their sign bits. */
export const nearestBySign = 500;

/** A term that helps to choose candidates; its weight is its rarity in millionths, so that a sum has no order. */
export interface ChosenTerm {
  readonly term: string;
  readonly weight: number;
}

/** The terms that are looked for: each once, in the order asked, without those that no index can hold. */
export function askedTerms(terms: readonly string[]): readonly string[] {
  return [...new Set(terms)].filter(indexableTerm).slice(0, mostTerms);
}

/** Terms by ascending frequency until their rows together pass the bound, at least one. */
export function rareTerms(frequencies: ReadonlyMap<string, number>, documents: number): readonly ChosenTerm[] {
  const ordered = [...frequencies]
    .filter(([, frequency]) => frequency > 0)
    .toSorted(([a, less], [b, more]) => less - more || (a < b ? -1 : 1));
  const most = Math.max(mostPostings, postingsPart * documents);
  let postings = 0;
  const chosen = ordered.filter(([, frequency], index) => {
    postings += frequency;
    return index === 0 || postings <= most;
  });
  return chosen.map(([term, frequency]) => ({
    term,
    weight: Math.round(1_000_000 * Math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5))),
  }));
}
