// From what the store measured to one ranking of a slice's candidates (design 6): pure, the same on every engine.

import type { Ref } from '../model/memory.ts';
import {
  type LexicalCandidates,
  lexicalConfidence,
  plainBm25,
  scoreGroups,
  scoreLexical,
  scoreTimes,
  scoreTitles,
  withTerms,
} from './bm25.ts';
import { type Fusion, fuse, type Measurement, type RankedRef, type Signal, weightsOf } from './fuse.ts';

/** A row near a question's vector; the store's port gives exactly this. */
export interface VectorCandidate {
  readonly ref: Ref;
  readonly cosine: number;
}

/** Everything that was measured for one slice. */
export interface SliceMeasurements {
  /** True: the rows are passages of documents, which lean less on their neighbours. */
  readonly passages: boolean;
  /** Null: neither the question nor its time has terms. */
  readonly lexical: LexicalCandidates | null;
  /** So many of the terms searched for are the question's own; those after them are of the time that it names. */
  readonly ownTerms: number;
  /** Nearest by the memories' own texts; empty without a question vector. */
  readonly text: readonly VectorCandidate[];
  /** Nearest by the memories' texts with their neighbours. */
  readonly context: readonly VectorCandidate[];
  /** Entities that the plan names: 1, or less where it names their subject and another predicate. */
  readonly named: readonly { readonly ref: Ref; readonly score: number }[];
}

/** A ranking and how many candidates each signal brought. */
export interface SliceRanking {
  readonly ranked: readonly RankedRef[];
  readonly counts: {
    readonly lexical: number;
    readonly vectorText: number;
    readonly vectorContext: number;
    readonly named: number;
    readonly candidates: number;
  };
}

/** Ranks a slice's candidates: best first, ties by ref, at most `limit`. */
export function rankCandidates(measured: SliceMeasurements, fusion: Fusion, limit: number): SliceRanking {
  const ranked = fuse(signalsOf(measured, fusion), { ...fusion, weights: weightsOf(fusion, measured.passages) });
  return {
    ranked: ranked.slice(0, limit),
    counts: {
      lexical: measured.lexical?.hits.length ?? 0,
      vectorText: measured.text.length,
      vectorContext: measured.context.length,
      named: measured.named.length,
      candidates: ranked.length,
    },
  };
}

/** What plain BM25 over the memories' own texts would rank, best first: the benchmark's yardstick. */
export function rankPlainly(lexical: LexicalCandidates): readonly RankedRef[] {
  const scores = scoreLexical(lexical, plainBm25);
  const measurements = lexical.hits.map((hit, index) => ({ ref: hit.ref, score: scores[index] ?? 0 }));
  return fuse([{ name: 'lexical', measurements }], { method: 'scaled_sum', weights: {} });
}

function signalsOf(measured: SliceMeasurements, fusion: Fusion): readonly Signal[] {
  // A turn is short, and few words of a question stand in the right one either: doubt was measured to gain nothing there.
  const doubtsWords = measured.passages && fusion.doubtsWords !== false;
  const lexical = measured.lexical === null ? [] : lexicalSignals(measured.lexical, measured.ownTerms, doubtsWords);
  return [
    ...lexical,
    { name: 'vector_text', measurements: nearness(measured.text) },
    { name: 'vector_context', measurements: nearness(measured.context) },
    { name: 'named', measurements: measured.named },
  ];
}

function nearness(hits: readonly VectorCandidate[]): readonly Measurement[] {
  return hits.map(({ ref, cosine }) => ({ ref, score: cosine }));
}

function lexicalSignals(found: LexicalCandidates, ownTerms: number, doubtsWords: boolean): readonly Signal[] {
  const lexical = withTerms(found, 0, ownTerms);
  const scores = scoreLexical(lexical);
  const groups = scoreGroups(lexical);
  const measure = (values: readonly number[]) =>
    lexical.hits.map((hit, index) => ({ ref: hit.ref, score: values[index] ?? 0 }));
  return [
    {
      name: 'lexical',
      measurements: measure(scores),
      confidence: doubtsWords ? lexicalConfidence(lexical, scores) : 1,
    },
    { name: 'title', measurements: measure(scoreTitles(lexical)) },
    { name: 'time', measurements: measure(scoreTimes(withTerms(found, ownTerms))) },
    { name: 'group', measurements: measure(groups) },
  ];
}
