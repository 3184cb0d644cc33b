// The difference of two manifests by itself (design R2): each cause that a row's own fate can be, and properties.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffManifests, type DatedManifest } from '../../src/diff/manifest_diff.ts';
import { tenantId, rowId } from '../../src/model/ids.ts';
import type { Exclusion, Manifest, ManifestMemory, RefJson } from '../../src/model/manifest.ts';
import type { KnownVersion, Lifecycle } from '../../src/model/memory.ts';
import { instant } from '../../src/model/time.ts';

const early = instant('2026-09-01T00:00:00Z');
const middle = instant('2026-09-15T00:00:00Z');
const late = instant('2026-09-28T00:00:00Z');

function memory(ref: RefJson, more: Partial<ManifestMemory> = {}): ManifestMemory {
  return {
    id: `B${ref[1].padStart(10, '0')}`,
    ref,
    type: ref[0],
    status: 'current',
    slice: 'durable_facts',
    position: 0,
    tier: 'full',
    tokens: 40,
    content_hash: 'c',
    scores: null,
    origin: 'query',
    admitted_by: 'fit',
    annotation_refs: [],
    contradicted_by: [],
    compression: null,
    ...more,
  };
}

function manifest(at: typeof early, parts: Partial<Manifest> = {}): DatedManifest {
  const base = {
    manifest_id: `manifest_${at}`,
    kind: 'window',
    evaluation_time: at,
    budget_ref: ['guideline', 'g', 1],
    retrieval_ref: null,
    budget: { usable_context: 5000, shares: { fact_check: { evidence: 0.5 } } },
    intent: 'fact_check',
    plan: { intent: 'fact_check', question_hash: 'q' },
    allocation: {},
    prefix: [],
    memories: [],
    excluded: [],
    prefix_hash: 'p',
    request_hash: at,
    fallbacks: [],
  };
  return { manifest: { ...base, ...parts } as unknown as Manifest, createdAt: at };
}

function version(ref: RefJson, lifecycle: Partial<Lifecycle> = {}, subject: string | null = null): KnownVersion {
  return {
    ref: [ref[0], rowId(ref[1]), ref[2]],
    scope: { tenantId: tenantId('acme'), userId: null, agentId: null, threadId: null },
    lifecycle: {
      validFrom: instant('2026-01-01T00:00:00Z'),
      validUntil: null,
      createdAt: instant('2026-01-01T00:00:00Z'),
      deletedAt: null,
      supersededBy: null,
      quarantinedAt: null,
      ...lifecycle,
    },
    identity: subject === null ? null : { subject, predicate: 'score', conditions: null },
  };
}

const fact: RefJson = ['entity', 'a', 1];

describe('a memory that left', () => {
  const cause = (versions: readonly KnownVersion[], excluded: readonly Exclusion[] = []) =>
    diffManifests(manifest(early, { memories: [memory(fact)] }), manifest(late, { excluded }), versions).left[0]?.cause;

  it.each<[string, readonly KnownVersion[], object]>([
    ['was deleted', [version(fact, { deletedAt: middle })], { kind: 'deleted' }],
    ['expired', [version(fact, { validUntil: middle })], { kind: 'expired', detail: { valid_until: middle } }],
    ['was set aside', [version(fact, { quarantinedAt: middle })], { kind: 'quarantined' }],
    [
      'was replaced',
      [version(fact, { validUntil: middle, supersededBy: rowId('b') })],
      { kind: 'new_version', ref: null },
    ],
    ['cannot be seen any more', [], { kind: 'not_visible' }],
    ['was not found', [version(fact)], { kind: 'not_found', question: false, policy: [], pushed_by: [] }],
    ['was deleted after both', [version(fact, { deletedAt: instant('2026-10-01T00:00:00Z') })], { kind: 'not_found' }],
  ])('[R2] because it %s', (_, versions, expected) => {
    expect(cause(versions)).toMatchObject(expected);
  });

  it('[R2] by a rule says which, with its detail', () => {
    const detail = { needed: 50, left: 10 };
    const excluded: Exclusion = { ref: fact, slice: 'durable_facts', rule: 'slice_budget', detail };
    expect(cause([version(fact)], [excluded])).toMatchObject({ kind: 'rule', rule: 'slice_budget', detail });
  });

  it('[R2] names who took its place in its slice, and no one of another slice', () => {
    const [other, elsewhere]: RefJson[] = [
      ['entity', 'b', 1],
      ['chunk', 'c', 1],
    ];
    const excluded: Exclusion = { ref: fact, slice: 'durable_facts', rule: 'candidate_cap', detail: { limit: 1 } };
    const to = manifest(late, {
      memories: [memory(other as RefJson), memory(elsewhere as RefJson, { slice: 'evidence' })],
      excluded: [excluded],
    });
    const { left } = diffManifests(manifest(early, { memories: [memory(fact)] }), to, [version(fact)]);
    expect(left[0]?.cause.pushed_by).toEqual([other]);
  });

  it('[R2] names only keys of the policy that bear on the rule, and shares of the intents at work', () => {
    const excluded: Exclusion = { ref: fact, slice: 'durable_facts', rule: 'slice_budget', detail: {} };
    const budget = {
      usable_context: 4000,
      max_rounds: 9,
      shares: { fact_check: { evidence: 0.4 }, comparison: { evidence: 0.9 } },
    };
    const to = manifest(late, { budget, budget_ref: ['guideline', 'g', 2], excluded: [excluded] });
    const difference = diffManifests(manifest(early, { memories: [memory(fact)] }), to, [version(fact)]);
    expect(difference.policy.changes.map(({ field }) => field)).toEqual([
      'usable_context',
      'shares.fact_check.evidence',
      'shares.comparison',
      'max_rounds',
    ]);
    expect(difference.left[0]?.cause.policy).toEqual(['usable_context', 'shares.fact_check.evidence']);
  });
});

describe('versions', () => {
  const between = (versions: readonly KnownVersion[], from: RefJson, to: RefJson) =>
    diffManifests(manifest(early, { memories: [memory(from)] }), manifest(late, { memories: [memory(to)] }), versions);

  it('[R2] of one claim are one change', () => {
    const next: RefJson = ['entity', 'b', 2];
    const difference = between([version(fact, {}, 'x'), version(next, {}, 'x')], fact, next);
    expect(difference).toMatchObject({ entered: [], left: [] });
    expect(difference.changed).toMatchObject([{ from: fact, to: next, cause: { kind: 'new_version', ref: next } }]);
  });

  it('[R2] of other things are found along their successors, however many came between', () => {
    const refs: RefJson[] = [1, 2, 3].map((number): RefJson => ['workflow', `w${number}`, number]);
    const [first, second, third] = refs as [RefJson, RefJson, RefJson];
    const line = [
      version(first, { supersededBy: rowId('w2') }),
      version(second, { supersededBy: rowId('w3') }),
      version(third),
    ];
    expect(between(line, first, third).changed).toMatchObject([{ from: first, to: third }]);
    expect(between([line[0], line[2]] as KnownVersion[], first, third).changed).toEqual([]);
  });

  it('[R2] of different claims are not', () => {
    const other: RefJson = ['entity', 'b', 1];
    expect(between([version(fact, {}, 'x'), version(other, {}, 'y')], fact, other).changed).toEqual([]);
  });

  it('[R2] that follow each other in a circle end', () => {
    const other: RefJson = ['workflow', 'w', 1];
    const round = [
      version(other, { supersededBy: rowId('v') }),
      version(['workflow', 'v', 2], { supersededBy: rowId('w') }),
    ];
    expect(between(round, other, other).left).toEqual([]);
  });
});

describe('ranks', () => {
  it('[R2] do not change for those whom a new memory only moves down', () => {
    const [a, b, c]: RefJson[] = ['a', 'b', 'c'].map((id): RefJson => ['entity', id, 1]);
    const at = (refs: readonly (RefJson | undefined)[]) =>
      refs.flatMap((ref, position) => (ref === undefined ? [] : [memory(ref, { position })]));
    const before = manifest(early, { memories: at([a, b]) });
    expect(diffManifests(before, manifest(late, { memories: at([c, a, b]) }), []).changed).toEqual([]);
    const turned = diffManifests(before, manifest(late, { memories: at([b, c, a]) }), []).changed;
    expect(turned.map(({ changes }) => changes)).toEqual([
      [{ field: 'rank', from: 2, to: 1 }],
      [{ field: 'rank', from: 1, to: 2 }],
    ]);
  });
});

describe('any two manifests', () => {
  const memories = fc
    .uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'), { maxLength: 8 })
    .chain((ids) =>
      fc.tuple(
        fc.constant(ids),
        fc.array(fc.record({ tier: fc.constantFrom('full', 'pointer'), tokens: fc.nat(5) }), {
          minLength: 8,
          maxLength: 8,
        }),
      ),
    )
    .map(([ids, more]) =>
      ids.map((id, position) =>
        memory(['entity', id, 1], { position, ...(more[position] as Partial<ManifestMemory>) }),
      ),
    );

  it('[R2] account for every memory once, and turned round the one enters what the other leaves', () => {
    fc.assert(
      fc.property(memories, memories, (one, other) => {
        const [a, b] = [manifest(early, { memories: one }), manifest(late, { memories: other })];
        const there = diffManifests(a, b, []);
        const back = diffManifests(b, a, []);
        const ids = (list: readonly { readonly ref: RefJson }[]) => list.map(({ ref }) => ref[1]);
        const isIn = (list: readonly ManifestMemory[]) => (id: string) => list.some(({ ref }) => ref[1] === id);
        expect(ids(there.entered)).toEqual(ids(other).filter((id) => !isIn(one)(id)));
        expect(ids(there.left)).toEqual(ids(one).filter((id) => !isIn(other)(id)));
        expect(ids(back.entered)).toEqual(ids(there.left));
        expect(back.changed.map(({ id }) => id).toSorted()).toEqual(there.changed.map(({ id }) => id).toSorted());
        expect(diffManifests(a, a, [])).toMatchObject({ entered: [], left: [], changed: [], same_request: true });
      }),
    );
  });
});
