// Policy rows: the article's budget reads as it stands, and whatever is not exactly a policy is refused by its field.

import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/model/json.ts';
import { parseBudget, parseRetention, parseRetrieval } from '../../src/store/policy_rows.ts';

const shares = { durable_facts: 0.4, evidence: 0.25, recalled_history: 0.1, volatile_tail: 0.25 };
const row = {
  usable_context: 5000,
  output_reserve: 400,
  tool_reserve: 1000,
  request_overhead_reserve: 500,
  max_rounds: 3,
  max_tool_result_tokens: 1000,
  weights: { rerank: 0.6, confidence: 0.25, recency: 0.15 },
  recency_days: 60,
  shares: { fact_check: shares },
  overflow_order: ['evidence', 'durable_facts', 'volatile_tail', 'recalled_history'],
};

const refusal = (read: (value: JsonValue) => unknown, value: unknown): unknown => {
  try {
    read(value as JsonValue);
    return null;
  } catch (error) {
    return error;
  }
};

describe('context_budget', () => {
  it('[B1,B3] reads the row and fills in the defaults', () => {
    expect(parseBudget(row as JsonValue)).toEqual({
      usableContext: 5000,
      outputReserve: 400,
      toolReserve: 1000,
      requestOverheadReserve: 500,
      maxRounds: 3,
      maxToolResultTokens: 1000,
      weights: row.weights,
      recencyDays: 60,
      shares: row.shares,
      overflowOrder: row.overflow_order,
      evidence: { maxPerDocument: 3, nearDuplicate: 0.8 },
      candidateCaps: { durable_facts: 50, evidence: 200, recalled_history: 12, volatile_tail: 12 },
      compress: true,
      requiredCorrections: true,
      implicitRun: { maxRounds: 20, toolReserve: 16_000, maxToolResultTokens: 2000, idleSeconds: 300 },
      weakBelow: 0.4,
      encoding: 'o200k_base',
    });
    const partial = {
      ...row,
      evidence: { near_duplicate: 0.9 },
      required_corrections: 'drop_history',
      compress: false,
    };
    expect(parseBudget(partial as JsonValue)).toMatchObject({
      evidence: { maxPerDocument: 3, nearDuplicate: 0.9 },
      requiredCorrections: 'drop_history',
      compress: false,
    });
  });

  it('[B3] takes shares that differ from 1 by no more than rounding', () => {
    const thirds = { durable_facts: 0.1, evidence: 0.2, recalled_history: 0.3, volatile_tail: 0.4 };
    expect(refusal(parseBudget, { ...row, shares: { default: thirds } })).toBeNull();
  });

  it.each([
    ['an unknown key', { colour: 1 }, 'colour'],
    ['an unknown key further in', { weights: { ...row.weights, luck: 1 } }, 'weights.luck'],
    [
      'a missing slice',
      { shares: { default: { durable_facts: 0.5, evidence: 0.5 } } },
      'shares.default.recalled_history',
    ],
    ['an unknown intent', { shares: { guess: shares } }, 'shares.guess'],
    ['no shares', { shares: {} }, 'shares'],
    ['shares that miss 1', { shares: { fact_check: { ...shares, evidence: 0.25 + 2e-9 } } }, 'shares.fact_check'],
    [
      'a negative share',
      { shares: { fact_check: { ...shares, evidence: -0.25, durable_facts: 0.9 } } },
      'shares.fact_check.evidence',
    ],
    ['reserves above the context', { tool_reserve: 4200 }, 'usable_context'],
    [
      'an overflow order that repeats',
      { overflow_order: ['evidence', 'evidence', 'volatile_tail', 'recalled_history'] },
      'overflow_order',
    ],
    ['an overflow order that is short', { overflow_order: ['evidence'] }, 'overflow_order'],
    ['a fraction of a token', { output_reserve: 0.5 }, 'output_reserve'],
    ['no number', { recency_days: Number.NaN }, 'recency_days'],
    ['an endless number', { usable_context: Number.POSITIVE_INFINITY }, 'usable_context'],
    ['a negative weight', { weights: { ...row.weights, rerank: -1 } }, 'weights.rerank'],
    ['another encoding', { encoding: 'cl100k_base' }, 'encoding'],
    ['a missing key', { max_rounds: undefined }, 'max_rounds'],
  ])('[B3] refuses %s by its field', (_, change, field) => {
    expect(refusal(parseBudget, { ...row, ...change })).toMatchObject({
      code: 'policy_invalid',
      message: expect.stringContaining(`context_budget: ${field}: `),
      data: { guideline: 'context_budget', field },
    });
  });

  it('[B3] refuses what is no object', () => {
    expect(refusal(parseBudget, 'x')).toMatchObject({ code: 'policy_invalid', data: { field: 'context_budget' } });
    expect(refusal(parseBudget, null)).toMatchObject({ code: 'policy_invalid' });
  });
});

describe('context_retention', () => {
  it('[N4] reads the row; what it does not say is kept', () => {
    expect(parseRetention({})).toEqual({ classes: {}, default: null, historyDays: null });
    expect(parseRetention({ classes: { user_msg: 30, feedback: null }, default: 365, history_days: 0 })).toEqual({
      classes: { user_msg: 30, feedback: null },
      default: 365,
      historyDays: 0,
    });
  });

  it.each([
    ['an unknown key', { days: 1 }, 'days'],
    ['no time at all', { classes: { user_msg: 0 } }, 'classes.user_msg'],
    ['half a day', { default: 0.5 }, 'default'],
    ['more days than a calendar has', { history_days: 36_501 }, 'history_days'],
    ['a negative one', { history_days: -1 }, 'history_days'],
    ['a class that is no name', { classes: { 'User msg': 1 } }, 'classes.User msg'],
    ['days as text', { classes: { user_msg: '30' } }, 'classes.user_msg'],
  ])('[N4] refuses %s by its field', (_, value, field) => {
    expect(refusal(parseRetention, value)).toMatchObject({
      code: 'policy_invalid',
      data: { guideline: 'context_retention', field },
    });
  });
});

describe('context_retrieval', () => {
  it('[Q11] reads the row and fills in the defaults', () => {
    expect(parseRetrieval({})).toMatchObject({ fusion: { method: 'scaled_sum', weights: {} }, hops: 0 });
    expect(parseRetrieval({ fusion: { weights: { lexical: 2 } }, rerank: { candidates: 10 }, hops: 1 })).toMatchObject({
      fusion: { method: 'scaled_sum', weights: { lexical: 2 } },
      rerank: { candidates: 10 },
      hops: 1,
    });
  });

  it.each([
    ['an unknown key', { depth: 1 }, 'depth'],
    ['an unknown method', { fusion: { method: 'magic' } }, 'fusion.method'],
    ['a negative weight', { fusion: { weights: { lexical: -1 } } }, 'fusion.weights.lexical'],
    ['no time at all', { rerank: { deadline_ms: 0 } }, 'rerank.deadline_ms'],
    ['half a hop', { hops: 0.5 }, 'hops'],
  ])('[Q11] refuses %s by its field', (_, value, field) => {
    expect(refusal(parseRetrieval, value)).toMatchObject({ code: 'policy_invalid', data: { field } });
  });
});
