// The benchmark's own arithmetic and its run through the real store on labelled questions (design Q9).

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rankQuestion, type Rankings, recallOf, thresholdOf } from '../../bench/retrieval_recall.ts';
import { corpusTenant } from '../../bench/retrieval_data.ts';
import { fileURLToPath } from 'node:url';
import { callAs, type Fixture, jane, openFixture } from '../fixture.ts';

const seeds = fileURLToPath(new URL('../../seeds', import.meta.url));

let fixture: Fixture;

beforeAll(async () => {
  fixture = await openFixture({ seeds: ['corpus_research.json', 'corpus_platform.json'] });
});

afterAll(async () => {
  await fixture.close();
});

const ranking = (product: readonly string[], parts: readonly (readonly string[])[], bestP = 1) => ({
  question: { question: 'which?', parts, kind: 'fact' },
  orders: { reranked: product },
  bestP,
});

describe('the retrieval benchmark', () => {
  it('[Q9] counts recall over the parts of an answer, and the reciprocal rank of the first row that gives one', () => {
    const recall = recallOf(
      [ranking(['x', 'a', 'y', 'z', 'w', 'b'], [['a'], ['b']]), ranking(['c'], [['c']]), ranking(['d'], [])],
      'reranked',
    );
    expect(recall).toMatchObject({ recall_at_5: 0.75, answered_at_5: 1, recall_at_10: 1, mrr: 0.75, questions: 2 });
  });

  it('[Q9] takes rows that give the same part for one another, and counts all of them beside that', () => {
    const found = ['a', 'x', 'y', 'z', 'w'];
    const recall = (parts: readonly (readonly string[])[]) => recallOf([ranking(found, parts)], 'reranked');
    expect(recall([['a', 'b']])).toMatchObject({ recall_at_5: 1, rows_at_5: 0.5 });
    expect(recall([['a', 'b'], ['c']])).toMatchObject({ recall_at_5: 0.5, rows_at_5: 0.3333 });
    expect(recall([['b', 'c'], ['c']])).toMatchObject({ recall_at_5: 0, rows_at_5: 0, answered_at_5: 0, mrr: 0 });
  });

  it('[Q9] says how well a threshold tells the questions that nothing answers', () => {
    const rankings = [ranking(['a'], [['a']], 0.9), ranking(['b'], [['b']], 0.4), ranking(['c'], [], 0.3)];
    expect(thresholdOf(rankings, 0.5)).toEqual({ precision: 0.5, recall: 1, answerable_below: 1 });
    expect(thresholdOf(rankings, 0.1)).toEqual({ precision: 0, recall: 0, answerable_below: 0 });
  });

  it('[Q9] labels passages that the corpus has, and each part with one of them at least', () => {
    const { questions, rows } = corpusTenant(seeds);
    const passages = new Set(
      rows.flatMap((row) => (row.type === 'document' ? row.chunks.map(({ id }) => String(id)) : [])),
    );
    const parts = questions.flatMap((question) => question.parts);
    expect(parts.filter((part) => part.length === 0)).toEqual([]);
    expect(parts.flat().filter((id) => !passages.has(id))).toEqual([]);
    expect(questions.filter(({ parts: [first] }) => first !== undefined)).toHaveLength(95);
  });

  it('[Q9] finds most labelled passages of the corpus, and more of them than plain BM25', async () => {
    const tenant = corpusTenant(seeds);
    const some = tenant.questions.filter((_, place) => place % 4 === 0);
    const { requestId } = callAs(jane);
    const { parts } = fixture;
    const tools = {
      embedder: await parts.embedder(),
      reranker: await parts.reranker(),
      countTokens: await parts.tokenizer(),
    };
    const rankings: Rankings[] = [];
    for (const question of some) {
      rankings.push(
        await fixture.store.read(jane, { requestId, evaluationTime: null }, (reader) =>
          rankQuestion(reader, tenant, question, tools),
        ),
      );
    }
    const product = recallOf(rankings, 'reranked');
    expect(product.questions).toBeGreaterThanOrEqual(20);
    expect(product.recall_at_10).toBeGreaterThan(0.85);
    expect(product.mrr).toBeGreaterThan(recallOf(rankings, 'plain_bm25').mrr);
  });
});
