// How well labelled rows are found: the product's own search, reranking and order, beside plain BM25.

import type { Embedder } from '../src/embed/embedder.ts';
import { retrieve, rerank } from '../src/manager/retrieve.ts';
import type { RetrievalPolicy } from '../src/model/budget.ts';
import type { RerankScore } from '../src/model/candidate.ts';
import { refKey } from '../src/model/memory.ts';
import type { Reranker } from '../src/rerank/reranker.ts';
import { questionTerms } from '../src/retrieval/analyse.ts';
import { compareRefs } from '../src/retrieval/fuse.ts';
import { makePlan } from '../src/retrieval/plan.ts';
import { questionNames } from '../src/retrieval/names.ts';
import { rankPlainly } from '../src/retrieval/search.ts';
import type { SnapshotReader } from '../src/store/store.ts';
import type { BenchTenant, LabelledQuestion } from './retrieval_data.ts';
import { parseRetrieval } from '../src/store/policy_rows.ts';

/** Candidates of the slice that are read and reranked; the assembly's cap comes after the order. */
export const poolSize = 200;

/** What the search needs beside the store. */
export interface BenchTools {
  readonly embedder: Embedder;
  readonly reranker: Reranker;
  readonly policy?: RetrievalPolicy;
}

/** Ids in the order in which each method ranks them. */
export interface Rankings {
  readonly question: LabelledQuestion;
  readonly product: readonly string[];
  /** The product's order before reranking. */
  readonly fused: readonly string[];
  readonly plain: readonly string[];
  /** The reranker's p of the best row (design S4). */
  readonly bestP: number;
  readonly elapsedMs: number;
}

/** Ranks one question by every method, all in one snapshot. */
export async function rankQuestion(
  reader: SnapshotReader,
  tenant: BenchTenant,
  question: LabelledQuestion,
  tools: BenchTools,
): Promise<Rankings> {
  const start = performance.now();
  const policy = tools.policy ?? { ref: null, ...parseRetrieval({}) };
  const [vector] = await tools.embedder.embed([question.question]);
  const plan = makePlan(question.question, {
    evaluationTime: reader.position.evaluationTime,
    subjects: await reader.subjectsNamed(questionNames(question.question)),
    collections: [],
    predicates: [],
  });
  const request = { question: question.question, plan, policy, exclude: [], questionVector: vector ?? null };
  const found = await retrieve(reader, { ...request, limits: { [tenant.slice]: poolSize } });
  const ranked = found.slices[tenant.slice] ?? [];
  const memories = new Map((await reader.memories(ranked.map(({ ref }) => ref))).map((row) => [refKey(row.ref), row]));
  const candidates = ranked.flatMap(({ ref, fused }) => {
    const memory = memories.get(refKey(ref));
    return memory === undefined ? [] : [{ memory, fused, slice: tenant.slice }];
  });
  const { scores } = await rerank(tools.reranker, { question: question.question, candidates, policy });
  const ordered = candidates
    .map(({ memory, fused }) => ({ ref: memory.ref, p: probability(scores.get(refKey(memory.ref)), fused) }))
    .toSorted((a, b) => b.p - a.p || compareRefs(a.ref, b.ref));
  const elapsedMs = performance.now() - start;
  return {
    question,
    product: ordered.map(({ ref }) => ref[1]),
    fused: ranked.map(({ ref }) => ref[1]),
    plain: await rankByPlainBm25(reader, tenant, question.question),
    bestP: ordered[0]?.p ?? 0,
    elapsedMs,
  };
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
  readonly recall_at_5: number;
  readonly recall_at_10: number;
  readonly recall_at_20: number;
  readonly mrr: number;
  readonly questions: number;
}

/** Recall at 5, 10 and 20 and the mean reciprocal rank of the first row that answers. */
export function recallOf(rankings: readonly Rankings[], method: 'product' | 'fused' | 'plain'): Recall {
  const answerable = rankings.filter(({ question }) => question.gold.length > 0);
  const mean = (value: (ids: readonly string[], gold: ReadonlySet<string>) => number) =>
    round(
      answerable.reduce((sum, ranking) => sum + value(ranking[method], new Set(ranking.question.gold)), 0) /
        Math.max(1, answerable.length),
    );
  const at = (depth: number) =>
    mean((ids, gold) => ids.slice(0, depth).filter((id) => gold.has(id)).length / gold.size);
  return {
    recall_at_5: at(5),
    recall_at_10: at(10),
    recall_at_20: at(20),
    mrr: mean((ids, gold) => {
      const place = ids.findIndex((id) => gold.has(id));
      return place === -1 ? 0 : 1 / (place + 1);
    }),
    questions: answerable.length,
  };
}

/** Four decimals. */
export function round(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}
