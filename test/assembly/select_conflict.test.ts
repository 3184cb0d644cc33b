// Conflicts: one current fact of an identity, and memories that contradict each other.
import { describe, expect, it } from 'vitest';
import type { Entity } from '../../src/model/memory.ts';
import { citationIdOf } from '../../src/assembly/render/citation.ts';
import {
  candidate,
  chunk,
  contradicts,
  derives,
  entity,
  exclusionsOf,
  lifecycle,
  ofAgent,
  ofThread,
  ofUser,
  refOf,
  selectFrom,
  shared,
  summary,
  supersededBy,
  survivingIds,
  survivor,
  turn,
} from './select_factory.ts';

const claim = { subject: 'model:helios-rag', predicate: 'beir_ndcg10' };
const fact = (id: string, parts: Partial<Entity> = {}) => entity(id, { ...claim, ...parts });

describe('conflict', () => {
  const later = lifecycle({ validFrom: '2026-09-02T00:00:00Z' });

  it.each([
    ['canonical before derived, though derived is narrower', fact('z'), { trust: 'derived', scope: ofThread }],
    ['thread before user', fact('z', { scope: ofThread }), { scope: ofUser, lifecycle: later }],
    [
      'thread before user and agent',
      fact('z', { scope: { ...shared, threadId: ofThread.threadId } }),
      { scope: ofUser },
    ],
    ['user before agent', fact('z', { scope: ofUser }), { scope: ofAgent, lifecycle: later }],
    ['agent before the tenant', fact('z', { scope: ofAgent }), { lifecycle: later }],
    ['later valid_from', fact('z', { lifecycle: later }), {}],
    ['the first id', fact('0'), {}],
    ['of two derived the narrower', fact('z', { trust: 'derived', scope: ofUser }), { trust: 'derived' }],
  ] as const)('[S3] of one identity exactly one current fact stays: %s', (_, stays, parts) => {
    const goes = fact('a', parts);
    const selection = selectFrom([candidate(goes, { fused: 1 }), candidate(stays, { fused: 0 })]);
    expect(survivingIds(selection)).toEqual([stays.ref[1]]);
    expect(selection.excluded).toEqual([
      { ref: goes.ref, slice: 'durable_facts', rule: 'conflict', detail: { kept: stays.ref } },
    ]);
  });

  it('[S3] names the one that stays in the record of every loser', () => {
    const selection = selectFrom(
      [fact('a'), fact('b', { scope: ofUser }), fact('c', { scope: ofThread })].map((row) => candidate(row)),
    );
    expect(exclusionsOf(selection)).toEqual([
      ['a', 'conflict', { kept: refOf('entity', 'c') }],
      ['b', 'conflict', { kept: refOf('entity', 'c') }],
    ]);
  });

  it('[S3] another predicate or other conditions are another claim', () => {
    const rows = [
      fact('a'),
      fact('b', { predicate: 'latency' }),
      fact('c', { conditions: { k: 5 } }),
      fact('d', { conditions: { k: 10 } }),
    ];
    expect(survivingIds(selectFrom(rows.map((row) => candidate(row))))).toHaveLength(4);
  });

  it('[S3] an expired or quarantined fact wins over nobody', () => {
    const selection = selectFrom([
      candidate(fact('tenant')),
      candidate(fact('expired', { scope: ofThread, lifecycle: lifecycle({ validUntil: '2026-09-02T00:00:00Z' }) })),
      candidate(fact('bad', { scope: ofUser, lifecycle: lifecycle({ quarantinedAt: '2026-09-02T00:00:00Z' }) })),
    ]);
    expect(survivingIds(selection)).toEqual(['tenant']);
  });

  it('[S2,S3] a derived copy of a shared fact does not keep a user’s own fact from winning', () => {
    const own = fact('own', { scope: ofUser, content: 'scored 0.78' });
    const selection = selectFrom([
      candidate(fact('copy', { scope: ofThread, trust: 'derived', content: 'scored 0.78' })),
      candidate(own),
      candidate(fact('tenant', { content: 'scored 0.5' })),
    ]);
    expect(survivingIds(selection)).toEqual(['own']);
    expect(exclusionsOf(selection)).toEqual([
      ['copy', 'dedup', { kept: own.ref }],
      ['tenant', 'conflict', { kept: own.ref }],
    ]);
  });
});

describe('contradictions', () => {
  const [a, b, c] = [chunk('a'), summary('b'), turn('c')];

  it('[S3] memories that contradict each other stay, and each names the other', () => {
    const selection = selectFrom(
      [a, b, c].map((memory) => candidate(memory)),
      {
        links: [
          contradicts(b.ref, a.ref),
          contradicts(a.ref, b.ref),
          contradicts(a.ref, c.ref),
          contradicts(a.ref, a.ref),
        ],
      },
    );
    const note = (ref: typeof a.ref) => ({ kind: 'contradicted', by: ref, byId: citationIdOf(ref) });
    expect(survivor(selection, 'a').annotations).toEqual([note(c.ref), note(b.ref)]);
    expect(survivor(selection, 'b').annotations).toEqual([note(a.ref)]);
    expect(survivor(selection, 'c').annotations).toEqual([note(a.ref)]);
    expect(selection.required).toEqual([]);
  });

  it('[S3] a memory that is not there contradicts nobody, nor does a link of another kind', () => {
    const gone = entity('e', { lifecycle: supersededBy('n') });
    const selection = selectFrom([candidate(a), candidate(b), candidate(gone)], {
      links: [
        contradicts(a.ref, gone.ref),
        contradicts(refOf('entity', 'unknown'), a.ref),
        { source: a.ref, target: b.ref, relation: 'refines' },
      ],
    });
    expect(survivor(selection, 'a').annotations).toEqual([]);
  });

  it('[S3] a memory beyond its cap contradicts nobody', () => {
    const selection = selectFrom([candidate(b, { fused: 0.9 }), candidate(c, { fused: 0.1 })], {
      links: [contradicts(b.ref, c.ref)],
      budget: { candidateCaps: { durable_facts: 9, evidence: 9, recalled_history: 1, volatile_tail: 9 } },
    });
    expect(survivor(selection, 'b').annotations).toEqual([]);
  });

  it('[S3] a note of a contradiction follows the notes of corrections', () => {
    const [old, now] = [fact('v1', { lifecycle: supersededBy('v2') }), entity('v2', { ...claim, version: 2 })];
    const selection = selectFrom(
      [a, b, old, now].map((memory) => candidate(memory)),
      {
        links: [contradicts(a.ref, b.ref)],
        provenance: [derives(b.ref, old.ref)],
      },
    );
    expect(survivor(selection, 'b').annotations.map((note) => note.kind)).toEqual(['stale', 'contradicted']);
  });
});
