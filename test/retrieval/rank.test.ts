// BM25 over fields, fusion and a slice's ranking (design Q2, Q4, Q11): figures by hand, and order under shuffling.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rowId } from '../../src/model/ids.ts';
import type { Ref } from '../../src/model/memory.ts';
import {
  inverseDocumentFrequency,
  type LexicalCandidates,
  lexicalConfidence,
  scoreGroups,
  scoreLexical,
} from '../../src/retrieval/bm25.ts';
import { signalNames } from '../../src/model/budget.ts';
import { fuse, type Fusion, type Signal } from '../../src/retrieval/fuse.ts';
import { rankCandidates, rankPlainly } from '../../src/retrieval/search.ts';

const chunk = (id: string): Ref => ['chunk', rowId(id), 1];
const scaled: Fusion = { method: 'scaled_sum', weights: {} };

const candidates: LexicalCandidates = {
  documents: 100,
  averageLengths: [4, 4, 20, 40],
  documentFrequencies: [50, 2],
  hits: [
    {
      ref: chunk('common'),
      frequencies: [
        [0, 0, 1, 0],
        [0, 0, 0, 0],
      ],
      lengths: [4, 4, 20, 40],
      group: 'one',
    },
    {
      ref: chunk('rare'),
      frequencies: [
        [0, 0, 0, 0],
        [0, 0, 1, 0],
      ],
      lengths: [4, 4, 20, 40],
      group: 'two',
    },
    {
      ref: chunk('beside'),
      frequencies: [
        [0, 0, 0, 0],
        [0, 0, 0, 1],
      ],
      lengths: [4, 4, 20, 40],
      group: 'two',
    },
    {
      ref: chunk('longer'),
      frequencies: [
        [0, 0, 0, 0],
        [0, 0, 1, 0],
      ],
      lengths: [4, 4, 200, 40],
      group: null,
    },
  ],
};

describe('BM25 [Q2]', () => {
  it('counts a rare term for more, a neighbour and a long text for less', () => {
    const [common = 0, rare = 0, beside = 0, longer = 0] = scoreLexical(candidates);
    expect(rare).toBeCloseTo(inverseDocumentFrequency(100, 2), 10);
    expect(rare).toBeGreaterThan(common);
    expect(rare).toBeGreaterThan(beside);
    expect(rare).toBeGreaterThan(longer);
    expect(beside).toBeGreaterThan(0);
  });

  it('scores a thread or document as one text, and rows without one not at all', () => {
    const [one, two, alsoTwo, none] = scoreGroups(candidates);
    expect(two).toBe(alsoTwo);
    expect(two).not.toBe(one);
    expect(none).toBe(0);
  });

  it('ranks plainly by the own text alone', () => {
    expect(rankPlainly(candidates).map(({ ref }) => ref[1])).toEqual(['rare', 'longer', 'common', 'beside']);
  });

  it('believes words less, the less of the question the best row holds', () => {
    const scores = scoreLexical(candidates);
    const oneOfTwo = lexicalConfidence(candidates, scores);
    expect(oneOfTwo).toBeGreaterThan(0.5);
    expect(oneOfTwo).toBeLessThan(0.9);
    const another = { ...candidates, documentFrequencies: [50, 2, 0] };
    expect(lexicalConfidence(another, scores)).toBeLessThan(oneOfTwo);
    expect(lexicalConfidence(candidates, [0, 0, 0, 0])).toBe(0);
    expect(lexicalConfidence(candidates, [1_000])).toBe(1);
    expect(lexicalConfidence({ ...candidates, documentFrequencies: [] }, [])).toBe(0);
  });

  it('gives no term a negative weight', () => {
    expect(inverseDocumentFrequency(10, 10)).toBeGreaterThan(0);
    expect(inverseDocumentFrequency(0, 5)).toBeGreaterThan(0);
  });
});

describe('fusion [Q4]', () => {
  const signals: readonly Signal[] = [
    {
      name: 'lexical',
      measurements: [
        { ref: chunk('a'), score: 10 },
        { ref: chunk('b'), score: 5 },
      ],
    },
    {
      name: 'vector_text',
      measurements: [
        { ref: chunk('b'), score: 0.8 },
        { ref: chunk('c'), score: 0.4 },
      ],
    },
  ];

  it('[Q11] sums shares of the best by the weights of the policy', () => {
    const ranked = fuse(signals, { method: 'scaled_sum', weights: { lexical: 1, vector_text: 3 } });
    expect(ranked.map(({ ref, fused }) => [ref[1], fused])).toEqual([
      ['b', 0.875],
      ['c', 0.375],
      ['a', 0.25],
    ]);
  });

  it('counts a signal that is not believed for less, by either method', () => {
    const [words, vectors] = signals;
    if (words === undefined || vectors === undefined) throw new Error('there are two signals');
    for (const method of ['scaled_sum', 'reciprocal_rank'] as const) {
      const fusion = { method, weights: { lexical: 3, vector_text: 1 } };
      const first = (confidence: number) => fuse([{ ...words, confidence }, vectors], fusion)[0]?.ref[1];
      expect([first(1), first(0.1)], `by ${method}`).toEqual([method === 'scaled_sum' ? 'a' : 'b', 'b']);
    }
    const doubted = fuse([{ ...words, confidence: 0.5 }], { method: 'scaled_sum', weights: {} });
    expect(doubted[0]?.fused).toBe(0.5);
  });

  it('[Q11] offers reciprocal rank', () => {
    const ranked = fuse(signals, { method: 'reciprocal_rank', weights: { lexical: 1, vector_text: 1 } });
    expect(ranked.map(({ ref }) => ref[1])).toEqual(['b', 'a', 'c']);
    expect(ranked[0]?.fused).toBeLessThanOrEqual(1);
  });

  it('leaves a signal with weight 0 or without any positive score out', () => {
    const ranked = fuse(signals, { method: 'scaled_sum', weights: { lexical: 0, vector_text: 1 } });
    expect(ranked.map(({ ref, fused }) => [ref[1], fused])).toEqual([
      ['b', 1],
      ['c', 0.5],
      ['a', 0],
    ]);
    expect(fuse([{ name: 'lexical', measurements: [{ ref: chunk('a'), score: 0 }] }], scaled)[0]?.fused).toBe(0);
  });

  it('ends ties in ids by code unit', () => {
    const measurements = ['b', 'Z', 'a', 'B'].map((id) => ({ ref: chunk(id), score: 1 }));
    expect(fuse([{ name: 'lexical', measurements }], scaled).map(({ ref }) => ref[1])).toEqual(['B', 'Z', 'a', 'b']);
  });

  it('gives the same order and scores however the input is shuffled', () => {
    const measurement = fc.record({
      ref: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f').map(chunk),
      score: fc.double({ min: -1, max: 20, noNaN: true }),
    });
    const signal = fc.record({
      name: fc.constantFrom(...signalNames),
      measurements: fc.uniqueArray(measurement, { selector: ({ ref }) => ref[1], maxLength: 6 }),
    });
    const generated = fc.uniqueArray(signal, { selector: ({ name }) => name, maxLength: 5 });
    const method = fc.constantFrom('scaled_sum' as const, 'reciprocal_rank' as const);
    fc.assert(
      fc.property(
        generated,
        method,
        fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
        (made, by, dice) => {
          const fusion: Fusion = { method: by, weights: {} };
          const shuffle = <T>(items: readonly T[]): readonly T[] =>
            items
              .map((item) => ({ item, at: dice.next().value ?? 0 }))
              .toSorted((a, b) => a.at - b.at)
              .map(({ item }) => item);
          const shuffled = shuffle(made).map(({ name, measurements }) => ({
            name,
            measurements: shuffle(measurements),
          }));
          const ranked = fuse(made, fusion);
          expect(fuse(shuffled, fusion)).toEqual(ranked);
          for (const { fused } of ranked) {
            expect(fused).toBeGreaterThanOrEqual(0);
            expect(fused).toBeLessThanOrEqual(1);
          }
        },
      ),
    );
  });
});

describe("a slice's ranking [Q4]", () => {
  it('[Q10] puts an entity that the plan names before one that only resembles the question', () => {
    const { ranked, counts } = rankCandidates(
      {
        passages: false,
        ownTerms: 2,
        lexical: null,
        text: [
          { ref: chunk('alike'), cosine: 0.5 },
          { ref: chunk('named'), cosine: 0.4 },
        ],
        context: [],
        named: [{ ref: chunk('named'), score: 1 }],
      },
      scaled,
      10,
    );
    expect(ranked.map(({ ref }) => ref[1])).toEqual(['named', 'alike']);
    expect(counts).toEqual({ lexical: 0, vectorText: 2, vectorContext: 0, named: 1, candidates: 2 });
  });

  it('puts a row whose whole title or speaker the question names before its equal', () => {
    const said = (id: string, title: number) => ({
      ref: chunk(id),
      frequencies: [[title, 0, 0, 0] as const, [0, 0, 1, 0] as const],
      lengths: [1, 4, 20, 40] as const,
      group: 'one',
    });
    const { ranked } = rankCandidates(
      {
        passages: false,
        ownTerms: 2,
        lexical: { ...candidates, hits: [said('another', 0), said('named', 1)] },
        text: [],
        context: [],
        named: [],
      },
      scaled,
      10,
    );
    expect(ranked.map(({ ref, signals }) => [ref[1], signals.title])).toEqual([
      ['named', 1],
      ['another', 0],
    ]);
  });

  it('[Q1] puts a row of the time that the question names before its equal', () => {
    const said = (id: string, days: number) => ({
      ref: chunk(id),
      frequencies: [[0, 0, 1, 0] as const, [0, days, 0, 0] as const],
      lengths: [1, 4, 20, 40] as const,
      group: null,
    });
    const rank = (hits: readonly ReturnType<typeof said>[]) =>
      rankCandidates(
        { passages: false, ownTerms: 1, lexical: { ...candidates, hits }, text: [], context: [], named: [] },
        scaled,
        10,
      ).ranked;
    expect(rank([said('earlier', 0), said('then', 1)]).map(({ ref }) => ref[1])).toEqual(['then', 'earlier']);
    expect(rank([said('fact', 0)])[0]?.signals.time).toBeUndefined();
  });

  it('leans on the neighbours of a turn more than on those of a passage', () => {
    const context = [
      { ref: chunk('among'), cosine: 0.9 },
      { ref: chunk('itself'), cosine: 0.5 },
    ];
    const text = [
      { ref: chunk('itself'), cosine: 0.9 },
      { ref: chunk('among'), cosine: 0.5 },
    ];
    const first = (passages: boolean) =>
      rankCandidates({ passages, ownTerms: 2, lexical: null, text, context, named: [] }, scaled, 10).ranked[0]?.ref[1];
    expect([first(false), first(true)]).toEqual(['among', 'itself']);
  });

  it('lets meaning decide among passages where hardly a word of the question is found', () => {
    const hits = candidates.hits.filter(({ ref }) => ref[1] === 'common').map((hit) => ({ ...hit, group: null }));
    const near = [{ ref: chunk('near'), cosine: 0.9 }];
    const first = (fusion: Fusion) =>
      rankCandidates(
        { passages: true, ownTerms: 2, lexical: { ...candidates, hits }, text: near, context: near, named: [] },
        fusion,
        10,
      ).ranked[0]?.ref[1];
    expect([first(scaled), first({ ...scaled, doubtsWords: false })]).toEqual(['near', 'common']);
  });

  it('brings at most the limit and counts what it had', () => {
    const text = ['a', 'b', 'c'].map((id, index) => ({ ref: chunk(id), cosine: 0.9 - index / 10 }));
    const { ranked, counts } = rankCandidates(
      { passages: false, ownTerms: 2, lexical: null, text, context: [], named: [] },
      scaled,
      2,
    );
    expect(ranked.map(({ ref }) => ref[1])).toEqual(['a', 'b']);
    expect(counts.candidates).toBe(3);
  });
});
