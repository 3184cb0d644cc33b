// How well labelled rows are found: the product's own search, reranking and order, beside plain BM25 and its own steps.

import type { Embedder } from '../src/embed/embedder.ts';
import { measureSlice, poolsOf, rerank } from '../src/manager/retrieve.ts';
import type { RetrievalPolicy } from '../src/model/budget.ts';
import type { RerankScore } from '../src/model/candidate.ts';
import { type Memory, type Ref, refKey } from '../src/model/memory.ts';
import type { CountTokens } from '../src/model/window.ts';
import type { Reranker } from '../src/rerank/reranker.ts';
import { questionTerms } from '../src/retrieval/analyse.ts';
import { compareRefs, type RankedRef } from '../src/retrieval/fuse.ts';
import { spoken } from '../src/retrieval/index_entry.ts';
import { questionNames } from '../src/retrieval/names.ts';
import { makePlan } from '../src/retrieval/plan.ts';
import { rankCandidates, rankPlainly } from '../src/retrieval/search.ts';
import { parseRetrieval } from '../src/store/policy_rows.ts';
import type { SnapshotReader } from '../src/store/store.ts';
import type { BenchTenant, LabelledQuestion } from './retrieval_data.ts';
import { steps, type Variant } from './retrieval_variants.ts';

/** The candidates that a window brings under the default caps; the cap itself chooses after reranking. */
const pools = poolsOf({ durable_facts: 50, evidence: 200, recalled_history: 12 });

/** What the search needs beside the store. */
export interface BenchTools {
  readonly embedder: Embedder;
  readonly reranker: Reranker;
  readonly countTokens: CountTokens;
  readonly policy?: RetrievalPolicy;
}

/** Ids in the order in which each method ranks them. */
export interface Rankings {
  readonly question: LabelledQuestion;
  /** By method: `plain_bm25`, the steps, `reranked` (the product) and the variants asked for. */
  readonly orders: Readonly<Record<string, readonly string[]>>;
  /** The reranker's p of the best row (design S4). */
  readonly bestP: number;
  /** Tokens of the first five rows, title and text. */
  readonly tokens: number;
  readonly milliseconds: { readonly search: number; readonly rerank: number };
}

/** Ranks one question by every method, all in one snapshot. */
export async function rankQuestion(
  reader: SnapshotReader,
  tenant: BenchTenant,
  question: LabelledQuestion,
  tools: BenchTools & { readonly variants?: readonly Variant[] },
): Promise<Rankings> {
  const policy = tools.policy ?? { ref: null, ...parseRetrieval({}) };
  const start = performance.now();
  const [vector] = await tools.embedder.embed([question.question], { purpose: 'query' });
  const plan = makePlan(question.question, {
    evaluationTime: reader.position.evaluationTime,
    subjects: await reader.subjectsNamed(questionNames(question.question)),
    collections: [],
    predicates: [],
  });
  const limit = pools[tenant.slice];
  const request = {
    question: question.question,
    plan,
    policy,
    exclude: [],
    questionVector: vector ?? null,
    limits: {},
  };
  const measured = await measureSlice(reader, request, { slice: tenant.slice, limit });
  const rank = ({ fusion = {}, measured: change = (same) => same, pool = limit }: Partial<Variant>) =>
    rankCandidates(change(measured), { ...policy.fusion, ...fusion }, pool).ranked;
  const fused = rank({});
  const search = performance.now() - start;
  const texts = new Map<string, Memory>();
  const made = { reranker: tools.reranker, slice: tenant.slice, question: question.question, policy, texts };
  const product = await ordered(reader, fused, made);
  const orders: Record<string, readonly string[]> = {
    plain_bm25: await rankByPlainBm25(reader, tenant, question.question),
    reranked: idsOf(product.rows),
  };
  for (const { name, reranker = tools.reranker, ...variant } of [...steps, ...(tools.variants ?? [])]) {
    const ranked = rank(variant);
    orders[name] = idsOf(reranker === null ? ranked : (await ordered(reader, ranked, { ...made, reranker })).rows);
  }
  return {
    question,
    orders,
    bestP: product.rows[0]?.p ?? 0,
    tokens: product.rows.slice(0, 5).reduce((sum, { memory }) => sum + tools.countTokens(spoken(memory)), 0),
    milliseconds: { search, rerank: product.elapsedMs },
  };
}

function idsOf(rows: readonly { readonly ref: Ref }[]): readonly string[] {
  return rows.map(({ ref }) => ref[1]);
}

interface Ordering {
  readonly reranker: Reranker;
  readonly slice: BenchTenant['slice'];
  readonly question: string;
  readonly policy: RetrievalPolicy;
  /** Rows that were read already. */
  readonly texts: Map<string, Memory>;
}

/** Reranked as in a window, and put into its order. */
async function ordered(reader: SnapshotReader, ranked: readonly RankedRef[], made: Ordering) {
  const { reranker, slice, question, policy, texts } = made;
  const missing = ranked.filter(({ ref }) => !texts.has(refKey(ref)));
  for (const row of await reader.memories(missing.map(({ ref }) => ref))) texts.set(refKey(row.ref), row);
  const candidates = ranked.flatMap(({ ref, fused }) => {
    const memory = texts.get(refKey(ref));
    return memory === undefined ? [] : [{ memory, fused, slice }];
  });
  const { scores, elapsedMs } = await rerank(reranker, { question, candidates, policy });
  const rows = candidates
    .map(({ memory, fused }) => ({ ref: memory.ref, memory, p: probability(scores.get(refKey(memory.ref)), fused) }))
    .toSorted((a, b) => b.p - a.p || compareRefs(a.ref, b.ref));
  return { rows, elapsedMs };
}

/** The part p of a priority (design S4); confidence and recency are the same for every row here. */
function probability(score: RerankScore | undefined, fused: number): number {
  if (score === undefined) return fused;
  if (score.kind === 'logit') return 1 / (1 + Math.exp(-score.value));
  return Math.min(0.999, Math.max(0.001, (score.value - score.low) / (score.high - score.low)));
}

async function rankByPlainBm25(
  reader: SnapshotReader,
  tenant: BenchTenant,
  question: string,
): Promise<readonly string[]> {
  const kinds = tenant.slice === 'evidence' ? (['chunk'] as const) : (['conversation'] as const);
  const terms = questionTerms(question);
  if (terms.length === 0) return [];
  const found = await reader.searchLexical(terms, { kinds, collections: null, exclude: [], limit: 1_000 });
  return rankPlainly(found).map(({ ref }) => ref[1]);
}

/** Means over the questions that something answers. */
export interface Recall {
  /** The share of the parts of a complete answer for which a row is among the first ones. */
  readonly recall_at_5: number;
  readonly recall_at_10: number;
  readonly recall_at_20: number;
  /** The share of all rows that give a part, those included that say the same once more. */
  readonly rows_at_5: number;
  /** The part of the questions with at least one row that answers among the first five. */
  readonly answered_at_5: number;
  readonly mrr: number;
  readonly questions: number;
}

/** Recall at 5, 10 and 20 and the mean reciprocal rank of the first row that answers. */
export function recallOf(rankings: readonly Pick<Rankings, 'question' | 'orders'>[], method: string): Recall {
  const answerable = rankings.filter(({ question }) => isAnswerable(question));
  const mean = (value: (ids: readonly string[], parts: LabelledQuestion['parts']) => number) =>
    round(
      answerable.reduce((sum, { question, orders }) => sum + value(orders[method] ?? [], question.parts), 0) /
        Math.max(1, answerable.length),
    );
  const at = (depth: number) => mean((ids, parts) => shareOf(parts, ids.slice(0, depth)));
  return {
    recall_at_5: at(5),
    recall_at_10: at(10),
    recall_at_20: at(20),
    rows_at_5: mean((ids, parts) => {
      const rows = [...new Set(parts.flat())].map((id) => [id]);
      return shareOf(rows, ids.slice(0, 5));
    }),
    answered_at_5: mean((ids, parts) => (shareOf([parts.flat()], ids.slice(0, 5)) > 0 ? 1 : 0)),
    mrr: mean((ids, parts) => {
      const rows = new Set(parts.flat());
      const place = ids.findIndex((id) => rows.has(id));
      return place === -1 ? 0 : 1 / (place + 1);
    }),
    questions: answerable.length,
  };
}

/** True: at least one row of the data answers it. */
export function isAnswerable({ parts }: LabelledQuestion): boolean {
  return parts.length > 0;
}

/** The share of the parts that one of these ids gives. */
function shareOf(parts: LabelledQuestion['parts'], ids: readonly string[]): number {
  return parts.filter((part) => part.some((id) => ids.includes(id))).length / parts.length;
}

/** How well a threshold of the best row's p tells unanswerable questions: of those below it, and of all such. */
export function thresholdOf(
  rankings: readonly Pick<Rankings, 'question' | 'bestP'>[],
  threshold: number,
): { readonly precision: number; readonly recall: number; readonly answerable_below: number } {
  const below = rankings.filter(({ bestP }) => bestP < threshold);
  const unanswerable = rankings.filter(({ question }) => !isAnswerable(question));
  const right = below.filter(({ question }) => !isAnswerable(question));
  return {
    precision: round(right.length / Math.max(1, below.length)),
    recall: round(right.length / Math.max(1, unanswerable.length)),
    answerable_below: below.length - right.length,
  };
}

/** Four decimals. */
export function round(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}
