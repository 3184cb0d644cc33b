// The budget: reserves and fixed slices (B1, B2), shares (B3), carry (B4), required facts (B5), the ceiling (B7).

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assemble, assembleSelection } from '../../src/assembly/assemble.ts';
import { allot, fillSlices, type SliceTokens } from '../../src/assembly/budget/allocate.ts';
import { chargeRequired } from '../../src/assembly/budget/required.ts';
import { fillOptional } from '../../src/assembly/fill.ts';
import { chargeFixed, lowerBudget } from '../../src/assembly/budget/reserve.ts';
import type { RequiredFact, Selected } from '../../src/assembly/select/selection.ts';
import { type OptionalSlice, optionalSlices, type Shares } from '../../src/model/budget.ts';
import type { Ref } from '../../src/model/memory.ts';
import { budget, candidate, chunk, countTokens, entity, guideline, input, summary, turn, words } from './fixtures.ts';
import { selected, selection } from './selections.ts';

const noFixed = { guidelines: 0, persona: 0, tool_surface: 0, current_question: 0 };
const failure = (code: string, data: object = {}) =>
  expect.objectContaining({ code, data: expect.objectContaining(data) });

function shares(durable: number, evidence: number, recalled: number, tail: number): Shares {
  return { durable_facts: durable, evidence, recalled_history: recalled, volatile_tail: tail };
}

describe('reserves and fixed slices', () => {
  it('[B1] subtracts output, tool and overhead reserves from the usable context', () => {
    expect(chargeFixed(budget(), noFixed)).toBe(3100);
  });

  it('[B2] charges every fixed slice in full', () => {
    const fixed = { guidelines: 100, persona: 20, tool_surface: 300, current_question: 7 };
    expect(chargeFixed(budget(), fixed)).toBe(2673);
    expect(chargeFixed(budget(), { ...noFixed, guidelines: 3100 })).toBe(0);
    expect(() => chargeFixed(budget(), { ...noFixed, guidelines: 3101 })).toThrowError(failure('slice_overflow'));
  });

  it('[B2] names the slice that does not fit, with tokens needed and left', () => {
    const fixed = { guidelines: 3000, persona: 90, tool_surface: 40, current_question: 7 };
    expect(() => chargeFixed(budget(), fixed)).toThrowError(
      failure('slice_overflow', { slice: 'tool_surface', needed: 40, left: 10 }),
    );
  });

  it('[B2] a guideline that is too large stops the assembly; it is not cut', () => {
    const prefix = { ...input().prefix, guidelines: [guideline('policy', words(2000, 'rule'))] };
    expect(() => assemble(input({ prefix }))).toThrowError(failure('slice_overflow', { slice: 'guidelines' }));
    const question = words(2000, 'why');
    expect(() => assemble(input({ question }))).toThrowError(failure('slice_overflow', { slice: 'current_question' }));
  });
});

describe('shares', () => {
  it('[B3] splits the remainder by floors; what rounding leaves goes to the first slice of the overflow order', () => {
    const { tokens } = allot(budget(), 'fact_check', 2675);
    expect(tokens).toEqual({ durable_facts: 1070, evidence: 670, recalled_history: 267, volatile_tail: 668 });
  });

  it('[B3] comparison uses its own shares, another intent its own, default, or those of fact_check', () => {
    const base = budget().shares;
    const only = (...names: readonly string[]) =>
      budget({ shares: Object.fromEntries(names.map((name) => [name, base[name] ?? shares(0, 1, 0, 0)])) });
    expect(allot(budget(), 'comparison', 100).tokens.evidence).toBe(60);
    expect(allot(only('fact_check', 'default'), 'recall', 100).tokens.evidence).toBe(100);
    expect(allot(only('fact_check'), 'recall', 100).tokens.durable_facts).toBe(40);
    expect(allot(budget(), 'open', 100).tokens.durable_facts).toBe(25);
  });

  it('[B3] fails when no shares serve the intent', () => {
    const { fact_check, comparison } = budget().shares;
    expect(() => allot(budget({ shares: { comparison: comparison! } }), 'recall', 100)).toThrowError(
      failure('intent_without_shares', { intent: 'recall' }),
    );
    expect(() => allot(budget({ shares: { fact_check: fact_check! } }), 'comparison', 100)).toThrowError(
      failure('intent_without_shares', { intent: 'comparison' }),
    );
    expect(() => allot(budget({ shares: {} }), 'open', 100)).toThrowError(failure('intent_without_shares'));
  });

  it('[B3] refuses an overflow order that is not all four slices', () => {
    const broken = budget({ overflowOrder: ['evidence', 'evidence', 'volatile_tail', 'recalled_history'] });
    expect(() => allot(broken, 'open', 100)).toThrowError(failure('policy_invalid'));
  });
});

function fill(part: Shares, used: Partial<SliceTokens>, remainder = 1000) {
  const policy = budget({ shares: { open: part } });
  const available: Partial<Record<OptionalSlice, number>> = {};
  const { allocation } = fillSlices(policy, allot(policy, 'open', remainder), (slice, tokens) => {
    available[slice] = tokens;
    return { used: Math.min(tokens, used[slice] ?? 0) };
  });
  return { available, allocation };
}

describe('carry', () => {
  it('[B4] passes what a slice leaves to the next in overflow order', () => {
    const { available, allocation } = fill(shares(0.4, 0.25, 0.1, 0.25), { evidence: 50, durable_facts: 500 });
    expect(available).toEqual({ evidence: 250, durable_facts: 600, volatile_tail: 350, recalled_history: 450 });
    expect(allocation.durable_facts).toEqual({ share: 0.4, allotted: 400, carried_in: 200, used: 500, left: 0 });
    expect(allocation.recalled_history).toEqual({ share: 0.1, allotted: 100, carried_in: 350, used: 0, left: 450 });
  });

  it('[B4] passes over a slice with share 0, which takes nothing', () => {
    const { available, allocation } = fill(shares(0, 0.5, 0.25, 0.25), {});
    expect(available).toEqual({ evidence: 500, durable_facts: 0, volatile_tail: 750, recalled_history: 1000 });
    expect(allocation.durable_facts.carried_in).toBe(0);
  });

  it('[B4] leaves the rest with the last slice that takes carry', () => {
    const { allocation } = fill(shares(0.5, 0.5, 0, 0), { durable_facts: 10 });
    expect(allocation.durable_facts.left).toBe(990);
    expect(allocation.recalled_history).toEqual({ share: 0, allotted: 0, carried_in: 0, used: 0, left: 0 });
  });

  it('[B7] accounts for every token, whatever the shares and the use', () => {
    const parts = fc
      .tuple(fc.nat(10), fc.nat(10), fc.nat(10), fc.nat(10))
      .filter((values) => values.some((n) => n > 0));
    const use = fc.record({
      durable_facts: fc.nat(900),
      evidence: fc.nat(900),
      recalled_history: fc.nat(900),
      volatile_tail: fc.nat(900),
    });
    fc.assert(
      fc.property(parts, use, fc.nat(3000), (values, used, remainder) => {
        const sum = values.reduce((total, value) => total + value, 0);
        const [durable, evidence, recalled, tail] = values;
        const { allocation } = fill(shares(durable / sum, evidence / sum, recalled / sum, tail / sum), used, remainder);
        const total = optionalSlices.reduce(
          (tokens, slice) => tokens + allocation[slice].used + allocation[slice].left,
          0,
        );
        expect(total).toBe(remainder);
      }),
    );
  });
});

function ref(one: Selected): Ref {
  return one.candidate.memory.ref;
}

describe('required facts', () => {
  const facts = [1, 2].map((number) => selected(entity(`fact${number}`, words(20, `f${number}`))));
  const history = ['best', 'middle', 'worst'].map((name, index) =>
    selected(summary(name, `about ${name}`), { priority: 0.9 - index / 10 }),
  );
  const need = (fact: number, by: readonly number[]): RequiredFact => ({
    fact: facts[fact]!,
    neededBy: by.map((index) => ref(history[index]!)),
  });
  const given = (...required: readonly RequiredFact[]) =>
    selection({ durable_facts: facts, recalled_history: history }, { required });
  const charge = (policy: true | false | 'drop_history', allotted: number, ...required: readonly RequiredFact[]) =>
    chargeRequired(given(...required), { policy, allotted, countTokens });
  const tokens = charge(true, 1000, need(0, [0])).tokens;

  it('[B5] are charged at full size', () => {
    const charged = charge(true, 1000, need(0, [0]), need(1, [1]));
    expect(charged.seats.map(({ seated }) => seated.tier)).toEqual(['full', 'full']);
    expect(charged.seats.map(({ admittedBy }) => admittedBy)).toEqual(['required_correction', 'required_correction']);
    expect(charged.tokens).toBe(charged.seats.reduce((total, { seated }) => total + countTokens(seated.text), 0));
  });

  it('[B5] stop the assembly when they do not fit, naming them with tokens needed and left', () => {
    expect(() => charge(true, tokens - 1, need(0, [0]))).toThrowError(
      failure('required_correction_unfit', { refs: [ref(facts[0]!)], needed: tokens, left: tokens - 1 }),
    );
    expect(charge(true, tokens, need(0, [0])).tokens).toBe(tokens);
  });

  it('[B5] carry never helps them: a share of 0 for durable_facts refuses the window', () => {
    const policy = { ...input().policy, budget: budget({ shares: { fact_check: shares(0, 0.5, 0.25, 0.25) } }) };
    expect(() => assembleSelection(input({ policy }), given(need(0, [0])))).toThrowError(
      failure('required_correction_unfit', { left: 0 }),
    );
  });

  it('[B5] with drop_history the worst history leaves first, only until the facts still needed fit', () => {
    const charged = charge('drop_history', tokens, need(0, [0, 1]), need(1, [1, 2]));
    expect(charged.excluded).toEqual([
      { ref: ref(history[2]!), slice: 'recalled_history', rule: 'conflict', detail: { required: ref(facts[1]!) } },
      { ref: ref(history[1]!), slice: 'recalled_history', rule: 'conflict', detail: { required: ref(facts[0]!) } },
    ]);
    expect(charged.required.map(({ fact }) => fact)).toEqual([facts[0]]);
    expect(charged.slices.recalled_history).toEqual([history[0]]);
    expect(charged.slices.durable_facts).toEqual(facts);
  });

  it('[B5] with drop_history nothing leaves while the facts fit', () => {
    expect(charge('drop_history', 1000, need(0, [0]), need(1, [1])).excluded).toEqual([]);
  });

  it('[B5] with drop_history and no room at all, all history that needs a fact leaves', () => {
    const charged = charge('drop_history', 0, need(0, [0]), need(1, [1]));
    expect(charged.required).toEqual([]);
    expect(charged.slices.recalled_history).toEqual([history[2]]);
  });

  it('[B5] are not required when the policy says false', () => {
    expect(charge(false, 0, need(0, [0]))).toMatchObject({ required: [], tokens: 0, excluded: [] });
  });

  it('[B4,B5] leave other facts only what they do not take themselves', () => {
    const policy = budget({ shares: { open: shares(1, 0, 0, 0) } });
    const charged = charge(true, 1000, need(0, [0]));
    const filled = (remainder: number) =>
      fillOptional(charged, allot(policy, 'open', remainder), { budget: policy, countTokens });
    const other = filled(1000).seats.durable_facts[1]!.seated.tokens;
    expect(filled(tokens + other).allocation.durable_facts).toMatchObject({ used: tokens + other, left: 0 });
    expect(filled(tokens + other - 1).seats.durable_facts).toHaveLength(1);
    expect(filled(tokens + other - 1).allocation.durable_facts).toMatchObject({ used: tokens, left: other - 1 });
  });

  it('[B5] keep their place among the durable facts by S5, and are named in the manifest', () => {
    const window = assembleSelection(input(), given(need(1, [0])));
    const durable = window.manifest.memories.filter(({ slice }) => slice === 'durable_facts');
    expect(durable.map(({ ref: [, id], admitted_by }) => [id, admitted_by])).toEqual([
      ['fact1', 'fit'],
      ['fact2', 'required_correction'],
    ]);
    expect(window.manifest.required_refs).toEqual([ref(facts[1]!)]);
  });
});

describe('ceiling', () => {
  it('[B7] a caller can lower the policy and never raise it', () => {
    const wish = { usableContext: 2000, maxRounds: 99, maxToolResultTokens: 500 };
    expect(lowerBudget(budget(), wish)).toEqual(budget({ usableContext: 2000, maxToolResultTokens: 500 }));
    expect(lowerBudget(budget(), {})).toEqual(budget());
  });

  it('[B7] each part is counted by itself, and all of it is accounted for', () => {
    const window = assemble(
      input({
        candidates: [
          candidate(chunk('c1', words(60, 'a'))),
          candidate(entity('e1', words(10, 'b'))),
          candidate(turn(1, words(30, 'c')), { slice: 'volatile_tail' }),
        ],
      }),
    );
    const { totals } = window.manifest;
    const elements = window.seated.reduce((total, { text }) => total + countTokens(text), 0);
    expect(window.seated).toHaveLength(3);
    expect(totals.optional_used).toBe(elements);
    expect(totals.fixed.current_question).toBe(countTokens(input().question));
    expect(totals.reserves + totals.fixed_total + totals.optional_used + totals.left).toBe(totals.usable_context);
  });
});
