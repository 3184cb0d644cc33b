// Scores and order.
import { describe, expect, it } from 'vitest';
import type { Budget } from '../../src/model/budget.ts';
import type { Measured } from '../../src/model/candidate.ts';
import type { Memory } from '../../src/model/memory.ts';
import { instant } from '../../src/model/time.ts';
import { scoreOf, sixDecimals } from '../../src/assembly/select/score.ts';
import {
  budget,
  candidate,
  chunk,
  entity,
  evaluationTime,
  idsOf,
  lifecycle,
  selectFrom,
  summary,
  survivor,
  turn,
  workflow,
} from './select_factory.ts';

const score = (memory: Memory, measured: Measured, parts: Partial<Budget> = {}) =>
  scoreOf(candidate(memory, { measured }), { ...budget, ...parts }, evaluationTime);
const logit = (value: number): Measured => ({ rerank: { kind: 'logit', value }, fused: 0.123 });
const bounded = (value: number, low: number, high: number): Measured => ({
  rerank: { kind: 'score', value, low, high },
  fused: 0.123,
});
const aged = (validFrom: string, recencyDays = 60) =>
  score(entity('e', { lifecycle: lifecycle({ validFrom }) }), logit(0), { recencyDays }).recency;
const loose = (memory: Memory, fused = 0.5) => candidate(memory, { fused, slice: null });

describe('score', () => {
  it('[S4] adds the weighted probability, confidence and recency, and records the parts', () => {
    const memory = entity('e', { confidence: 0.9, lifecycle: lifecycle({ validFrom: '2026-08-29T12:00:00Z' }) });
    // 30 of 60 days old; sigmoid(1.25) = 0.777299861…
    expect(score(memory, logit(1.25))).toEqual({
      priority: sixDecimals(0.6 * (1 / (1 + Math.exp(-1.25))) + 0.25 * 0.9 + 0.15 * 0.5),
      p: 0.7773,
      confidence: 0.9,
      recency: 0.5,
      source: 'logit',
      raw: 1.25,
    });
    expect(score(memory, logit(1.25)).priority).toBe(0.76638);
  });

  it('[S4] the scores stand with what was selected', () => {
    const selection = selectFrom([candidate(entity('e'), { measured: logit(0) })]);
    expect(survivor(selection, 'e').scores).toMatchObject({ p: 0.5, raw: 0, source: 'logit' });
  });

  it.each([
    [-800, 0],
    [-2, 0.119203],
    [2, 0.880797],
    [800, 1],
  ])('[S4] a logit of %d is a probability of %d', (value, p) => {
    expect(score(entity('e'), logit(value)).p).toBe(p);
  });

  it.each([
    [0.5, -0.5, 1, 0.666667],
    [7, 0, 10, 0.7],
    [-3, 0, 10, 0.001],
    [12, 0, 10, 0.999],
  ])('[S4] a score of %d between %d and %d is a probability of %d', (value, low, high, p) => {
    expect(score(entity('e'), bounded(value, low, high))).toMatchObject({ p, source: 'score', raw: value, low, high });
  });

  it.each([
    ['was not reranked', { rerank: null, fused: 0.25 }, 0.25],
    ['has a fused score above 1', { rerank: null, fused: 1.5 }, 1],
    ['has a negative fused score', { rerank: null, fused: -1 }, 0],
    ['got no number from the reranker', { rerank: { kind: 'logit', value: Number.NaN }, fused: 0.25 }, 0.25],
    ['got no bounds from it', { rerank: { kind: 'score', value: 1, low: 1, high: 1 }, fused: 0.25 }, 0.25],
    ['has no number at all', { rerank: null, fused: Number.NaN }, 0],
  ] as const)('[S4] a candidate that %s uses its fused score, and says so', (_, measured, p) => {
    expect(score(entity('e'), measured)).toMatchObject({ p, source: 'fused', raw: p });
  });

  it('[S4] confidence is one half where the type has none or the row leaves it open', () => {
    const confidences = [
      turn('t'),
      chunk('c'),
      entity('e'),
      summary('s'),
      workflow('w'),
      workflow('x', { confidence: 0 }),
    ].map((memory) => score(memory, logit(0)).confidence);
    expect(confidences).toEqual([0.5, 0.5, 0.5, 0.5, 0.5, 0]);
  });

  it('[S4] age is measured from each type’s own time', () => {
    const times = lifecycle({ validFrom: '2026-09-13T12:00:00Z', createdAt: '2026-08-29T12:00:00Z' });
    const recencies = [
      entity('e', { lifecycle: times }),
      workflow('w', { lifecycle: times }),
      chunk('c', { lifecycle: times }),
      summary('s', { lifecycle: times, completedAt: instant('2026-07-30T12:00:00Z') }),
      turn('t', { lifecycle: times }),
    ].map((memory) => score(memory, logit(0)).recency);
    expect(recencies).toEqual([0.75, 0.75, 0.75, 0, 0.5]);
  });

  it('[S4] recency stays within 0 and 1, and counts microseconds', () => {
    expect(aged('2020-01-01T00:00:00Z')).toBe(0);
    expect(aged('2026-10-28T12:00:00Z')).toBe(1);
    expect(aged('2026-09-28T11:59:59.136000Z', 0.0001)).toBe(0.9);
    expect(aged('2026-09-28T12:00:00Z', 0)).toBe(1);
    expect(aged('2026-09-28T11:59:59Z', 0)).toBe(0);
  });

  it('[S4] six decimals, never minus zero', () => {
    expect(sixDecimals(0.1234565)).toBe(0.123457);
    expect(Object.is(sixDecimals(-1e-9), 0)).toBe(true);
    expect(Object.is(score(entity('e'), logit(-0)).raw, 0)).toBe(true);
    const third = score(entity('e', { confidence: 1 / 3 }), bounded(1, 0, 3));
    expect([third.p, third.confidence, third.priority]).toEqual([0.333333, 0.333333, 0.364583]);
  });
});

describe('order', () => {
  it('[S5] is by priority, then the later valid_from, then table, row id and version', () => {
    const flat = { weights: { rerank: 1, confidence: 0, recency: 0 } };
    const later = lifecycle({ validFrom: '2026-09-02T00:00:00Z' });
    const selection = selectFrom(
      [
        loose(workflow('a')),
        loose(turn('a')),
        loose(chunk('z')),
        loose(chunk('a_b')),
        loose(chunk('aB')),
        loose(entity('k', { version: 2, predicate: 'p' })),
        loose(entity('k', { version: 1, content: 'other', predicate: 'q' })),
        loose(chunk('late', { lifecycle: later })),
        loose(chunk('best'), 0.9),
        loose(chunk('worst', { lifecycle: later }), 0.1),
      ],
      { budget: flat },
    );
    expect(
      selection.results.map(({ candidate: { memory } }) => `${memory.type} ${memory.ref[1]} ${memory.ref[2]}`),
    ).toEqual([
      'chunk best 1',
      'chunk late 1',
      'chunk aB 1',
      'chunk a_b 1',
      'chunk z 1',
      'conversation a 1',
      'entity k 1',
      'entity k 2',
      'workflow a 1',
      'chunk worst 1',
    ]);
  });

  it('[S5] priorities that differ beyond six decimals are equal', () => {
    const flat = { weights: { rerank: 1, confidence: 0, recency: 0 } };
    const selection = selectFrom(
      [candidate(entity('b'), { fused: 0.500_000_2 }), candidate(entity('a'), { fused: 0.5 })],
      { budget: flat },
    );
    expect(idsOf(selection.slices.durable_facts)).toEqual(['a', 'b']);
  });
});
