// What the retrieval benchmark compares with the product: its single steps, and the product with one part left out.

import { lateInteraction, lateInteractionSettings, type TokenVectors } from '../src/rerank/late_interaction.ts';
import type { Reranker } from '../src/rerank/reranker.ts';
import type { LexicalCandidates } from '../src/retrieval/bm25.ts';
import type { Fusion } from '../src/retrieval/fuse.ts';
import type { FieldValues } from '../src/retrieval/index_entry.ts';
import type { SliceMeasurements } from '../src/retrieval/search.ts';

/** A way to rank what the searches measured. What is absent is as in the product. */
export interface Variant {
  readonly name: string;
  readonly fusion?: Partial<Fusion>;
  /** Null: the fused order serves. */
  readonly reranker?: Reranker | null;
  /** Changes what was measured before it is weighed. */
  readonly measured?: (measured: SliceMeasurements) => SliceMeasurements;
  /** Candidates that are reranked. */
  readonly pool?: number;
}

const none = { lexical: 0, title: 0, group: 0, time: 0, vector_text: 0, vector_context: 0 };

/** The steps of the search one by one, before reranking. */
export const steps: readonly Variant[] = [
  { name: 'lexical', fusion: { weights: { ...none, lexical: 1 } }, reranker: null },
  { name: 'vector', fusion: { weights: { ...none, vector_text: 0.4, vector_context: 0.9 } }, reranker: null },
  { name: 'fused', reranker: null },
];

/** The product with one part left out, or done the other way. */
export function ablations(vectors: TokenVectors): readonly Variant[] {
  const settings = (changed: Partial<typeof lateInteractionSettings>) =>
    lateInteraction(vectors, { ...lateInteractionSettings, ...changed });
  return [
    ...(['title', 'group', 'time', 'vector_text', 'vector_context', 'lexical'] as const).map((signal) => ({
      name: `without ${signal}`,
      fusion: { weights: { [signal]: 0 } },
    })),
    { name: 'without both vectors', fusion: { weights: { vector_text: 0, vector_context: 0 } } },
    { name: 'without the date field', measured: withoutField(1) },
    { name: 'without the neighbours field', measured: withoutField(3) },
    { name: 'words believed in full', fusion: { doubtsWords: false } },
    { name: 'without late interaction', reranker: null },
    { name: 'late interaction without rarity', reranker: settings({ inverseDocumentFrequency: false }) },
    { name: 'without the cost of asking', reranker: settings({ askingCost: 0 }) },
    { name: 'passages weighed as turns', measured: (measured) => ({ ...measured, passages: false }) },
    { name: 'passages reranked as turns', reranker: settings({ passagePriorPart: lateInteractionSettings.priorPart }) },
    { name: 'reciprocal rank', fusion: { method: 'reciprocal_rank' } },
    { name: 'only 12 reranked', pool: 12 },
    { name: '50 reranked', pool: 50 },
    { name: '100 reranked', pool: 100 },
    { name: '200 reranked', pool: 200 },
  ];
}

/** A field whose average length is 0 weighs nothing in BM25. */
function withoutField(field: number): (measured: SliceMeasurements) => SliceMeasurements {
  const cleared = ([title, date, body, context]: FieldValues): FieldValues => [
    field === 0 ? 0 : title,
    field === 1 ? 0 : date,
    field === 2 ? 0 : body,
    field === 3 ? 0 : context,
  ];
  return (measured) => ({ ...measured, lexical: measured.lexical === null ? null : clear(measured.lexical, cleared) });
}

function clear(lexical: LexicalCandidates, cleared: (values: FieldValues) => FieldValues): LexicalCandidates {
  return {
    ...lexical,
    averageLengths: cleared(lexical.averageLengths),
    hits: lexical.hits.map((hit) => ({ ...hit, frequencies: hit.frequencies.map(cleared) })),
  };
}
