// BM25 over fields (design Q2): ranks a bounded candidate set by statistics that the store counted under the scope.

import type { Ref } from '../model/memory.ts';
import type { FieldValues } from './index_entry.ts';

/** One row of a lexical candidate set; the store's port gives exactly this. */
export interface LexicalCandidate {
  readonly ref: Ref;
  /** For each asked term, its frequency in each field. */
  readonly frequencies: readonly FieldValues[];
  readonly lengths: FieldValues;
  /** The thread or document that it belongs to. */
  readonly group: string | null;
}

/** A lexical candidate set with its statistics. */
export interface LexicalCandidates {
  readonly documents: number;
  readonly averageLengths: FieldValues;
  /** For each asked term, in how many rows it occurs. */
  readonly documentFrequencies: readonly number[];
  readonly hits: readonly LexicalCandidate[];
}

/** How BM25 weighs: saturation `k1`, and for each field a weight and the part of its length that counts. */
export interface Bm25Parameters {
  readonly k1: number;
  readonly weights: FieldValues;
  readonly lengthParts: FieldValues;
}

/** The parameters in use; measured with bench/retrieval.ts. */
const bm25Parameters: Bm25Parameters = {
  k1: 0.9,
  weights: [1, 1, 1, 0.7],
  lengthParts: [0.5, 0.5, 0.5, 0.5],
};

/** Only the memory's own text: what the benchmark shows beside the product's search. */
export const plainBm25: Bm25Parameters = { k1: 1.2, weights: [0, 0, 1, 0], lengthParts: [0, 0, 0.75, 0] };

/** How rare a term is among the documents; never negative. */
export function inverseDocumentFrequency(documents: number, frequency: number): number {
  return Math.log(1 + (Math.max(documents, frequency) - frequency + 0.5) / (frequency + 0.5));
}

/** The score of each hit, in the order given; higher is better, 0 where no weighted field has a term. */
export function scoreLexical(
  candidates: LexicalCandidates,
  parameters: Bm25Parameters = bm25Parameters,
): readonly number[] {
  const rarity = candidates.documentFrequencies.map((frequency) =>
    inverseDocumentFrequency(candidates.documents, frequency),
  );
  return candidates.hits.map((hit) => {
    const norms = lengthNorms(hit.lengths, candidates.averageLengths, parameters);
    return hit.frequencies.reduce((score, frequencies, term) => {
      const weighted = frequencies.reduce((sum, frequency, field) => sum + frequency * (norms[field] ?? 0), 0);
      return score + ((rarity[term] ?? 0) * weighted * (parameters.k1 + 1)) / (weighted + parameters.k1);
    }, 0);
  });
}

/**
 * How far the words of a question are to be believed, 0..1: the best score beside that of a row of average length which
 * holds every term twice, as its square root. A share of the best would make much of the best of poor matches.
 */
export function lexicalConfidence(
  { documents, documentFrequencies }: LexicalCandidates,
  scores: readonly number[],
  { k1 }: Pick<Bm25Parameters, 'k1'> = bm25Parameters,
): number {
  const once = documentFrequencies.reduce((sum, frequency) => sum + inverseDocumentFrequency(documents, frequency), 0);
  const whole = (once * 2 * (k1 + 1)) / (2 + k1);
  const best = scores.reduce((most, score) => Math.max(most, score), 0);
  return whole > 0 ? Math.sqrt(Math.min(1, best / whole)) : 0;
}

/**
 * 1 for each hit whose title (or speaker) the question names in full, else 0, in the order given. BM25 gives next to
 * nothing for the one of two speakers that a question is about, because half of all rows are theirs.
 */
export function scoreTitles(candidates: LexicalCandidates): readonly number[] {
  return candidates.hits.map(({ frequencies, lengths: [title] }) => {
    const named = frequencies.reduce((sum, [inTitle]) => sum + inTitle, 0);
    return title > 0 && named >= title ? 1 : 0;
  });
}

/** 1 for each hit whose date field holds one of the terms, which are days and months; else 0, in the order given. */
export function scoreTimes(candidates: LexicalCandidates): readonly number[] {
  return candidates.hits.map(({ frequencies }) => (frequencies.some(([, inDate]) => inDate > 0) ? 1 : 0));
}

/** The same candidates as if only the terms from one place to another had been asked for. */
export function withTerms(candidates: LexicalCandidates, from: number, to?: number): LexicalCandidates {
  return {
    ...candidates,
    documentFrequencies: candidates.documentFrequencies.slice(from, to),
    hits: candidates.hits.map((hit) => ({ ...hit, frequencies: hit.frequencies.slice(from, to) })),
  };
}

/** For each field, its weight divided by its length's norm: BM25F joins fields before saturation. */
function lengthNorms(lengths: FieldValues, averages: FieldValues, parameters: Bm25Parameters): readonly number[] {
  return parameters.weights.map((weight, field) => {
    const average = averages[field] ?? 0;
    const part = parameters.lengthParts[field] ?? 0;
    return average > 0 ? weight / (1 - part + (part * (lengths[field] ?? 0)) / average) : 0;
  });
}

/**
 * The score of each hit's group (its thread or document) as one long text, in the order of the hits; 0 without group.
 * Statistics are those of the groups among the hits.
 */
export function scoreGroups(
  candidates: LexicalCandidates,
  parameters: Bm25Parameters = bm25Parameters,
): readonly number[] {
  const groups = new Map<string, { frequencies: number[]; length: number }>();
  const terms = candidates.documentFrequencies.length;
  for (const hit of candidates.hits) {
    if (hit.group === null) continue;
    const group = groups.get(hit.group) ?? { frequencies: Array.from({ length: terms }, () => 0), length: 0 };
    for (let term = 0; term < terms; term += 1) {
      group.frequencies[term] = (group.frequencies[term] ?? 0) + (hit.frequencies[term]?.[2] ?? 0);
    }
    group.length += hit.lengths[2];
    groups.set(hit.group, group);
  }
  const all = [...groups.values()];
  const average = all.reduce((sum, group) => sum + group.length, 0) / Math.max(1, all.length);
  const rarity = Array.from({ length: terms }, (_, term) =>
    inverseDocumentFrequency(all.length, all.filter((group) => (group.frequencies[term] ?? 0) > 0).length),
  );
  const scores = new Map([...groups].map(([key, group]) => [key, groupScore(group, { average, rarity, parameters })]));
  return candidates.hits.map((hit) => (hit.group === null ? 0 : (scores.get(hit.group) ?? 0)));
}

function groupScore(
  group: { readonly frequencies: readonly number[]; readonly length: number },
  statistics: {
    readonly average: number;
    readonly rarity: readonly number[];
    readonly parameters: Bm25Parameters;
  },
): number {
  const { k1, lengthParts } = statistics.parameters;
  const relative = statistics.average > 0 ? group.length / statistics.average : 1;
  const norm = k1 * (1 - lengthParts[2] + lengthParts[2] * relative);
  return group.frequencies.reduce(
    (score, frequency, term) =>
      score + ((statistics.rarity[term] ?? 0) * frequency * (k1 + 1)) / (frequency + norm || 1),
    0,
  );
}
