// A reranker at a service (Q6): the three shapes over a real connection, and answers that nobody should believe.

import { afterEach, describe, expect, it } from 'vitest';
import { createHttpReranker, type HttpRerankerSettings } from '../../src/rerank/http.ts';
import type { Patience } from '../../src/service/retries.ts';
import { type Answer, jsonService, type JsonService } from '../service/json_service.ts';

interface RerankBody {
  readonly query: string;
  readonly documents?: readonly string[];
  readonly texts?: readonly string[];
}

const quick: Patience = { attemptMs: 400, totalMs: 1500, attempts: 3, backOffMs: 5 };
const services: JsonService<RerankBody>[] = [];
afterEach(() => {
  for (const service of services.splice(0)) service.close();
});

async function serve(answer: Answer<RerankBody>): Promise<JsonService<RerankBody>> {
  const service = await jsonService(answer);
  services.push(service);
  return service;
}

const textsOf = (words: readonly string[]) => words.map((text) => ({ text, prior: 0, passage: true }));

function rerankerAt(url: string, shape: HttpRerankerSettings['shape'], model: string | null = 'bge') {
  return createHttpReranker({ url, apiKey: 'secret-key', shape, model }, quick);
}

/** Scores that say which text they are of, worst first. */
const scoresOf = (texts: readonly string[]) =>
  texts.map((text, index) => ({ index, relevance_score: text.length / 10, score: text.length - 5 })).toReversed();

const results: Answer<RerankBody> = (response, { body }) =>
  response.end(JSON.stringify({ results: scoresOf(body.documents ?? []) }));

describe('a reranking service', () => {
  it.each(['cohere', 'jina'] as const)('[Q6][S4] of the shape %s gives scores from 0 to 1', async (shape) => {
    const { origin, seen } = await serve(results);
    expect(await rerankerAt(`${origin}/v2/`, shape).score('which?', textsOf(['plum', 'pear tree']))).toEqual([
      { kind: 'score', value: 0.4, low: 0, high: 1 },
      { kind: 'score', value: 0.9, low: 0, high: 1 },
    ]);
    expect(seen[0]).toMatchObject({ url: '/v2/rerank', headers: { authorization: 'Bearer secret-key' } });
    const asked = { model: 'bge', query: 'which?', documents: ['plum', 'pear tree'], top_n: 2 };
    expect(seen[0]!.body).toEqual(shape === 'jina' ? { ...asked, return_documents: false } : asked);
  });

  it('[Q6][S4] of the shape tei gives logits, in requests that it takes', async () => {
    const { origin, seen } = await serve((response, { body }) =>
      response.end(JSON.stringify(scoresOf(body.texts ?? []))),
    );
    const words = Array.from({ length: 70 }, (_, place) => 'x'.repeat(place));
    const scores = await rerankerAt(origin, 'tei', null).score('which?', textsOf(words));
    expect(scores).toEqual(words.map((_, place) => ({ kind: 'logit', value: place - 5 })));
    expect(seen.map(({ body }) => body.texts?.length).toSorted((a = 0, b = 0) => b - a)).toEqual([32, 32, 6]);
    expect(seen[0]!.body).toMatchObject({ query: 'which?', raw_scores: true, truncate: true });
  });

  it('[Q6] is not asked where there is nothing to score', async () => {
    const { origin, seen } = await serve(results);
    expect(await rerankerAt(origin, 'cohere').score('which?', [])).toEqual([]);
    expect(seen).toEqual([]);
  });

  it.each<[string, string, unknown]>([
    ['without scores', 'without scores', { results: 'plum' }],
    ['with too few', '1 scores for 2 texts', { results: scoresOf(['plum']) }],
    ['with one twice', 'to one twice', { results: [1, 1].map((index) => ({ index, relevance_score: 1 })) }],
    ['with one of no text', 'to no text', { results: [0, 2].map((index) => ({ index, relevance_score: 1 })) }],
    ['with no number', 'no number', { results: [0, 1].map((index) => ({ index, relevance_score: 'plum' })) }],
  ])('[Q6] that answers %s is not believed, and no text is told', async (_name, reason, answer) => {
    const { origin, seen } = await serve((response) => response.end(JSON.stringify(answer)));
    const failure: unknown = await rerankerAt(origin, 'cohere')
      .score('which?', textsOf(['plum', 'pear']))
      .catch(String);
    expect(failure).toContain(reason);
    expect(failure).not.toMatch(/plum|pear|which|secret-key/);
    expect(seen).toHaveLength(1);
  });

  it('[Q6] that recovers is asked again, and one that refuses is not', async () => {
    const { origin } = await serve((response, request, count) =>
      count === 1 ? response.writeHead(503).end() : results(response, request, count),
    );
    expect(await rerankerAt(origin, 'jina').score('which?', textsOf(['plum']))).toHaveLength(1);
    const { origin: other, seen } = await serve((response) => response.writeHead(401).end());
    await expect(rerankerAt(other, 'jina').score('which?', textsOf(['plum']))).rejects.toThrow('status 401');
    expect(seen).toHaveLength(1);
  });

  it('[Q6,T9] is left at the deadline of the policy', async () => {
    const { origin } = await serve(() => {});
    const signal = AbortSignal.timeout(30);
    await expect(rerankerAt(origin, 'tei').score('which?', textsOf(['plum']), { signal })).rejects.toThrow();
    expect(signal.aborted).toBe(true);
  });
});
