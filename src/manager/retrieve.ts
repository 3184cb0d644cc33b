// Candidates of each slice (design Q10) read from one snapshot, and their reranking (Q6) after it is closed.

import type { OptionalSlice, RetrievalPolicy } from '../model/budget.ts';
import type { RerankScore } from '../model/candidate.ts';
import { abortedBy } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import { type Memory, type Ref, refKey, type SeatableType } from '../model/memory.ts';
import type { Plan } from '../model/plan.ts';
import type { Reranker } from '../rerank/reranker.ts';
import { questionTerms } from '../retrieval/analyse.ts';
import { type RankedRef, weightsOf } from '../retrieval/fuse.ts';
import { spoken } from '../retrieval/index_entry.ts';
import { rankCandidates, type SliceMeasurements, type SliceRanking } from '../retrieval/search.ts';
import { timeTerms } from '../retrieval/time_terms.ts';
import type { SearchFilter } from '../store/search_values.ts';
import type { SnapshotReader } from '../store/store.ts';
import { unlessAborted } from './unless_aborted.ts';

/** The slices that are filled by search; the tail is read by turn. */
export const searchedSlices = ['durable_facts', 'evidence', 'recalled_history'] as const satisfies OptionalSlice[];

/** One of {@link searchedSlices}. */
export type SearchedSlice = (typeof searchedSlices)[number];

/** What each slice searches. */
const kindsOf: Readonly<Record<SearchedSlice, readonly SeatableType[]>> = {
  durable_facts: ['entity', 'workflow'],
  evidence: ['chunk'],
  recalled_history: ['summary', 'conversation'],
};

/** Rows that each search of each slice may bring; the ranking is made of their union. */
const searchDepth = 300;

/** An entity of a subject that the plan names counts this much when the plan names other predicates. */
const otherPredicate = 0.5;

/**
 * A slice brings several times as many candidates as may be tried, up to a bound: its cap chooses after reranking, by the
 * order that counts. A cap above the bound brings what it says.
 */
const timesCap = 4;
const widestPool = 50;

/** How many candidates a search brings for each of these caps. */
export function poolsOf(caps: Readonly<Record<SearchedSlice, number>>): Readonly<Record<SearchedSlice, number>> {
  const pool = (cap: number): number => Math.max(cap, Math.min(timesCap * cap, widestPool));
  return {
    durable_facts: pool(caps.durable_facts),
    evidence: pool(caps.evidence),
    recalled_history: pool(caps.recalled_history),
  };
}

/** What to find. */
export interface RetrieveRequest {
  readonly question: string;
  readonly plan: Plan;
  /** The question's vector; null when nothing in it is known, or without vectors. */
  readonly questionVector: Float32Array | null;
  readonly policy: RetrievalPolicy;
  /** The slices to fill, with the most candidates that each may bring ({@link poolsOf}). */
  readonly limits: Readonly<Partial<Record<SearchedSlice, number>>>;
  /** Rows that are never recalled history: the tail's candidates, seated or not. */
  readonly exclude: readonly Ref[];
}

/** Ranked candidates of each slice that was asked for, best first, and figures for the `retrieval` event. */
export interface Retrieved {
  readonly slices: Readonly<Partial<Record<SearchedSlice, readonly RankedRef[]>>>;
  /** Counts and scores by slice, without text. */
  readonly record: JsonObject;
}

/** Searches the slices within the reader's snapshot, one after the other: they share one connection. */
export async function retrieve(reader: SnapshotReader, request: RetrieveRequest): Promise<Retrieved> {
  const slices: Partial<Record<SearchedSlice, readonly RankedRef[]>> = {};
  const figures: Record<string, JsonObject> = {};
  for (const slice of searchedSlices) {
    const limit = request.limits[slice];
    if (limit === undefined || limit <= 0) continue;
    const measured = await measureSlice(reader, request, { slice, limit });
    const ranking = rankCandidates(measured, request.policy.fusion, limit);
    slices[slice] = ranking.ranked;
    figures[slice] = figuresOf(ranking);
  }
  return { slices, record: { method: request.policy.fusion.method, ...figures } };
}

/** What the searches say of one slice's rows, before any weight is given. */
export async function measureSlice(
  reader: SnapshotReader,
  request: RetrieveRequest,
  { slice, limit }: { readonly slice: SearchedSlice; readonly limit: number },
): Promise<SliceMeasurements> {
  const collections = request.plan.collections;
  const filter: SearchFilter = {
    kinds: kindsOf[slice],
    collections: slice === 'evidence' && collections.length > 0 ? collections : null,
    exclude: slice === 'recalled_history' ? request.exclude : [],
    limit: Math.max(searchDepth, limit),
  };
  const own = questionTerms(request.question);
  const range = request.plan.timeRange;
  const terms = [...own, ...(range === null ? [] : timeTerms(range, reader.position.evaluationTime))];
  const vector = request.questionVector;
  const passages = slice === 'evidence';
  const weights = weightsOf(request.policy.fusion, passages);
  // A vector that weighs nothing is not worth a search.
  const nearest = async (part: 'text' | 'context') =>
    vector === null || weights[`vector_${part}`] === 0 ? [] : await reader.searchVector(vector, part, filter);
  return {
    passages,
    ownTerms: own.length,
    lexical: terms.length === 0 ? null : await reader.searchLexical(terms, filter),
    text: await nearest('text'),
    context: await nearest('context'),
    named: slice === 'durable_facts' ? await namedEntities(reader, request.plan) : [],
  };
}

async function namedEntities(reader: SnapshotReader, plan: Plan): Promise<readonly { ref: Ref; score: number }[]> {
  if (plan.subjects.length === 0) return [];
  const entities = await reader.entitiesOf(
    plan.subjects.map(({ subject }) => subject),
    null,
  );
  const asked = new Set(plan.predicates);
  return entities.map(({ ref, predicate }) => ({
    ref,
    score: asked.size === 0 || asked.has(predicate) ? 1 : otherPredicate,
  }));
}

function figuresOf({ counts, ranked }: SliceRanking): JsonObject {
  return {
    lexical: counts.lexical,
    vector_text: counts.vectorText,
    vector_context: counts.vectorContext,
    named: counts.named,
    candidates: counts.candidates,
    ranked: ranked.length,
    best: ranked[0]?.fused ?? null,
    last: ranked.at(-1)?.fused ?? null,
  };
}

/** A candidate to rerank: read already, with its place in its slice's fused order. */
export interface RerankCandidate {
  readonly memory: Memory;
  readonly slice: OptionalSlice | null;
  readonly fused: number;
}

/** A rerank call. */
export interface RerankRequest {
  readonly question: string;
  /** Each slice's candidates in its fused order. */
  readonly candidates: readonly RerankCandidate[];
  readonly policy: RetrievalPolicy;
  /** The caller's own end of the call: when it aborts, the call rejects. */
  readonly signal?: AbortSignal;
  /** Ranks in place of a reranker that fails, within what is left of the deadline. */
  readonly standIn?: () => Promise<Reranker>;
}

/**
 * Why some candidates, or all, keep their fused order; `reranked_by:` and an id: the scores after all, those of the
 * reranker that took a failing one's place.
 */
export type RerankFallback = 'rerank_cap' | 'rerank_deadline' | 'rerank_failed' | `reranked_by:${string}`;

/** Scores by `refKey`; a candidate without one keeps its fused score (design S4). */
export interface Reranked {
  readonly scores: ReadonlyMap<string, RerankScore>;
  /** For the manifest, in the order in which they came about. */
  readonly fallbacks: readonly RerankFallback[];
  /** What made the reranker fail, for the log. */
  readonly failure: unknown;
  readonly elapsedMs: number;
}

type Scores = ReadonlyMap<string, RerankScore>;

/** Reranks under the policy's cap and deadline; a reranker that is late or fails never fails the window. */
export async function rerank(reranker: Reranker, request: RerankRequest): Promise<Reranked> {
  refuseAborted(request.signal);
  const start = performance.now();
  const chosen = withinCap(request.candidates, request.policy.rerank.candidates);
  const capped: readonly RerankFallback[] = chosen.length < request.candidates.length ? ['rerank_cap'] : [];
  const done = (scores: Scores, fallbacks: readonly RerankFallback[], failure: unknown = null) => ({
    scores,
    fallbacks: [...capped, ...fallbacks],
    failure,
    elapsedMs: performance.now() - start,
  });
  if (chosen.length === 0) return done(new Map(), []);
  const deadline = AbortSignal.timeout(request.policy.rerank.deadlineMs);
  const signal = request.signal === undefined ? deadline : AbortSignal.any([deadline, request.signal]);
  const within = { question: request.question, chosen, signal };
  try {
    return done(await scoresBy(reranker, within), []);
  } catch (failure) {
    refuseAborted(request.signal);
    if (deadline.aborted) return done(new Map(), ['rerank_deadline']);
    const second = await standIn(reranker, request, within);
    if (second !== null) return done(second.scores, ['rerank_failed', `reranked_by:${second.id}`], failure);
    refuseAborted(request.signal);
    return done(new Map(), ['rerank_failed'], failure);
  }
}

interface Within {
  readonly question: string;
  readonly chosen: readonly RerankCandidate[];
  readonly signal: AbortSignal;
}

async function scoresBy(reranker: Reranker, { question, chosen, signal }: Within): Promise<Scores> {
  const texts = chosen.map(({ memory, fused }) => ({
    text: spoken(memory),
    prior: fused,
    passage: memory.type === 'chunk',
  }));
  const scores = await unlessAborted(reranker.score(question, texts, { signal }), signal);
  if (scores.length !== chosen.length) throw new RangeError(`${scores.length} scores for ${chosen.length} texts`);
  return new Map(chosen.flatMap(({ memory }, index) => entryOf(memory, scores[index])));
}

/** The scores of whoever stands in for the one that failed; null: nobody does, or not in time. */
async function standIn(
  failed: Reranker,
  request: RerankRequest,
  within: Within,
): Promise<{ readonly id: string; readonly scores: Scores } | null> {
  if (request.standIn === undefined) return null;
  try {
    const second = await request.standIn();
    return second.id === failed.id ? null : { id: second.id, scores: await scoresBy(second, within) };
  } catch {
    return null;
  }
}

function refuseAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw abortedBy(signal);
}

function entryOf(memory: Memory, score: RerankScore | undefined): readonly (readonly [string, RerankScore])[] {
  return score !== undefined && Number.isFinite(score.value) ? [[refKey(memory.ref), score]] : [];
}

/** The first candidates of every slice in turn, so that no slice spends the cap of another; in the order given. */
function withinCap(candidates: readonly RerankCandidate[], cap: number): readonly RerankCandidate[] {
  if (candidates.length <= cap) return candidates;
  const seen = new Map<OptionalSlice | null, number>();
  const placed = candidates.map((candidate, index) => {
    const rank = seen.get(candidate.slice) ?? 0;
    seen.set(candidate.slice, rank + 1);
    return { candidate, rank, index };
  });
  return placed
    .toSorted((a, b) => a.rank - b.rank || a.index - b.index)
    .slice(0, cap)
    .toSorted((a, b) => a.index - b.index)
    .map(({ candidate }) => candidate);
}
