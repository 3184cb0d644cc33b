// Diversity of the evidence, caps of candidates, and citation ids that collide.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rowId } from '../../src/model/ids.ts';
import type { Chunk } from '../../src/model/memory.ts';
import { citationIdOf } from '../../src/assembly/render/citation.ts';
import { findNearDuplicates } from '../../src/assembly/select/near_duplicate.ts';
import { namesWords, wordLine, wordsOf } from '../../src/assembly/select/words.ts';
import {
  budget,
  candidate,
  chunk,
  derives,
  entity,
  exclusionsOf,
  idsOf,
  refOf,
  selectFrom,
  summary,
  supersededBy,
  survivingIds,
} from './select_factory.ts';

/** Candidates of falling rank. */
const ranked = (memories: readonly Chunk[], slice: 'evidence' | null = 'evidence') =>
  memories.map((memory, at) => candidate(memory, { slice, fused: 1 - at / memories.length }));
const words = (from: number, to: number, prefix = 'w') =>
  Array.from({ length: to - from }, (_, at) => `${prefix}${from + at}`).join(' ');
const ofDocument = (id: string, document: string) =>
  chunk(id, { documentId: rowId(document), content: words(0, 8, `${id}_`) });
const gaveWay = (a: string, b: string) =>
  exclusionsOf(selectFrom(ranked([chunk('a', { content: a }), chunk('b', { content: b })]))).length;
const shingles = (value: string) => {
  const parts = value.split(' ').filter((part) => part !== '');
  const runs = parts.length < 5 ? [parts] : parts.slice(4).map((_, at) => parts.slice(at, at + 5));
  return new Set(runs.filter((run) => run.length > 0).map((run) => run.join(' ')));
};
const isNamed = (text: string, name: string) => namesWords(wordLine(text), wordLine(name));
const allPairs = (texts: readonly string[], threshold: number) => {
  const kept: number[] = [];
  return texts.map((value, place) => {
    const own = shingles(value);
    for (const of of kept) {
      const other = shingles(texts[of]!);
      const overlap = [...own].filter((shingle) => other.has(shingle)).length;
      const similarity = overlap / (own.size + other.size - overlap);
      if (similarity >= threshold) return { of, similarity };
    }
    kept.push(place);
    return null;
  });
};

describe('per document', () => {
  it('[S6] keeps the best chunks of a document, up to the policy’s number', () => {
    const chunks = ['a', 'b', 'c', 'd', 'e'].map((id) => ofDocument(id, id === 'b' ? 'other' : 'paper'));
    for (const slice of ['evidence', null] as const) {
      const selection = selectFrom(ranked(chunks, slice), {
        budget: { evidence: { ...budget.evidence, maxPerDocument: 2 } },
      });
      expect(survivingIds(selection)).toEqual(['a', 'b', 'c']);
      expect(exclusionsOf(selection)).toEqual([
        ['d', 'per_document', { document: 'paper' }],
        ['e', 'per_document', { document: 'paper' }],
      ]);
    }
  });

  it('[S6] comes before near-duplicates, so a near-duplicate still takes its document’s place', () => {
    const same = words(0, 40);
    const chunks = [
      chunk('a', { documentId: rowId('paper'), content: same }),
      chunk('b', { documentId: rowId('paper'), content: `${same} more` }),
      ofDocument('c', 'paper'),
    ];
    const selection = selectFrom(ranked(chunks), { budget: { evidence: { maxPerDocument: 2, nearDuplicate: 0.8 } } });
    expect(exclusionsOf(selection).map(([id, rule]) => [id, rule])).toEqual([
      ['c', 'per_document'],
      ['b', 'near_duplicate'],
    ]);
  });
});

describe('near-duplicates', () => {
  it('[S6] the better-ranked stays, and the record says how similar they are', () => {
    // 36 and 40 shingles, 36 in common.
    const [a, b, c] = [
      chunk('a', { content: words(0, 40) }),
      chunk('b', { content: words(0, 44) }),
      chunk('c', { content: words(20, 60) }),
    ];
    for (const slice of ['evidence', null] as const)
      expect(selectFrom(ranked([b, a, c], slice)).excluded).toEqual([
        {
          ref: a.ref,
          slice: slice ?? 'tool_results',
          rule: 'near_duplicate',
          detail: { kept: b.ref, similarity: 0.9 },
        },
      ]);
  });

  it('[S6] the threshold itself is near enough, anything below is not', () => {
    const pair = ranked([chunk('a', { content: words(0, 12) }), chunk('b', { content: words(0, 14) })]);
    const at = (nearDuplicate: number) =>
      selectFrom(pair, { budget: { evidence: { maxPerDocument: 3, nearDuplicate } } });
    expect(exclusionsOf(at(0.8))).toEqual([['b', 'near_duplicate', { kept: refOf('chunk', 'a'), similarity: 0.8 }]]);
    expect(exclusionsOf(at(0.800001))).toEqual([]);
  });

  it('[S6] case, punctuation and white space do not tell texts apart; short texts are one shingle', () => {
    expect(gaveWay('The eviction policy is "LRU", by default.', 'the eviction policy\nis LRU by default')).toBe(1);
    expect(gaveWay('Yes, it is.', 'yes it is')).toBe(1);
    expect(gaveWay('Yes, it is.', 'No, it is')).toBe(0);
    expect(gaveWay('…', '!!')).toBe(0);
    expect(gaveWay('一二三四五六七八九十甲乙丙丁', '一二三四五六七八九十,甲乙丙丁。')).toBe(1);
    expect(gaveWay('一二三四五六七八九十', '十九八七六五四三二一')).toBe(0);
  });

  it('[S6] what gave way makes nothing else give way', () => {
    const texts = [words(0, 30), words(3, 33), words(6, 36)];
    expect(findNearDuplicates(texts, 0.7).map((found) => found?.of)).toEqual([undefined, 0, undefined]);
    expect(findNearDuplicates([texts[1]!, texts[0]!, texts[2]!], 0.7).map((found) => found?.of)).toEqual([
      undefined,
      0,
      0,
    ]);
  });

  it('[S6] only evidence and results are diversified, only chunks in them', () => {
    const text = words(0, 40);
    const selection = selectFrom([
      candidate(entity('e', { content: text })),
      candidate(summary('s', { summary: `${text} more` })),
      candidate(entity('f', { content: `${text} and` }), { slice: null }),
      candidate(chunk('c', { content: `${text} than` }), { slice: null }),
      candidate(chunk('d', { content: `${text} that` })),
    ]);
    expect(selection.excluded).toEqual([]);
  });

  it('[S6] more words than can be compared are left alone, and what comes after them is compared', () => {
    const endless = 'so '.repeat(600_000);
    const found = findNearDuplicates([endless, endless, words(0, 9), words(0, 9)], 0.8);
    expect(found).toEqual([null, null, null, { of: 2, similarity: 1 }]);
  });

  it('[S6] a chunk that was named stays', () => {
    const [a, b] = [chunk('a', { content: words(0, 40) }), chunk('b', { content: words(0, 41) })];
    expect(selectFrom(ranked([a, b], null), { named: [b.ref] }).excluded).toEqual([]);
  });

  it('[S6] long texts that have much in common, and repeat themselves, are compared as all pairs are', () => {
    const phrase = fc.constantFrom('a b c d e f', 'a b c x e', 'the same words come again', 'g', 'a b');
    const text = fc.array(phrase, { maxLength: 60 }).map((parts) => parts.join(' '));
    fc.assert(
      fc.property(fc.array(text, { maxLength: 8 }), fc.constantFrom(0.3, 0.6, 0.8, 1), (texts, threshold) => {
        expect(findNearDuplicates(texts, threshold)).toEqual(allPairs(texts, threshold));
      }),
      { numRuns: 200 },
    );
  });

  it('[S6] the index finds what comparing all pairs finds', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 14 }).map((parts) => parts.join(' '));
    fc.assert(
      fc.property(
        fc.array(text, { maxLength: 25 }),
        fc.constantFrom(0.05, 0.1, 0.3, 0.5, 0.6, 2 / 3, 0.7, 0.75, 0.8, 0.9, 1),
        (texts, threshold) => {
          expect(findNearDuplicates(texts, threshold)).toEqual(allPairs(texts, threshold));
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('comparison', () => {
  const letta = { subject: 'framework:letta', names: ['Letta', 'MemGPT'] };
  const agentCore = { subject: 'product:agentcore', names: ['AgentCore'] };
  const plan = { intent: 'comparison', subjects: [letta, agentCore] } as const;
  const chunks = [
    chunk('first', { content: words(0, 9, 'x') }),
    chunk('second', { content: words(0, 9, 'y') }),
    chunk('core', { title: 'Amazon Bedrock AgentCore: memory', content: 'Long-term records are kept.' }),
    chunk('core_again', { content: 'AgentCore keeps them for long.' }),
    chunk('old_name', { content: 'In memgpt, the oldest messages are evicted.' }),
  ];

  it('[S6] each compared subject’s best chunk, by text, title or alias, moves to the front in order', () => {
    const selection = selectFrom(ranked(chunks), { plan });
    expect(idsOf(selection.slices.evidence)).toEqual(['core', 'old_name', 'first', 'second', 'core_again']);
    const reversed = selectFrom(ranked(chunks), { plan: { ...plan, subjects: [agentCore, letta] } });
    expect(reversed).toEqual(selection);
  });

  it('[S6] a chunk that names both moves once; a subject that no chunk names moves none', () => {
    const both = chunk('both', { content: 'Letta and AgentCore differ.' });
    expect(idsOf(selectFrom(ranked([...chunks, both].toReversed()), { plan }).slices.evidence)[0]).toBe('both');
    const only = selectFrom(ranked([chunks[0]!, chunks[2]!]), { plan });
    expect(idsOf(only.slices.evidence)).toEqual(['core', 'first']);
  });

  it('[S6,B5] a chunk that moved to the front is not thereby the best history', () => {
    const [old, now] = [
      entity('v1', { subject: 'x', lifecycle: supersededBy('v2') }),
      entity('v2', { subject: 'x', version: 2 }),
    ];
    const facts = [old, now].map((memory) => candidate(memory));
    const selection = selectFrom([...ranked(chunks), ...facts], {
      plan,
      provenance: chunks.map((memory) => derives(memory.ref, old.ref)),
    });
    expect(selection.required[0]?.neededBy).toEqual(chunks.map((memory) => memory.ref));
  });

  it('[S6] other intents and tool results keep seating order', () => {
    const order = chunks.map((memory) => memory.ref[1]);
    expect(idsOf(selectFrom(ranked(chunks), { plan: { ...plan, intent: 'fact_check' } }).slices.evidence)).toEqual(
      order,
    );
    expect(idsOf(selectFrom(ranked(chunks, null), { plan }).results)).toEqual(order);
  });

  it('[S6] a subject’s chunk moves before the cap is applied', () => {
    const candidateCaps = { ...budget.candidateCaps, evidence: 2 };
    const selection = selectFrom(ranked(chunks), { plan, budget: { candidateCaps } });
    expect(idsOf(selection.slices.evidence)).toEqual(['core', 'old_name']);
  });

  it('[S6] names are whole words in any case', () => {
    expect(isNamed('What helios-rag does', 'Helios-RAG')).toBe(true);
    expect(isNamed('Lettabot is something else', 'Letta')).toBe(false);
    expect(isNamed('written in C++ alone', 'C')).toBe(false);
    expect(isNamed('the rag helios', 'Helios-RAG')).toBe(false);
    expect(isNamed('東京都の人口', '東京')).toBe(true);
    expect(isNamed('anything', '…')).toBe(false);
    expect(wordsOf('ORA-27102 at 0.78, Café x漢字y')).toEqual([
      'ora',
      '27102',
      'at',
      '0',
      '78',
      'café',
      'x',
      '漢',
      '字',
      'y',
    ]);
  });
});

describe('words', () => {
  it('[S6] are runs of letters, marks, digits, _, + and #; in scripts without spaces each character is one', () => {
    const unspaced = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]`;
    const word = new RegExp(String.raw`${unspaced}|(?:(?!${unspaced})[\p{L}\p{M}\p{N}_+#])+`, 'gu');
    const unit = fc.oneof(
      fc.constantFrom('a', 'B', ' ', '_', 'ß', 'Σ', 'İ', 'e\u0301', '漢', '𠀋', 'ก', '𝒳', '😀', '\ud800', '\udc00'),
      fc.string({ unit: 'binary', maxLength: 2 }),
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 40 }), (units) => {
        const text = units.join('');
        expect(wordsOf(text)).toEqual(text.normalize('NFC').toLowerCase().match(word) ?? []);
      }),
      { numRuns: 500 },
    );
  });
});

describe('caps', () => {
  it('[S5] each slice keeps its first candidates', () => {
    const selection = selectFrom(
      [
        ...ranked(['c1', 'c2', 'c3'].map((id) => chunk(id, { content: words(0, 9, id) }))),
        candidate(entity('e1', { confidence: 1 })),
        candidate(entity('e2', { confidence: 0 })),
        candidate(summary('s1', { confidence: 1 })),
        candidate(summary('s2', { confidence: 0 })),
        candidate(summary('s3', { confidence: 0 }), { slice: null }),
      ],
      { budget: { candidateCaps: { durable_facts: 1, evidence: 2, recalled_history: 1, volatile_tail: 0 } } },
    );
    expect(survivingIds(selection)).toEqual(['e1', 'c1', 'c2', 's1', 's3']);
    expect(selection.excluded.map(({ ref, slice, rule, detail }) => [ref[1], slice, rule, detail])).toEqual([
      ['c3', 'evidence', 'candidate_cap', { cap: 2 }],
      ['e2', 'durable_facts', 'candidate_cap', { cap: 1 }],
      ['s2', 'recalled_history', 'candidate_cap', { cap: 1 }],
    ]);
  });
});

describe('citation ids', () => {
  // Found by trying: both hash to the same first ten digits.
  const [a, b] = [chunk('c28472', { content: 'one' }), chunk('c1915418', { content: 'two' })];

  it('[A4] of two memories with one id the lower-ranked is left out', () => {
    expect(citationIdOf(a.ref)).toBe(citationIdOf(b.ref));
    for (const [better, worse] of [
      [a, b],
      [b, a],
    ] as const) {
      const selection = selectFrom([candidate(better, { fused: 0.9 }), candidate(worse, { fused: 0.1, slice: null })]);
      expect(survivingIds(selection)).toEqual([better.ref[1]]);
      expect(selection.excluded).toEqual([
        { ref: worse.ref, slice: 'tool_results', rule: 'id_collision', detail: { kept: better.ref } },
      ]);
    }
  });

  it('[A4,B5] a required fact stays before whatever has its id', () => {
    const now = entity('x233144', { subject: 'x' });
    const rival = chunk('x986766');
    const [old, recalled] = [entity('old', { subject: 'x', lifecycle: supersededBy(now.ref[1]) }), summary('s')];
    expect(citationIdOf(now.ref)).toBe(citationIdOf(rival.ref));
    const run = (requiredCorrections: boolean) =>
      selectFrom([candidate(rival, { fused: 1 }), candidate(now, { fused: 0 }), candidate(old), candidate(recalled)], {
        provenance: [derives(recalled.ref, old.ref)],
        budget: { requiredCorrections },
      }).excluded.filter(({ rule }) => rule === 'id_collision');
    expect(run(true)).toMatchObject([{ ref: rival.ref, detail: { kept: now.ref } }]);
    expect(run(false)).toMatchObject([{ ref: now.ref, detail: { kept: rival.ref } }]);
  });

  it('[A4,B5] a collision that removes history removes what only it required', () => {
    const old = entity('v1', { subject: 'x', lifecycle: supersededBy('v2') });
    const now = entity('v2', { subject: 'x', version: 2 });
    const run = (better: Chunk) =>
      selectFrom(
        [a, b]
          .map((memory) => candidate(memory, { fused: memory === better ? 1 : 0 }))
          .concat([old, now].map((memory) => candidate(memory))),
        { provenance: [derives(a.ref, old.ref)] },
      ).required.map(({ neededBy }) => neededBy);
    expect(run(a)).toEqual([[a.ref]]);
    expect(run(b)).toEqual([]);
  });
});
