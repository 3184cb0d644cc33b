// Duplicates: one text, one memory; the tail's own rules.
import { describe, expect, it } from 'vitest';
import type { Memory } from '../../src/model/memory.ts';
import {
  candidate,
  chunk,
  derives,
  entity,
  exclusionsOf,
  idsOf,
  inputOf,
  lifecycle,
  ofAgent,
  ofThread,
  ofUser,
  question,
  scope,
  selectFrom,
  summary,
  supersededBy,
  survivingIds,
  tailTurn,
  turn,
  workflow,
} from './select_factory.ts';
import { threadId } from '../../src/model/ids.ts';
import { normaliseText } from '../../src/assembly/select/dedup.ts';
import { select } from '../../src/assembly/select/select.ts';

const text = 'Helios-RAG scored 0.78 on BEIR.';
const all = (...memories: readonly Memory[]) => selectFrom(memories.map((memory) => candidate(memory)));

describe('dedup', () => {
  it('[S2] keeps the entity before chunk, summary and turn of the same text, and names it', () => {
    const [e, c] = [entity('e', { content: text }), chunk('c', { content: text })];
    const selection = all(turn('t', { text }), summary('s', { summary: text }), c, e);
    expect(survivingIds(selection)).toEqual(['e']);
    expect(exclusionsOf(selection)).toEqual([
      ['c', 'dedup', { kept: e.ref }],
      ['t', 'dedup', { kept: e.ref }],
      ['s', 'dedup', { kept: e.ref }],
    ]);
    expect(selection.excluded.map((exclusion) => exclusion.slice)).toEqual([
      'evidence',
      'recalled_history',
      'recalled_history',
    ]);
  });

  it.each([
    ['entity before workflow', entity('z', { content: 'n: d' }), workflow('a', { name: 'n', description: 'd' })],
    ['workflow before chunk', workflow('z', { name: 'n', description: 'd' }), chunk('a', { content: 'n: d' })],
    ['chunk before summary', chunk('z', { content: text }), summary('a', { summary: text })],
    ['summary before turn', summary('z', { summary: text }), turn('a', { text })],
    ['thread before user', turn('z', { text, scope: ofThread }), turn('a', { text, scope: ofUser })],
    ['user before agent', turn('z', { text, scope: ofUser }), turn('a', { text, scope: ofAgent })],
    [
      'later valid_from',
      chunk('z', { content: text, lifecycle: lifecycle({ validFrom: '2026-09-02T00:00:00Z' }) }),
      chunk('a', { content: text }),
    ],
    ['the first id', chunk('a', { content: text }), chunk('z', { content: text })],
    [
      'canonical before derived, though derived is narrower',
      entity('z', { subject: 'x', content: text }),
      entity('a', { subject: 'x', content: text, scope: ofThread, trust: 'derived' }),
    ],
  ])('[S2] the most authoritative copy stays: %s', (_, stays, goes) => {
    const selection = all(goes, stays);
    expect(exclusionsOf(selection)).toEqual([[goes.ref[1], 'dedup', { kept: stays.ref }]]);
  });

  it('[S2] folds white space and composes characters, but keeps case and punctuation', () => {
    expect(normaliseText(' \u00a0Caf\u0065\u0301\n\tau  lait\u3000 ')).toBe('Café au lait');
    const selection = all(
      chunk('a', { content: 'Café au lait' }),
      chunk('b', { content: ' Caf\u0065\u0301\n au\tlait ' }),
      chunk('c', { content: 'café au lait' }),
      chunk('d', { content: 'Café au lait.' }),
    );
    expect(exclusionsOf(selection).filter(([, rule]) => rule === 'dedup')).toEqual([
      ['b', 'dedup', { kept: ['chunk', 'a', 1] }],
    ]);
  });

  it('[S2] claims of two identities with one text stay both', () => {
    const selection = all(
      entity('a', { content: text, subject: 'x' }),
      entity('b', { content: text, subject: 'y' }),
      entity('c', { content: text, subject: 'x', predicate: 'other' }),
      entity('d', { content: text, subject: 'x', conditions: { split: 'test' } }),
    );
    expect(survivingIds(selection)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('[S2] conditions are compared as canonical JSON', () => {
    const selection = all(
      entity('a', { content: text, subject: 'x', conditions: { k: 10, split: 'test' } }),
      entity('b', { content: text, subject: 'x', conditions: { split: 'test', k: 10 } }),
    );
    expect(exclusionsOf(selection)).toEqual([['b', 'dedup', { kept: ['entity', 'a', 1] }]]);
  });

  it('[S2] a copy without identity merges with the more authoritative of two claims that stay apart', () => {
    const [wide, narrow] = [
      entity('a', { content: text, subject: 'x' }),
      entity('b', { content: text, subject: 'y', scope: ofUser }),
    ];
    const selection = all(wide, narrow, chunk('c', { content: text }), turn('t', { text }));
    expect(survivingIds(selection)).toEqual(['a', 'b']);
    expect(exclusionsOf(selection)).toEqual([
      ['c', 'dedup', { kept: narrow.ref }],
      ['t', 'dedup', { kept: narrow.ref }],
    ]);
  });

  it('[S2] compares the full text: steps and outcome tell summaries apart', () => {
    const selection = all(
      summary('a', { summary: text }),
      summary('b', { summary: text, outcome: 'Chose Helios-RAG.' }),
      summary('c', { summary: text, keySteps: ['Measured.'] }),
    );
    expect(survivingIds(selection)).toEqual(['a', 'b', 'c']);
  });

  it('[S2] a fact inside a longer turn survives', () => {
    const selection = all(entity('e', { content: text }), turn('t', { text: `As I said: ${text}` }));
    expect(selection.excluded).toEqual([]);
  });

  it('[S2] what the lifecycle excluded is no copy that could be kept', () => {
    const selection = all(entity('e', { content: text, lifecycle: supersededBy('n') }), chunk('c', { content: text }));
    expect(survivingIds(selection)).toEqual(['c']);
  });

  it('[S2] tool results are compared too', () => {
    const selection = selectFrom(
      [chunk('c', { content: text }), entity('e', { content: text })].map((memory) =>
        candidate(memory, { slice: null }),
      ),
    );
    expect(selection.excluded).toEqual([
      { ref: ['chunk', 'c', 1], slice: 'tool_results', rule: 'dedup', detail: { kept: ['entity', 'e', 1] } },
    ]);
  });
});

describe('tail', () => {
  it('[S7] is newest first and takes no part in the comparison of texts', () => {
    const selection = selectFrom([
      candidate(entity('e', { content: text })),
      tailTurn('a', 4, { text }),
      tailTurn('b', 12, { text }),
      tailTurn('c', 9, { text: 'else' }),
    ]);
    expect(idsOf(selection.slices.volatile_tail)).toEqual(['b', 'c', 'a']);
    expect(selection.excluded).toEqual([]);
  });

  it('[S7] a last user turn equal to the question is not shown twice', () => {
    const asked = tailTurn('b', 2, { role: 'user', text: ` ${question}\n` });
    const selection = selectFrom([tailTurn('a', 1), asked]);
    expect(selection.excluded).toEqual([
      {
        ref: ['conversation', 'b', 1],
        slice: 'volatile_tail',
        rule: 'dedup',
        detail: { reason: 'current_question' },
      },
    ]);
    expect(idsOf(selection.slices.volatile_tail)).toEqual(['a']);
  });

  it('[S7] an earlier turn, a model’s turn and a longer one keep the question’s words', () => {
    const user = { role: 'user', text: question } as const;
    expect(survivingIds(selectFrom([tailTurn('a', 1, user), tailTurn('b', 2)]))).toEqual(['b', 'a']);
    expect(survivingIds(selectFrom([tailTurn('a', 1, { text: question })]))).toEqual(['a']);
    expect(survivingIds(selectFrom([tailTurn('a', 1, { role: 'user', text: `${question} Yes?` })]))).toEqual(['a']);
    expect(survivingIds(selectFrom([candidate(turn('a', user))]))).toEqual(['a']);
  });

  it('[S7] the question is looked for in the newest turn that the lifecycle left', () => {
    const gone = tailTurn('c', 3, { lifecycle: lifecycle({ deletedAt: '2026-09-02T00:00:00Z' }) });
    const selection = selectFrom([tailTurn('a', 1), tailTurn('b', 2, { role: 'user', text: question }), gone]);
    expect(exclusionsOf(selection)).toEqual([
      ['c', 'lifecycle', { state: 'deleted' }],
      ['b', 'dedup', { reason: 'current_question' }],
    ]);
  });

  it('[S7] a turn of the tail is not also recalled, not even the question', () => {
    const [a, b] = [turn('a', { turnIndex: 1 }), turn('b', { turnIndex: 2, role: 'user', text: question })];
    const tail = [a, b].map((memory) => candidate(memory, { slice: 'volatile_tail' }));
    const selection = selectFrom([...[a, b].map((memory) => candidate(memory, { fused: 0.9 })), ...tail]);
    expect(idsOf(selection.slices.volatile_tail)).toEqual(['a']);
    expect(selection.slices.recalled_history).toEqual([]);
    expect(selection.excluded.map(({ ref, slice, detail }) => [ref[1], slice, detail])).toEqual([
      ['a', 'recalled_history', { kept: a.ref }],
      ['b', 'recalled_history', { reason: 'current_question' }],
      ['b', 'volatile_tail', { reason: 'current_question' }],
    ]);
  });

  it('[S7] is capped at its newest turns', () => {
    const turns = [1, 2, 3, 4].map((index) => tailTurn(`t${index}`, index));
    const selection = selectFrom(turns, { budget: { candidateCaps: { ...capsOf(2) } } });
    expect(idsOf(selection.slices.volatile_tail)).toEqual(['t4', 't3']);
    expect(exclusionsOf(selection)).toEqual([
      ['t1', 'candidate_cap', { cap: 2 }],
      ['t2', 'candidate_cap', { cap: 2 }],
    ]);
  });

  it('[S3,S7] turns are annotated and require the correction like other history', () => {
    const old = entity('v1', { subject: 'x', lifecycle: supersededBy('v2') });
    const now = entity('v2', { subject: 'x', version: 2, content: text });
    const said = tailTurn('t', 1);
    const selection = selectFrom([candidate(old), candidate(now), said], {
      provenance: [derives(said.memory.ref, old.ref, 'mentions')],
    });
    expect(selection.slices.volatile_tail[0]?.annotations).toMatchObject([{ current: now.ref, currentContent: text }]);
    expect(selection.required).toMatchObject([{ fact: { candidate: { memory: now } }, neededBy: [said.memory.ref] }]);
  });

  it('[S7] a summary of another thread may be recalled beside it', () => {
    const input = inputOf([
      tailTurn('t', 1),
      candidate(summary('s', { scope: { ...ofUser, threadId: threadId('july') } })),
    ]);
    expect(select({ ...input, scope }).excluded).toEqual([]);
  });
});

function capsOf(cap: number) {
  return { durable_facts: cap, evidence: cap, recalled_history: cap, volatile_tail: cap };
}
