// Both searches of the store by statements: what the database measures, within the bounds of a search.

import { z } from 'zod';
import type { Scope } from '../../model/scope.ts';
import type { Instant } from '../../model/time.ts';
import { refOf, refsParameter } from '../ref_rows.ts';
import type { StoredRow } from '../rows.ts';
import { askedTerms, mostCounted, mostExactVectors, nearestBySign, rareTerms } from '../search_bounds.ts';
import type { LexicalHit, LexicalResult, PerField, SearchFilter, VectorHit, VectorPart } from '../search_values.ts';
import { requireUnchangedEmbedder } from '../migrate.ts';
import type { EmbedderIdentity } from '../store.ts';
import type { DatabaseRow, Session } from './session.ts';

/** Whose search it is, and when. */
export interface SearchContext {
  readonly scope: Scope;
  readonly at: Instant;
  /** Whose vectors are searched: the question's own. */
  readonly embedder: EmbedderIdentity;
}

/** Lexical candidates with what BM25 needs. Rare terms choose, all asked terms are measured. */
export async function searchLexical(
  session: Session,
  context: SearchContext,
  terms: readonly string[],
  filter: SearchFilter,
): Promise<LexicalResult> {
  const asked = askedTerms(terms);
  const statistics = z
    .object({
      documents: z.number(),
      average_lengths: z.array(z.number()).length(4),
      frequencies: z.array(z.number()).length(asked.length),
    })
    .parse(
      await session.one(
        'lexical_statistics',
        asked,
        filter.kinds,
        context.scope.agentId,
        context.scope.threadId,
        context.at,
        mostCounted,
      ),
    );
  const found = new Map(asked.map((term, index) => [term, statistics.frequencies[index] ?? 0]));
  const chosen = rareTerms(found, statistics.documents);
  const rows =
    chosen.length === 0 || filter.limit <= 0
      ? []
      : await session.all(
          'lexical_hits',
          chosen.map(({ term }) => term),
          chosen.map(({ weight }) => weight),
          filter.kinds,
          filter.collections,
          refsParameter(filter.exclude),
          context.scope.agentId,
          context.scope.threadId,
          context.at,
          filter.limit,
          asked,
        );
  return {
    documents: statistics.documents,
    averageLengths: perField(statistics.average_lengths),
    documentFrequencies: terms.map((term) => found.get(term) ?? 0),
    hits: rows.map((row) => lexicalHit(row, terms)),
  };
}

const fourNumbers = z.array(z.number()).length(4);
const hitColumns = z.object({
  group_id: z.string().nullable(),
  lengths: fourNumbers,
  terms: z.array(z.string()),
  frequencies: z.array(fourNumbers),
});

function lexicalHit(row: StoredRow, terms: readonly string[]): LexicalHit {
  const columns = hitColumns.parse(row);
  const held = new Map(columns.terms.map((term, index) => [term, perField(columns.frequencies[index] ?? [])]));
  return {
    ref: refOf(row),
    frequencies: terms.map((term) => held.get(term) ?? noField),
    lengths: perField(columns.lengths),
    group: columns.group_id,
  };
}

const noField: PerField = [0, 0, 0, 0];

function perField([title = 0, date = 0, body = 0, context = 0]: readonly number[]): PerField {
  return [title, date, body, context];
}

/**
 * The nearest visible vectors by cosine: all of them compared up to a size, above it those that an approximate index
 * brings, or that sign bits choose. Throws `embedder_mismatch` where the store's embedder was changed meanwhile.
 */
export async function searchVector(
  session: Session,
  context: SearchContext & { readonly hasVectorIndex: boolean },
  question: { readonly vector: Float32Array; readonly part: VectorPart },
  filter: SearchFilter,
): Promise<readonly VectorHit[]> {
  if (filter.limit <= 0 || isZero(question.vector)) return [];
  const { embedder } = context;
  const { agentId, threadId } = context.scope;
  const counted = await session.one(
    'count_vectors',
    question.part,
    filter.kinds,
    agentId,
    threadId,
    mostExactVectors + 1,
    embedder.id,
  );
  requireUnchangedEmbedder(embedderOf(counted), embedder);
  const parameters = [
    vectorText(question.vector),
    question.part,
    filter.kinds,
    filter.collections,
    agentId,
    threadId,
    context.at,
    refsParameter(filter.exclude),
    filter.limit,
    embedder.id,
  ] as const;
  if (z.number().parse(counted['vectors']) <= mostExactVectors) {
    return (await session.all('vectors_exact', ...parameters)).map(vectorHit);
  }
  const nearest = Math.max(nearestBySign, filter.limit);
  const near = context.hasVectorIndex ? await session.all('vectors_approximate', ...parameters, nearest) : [];
  // An index over everybody's rows may bring few that this caller can see: then it says nothing.
  if (near.length >= filter.limit) return near.map(vectorHit);
  return (await session.all('vectors_by_sign', ...parameters, nearest)).map(vectorHit);
}

function vectorHit(row: StoredRow): VectorHit {
  return { ref: refOf(row), cosine: z.number().parse(row['cosine']) };
}

const embedderColumns = z.object({ embedder_id: z.string(), embedder_dimensions: z.number().int() });

/** The store's embedder, as a statement told it that does something else besides. */
export function embedderOf(row: DatabaseRow): EmbedderIdentity {
  const { embedder_id: id, embedder_dimensions: dimensions } = embedderColumns.parse(row);
  return { id, dimensions };
}

/** True for a vector without direction: it is like nothing. */
export function isZero(vector: Float32Array): boolean {
  return vector.every((value) => value === 0);
}

/** A vector of length 1 as the database reads it. */
export function vectorText(vector: Float32Array): string {
  return `[${unitVector(vector).join(',')}]`;
}

/** A vector made to have length 1, as numbers of nine digits, which give back every float32. */
export function unitVector(vector: Float32Array): readonly number[] {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return Array.from(vector, (value) => Number((value / length).toPrecision(9)));
}
