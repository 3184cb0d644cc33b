// Staleness: history that rests on a version no longer current, and the facts that it requires.
import { describe, expect, it } from 'vitest';
import type { Budget } from '../../src/model/budget.ts';
import type { Entity, Memory, ProvenanceEdge } from '../../src/model/memory.ts';
import { citationIdOf } from '../../src/assembly/render/citation.ts';
import {
  candidate,
  chunk,
  derives,
  entity,
  exclusionsOf,
  lifecycle,
  ofUser,
  refOf,
  selectFrom,
  summary,
  supersededBy,
  survivor,
  tailTurn,
  turn,
  versionOf,
  workflow,
} from './select_factory.ts';

const claim = { subject: 'model:helios-rag', predicate: 'beir_ndcg10' };
const old = entity('v1', { ...claim, content: 'scored 0.92', lifecycle: supersededBy('v2') });
const now = entity('v2', { ...claim, version: 2, content: 'scored 0.78' });
const corrected = (source: Memory, current: Entity = now) => ({
  kind: 'stale',
  source: source.ref,
  current: current.ref,
  currentId: citationIdOf(current.ref),
  currentContent: current.content,
});
const ended = (source: Memory) => ({
  kind: 'stale',
  source: source.ref,
  current: null,
  currentId: null,
  currentContent: null,
});
const july = summary('july');

function notesOn(memory: Memory, edges: readonly ProvenanceEdge[], others: readonly Memory[] = [old, now]) {
  const selection = selectFrom(
    [memory, ...others].map((other) => candidate(other)),
    { provenance: edges },
  );
  return survivor(selection, memory.ref[1]).annotations;
}

const edge = (memory: Memory) => derives(memory.ref, old.ref);
const caps = (parts: Partial<Budget['candidateCaps']>) => ({
  candidateCaps: { durable_facts: 50, evidence: 50, recalled_history: 50, volatile_tail: 50, ...parts },
});
const selectWith = (
  history: readonly ReturnType<typeof candidate>[],
  budget: Partial<Budget> = {},
  facts: readonly Memory[] = [old, now],
) =>
  selectFrom([...history, ...facts.map((memory) => candidate(memory, { fused: 0 }))], {
    provenance: history.map(({ memory }) => edge(memory)),
    budget,
  });

describe('stale history', () => {
  it('[S3] a summary of a superseded fact carries the current one', () => {
    expect(notesOn(july, [derives(july.ref, old.ref)])).toEqual([corrected(old)]);
    expect(notesOn(july, [derives(july.ref, old.ref, 'mentions')])).toEqual([corrected(old)]);
  });

  it.each([
    ['turn', turn('m')],
    ['chunk', chunk('m')],
    ['workflow', workflow('m')],
    ['derived entity', entity('m', { trust: 'derived' })],
  ])('[S3] so does a %s', (_, memory) => {
    expect(notesOn(memory, [derives(memory.ref, old.ref)])).toEqual([corrected(old)]);
  });

  it('[S3] a current canonical fact carries none, but passes on what it rests on', () => {
    const built = entity('built');
    const edges = [derives(built.ref, old.ref), derives(july.ref, built.ref)];
    expect(notesOn(built, edges)).toEqual([]);
    expect(notesOn(july, edges, [old, now, built])).toEqual([corrected(old)]);
  });

  it('[S3] a source that is current makes nothing stale, nor does another relation or an unknown row', () => {
    const unknown = refOf('entity', 'unknown');
    const edges = [
      derives(july.ref, now.ref),
      derives(july.ref, old.ref, 'supports'),
      derives(july.ref, old.ref, 'annotates'),
      derives(july.ref, old.ref, 'used_in_window'),
      derives(july.ref, unknown),
      derives(old.ref, july.ref),
    ];
    expect(notesOn(july, edges)).toEqual([]);
  });

  it('[S3] provenance is followed to any depth, through rows that are no candidates and unknown events', () => {
    const steps = Array.from({ length: 20_000 }, (_, at) => refOf('conversation', `event${at}`));
    const chain = steps.map((step, at) => derives(step, steps[at + 1] ?? old.ref));
    expect(notesOn(july, [derives(july.ref, steps[0]!), ...chain])).toEqual([corrected(old)]);
  });

  it('[S3] provenance that closes a circle ends', () => {
    const [a, b] = [summary('a'), summary('b')];
    const edges = [
      derives(a.ref, b.ref),
      derives(b.ref, a.ref),
      derives(a.ref, a.ref),
      derives(b.ref, old.ref),
      derives(old.ref, a.ref),
    ];
    expect(notesOn(a, edges, [b, old, now])).toEqual([corrected(old)]);
    expect(notesOn(b, edges, [a, old, now])).toEqual([corrected(old)]);
  });

  it('[S3] lifecycles of sources come from candidates first, then from known versions', () => {
    const run = (memories: readonly Memory[], known: Memory) =>
      survivor(
        selectFrom(
          memories.map((memory) => candidate(memory)),
          {
            provenance: [derives(july.ref, old.ref)],
            versions: [versionOf(known)],
          },
        ),
        'july',
      ).annotations;
    expect(run([july, now], old)).toEqual([corrected(old)]);
    expect(run([july, now, old], { ...old, lifecycle: lifecycle() })).toEqual([corrected(old)]);
    expect(run([july, now], { ...old, lifecycle: lifecycle() })).toEqual([]);
  });

  it('[S3] one note for each identity, however many versions, ordered by source', () => {
    const third = entity('v3', { ...claim, version: 3, content: 'scored 0.8' });
    const between = { ...now, lifecycle: supersededBy('v3') };
    const other = entity('other', { lifecycle: lifecycle({ validUntil: '2026-09-02T00:00:00Z' }) });
    const document = { ...versionOf(other), ref: refOf('document', 'd'), identity: null };
    const selection = selectFrom(
      [july, old, between, third, other].map((memory) => candidate(memory)),
      {
        provenance: [old, between, other, document].map(({ ref }) => derives(july.ref, ref)),
        versions: [document],
      },
    );
    expect(survivor(selection, 'july').annotations).toEqual([
      { ...ended(other), source: document.ref },
      ended(other),
      corrected(old, third),
    ]);
  });

  it('[S3] without a current fact the note has none: deleted, expired, quarantined, or no identity', () => {
    const bad = { ...now, lifecycle: lifecycle({ quarantinedAt: '2026-09-02T00:00:00Z' }) };
    const gone = { ...now, lifecycle: lifecycle({ deletedAt: '2026-09-02T00:00:00Z' }) };
    const steps = workflow('w1', { lifecycle: supersededBy('w2') });
    expect(notesOn(july, [derives(july.ref, old.ref)], [old])).toEqual([ended(old)]);
    expect(notesOn(july, [derives(july.ref, old.ref)], [old, bad])).toEqual([ended(old)]);
    expect(notesOn(july, [derives(july.ref, gone.ref)], [gone])).toEqual([ended(gone)]);
    expect(notesOn(july, [derives(july.ref, steps.ref)], [steps, workflow('w2')])).toEqual([ended(steps)]);
  });

  it('[S3] the current fact is the one that won the conflict', () => {
    const own = entity('own', { ...claim, scope: ofUser, content: 'scored 0.7' });
    expect(notesOn(july, [derives(july.ref, old.ref)], [old, now, own])).toEqual([corrected(old, own)]);
    // A fact that lost is still current at this time: what rests on it is not stale.
    expect(notesOn(july, [derives(july.ref, now.ref)], [old, now, own])).toEqual([]);
  });

  it('[S3] other conditions are another fact', () => {
    const other = entity('v2', { ...claim, version: 2, conditions: { split: 'test' } });
    expect(notesOn(july, [derives(july.ref, old.ref)], [old, other])).toEqual([ended(old)]);
  });

  it('[S3] a derived fact that is the current one of its identity is not annotated with itself', () => {
    const derived = entity('v2', { ...claim, version: 2, trust: 'derived' });
    expect(notesOn(derived, [derives(derived.ref, old.ref)], [old])).toEqual([]);
    expect(notesOn(july, [derives(july.ref, old.ref)], [old, derived])).toEqual([corrected(old, derived)]);
  });
});

describe('required facts', () => {
  const recalled = summary('july');
  const said = turn('said');

  it('[S3,B5] the current fact is required by recalled history, the tail and evidence, best first', () => {
    const passage = chunk('passage');
    const selection = selectWith([
      candidate(recalled, { fused: 0.2 }),
      candidate(said, { fused: 0.7 }),
      tailTurn('tail', 1),
      candidate(passage, { fused: 0.9 }),
    ]);
    expect(selection.required).toHaveLength(1);
    expect(selection.required[0]?.neededBy.map((ref) => ref[1])).toEqual(['passage', 'said', 'tail', 'july']);
    expect(selection.required[0]?.fact).toBe(selection.slices.durable_facts[0]);
  });

  it('[S3,B5] derived facts and workflows are annotated, but require nothing', () => {
    const selection = selectWith([candidate(entity('d', { trust: 'derived' })), candidate(workflow('w'))]);
    expect(survivor(selection, 'd').annotations).toHaveLength(1);
    expect(selection.required).toEqual([]);
  });

  it('[S3,B5] tool results require nothing', () => {
    const selection = selectWith([candidate(recalled, { slice: null })]);
    expect(survivor(selection, 'july').annotations).toHaveLength(1);
    expect(selection.required).toEqual([]);
  });

  it('[S3,B5] nothing is required without a current fact', () => {
    expect(selectWith([candidate(recalled)], {}, [old]).required).toEqual([]);
  });

  it('[S3,B5] a policy without required corrections keeps the notes', () => {
    const selection = selectWith([candidate(recalled)], { requiredCorrections: false, ...caps({ durable_facts: 0 }) });
    expect(survivor(selection, 'july').annotations).toEqual([corrected(old)]);
    expect(selection.required).toEqual([]);
    expect(exclusionsOf(selection)).toContainEqual(['v2', 'candidate_cap', { cap: 0 }]);
    expect(selectWith([candidate(recalled)], { requiredCorrections: 'drop_history' }).required).toHaveLength(1);
  });

  it('[B5,Q10] a required fact is exempt from its cap, others are not', () => {
    const facts = [old, now, entity('x', { confidence: 1 }), entity('y', { confidence: 0.9 })];
    const selection = selectWith([candidate(recalled)], caps({ durable_facts: 1 }), facts);
    expect(selection.slices.durable_facts.map((entry) => entry.candidate.memory.ref[1])).toEqual(['x', 'v2']);
    expect(exclusionsOf(selection)).toEqual([
      ['v1', 'lifecycle', { state: 'superseded' }],
      ['y', 'candidate_cap', { cap: 1 }],
    ]);
  });

  it('[S3,B5] history beyond its cap requires nothing', () => {
    const selection = selectWith(
      [candidate(recalled, { fused: 0.9 }), candidate(said, { fused: 0.1 })],
      caps({ recalled_history: 1, durable_facts: 0 }),
    );
    expect(selection.required[0]?.neededBy).toEqual([recalled.ref]);
    const none = selectWith([candidate(recalled)], caps({ recalled_history: 0, durable_facts: 0 }));
    expect(none.required).toEqual([]);
    expect(exclusionsOf(none)).toContainEqual(['v2', 'candidate_cap', { cap: 0 }]);
  });
});
