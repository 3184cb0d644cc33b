// The benchmark's own arithmetic and its run through the real store on labelled questions (design Q9).

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rankQuestion, type Rankings, recallOf } from '../../bench/retrieval_recall.ts';
import { corpusTenant } from '../../bench/retrieval_data.ts';
import { fileURLToPath } from 'node:url';
import { callAs, type Fixture, jane, openFixture } from '../fixture.ts';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await openFixture({ seeds: ['corpus_research.json', 'corpus_platform.json'] });
});

afterAll(async () => {
  await fixture.close();
});

const ranking = (product: readonly string[], gold: readonly string[]): Rankings => ({
  question: { question: 'which?', gold, kind: 'fact' },
  product,
  fused: product,
  plain: [],
  bestP: 1,
  elapsedMs: 1,
});

describe('the retrieval benchmark', () => {
  it('[Q9] counts recall over the rows that answer, and the reciprocal rank of the first of them', () => {
    const recall = recallOf(
      [ranking(['x', 'a', 'y', 'z', 'w', 'b'], ['a', 'b']), ranking(['c'], ['c']), ranking(['d'], [])],
      'product',
    );
    expect(recall).toMatchObject({ recall_at_5: 0.75, recall_at_10: 1, mrr: 0.75, questions: 2 });
  });

  it('[Q9] finds most labelled passages of the corpus, and more of them than plain BM25', async () => {
    const tenant = corpusTenant(fileURLToPath(new URL('../../seeds', import.meta.url)));
    const some = tenant.questions.filter((_, place) => place % 4 === 0);
    const { requestId } = callAs(jane);
    const tools = { embedder: await fixture.parts.embedder(), reranker: await fixture.parts.reranker() };
    const rankings: Rankings[] = [];
    for (const question of some) {
      rankings.push(
        await fixture.store.read(jane, { requestId, evaluationTime: null }, (reader) =>
          rankQuestion(reader, tenant, question, tools),
        ),
      );
    }
    const product = recallOf(rankings, 'product');
    expect(product.questions).toBeGreaterThanOrEqual(20);
    expect(product.recall_at_10).toBeGreaterThan(0.85);
    expect(product.mrr).toBeGreaterThan(recallOf(rankings, 'plain').mrr);
  });
});
