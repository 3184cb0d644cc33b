// Tool results: what they cost and show (L1, T5), what expand says (L3), and a spent loop (L2).

import { describe, expect, it } from 'vitest';
import { assemble } from '../../src/assembly/assemble.ts';
import { canonicalHash } from '../../src/assembly/hash.ts';
import { countRequest } from '../../src/assembly/render/request.ts';
import { assembleToolResult, spentResult } from '../../src/assembly/tool_result.ts';
import { rowId } from '../../src/model/ids.ts';
import type { Memory } from '../../src/model/memory.ts';
import { instant } from '../../src/model/time.ts';
import {
  budget,
  candidate,
  chunk,
  countTokens,
  entity,
  input,
  knownVersion,
  lifecycle,
  resultInput,
  summary,
  words,
} from './fixtures.ts';

const wish = (memory: Memory, fused = 0.5) => candidate(memory, { slice: null, measured: { rerank: null, fused } });
const passages = [1, 2, 3].map((number) => wish(chunk(`c${number}`, words(60, `p${number}`)), 1 - number / 10));
const idsOf = (result: ReturnType<typeof assembleToolResult>) => result.seated.map(({ memory }) => memory.ref[1]);
/** The text with both loop figures written as 0. */
const withZeros = (text: string) => text.replace(/"loop":\{[^}]*\}/, '"loop":{"tokens_left":0,"rounds_left":0}');

describe('tool result', () => {
  const result = assembleToolResult(resultInput({ candidates: passages }));

  it('[T5] is structured content and the same as text', () => {
    expect(JSON.parse(result.text)).toEqual(result.content);
    expect(Object.keys(result.content)).toEqual(['memories', 'evidence', 'more', 'loop', 'notes']);
    expect(result.content.memories[0]).toEqual({
      id: result.seated[0]!.id,
      type: 'chunk',
      status: 'evidence',
      tier: 'full',
      content: words(60, 'p1'),
      tokens: countTokens(result.seated[0]!.text),
      provenance: { title: 'Document of c1', source: 'https://example.org/c1', version: 1, date: '2026-07-01' },
      annotations: [],
    });
  });

  it('[L1] costs the tokens of its text with both loop figures as 0, plus 4, and shows what is left after that', () => {
    expect(result.cost).toBe(countTokens(withZeros(result.text)) + 4);
    expect(result.content.loop).toEqual({ tokens_left: 16_000 - result.cost, rounds_left: 19 });
  });

  it('[L1] writes its own manifest, with the tool result as slice and the loop as its pot', () => {
    expect(result.manifest).toMatchObject({ kind: 'tool_result', allocation: {}, required_refs: [], prefix: [] });
    expect(result.manifest.memories.map(({ slice, admitted_by }) => [slice, admitted_by])).toEqual(
      Array.from({ length: 3 }, () => ['tool_results', 'fit']),
    );
    expect(result.manifest.loop).toEqual(result.content.loop);
    expect(result.manifest.totals).toMatchObject({
      usable_context: 16_000,
      optional_used: result.cost,
      left: 16_000 - result.cost,
      request: 0,
    });
    expect(result.manifest.dependencies.map(({ role }) => role)).toContain('parent_document');
  });

  it('[L1] takes a tier only when the whole block with it is within the limit of a result', () => {
    for (let limit = 150; limit <= result.cost; limit += 50) {
      const small = assembleToolResult(resultInput({ candidates: passages, loop: { maxToolResultTokens: limit } }));
      expect(small.cost).toBeLessThanOrEqual(limit);
      expect(small.content.memories.length + small.manifest.excluded.length).toBe(3);
    }
    const exact = assembleToolResult(resultInput({ candidates: passages, loop: { maxToolResultTokens: result.cost } }));
    expect(exact.content.memories.map(({ tier }) => tier)).toEqual(['full', 'full', 'full']);
    const less = assembleToolResult(
      resultInput({ candidates: passages, loop: { maxToolResultTokens: result.cost - 1 } }),
    );
    expect(less.content.memories.map(({ tier }) => tier)).not.toEqual(['full', 'full', 'full']);
  });

  it('[L1] results share what the run has left', () => {
    const second = assembleToolResult(resultInput({ candidates: passages, loop: { tokensLeft: 300 } }));
    expect(second.cost).toBeLessThanOrEqual(300);
    expect(second.content.loop.tokens_left).toBe(300 - second.cost);
  });

  it('[T5,A5] at tier pointer the content is the pointer, and the id counts as issued', () => {
    const large = wish(chunk('large', words(400, 'big')));
    const pointed = assembleToolResult(resultInput({ candidates: [large], loop: { maxToolResultTokens: 400 } }));
    expect(pointed.content.memories[0]).toMatchObject({ tier: 'pointer' });
    expect(pointed.content.memories[0]!.content).toContain('expand');
    expect(pointed.issued).toEqual([{ citationId: pointed.seated[0]!.id, ref: large.memory.ref }]);
  });

  it('[T5] shows at most the limit, and says how to get more only when more exist', () => {
    const two = assembleToolResult(resultInput({ candidates: passages, limit: 2 }));
    expect(idsOf(two)).toEqual(['c1', 'c2']);
    expect(two.content.more).toBe('Ask again with a higher limit.');
    expect(two.manifest.excluded).toEqual([
      { ref: ['chunk', 'c3', 1], slice: 'tool_results', rule: 'candidate_cap', detail: { limit: 2 } },
    ]);
    expect(result.content.more).toBeNull();
  });

  it('[T5] calls evidence none, weak or found by the best p', () => {
    const [weak, found] = [0.29, 0.3].map((fused) =>
      assembleToolResult(resultInput({ candidates: [wish(chunk('c', 'text'), fused)] })),
    );
    expect([weak?.content.evidence, found?.content.evidence]).toEqual(['weak', 'found']);
    expect(assembleToolResult(resultInput()).content).toMatchObject({ memories: [], evidence: 'none', more: null });
  });

  it('[T5] keeps the order that a handler gave, or ranks', () => {
    const reversed = passages.toReversed();
    expect(idsOf(assembleToolResult(resultInput({ candidates: reversed })))).toEqual(['c1', 'c2', 'c3']);
    expect(idsOf(assembleToolResult(resultInput({ candidates: reversed, order: 'given' })))).toEqual([
      'c3',
      'c2',
      'c1',
    ]);
  });

  it('[S1,L3] a superseded version that was named is history with its correction, whose id is issued too', () => {
    const corrected = instant('2026-08-17T00:00:00Z');
    const old = entity('v1', 'Helios reaches 0.92', {
      subject: 'helios',
      lifecycle: lifecycle({ validUntil: corrected, supersededBy: rowId('v2') }),
    });
    const now = entity('v2', 'Helios reaches 0.78', {
      ref: ['entity', rowId('v2'), 2],
      subject: 'helios',
      lifecycle: lifecycle({ validFrom: corrected }),
    });
    const looked = assembleToolResult(
      resultInput({
        candidates: [wish(old), candidate(now)],
        versions: [knownVersion(now)],
        named: [old.ref],
        order: 'given',
        admittedBy: 'requested',
      }),
    );
    expect(looked.content.memories).toHaveLength(1);
    expect(looked.content.memories[0]).toMatchObject({ status: 'historical', content: 'Helios reaches 0.92' });
    expect(looked.content.memories[0]!.annotations[0]!['text']).toContain('Helios reaches 0.78');
    expect(looked.issued.map(({ ref }) => ref)).toEqual([old.ref, now.ref]);
    expect(looked.content.evidence).toBe('found');
  });
});

describe('expand', () => {
  const asked = {
    tiers: ['full', 'summary'],
    limit: 1,
    order: 'given',
    admittedBy: 'requested',
    moreHint: null,
  } as const;

  it('[L3] tries full, then summary', () => {
    const episode = wish(summary('s', words(20, 'own'), { keySteps: [words(300, 'step')] }));
    const at = (limit: number) =>
      assembleToolResult(resultInput({ ...asked, candidates: [episode], loop: { maxToolResultTokens: limit } }));
    expect(at(2000).content.memories[0]!.tier).toBe('full');
    expect(at(400).content.memories[0]).toMatchObject({ tier: 'summary', content: words(20, 'own') });
  });

  it('[L3] never points; when neither fits there is no memory and a note with tokens needed and left', () => {
    const large = wish(chunk('large', words(400, 'big')));
    const full = assembleToolResult(resultInput({ ...asked, candidates: [large] }));
    const none = assembleToolResult(resultInput({ ...asked, candidates: [large], loop: { maxToolResultTokens: 400 } }));
    expect(none.content.memories).toEqual([]);
    expect(none.content.notes).toEqual([
      `The memory does not fit: a result with it needs ${full.cost} tokens and 400 are left.`,
    ]);
    expect(none.manifest.excluded.map(({ rule }) => rule)).toEqual(['slice_budget']);
    expect(none.issued).toEqual([]);
  });
});

describe("a window's run", () => {
  const window = assemble(input());
  const loop = { kind: 'window', tokensLeft: 1000, roundsLeft: 3, maxToolResultTokens: 1000 } as const;

  it('[L1,M1] the next request is the one so far with the call and its result', () => {
    const result = assembleToolResult(
      resultInput({ candidates: passages, loop: { ...loop, request: window.request } }),
    );
    const [call, tool] = result.request.messages.slice(-2);
    expect(result.request.messages).toHaveLength(4);
    expect(call).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'search_memory', arguments: '{"query":"retention"}' } },
      ],
    });
    expect(tool).toEqual({ role: 'tool', tool_call_id: 'call_1', content: result.text });
    expect(result.manifest.request_hash).toBe(
      canonicalHash({ messages: result.request.messages, tools: window.request.tools }),
    );
    expect(result.manifest.prefix_hash).toBe(window.manifest.prefix_hash);
    expect(result.manifest.totals.request).toBe(countRequest(result.request, countTokens));
  });

  it('[B6,L1] the next request stays within usable context less the output reserve', () => {
    const spare = window.manifest.totals.request + 400;
    const policy = { ...input().policy, budget: budget({ usableContext: 400 + spare }) };
    const result = assembleToolResult(
      resultInput({ candidates: passages, policy, loop: { ...loop, request: window.request } }),
    );
    expect(result.manifest.totals.request).toBeLessThanOrEqual(spare);
    expect(result.seated.length).toBeGreaterThan(0);
    expect(result.manifest.excluded.length + result.seated.length).toBe(3);
    expect(result.seated.map(({ tier }) => tier)).not.toEqual(['full', 'full', 'full']);
  });

  it('[B6] refuses a call whose empty result would not fit the next request', () => {
    const policy = { ...input().policy, budget: budget({ usableContext: 400 + window.manifest.totals.request }) };
    expect(() =>
      assembleToolResult(resultInput({ candidates: passages, policy, loop: { ...loop, request: window.request } })),
    ).toThrowError(expect.objectContaining({ code: 'request_over_budget' }));
  });

  it('[L1] a result never costs more than the run has left', () => {
    const last = assembleToolResult(resultInput({ candidates: passages, loop: { tokensLeft: 20 } }));
    expect(last.cost).toBe(20);
    expect(last.content.loop.tokens_left).toBe(0);
    expect(last.content.memories).toEqual([]);
  });
});

describe('a spent loop', () => {
  it('[L2] answers without memories and with a note', () => {
    const spent = spentResult('The budget of this loop is spent.', { tokensLeft: 0, roundsLeft: 0 });
    expect(spent.content).toEqual({
      memories: [],
      evidence: 'none',
      more: null,
      loop: { tokens_left: 0, rounds_left: 0 },
      notes: ['The budget of this loop is spent.'],
    });
    expect(JSON.parse(spent.text)).toEqual(spent.content);
  });
});
