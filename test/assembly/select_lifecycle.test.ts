// Scope, lifecycle and quarantine: who may be a candidate at all.
import { describe, expect, it } from 'vitest';
import { agentId, tenantId, threadId, userId } from '../../src/model/ids.ts';
import type { Memory } from '../../src/model/memory.ts';
import type { RowScope } from '../../src/model/scope.ts';
import {
  candidate,
  chunk,
  derives,
  entity,
  exclusionsOf,
  inputOf,
  lifecycle,
  ofAgent,
  ofThread,
  ofUser,
  refOf,
  scope,
  selectFrom,
  shared,
  summary,
  supersededBy,
  survivingIds,
  survivor,
  tailTurn,
  turn,
  versionOf,
  workflow,
} from './select_factory.ts';
import { select } from '../../src/assembly/select/select.ts';
import { citationIdOf } from '../../src/assembly/render/citation.ts';

const otherTenant: RowScope = { ...shared, tenantId: tenantId('globex') };
const otherUser: RowScope = { ...shared, userId: userId('mallory') };
const otherAgent: RowScope = { ...shared, agentId: agentId('support') };
const otherThread: RowScope = { ...ofUser, threadId: threadId('july') };
const nobodysThread: RowScope = { ...shared, threadId: threadId('july') };
const anyType = (row: RowScope): readonly Memory[] => [
  entity('e', { scope: row }),
  workflow('w', { scope: row }),
  chunk('c', { scope: row }),
  summary('s', { scope: row }),
  turn('t', { scope: row }),
];
const scopeViolation = expect.objectContaining({ code: 'scope_violation', data: {} });
const oldFact = (row: RowScope) => entity('e', { scope: row, lifecycle: supersededBy('next') });
const during = (id: string, parts: Parameters<typeof lifecycle>[0]) =>
  candidate(entity(id, { lifecycle: lifecycle(parts) }));
const loose = (memory: Memory) => candidate(memory, { slice: null });

describe('scope', () => {
  it.each([
    ['tenant', otherTenant],
    ['user', otherUser],
    ['agent', otherAgent],
  ])('[S1] a row of another %s throws scope_violation, whatever its type and state', (_, row) => {
    for (const memory of anyType(row)) {
      const deleted = { ...memory, lifecycle: lifecycle({ deletedAt: '2026-09-02T00:00:00Z' }) };
      for (const foreign of [memory, deleted])
        for (const slice of ['recalled_history', null] as const)
          expect(() => selectFrom([candidate(entity('own')), candidate(foreign, { slice })])).toThrow(scopeViolation);
    }
  });

  it('[S1] rows that are shared, of the agent, of the user or of the thread pass', () => {
    const rows = [shared, ofAgent, ofUser, ofThread].map((row, at) => candidate(entity(`e${at}`, { scope: row })));
    expect(survivingIds(selectFrom(rows))).toHaveLength(4);
  });

  it('[S1] an agent’s row is foreign to a caller without an agent', () => {
    const input = inputOf([candidate(entity('e', { scope: ofAgent }))]);
    expect(() => select({ ...input, scope: { ...scope, agentId: null } })).toThrow(scopeViolation);
  });

  it('[S1] of another thread only summaries and recalled turns of the caller pass', () => {
    const [e, w, c, s, t] = anyType(otherThread).map((memory) => candidate(memory));
    expect(survivingIds(selectFrom([s!, t!]))).toEqual(['t', 's']);
    expect(
      survivingIds(
        selectFrom([
          { ...s!, slice: null },
          { ...t!, slice: null },
        ]),
      ),
    ).toEqual(['t', 's']);
    for (const foreign of [e!, w!, c!]) expect(() => selectFrom([foreign])).toThrow(scopeViolation);
    expect(() => selectFrom([tailTurn('t', 1, { scope: otherThread })])).toThrow(scopeViolation);
    for (const memory of anyType(nobodysThread)) expect(() => selectFrom([candidate(memory)])).toThrow(scopeViolation);
  });

  it('[S1] a version in provenance of another tenant, user or agent throws; one of another own thread counts', () => {
    const recalled = summary('s');
    const run = (row: RowScope) =>
      selectFrom([candidate(recalled)], {
        provenance: [derives(recalled.ref, refOf('entity', 'e'))],
        versions: [versionOf(oldFact(row))],
      });
    for (const row of [otherTenant, otherUser, otherAgent]) expect(() => run(row)).toThrow(scopeViolation);
    expect(survivor(run(otherThread), 's').annotations).toHaveLength(1);
  });
});

describe('lifecycle', () => {
  const noon = '2026-09-28T12:00:00.000000Z';
  const justAfter = '2026-09-28T12:00:00.000001Z';

  it('[S1] excludes a superseded fact and records rule lifecycle with its state', () => {
    const selection = selectFrom([candidate(entity('old', { lifecycle: supersededBy('new') }))]);
    expect(selection.excluded).toEqual([
      { ref: ['entity', 'old', 1], slice: 'durable_facts', rule: 'lifecycle', detail: { state: 'superseded' } },
    ]);
    expect(survivingIds(selection)).toEqual([]);
  });

  it.each([
    ['deleted', { deletedAt: noon, validFrom: justAfter, validUntil: noon, supersededBy: 'n', quarantinedAt: noon }],
    ['not_yet_effective', { validFrom: justAfter, validUntil: noon, supersededBy: 'n', quarantinedAt: noon }],
    ['superseded', { validUntil: noon, supersededBy: 'n', quarantinedAt: noon }],
    ['expired', { validUntil: noon, quarantinedAt: noon }],
  ])('[S1] says %s before every state that comes after it, and before quarantine', (state, parts) => {
    const selection = selectFrom([candidate(chunk('c', { lifecycle: lifecycle(parts) }))]);
    expect(exclusionsOf(selection)).toEqual([['c', 'lifecycle', { state }]]);
  });

  it('[S1] valid_from is inclusive and valid_until exclusive, to the microsecond', () => {
    const selection = selectFrom([
      during('begins_now', { validFrom: noon }),
      during('begins_after', { validFrom: justAfter }),
      during('ends_now', { validUntil: noon }),
      during('ends_after', { validUntil: justAfter }),
      during('replaced_later', { validUntil: justAfter, supersededBy: 'next' }),
    ]);
    expect(survivingIds(selection).toSorted()).toEqual(['begins_now', 'ends_after', 'replaced_later']);
  });

  it('[S1] excludes a quarantined row that is otherwise current, with rule quarantine', () => {
    const quarantined = lifecycle({ quarantinedAt: '2026-09-02T00:00:00Z' });
    const selection = selectFrom([
      candidate(workflow('w', { lifecycle: quarantined })),
      tailTurn('t', 3, { lifecycle: quarantined }),
      candidate(chunk('c', { lifecycle: quarantined }), { slice: null }),
    ]);
    expect(selection.excluded).toEqual([
      { ref: ['chunk', 'c', 1], slice: 'tool_results', rule: 'quarantine', detail: {} },
      { ref: ['conversation', 't', 1], slice: 'volatile_tail', rule: 'quarantine', detail: {} },
      { ref: ['workflow', 'w', 1], slice: 'durable_facts', rule: 'quarantine', detail: {} },
    ]);
  });

  it('[S1] gives each type its status', () => {
    const selection = selectFrom(anyType(shared).map((memory) => candidate(memory)));
    const statuses = ['e', 'w', 'c', 's', 't'].map((id) => survivor(selection, id).status);
    expect(statuses).toEqual(['current', 'current', 'evidence', 'historical', 'unverified']);
  });
});

describe('tool results', () => {
  const claim = { subject: 'model:helios-rag', predicate: 'beir_ndcg10' };
  const first = entity('v1', { ...claim, content: 'scored 0.92', lifecycle: supersededBy('v2') });
  const second = entity('v2', { ...claim, version: 2, content: 'scored 0.78' });
  it('[S1] a superseded version that was named is history with the correction, and requires nothing', () => {
    const selection = selectFrom([loose(first), loose(second)], { named: [first.ref] });
    expect(survivor(selection, 'v1')).toMatchObject({
      status: 'historical',
      annotations: [
        {
          kind: 'stale',
          source: first.ref,
          current: second.ref,
          currentId: citationIdOf(second.ref),
          currentContent: 'scored 0.78',
        },
      ],
    });
    expect(survivor(selection, 'v2')).toMatchObject({ status: 'current', annotations: [] });
    expect(selection).toMatchObject({ required: [], excluded: [] });
  });

  it('[S1] a superseded version that was not named stays out', () => {
    const selection = selectFrom([loose(first), loose(second)], { named: [second.ref] });
    expect(exclusionsOf(selection)).toEqual([['v1', 'lifecycle', { state: 'superseded' }]]);
  });

  it('[S1] being named helps against superseded only', () => {
    const base = { validUntil: '2026-09-02T00:00:00Z' };
    const rows = [
      chunk('deleted', { lifecycle: lifecycle({ ...base, supersededBy: 'n', deletedAt: '2026-09-03T00:00:00Z' }) }),
      chunk('early', { lifecycle: lifecycle({ validFrom: '2027-01-01T00:00:00Z', supersededBy: 'n' }) }),
      chunk('expired', { lifecycle: lifecycle(base) }),
      chunk('bad', { lifecycle: lifecycle({ ...base, supersededBy: 'n', quarantinedAt: '2026-09-02T00:00:00Z' }) }),
    ];
    const selection = selectFrom(rows.map(loose), { named: rows.map((row) => row.ref) });
    expect(exclusionsOf(selection)).toEqual([
      ['deleted', 'lifecycle', { state: 'deleted' }],
      ['early', 'lifecycle', { state: 'not_yet_effective' }],
      ['expired', 'lifecycle', { state: 'expired' }],
      ['bad', 'quarantine', {}],
    ]);
  });

  it('[S1] a named row without identity says that it is no longer current', () => {
    const old = workflow('w', { lifecycle: supersededBy('w2') });
    const selection = selectFrom([loose(old)], { named: [old.ref] });
    expect(survivor(selection, 'w')).toMatchObject({
      status: 'historical',
      annotations: [{ kind: 'stale', source: old.ref, current: null, currentId: null, currentContent: null }],
    });
  });

  it('[S1,S2] an older version with the text of the current one neither goes nor displaces it', () => {
    const back = entity('v3', { ...claim, version: 3, content: 'scored 0.92' });
    const selection = selectFrom([loose(first), loose(back)], { named: [first.ref] });
    expect(survivor(selection, 'v1').annotations).toMatchObject([{ current: back.ref }]);
    expect(selection.excluded).toEqual([]);
  });

  it('[S2] an older version is no copy that a current memory could give way to', () => {
    const quote = chunk('c', { content: first.content });
    expect(selectFrom([loose(first), loose(quote)], { named: [first.ref] }).excluded).toEqual([]);
  });

  it('[S3] an older version of a narrower scope does not beat the current fact', () => {
    const narrow = { ...first, scope: ofThread };
    const selection = selectFrom([loose(narrow), loose(second)], { named: [narrow.ref] });
    expect(survivor(selection, 'v2').status).toBe('current');
    expect(survivor(selection, 'v1').annotations).toMatchObject([{ source: narrow.ref, current: second.ref }]);
  });

  it('[S3] an older version that rests on a still older one is its own source', () => {
    const newest = entity('v0', { ...claim, version: 3, content: 'scored 0.8' });
    const between = { ...second, lifecycle: supersededBy('v0') };
    const selection = selectFrom([loose(first), loose(between), loose(newest)], {
      named: [between.ref],
      provenance: [derives(between.ref, first.ref)],
    });
    expect(survivor(selection, 'v2').annotations).toMatchObject([{ source: between.ref, current: newest.ref }]);
  });

  it('[S2,S3] what was named stays beside its copy; beside the fact that beats it, it is history', () => {
    const copy = chunk('c', { content: 'scored 0.78' });
    const wider = entity('wide', { ...claim, content: 'scored 0.5' });
    const narrow = { ...second, scope: ofUser };
    const selection = selectFrom([copy, wider, narrow].map(loose), { named: [copy.ref, wider.ref] });
    expect(survivor(selection, 'c').status).toBe('evidence');
    expect(survivor(selection, 'wide')).toMatchObject({
      status: 'historical',
      annotations: [{ kind: 'stale', source: wider.ref, current: narrow.ref }],
    });
    expect(selection.excluded).toEqual([]);
  });

  it('[S1,S5] are in seating order, apart from the slices', () => {
    const selection = selectFrom([
      candidate(chunk('a'), { slice: null, fused: 0.1 }),
      candidate(entity('b'), { slice: null, fused: 0.9 }),
      candidate(turn('c'), { slice: null, fused: 0.4 }),
    ]);
    expect(selection.results.map((entry) => entry.candidate.memory.ref[1])).toEqual(['b', 'c', 'a']);
    expect(Object.values(selection.slices).flat()).toEqual([]);
  });
});
