// The greedy fit (F1), the tail (S7), rendering order (S6), and the request as a whole (B6).

import { describe, expect, it } from 'vitest';
import { assembleSelection } from '../../src/assembly/assemble.ts';
import type { AssemblyInput } from '../../src/assembly/assembly_input.ts';
import { fitSlice, renderForm, formsAt } from '../../src/assembly/fit.ts';
import { contentHash } from '../../src/assembly/hash.ts';
import { countRequest, toolSurface } from '../../src/assembly/render/request.ts';
import { fitTail } from '../../src/assembly/tail.ts';
import type { Selected } from '../../src/assembly/select/selection.ts';
import type { Tier } from '../../src/model/candidate.ts';
import { citationId, rowId } from '../../src/model/ids.ts';
import type { Memory } from '../../src/model/memory.ts';
import { budget, candidate, chunk, countTokens, entity, input, summary, turn, words } from './fixtures.ts';
import { selected, selection } from './selections.ts';

const options = { slice: 'evidence', tiers: ['full', 'summary', 'pointer'], admittedBy: 'fit', countTokens } as const;

/** A chunk with a compression of it. */
function compressed(id: string, text: string, shorter: string): Selected {
  const memory = chunk(id, text);
  const compression = {
    id: rowId(`compression_${id}`),
    source: memory.ref,
    sourceHash: contentHash(memory),
    text: shorter,
    tokens: countTokens(shorter),
    model: 'm',
    promptVersion: '1',
  };
  return selected(candidate(memory, { compression }));
}

function tokensAt(one: Selected, tier: Tier): number {
  return countTokens(renderForm(one, formsAt(one, tier)[0]!));
}

function seatedTokens(one: Selected): number | undefined {
  return fitSlice([one], 1000, options).seats[0]?.seated.tokens;
}

function part(id: string, document: string, chunkIndex: number): Selected {
  return selected(chunk(id, `passage ${id}`, { documentId: rowId(document), chunkIndex }));
}

function many(make: (index: number) => Memory): readonly Selected[] {
  return [0, 1, 2].map((index) => selected(make(index)));
}

/** Counts tokens, but the user message as so many more. */
function dearer(by: number) {
  return (text: string) => countTokens(text) + (text.startsWith('<memory_context>') ? by : 0);
}

describe('fit', () => {
  const long = compressed('long', words(200, 'a'), words(60, 's'));

  it('[F1] takes full, then summary, then pointer, whichever fits first', () => {
    for (const tier of ['full', 'summary', 'pointer'] as const) {
      const { seats, used } = fitSlice([long], tokensAt(long, tier), options);
      expect(seats[0]?.seated.tier).toBe(tier);
      expect(seats[0]?.seated.tokens).toBe(countTokens(seats[0]!.seated.text));
      expect(used).toBe(tokensAt(long, tier));
    }
  });

  it('[F1] excludes what fits at no tier with the tokens that it would have needed', () => {
    const needed = tokensAt(long, 'pointer');
    const { seats, excluded } = fitSlice([long], needed - 1, options);
    expect(seats).toEqual([]);
    expect(excluded).toEqual([
      {
        ref: ['chunk', 'long', 1],
        slice: 'evidence',
        rule: 'slice_budget',
        detail: { needed, tier: 'pointer', left: needed - 1 },
      },
    ]);
  });

  it('[F1,R1] says the same whether an element was counted before or not', () => {
    for (const memory of [entity('short', words(40, 'f')), entity('long', words(3000, 'f'))]) {
      const counted = selected(candidate(memory, { cachedTokens: { full: tokensAt(selected(memory), 'full') } }));
      for (const left of [0, 1, 20, 60]) {
        const before = fitSlice([counted], left, options);
        expect(fitSlice([selected(memory)], left, options)).toEqual(before);
      }
    }
  });

  it('[F1] seats smaller memories after a larger one that does not fit', () => {
    const small = selected(entity('small', 'tiny'));
    const { seats, excluded } = fitSlice([long, small], tokensAt(small, 'full'), options);
    expect(seats.map(({ seated }) => seated.memory.ref[1])).toEqual(['small']);
    expect(excluded.map(({ ref }) => ref[1])).toEqual(['long']);
  });

  it("[F1] an episode's own summary is tried before a compression of it", () => {
    const episode = summary('s', words(20, 'own'), { keySteps: [words(100, 'step')] });
    const compression = {
      ...compressed('x', 'y', 'z').candidate.compression!,
      source: episode.ref,
      sourceHash: contentHash(episode),
    };
    const one = selected(candidate(episode, { compression }));
    const own = fitSlice([one], tokensAt(one, 'summary'), options).seats[0]!;
    expect([own.content, own.compression]).toEqual([episode.summary, null]);
    const shorter = fitSlice([one], tokensAt(one, 'summary') - 1, options).seats[0]!;
    expect([shorter.content, shorter.compression, shorter.origin]).toEqual(['z', compression, 'model']);
  });

  it('[F1] uses cached counts only for elements without annotations and with the usual status', () => {
    const cachedTokens = { full: 7 };
    const memory = entity('e', 'a fact');
    const note = { kind: 'contradicted', by: memory.ref, byId: citationId('Baaaaaaaaaa') } as const;
    const cached = candidate(memory, { cachedTokens });
    expect(seatedTokens(selected(cached))).toBe(7);
    for (const change of [{ annotations: [note] }, { status: 'historical' as const }]) {
      const one = selected(cached, change);
      expect(seatedTokens(one)).toBe(tokensAt(one, 'full'));
    }
  });

  it('[F1] does not count what cached counts or sheer size already exclude', () => {
    const counted: number[] = [];
    const counting = (text: string) => {
      counted.push(text.length);
      return countTokens(text);
    };
    const huge = selected(chunk('huge', 'x '.repeat(500_000)));
    const known = selected(candidate(chunk('known', words(500, 'k')), { cachedTokens: { full: 900, pointer: 90 } }));
    fitSlice([huge, known], 80, { ...options, countTokens: counting });
    expect(counted).toHaveLength(1);
    expect(Math.max(...counted)).toBeLessThan(1000);
  });
});

describe('tail', () => {
  const turns = [5, 4, 3, 2].map((index) => selected(turn(index, words(20, `t${index}`))));
  const all = turns.map((one) => tokensAt(one, 'full'));
  const sum = (count: number) => all.slice(0, count).reduce((total, tokens) => total + tokens, 0);

  it('[S7] seats the newest run that fits and shows it in order', () => {
    const { seats, excluded, used } = fitTail(turns, sum(2), countTokens);
    expect(seats.map(({ seated }) => seated.memory.ref[1])).toEqual(['turn_4', 'turn_5']);
    expect(used).toBe(sum(2));
    expect(excluded.map(({ ref, rule }) => [ref[1], rule])).toEqual([
      ['turn_3', 'tail_cut'],
      ['turn_2', 'tail_cut'],
    ]);
  });

  it('[S7] is empty when the newest turn does not fit, although older ones would', () => {
    const large = selected(turn(6, words(300, 'large')));
    const { seats, excluded } = fitTail([large, ...turns], sum(4), countTokens);
    expect(seats).toEqual([]);
    expect(excluded).toHaveLength(5);
    expect(excluded[0]?.detail).toMatchObject({ needed: tokensAt(large, 'full'), left: sum(4) });
    expect(excluded[1]?.detail).toEqual({ cut_at: ['conversation', 'turn_6', 1] });
  });

  it('[S7] shows turns whole or not at all', () => {
    const { seats } = fitTail(turns, sum(1) - 1, countTokens);
    expect(seats).toEqual([]);
  });
});

describe('rendering order', () => {
  it('[S6] groups evidence by document in the order of its best chunk, then by chunk_index', () => {
    const evidence = [part('b2', 'b', 2), part('a7', 'a', 7), part('b0', 'b', 0), part('a1', 'a', 1)];
    const window = assembleSelection(input(), selection({ evidence }));
    expect(window.seated.map(({ memory }) => memory.ref[1])).toEqual(['b0', 'b2', 'a1', 'a7']);
    expect(window.manifest.memories.map(({ position }) => position)).toEqual([0, 1, 2, 3]);
  });

  it('[A2] renders durable facts, evidence, recalled history and the tail, then the question', () => {
    const window = assembleSelection(
      input(),
      selection({
        volatile_tail: [selected(turn(1, 'a turn'))],
        recalled_history: [selected(summary('s', 'an episode'))],
        evidence: [selected(chunk('c', 'a passage'))],
        durable_facts: [selected(entity('e', 'a fact'))],
      }),
    );
    expect(window.seated.map(({ memory }) => memory.type)).toEqual(['entity', 'chunk', 'summary', 'conversation']);
    const user = window.request.messages[1]?.content ?? '';
    expect(user).toBe(
      `<memory_context>\n${window.seated.map(({ text }) => text).join('\n')}\n</memory_context>\n\n${input().question}`,
    );
  });
});

describe('request', () => {
  const full = selection({
    durable_facts: many((index) => entity(`e${index}`, words(40, `e${index}`))),
    evidence: many((index) => chunk(`c${index}`, words(40, `c${index}`))),
    recalled_history: many((index) => summary(`s${index}`, words(40, `s${index}`))),
    volatile_tail: many((index) => turn(9 - index, words(40, `t${index}`))),
  });
  const open = { ...input().plan, intent: 'open' } as const;
  /** An input in which all is seated and the reserve for overhead stands at `overhead` tokens. */
  const tight = (overhead: number, usableContext: number): AssemblyInput =>
    input({
      plan: open,
      policy: { ...input().policy, budget: budget({ usableContext, requestOverheadReserve: overhead }) },
    });
  const { totals } = assembleSelection(tight(500, 5000), full).manifest;
  /** Usable context so that exactly all memories fit their slices when nothing is reserved for overhead. */
  const exact = 1400 + totals.fixed_total + totals.optional_used;

  it('[B6] counts each message as plain text, the tools as JSON, and 4 tokens a message', () => {
    const window = assembleSelection(input(), full);
    const [developer, user] = window.request.messages;
    const sum = countTokens(developer?.content ?? '') + countTokens(user?.content ?? '') + 8;
    expect(window.manifest.totals.request).toBe(sum + countTokens(toolSurface(window.request.tools)));
    expect(countRequest(window.request, countTokens)).toBe(window.manifest.totals.request);
  });

  it('[B6] counts name and arguments of a call in place of its content', () => {
    const call = {
      id: 'call_1',
      type: 'function',
      function: { name: 'expand', arguments: '{"memory_id":"B1"}' },
    } as const;
    const request = { messages: [{ role: 'assistant', content: null, tool_calls: [call] }], tools: [] } as const;
    expect(countRequest(request, countTokens)).toBe(
      countTokens('expand') + countTokens('{"memory_id":"B1"}') + 4 + countTokens('[]'),
    );
  });

  it('[B6] unseats from the end of the overflow order, the worst first, and keeps every token accounted for', () => {
    const window = assembleSelection(tight(0, exact), full);
    const unseated = window.manifest.excluded.filter(({ rule }) => rule === 'request_budget');
    expect(unseated.map(({ ref }) => ref[1])).toEqual(['s2']);
    expect(window.manifest.totals.request).toBeLessThanOrEqual(exact - 1400);
    const { recalled_history: history } = window.manifest.allocation;
    expect(history!.used).toBe(
      window.seated.filter(({ memory }) => memory.type === 'summary').reduce((t, s) => t + s.tokens, 0),
    );
  });

  it('[B6] takes the oldest turn of the tail first, and required facts never', () => {
    const facts = full.slices.durable_facts;
    const given = selection(
      { durable_facts: facts.slice(0, 1), volatile_tail: full.slices.volatile_tail },
      { required: [{ fact: facts[0]!, neededBy: [full.slices.volatile_tail[0]!.candidate.memory.ref] }] },
    );
    const used = assembleSelection(tight(500, 5000), given).manifest.totals;
    const share = { durable_facts: 0.3, evidence: 0, recalled_history: 0, volatile_tail: 0.7 };
    const policy = budget({
      usableContext: 1400 + used.fixed_total + used.optional_used + 60,
      requestOverheadReserve: 0,
      shares: { open: share },
      overflowOrder: ['evidence', 'recalled_history', 'volatile_tail', 'durable_facts'],
    });
    // Framing costs more than what is left over once the user message costs 100 tokens more.
    const window = assembleSelection(
      { ...tight(0, 5000), policy: { ...input().policy, budget: policy }, countTokens: dearer(100) },
      given,
    );
    const unseated = window.manifest.excluded.filter(({ rule }) => rule === 'request_budget');
    expect(unseated.map(({ ref }) => ref[1])).toEqual(['turn_7']);
    expect(window.seated.map(({ memory }) => memory.ref[1])).toEqual(['e0', 'turn_8', 'turn_9']);
  });

  it('[B6] refuses the request only when nothing optional is left', () => {
    expect(() => assembleSelection({ ...input(), countTokens: dearer(10_000) }, full)).toThrowError(
      expect.objectContaining({ code: 'request_over_budget', data: { needed: expect.any(Number), left: 3600 } }),
    );
  });

  it('every candidate is seated or excluded exactly once', () => {
    for (const given of [tight(0, exact), tight(0, exact - 400), tight(0, exact - 900)]) {
      const { memories, excluded } = assembleSelection(given, full).manifest;
      const names = [...memories, ...excluded].map(({ ref }) => ref[1]);
      expect(names).toHaveLength(12);
      expect(new Set(names).size).toBe(12);
    }
  });
});
