// Properties of selection as a whole, and its cost.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Budget, OptionalSlice } from '../../src/model/budget.ts';
import type { Candidate } from '../../src/model/candidate.ts';
import type { RefJson } from '../../src/model/manifest.ts';
import { agentId, rowId, tenantId, userId } from '../../src/model/ids.ts';
import { refKey, type Lifecycle, type Memory, type Ref, type Trust } from '../../src/model/memory.ts';
import type { RowScope } from '../../src/model/scope.ts';
import { identityKey } from '../../src/assembly/select/claim_identity.ts';
import { lifecycleState } from '../../src/assembly/select/lifecycle.ts';
import { select } from '../../src/assembly/select/select.ts';
import type { SelectionInput } from '../../src/assembly/select/selection.ts';
import {
  candidate,
  chunk,
  derives,
  entity,
  evaluationTime,
  inputOf,
  lifecycle,
  ofAgent,
  ofThread,
  ofUser,
  question,
  selectFrom,
  shared,
  summary,
  supersededBy,
  survivorsOf,
  turn,
  versionOf,
  workflow,
} from './select_factory.ts';

const lifecycles: readonly Lifecycle[] = [
  lifecycle(),
  lifecycle({ validFrom: '2026-09-02T00:00:00Z' }),
  lifecycle({ validUntil: '2027-01-01T00:00:00Z', supersededBy: 'n' }),
  supersededBy('n'),
  lifecycle({ validUntil: '2026-09-02T00:00:00Z' }),
  lifecycle({ deletedAt: '2026-09-02T00:00:00Z' }),
  lifecycle({ validFrom: '2027-01-01T00:00:00Z' }),
  lifecycle({ quarantinedAt: '2026-09-02T00:00:00Z' }),
];
const texts = ['scored 0.92', ' scored  0.92', 'scored 0.78', 'a b c d e f g', 'a b c d e f g h', question];

const traits = fc.record({
  id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
  version: fc.constantFrom(1, 1, 2),
  life: fc.constantFrom(lifecycles[0]!, lifecycles[0]!, ...lifecycles),
  scope: fc.constantFrom(shared, ofAgent, ofUser, ofThread),
  trust: fc.constantFrom<Trust>('verified', 'derived'),
  text: fc.constantFrom(...texts),
  subject: fc.constantFrom('x', 'y'),
  conditions: fc.constantFrom(null, { k: 1 }),
  document: fc.constantFrom('d1', 'd2'),
  index: fc.nat(5),
});

const memories: fc.Arbitrary<Memory> = fc
  .tuple(fc.constantFrom('entity', 'entity', 'workflow', 'summary', 'conversation', 'chunk'), traits)
  .map(([type, { id, version, life, text, subject, conditions, document, index, ...row }]) => {
    const common = { ...row, lifecycle: life };
    switch (type) {
      case 'entity':
        return entity(`e${id}`, { ...common, version, content: text, subject, conditions });
      case 'workflow':
        return workflow(`w${id}`, { ...common, name: 'a', description: text });
      case 'summary':
        return summary(`s${id}`, { ...common, summary: text });
      case 'conversation':
        return turn(`t${id}`, { ...common, text, turnIndex: index, role: index % 2 === 0 ? 'user' : 'assistant' });
      case 'chunk':
        return chunk(`c${id}`, { ...common, content: text, documentId: rowId(document) });
      default:
        throw type satisfies never;
    }
  });

function slicesOf(memory: Memory): readonly (OptionalSlice | null)[] {
  switch (memory.type) {
    case 'entity':
    case 'workflow':
      return ['durable_facts', 'durable_facts', null];
    case 'chunk':
      return ['evidence', 'evidence', null];
    case 'summary':
      return ['recalled_history', null];
    case 'conversation':
      return ['recalled_history', 'volatile_tail', null];
    default:
      throw memory satisfies never;
  }
}

const candidatesOf = fc
  .uniqueArray(memories, { selector: (memory) => refKey(memory.ref), maxLength: 30 })
  .chain((rows) =>
    fc.tuple(
      ...rows.map((memory) =>
        fc
          .record({ slice: fc.constantFrom(...slicesOf(memory)), fused: fc.constantFrom(0, 0.5, 1), twin: fc.nat(9) })
          .map(({ slice, fused, twin }): readonly Candidate[] => {
            const one = candidate(memory, { slice, fused });
            return twin === 0 ? [one, candidate(memory, { fused: 0.25 })] : [one];
          }),
      ),
    ),
  )
  .map((lists) => lists.flat());

/** Whole inputs: few ids, texts and claims, so that all rules meet. */
const inputs: fc.Arbitrary<SelectionInput> = candidatesOf.chain((candidates) => {
  const refs: readonly Ref[] = [...candidates.map(({ memory }) => memory.ref), ['entity', rowId('known'), 1]];
  const ref = fc.constantFrom(...refs);
  const known = entity('known', { subject: 'x', lifecycle: supersededBy('n') });
  return fc
    .record({
      provenance: fc.array(
        fc.record({ derived: ref, source: ref, relation: fc.constantFrom('derived_from', 'mentions', 'supports') }),
        { maxLength: 40 },
      ),
      links: fc.array(fc.record({ source: ref, target: ref, relation: fc.constantFrom('contradicts', 'refines') }), {
        maxLength: 10,
      }),
      named: fc.uniqueArray(ref, { maxLength: 2 }),
      cap: fc.constantFrom(1, 3, 50),
      intent: fc.constantFrom('comparison', 'open'),
      required: fc.constantFrom<Budget['requiredCorrections']>(true, false, 'drop_history'),
    })
    .map(({ provenance, links, named, cap, intent, required }) =>
      inputOf(candidates, {
        provenance,
        links,
        named,
        versions: [versionOf(known)],
        plan: {
          intent,
          subjects: [
            { subject: 'scored', names: ['scored'] },
            { subject: 'h', names: ['h'] },
          ],
        },
        budget: {
          candidateCaps: { durable_facts: cap, evidence: cap, recalled_history: cap, volatile_tail: cap },
          evidence: { maxPerDocument: 2, nearDuplicate: 0.6 },
          requiredCorrections: required,
        },
      }),
    );
});

const shuffled = <Item>(items: readonly Item[]) =>
  fc.shuffledSubarray([...items], { minLength: items.length, maxLength: items.length });
const place = (ref: RefJson, slice: string | null) => `${ref.join(' ')} ${slice ?? 'tool_results'}`;
const isCurrent = ({ memory }: Candidate) =>
  lifecycleState(memory.lifecycle, evaluationTime) === 'current' && memory.lifecycle.quarantinedAt === null;
const claims = (candidates: readonly Candidate[]) =>
  candidates.flatMap(({ memory }) => (memory.type === 'entity' ? [identityKey(memory)] : []));
const body = (id: number, length: number) => Array.from({ length }, (_, at) => `w${id}x${at % 97}`).join(' ');
const seconds = (run: () => unknown): number => {
  const start = performance.now();
  run();
  return (performance.now() - start) / 1000;
};
const runs = { numRuns: 400 };

describe('selection', () => {
  it('[S5] does not depend on the order in which anything arrives', () => {
    const pairs = inputs.chain((input) =>
      fc
        .record({
          candidates: shuffled(input.candidates),
          provenance: shuffled(input.provenance),
          links: shuffled(input.links),
          named: shuffled(input.named),
        })
        .map((order) => [input, { ...input, ...order }] as const),
    );
    fc.assert(
      fc.property(pairs, ([input, other]) => {
        expect(select(other)).toEqual(select(input));
      }),
      runs,
    );
  });

  it('[S1,S2,S3,S6] has every candidate exactly once: in its slice, in the results, or excluded', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const selection = select(input);
        const out = [
          ...survivorsOf(selection).map((entry) => place(entry.candidate.memory.ref, entry.candidate.slice)),
          ...selection.excluded.map(({ ref, slice }) => place(ref, slice)),
        ];
        const came = input.candidates.map(({ memory, slice }) => place(memory.ref, slice));
        expect(out.toSorted()).toEqual(came.toSorted());
        for (const [slice, entries] of Object.entries(selection.slices))
          expect(entries.every((entry) => entry.candidate.slice === slice)).toBe(true);
      }),
      runs,
    );
  });

  it('[S3] has at most one current fact of an identity, and one wherever a current one came', () => {
    const uncapped = inputs.map((input) => ({
      ...input,
      policy: {
        ...input.policy,
        budget: {
          ...input.policy.budget,
          candidateCaps: { durable_facts: 99, evidence: 99, recalled_history: 99, volatile_tail: 99 },
        },
      },
    }));
    fc.assert(
      fc.property(uncapped, (input) => {
        const current = survivorsOf(select(input)).filter((entry) => entry.status === 'current');
        const kept = claims(current.map((entry) => entry.candidate));
        expect(kept.toSorted()).toEqual([...new Set(claims(input.candidates.filter(isCurrent)))].toSorted());
      }),
      runs,
    );
  });

  it('[S3,B5] has each required fact in durable_facts, needed by history that is there', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const { slices, required } = select(input);
        const history = [...slices.evidence, ...slices.recalled_history, ...slices.volatile_tail];
        for (const { fact, neededBy } of required) {
          expect(slices.durable_facts).toContain(fact);
          expect(fact.status).toBe('current');
          expect(neededBy.length).toBeGreaterThan(0);
          for (const ref of neededBy)
            expect(history.some((entry) => refKey(entry.candidate.memory.ref) === refKey(ref))).toBe(true);
        }
      }),
      runs,
    );
  });

  it('[S1] a foreign row always throws, wherever it stands', () => {
    const foreign: readonly Partial<RowScope>[] = [
      { tenantId: tenantId('globex') },
      { userId: userId('mallory') },
      { agentId: agentId('support') },
    ];
    fc.assert(
      fc.property(inputs, memories, fc.constantFrom(...foreign), fc.nat(), (input, memory, parts, at) => {
        const row = candidate({ ...memory, scope: { ...memory.scope, ...parts } });
        const candidates = input.candidates.toSpliced(at % (input.candidates.length + 1), 0, row);
        expect(() => select({ ...input, candidates })).toThrow(expect.objectContaining({ code: 'scope_violation' }));
      }),
      runs,
    );
  });

  it('[S5] leaves its input as it was, and repeats itself', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const before = structuredClone(input);
        expect(select(input)).toEqual(select(before));
        expect(input).toEqual(before);
      }),
      { numRuns: 50 },
    );
  });
});

describe('cost', () => {
  const boilerplate = Array.from({ length: 60 }, (_, at) => `notice${at}`).join(' ');

  it('[S6] 5,000 chunks that share most of their text, on 5,000 documents, take seconds', () => {
    const chunks = Array.from({ length: 5000 }, (_, at) =>
      candidate(chunk(`c${at}`, { content: `${boilerplate} ${body(at, 30)} ${boilerplate}` }), { fused: at / 5000 }),
    );
    expect(seconds(() => selectFrom(chunks))).toBeLessThan(10);
  });

  it('[S3] 5,000 summaries in one chain of provenance take seconds', () => {
    const old = entity('v1', { subject: 'x', lifecycle: supersededBy('v2') });
    const now = entity('v2', { subject: 'x', version: 2 });
    const chain = Array.from({ length: 5000 }, (_, at) => summary(`s${at}`));
    const provenance = chain.map((row, at) => derives(row.ref, chain[at + 1]?.ref ?? old.ref));
    const input = inputOf(
      [...chain, old, now].map((memory) => candidate(memory)),
      { provenance },
    );
    expect(seconds(() => select(input))).toBeLessThan(10);
  });

  it('[S2] 5,000 copies of one text and claim take seconds', () => {
    const copies = Array.from({ length: 5000 }, (_, at) =>
      candidate(entity(`e${at}`, { subject: 'x', content: body(1, 200) })),
    );
    expect(seconds(() => selectFrom(copies))).toBeLessThan(10);
  });

  it('[S2,S6] texts of a megabyte take seconds', () => {
    const long = Array.from({ length: 12 }, (_, at) => candidate(chunk(`c${at}`, { content: body(at, 140_000) })));
    const spaces = candidate(summary('s', { summary: `a${' '.repeat(1_000_000)}b` }));
    const word = candidate(chunk('w', { content: 'x'.repeat(1_000_000) }));
    expect(
      seconds(() =>
        selectFrom([...long, spaces, word], {
          plan: { intent: 'comparison', subjects: [{ subject: 'z', names: ['z'] }] },
        }),
      ),
    ).toBeLessThan(20);
  });
});
