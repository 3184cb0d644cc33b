// A reranker at a service (design Q6, S4): the three shapes in use differ in names and units, and in nothing else.

import { abortedBy } from '../model/errors.ts';
import type { RerankScore } from '../model/candidate.ts';
import { fieldOf, postJson, type Service } from '../service/post_json.ts';
import { type Patience, ServiceFailure, withPatience } from '../service/retries.ts';
import type { Reranker } from './reranker.ts';

/** Where scores are asked for, and how. */
export interface HttpRerankerSettings extends Service {
  readonly shape: keyof typeof shapes;
  /** Null where the service has one model and takes no name. */
  readonly model: string | null;
}

/** What is asked about: the question with some of the texts. */
interface Batch {
  readonly model: string | null;
  readonly query: string;
  readonly texts: readonly string[];
}

/** A scored text by its place in the batch. */
interface Scored {
  readonly index: unknown;
  readonly score: unknown;
}

/** Requests and answers of one family of services. */
interface Shape {
  body(batch: Batch): object;
  scored(answer: unknown): readonly Scored[] | null;
  readonly unit: (value: number) => RerankScore;
  /** Texts of one request. */
  readonly mostTexts: number;
}

/** A relevance between 0 and 1, as both services document it. */
const relevance = (value: number): RerankScore => ({ kind: 'score', value, low: 0, high: 1 });

const byResults: Shape = {
  body: ({ model, query, texts }) => ({ model, query, documents: texts, top_n: texts.length }),
  scored: (answer) => {
    const results = fieldOf(answer, 'results');
    return Array.isArray(results)
      ? results.map((item: unknown) => ({ index: fieldOf(item, 'index'), score: fieldOf(item, 'relevance_score') }))
      : null;
  },
  unit: relevance,
  mostTexts: 100,
};

const shapes = {
  cohere: byResults,
  // Without the texts, which would only come back.
  jina: { ...byResults, body: (batch: Batch) => ({ ...byResults.body(batch), return_documents: false }) },
  tei: {
    // Raw scores are the logits: nothing is lost to a sigmoid that the assembly takes anyway.
    body: ({ query, texts }: Batch) => ({ query, texts, raw_scores: true, truncate: true }),
    scored: (answer: unknown) =>
      Array.isArray(answer)
        ? answer.map((item: unknown) => ({ index: fieldOf(item, 'index'), score: fieldOf(item, 'score') }))
        : null,
    unit: (value: number) => ({ kind: 'logit', value }),
    // What such a service takes at once where nobody configured more.
    mostTexts: 32,
  },
} as const satisfies Record<string, Shape>;

const defaultPatience: Patience = { attemptMs: 10_000, totalMs: 30_000, attempts: 3, backOffMs: 200 };

/** A text counts up to here: rerankers read some hundred tokens. */
const longestTextChars = 8_000;
const longestAnswerBytes = 1_000_000;
const requestsAtOnce = 4;

/**
 * A reranker that asks the service. `score` rejects with a few words that hold nothing of what was sent: the caller's
 * deadline ends the attempts, and its fused order serves then.
 */
export function createHttpReranker(settings: HttpRerankerSettings, patience: Patience = defaultPatience): Reranker {
  const shape: Shape = shapes[settings.shape];
  return {
    id: `http:${settings.model ?? settings.shape}`,
    score: async (question, texts, options = {}) => {
      const { signal } = options;
      if (signal?.aborted === true) throw abortedBy(signal);
      const cut = texts.map(({ text }) => text.toWellFormed().slice(0, longestTextChars).toWellFormed());
      const starts = Array.from(
        { length: Math.ceil(cut.length / shape.mostTexts) },
        (_, turn) => turn * shape.mostTexts,
      );
      const scores: RerankScore[] = [];
      const work = async (): Promise<void> => {
        for (let start = starts.shift(); start !== undefined; start = starts.shift()) {
          const some = cut.slice(start, start + shape.mostTexts);
          const batch = { model: settings.model, query: question.toWellFormed(), texts: some };
          const values = await withPatience(patience, signal, async (bounded) => {
            const request = { path: 'rerank', body: shape.body(batch), longestAnswerBytes, signal: bounded };
            return inOrder(shape.scored(await postJson(settings, request)), some.length);
          });
          for (const [place, value] of values.entries()) scores[start + place] = shape.unit(value);
        }
      };
      try {
        await Promise.all(Array.from({ length: requestsAtOnce }, work));
      } finally {
        starts.length = 0;
      }
      return scores;
    },
  };
}

/** The score of every text. One that is missing or given twice makes all of them doubtful. */
function inOrder(scored: readonly Scored[] | null, count: number): readonly number[] {
  if (scored === null) throw new ServiceFailure('an answer without scores');
  if (scored.length !== count) throw new ServiceFailure(`${scored.length} scores for ${count} texts`);
  const values = new Map<number, number>();
  for (const { index, score } of scored) {
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= count || values.has(index)) {
      throw new ServiceFailure('an answer whose scores belong to no text, or to one twice');
    }
    if (typeof score !== 'number' || !Number.isFinite(score)) throw new ServiceFailure('a score that is no number');
    values.set(index, score);
  }
  return Array.from({ length: count }, (_, index) => values.get(index) ?? 0);
}
