// Which candidates enter which slice (design Q10), on the seeded store: the real searches under a scope.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStaticTable } from '../../src/embed/static_table.ts';
import { retrieve, type RetrieveRequest } from '../../src/manager/retrieve.ts';
import type { Memory, Ref } from '../../src/model/memory.ts';
import type { Scope } from '../../src/model/scope.ts';
import type { EvaluationTime } from '../../src/model/time.ts';
import { timeOf } from '../../src/model/memory_text.ts';
import { questionNames } from '../../src/retrieval/names.ts';
import { makePlan } from '../../src/retrieval/plan.ts';
import type { SnapshotReader } from '../../src/store/store.ts';
import { type Fixture, jane, openFixture, readStory, scopeOf } from '../fixture.ts';
import { parseRetrieval } from '../../src/store/policy_rows.ts';

const table = openStaticTable(join(import.meta.dirname, '..', '..', 'models', 'potion-base-8m'));

let fixture: Fixture;
let evaluationTime: EvaluationTime;
let question: string;

beforeAll(async () => {
  fixture = await openFixture();
  const story = await readStory();
  evaluationTime = story.evaluationTime;
  question = story.question;
});

afterAll(async () => {
  await fixture.close();
});

const read = <T>(scope: Scope, use: (reader: SnapshotReader) => Promise<T>) =>
  fixture.store.read(scope, { requestId: 'test', evaluationTime }, use);

/** Ranked memories of each slice for a question. */
async function find(
  scope: Scope,
  asked: string,
  more: { readonly collections?: readonly string[]; readonly exclude?: readonly Ref[]; readonly limit?: number } = {},
) {
  return read(scope, async (reader) => {
    const subjects = await reader.subjectsNamed(questionNames(asked));
    const made = makePlan(asked, { evaluationTime, subjects, collections: [], predicates: [] });
    const limit = more.limit ?? 40;
    const request: RetrieveRequest = {
      question: asked,
      plan: { ...made, collections: more.collections ?? [] },
      questionVector: table.embedNow([asked])[0] ?? null,
      policy: { ref: null, ...parseRetrieval({}) },
      limits: { durable_facts: limit, evidence: limit, recalled_history: limit },
      exclude: more.exclude ?? [],
    };
    const { slices, record } = await retrieve(reader, request);
    const memories = async (refs: readonly { readonly ref: Ref }[] = []): Promise<readonly Memory[]> => {
      const rows = await reader.memories(refs.map(({ ref }) => ref));
      return refs.flatMap(({ ref }) => rows.filter((row) => row.ref[0] === ref[0] && row.ref[1] === ref[1]));
    };
    return {
      facts: await memories(slices.durable_facts),
      evidence: await memories(slices.evidence),
      history: await memories(slices.recalled_history),
      slices,
      record,
    };
  });
}

const typesOf = (rows: readonly Memory[]) => [...new Set(rows.map(({ type }) => type))].toSorted();

const collectionsOf = (rows: readonly Memory[]) =>
  new Set(rows.flatMap((row) => (row.type === 'chunk' ? [row.collection] : [])));

describe('slices [Q10]', () => {
  it('hold entities and workflows, chunks, and summaries and turns', async () => {
    const { facts, evidence, history } = await find(jane, question);
    expect(facts.length).toBeGreaterThan(0);
    expect(evidence.length).toBeGreaterThan(0);
    expect(history.length).toBeGreaterThan(0);
    expect(typesOf(facts).every((type) => type === 'entity' || type === 'workflow')).toBe(true);
    expect(typesOf(evidence)).toEqual(['chunk']);
    expect(typesOf(history).every((type) => type === 'summary' || type === 'conversation')).toBe(true);
  });

  it('begin with the fact that the plan names', async () => {
    const { facts } = await find(jane, question);
    expect(facts[0]).toMatchObject({ type: 'entity', subject: expect.stringMatching(/helios/i) });
  });

  it('keep evidence to the collections of the plan, and take all when it names none', async () => {
    const asked = 'memory eviction and retention';
    const everywhere = await find(jane, asked, { limit: 200 });
    const [one] = [...collectionsOf(everywhere.evidence)].toSorted();
    expect(collectionsOf(everywhere.evidence).size).toBeGreaterThan(1);
    const narrowed = await find(jane, asked, { collections: [one ?? ''], limit: 200 });
    expect([...collectionsOf(narrowed.evidence)]).toEqual([one]);
  });

  it("never recall the tail's turns", async () => {
    const tail = await read(jane, (reader) => reader.tail(12));
    expect(tail.length).toBeGreaterThan(0);
    const exclude = tail.map(({ ref }) => ref);
    const { history } = await find(jane, question, { exclude });
    const excluded = new Set(exclude.map((ref) => ref[1]));
    expect(history.filter(({ ref }) => excluded.has(ref[1]))).toEqual([]);
  });

  it('bring at most their limits, with scores in 0..1 from best to worst', async () => {
    const { slices } = await find(jane, question, { limit: 3 });
    for (const ranked of Object.values(slices)) {
      const scores = ranked.map(({ fused }) => fused);
      expect(ranked.length).toBeLessThanOrEqual(3);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
      expect(scores.every((score) => score >= 0 && score <= 1)).toBe(true);
    }
  });

  it('are recorded by counts and scores, without text', async () => {
    const { record } = await find(jane, question);
    expect(record).toMatchObject({ method: 'scaled_sum', evidence: { lexical: expect.any(Number) } });
    expect(JSON.stringify(record)).not.toMatch(/helios/i);
  });

  it('[Q1] know the rows of the time that the question names, and put one of them first', async () => {
    const { history, slices } = await find(jane, 'in July 2026', { limit: 200 });
    const inJuly = history.map((row) => timeOf(row).startsWith('2026-07'));
    expect(inJuly).toContain(false);
    expect(inJuly[0]).toBe(true);
    expect(slices.recalled_history?.map(({ signals }) => signals.time === 1)).toEqual(inJuly);
  });

  it.for(['the question of the story', 'What happened since May 2026?'])(
    '[N2] hold nothing of another tenant or user: %s',
    async (asked) => {
      const sought = asked.endsWith('?') ? asked : question;
      for (const scope of [jane, scopeOf({ user: 'sam' }), scopeOf({ tenant: 'globex' })]) {
        const { facts, evidence, history } = await find(scope, sought, { limit: 200 });
        for (const { scope: row } of [...facts, ...evidence, ...history]) {
          expect(row.tenantId).toBe(scope.tenantId);
          expect([null, scope.userId]).toContain(row.userId);
        }
      }
    },
  );
});

describe('searches [Q2,Q3]', () => {
  it('find an identifier whole before its parts', async () => {
    const { evidence } = await find(jane, 'What does error LM-4107 mean?');
    const [first] = evidence;
    expect(first?.type === 'chunk' && first.content).toContain('LM-4107');
  });

  it('find nothing by words when the question has only function words', async () => {
    const { record } = await find(jane, 'what is it?');
    expect(record).toMatchObject({ evidence: { lexical: 0 } });
  });

  it('[Q1] take hostile text as words', async () => {
    const hostile = `'); drop table memory.entity_memory; -- & | ! <-> \\ "`;
    const { record } = await find(jane, hostile);
    expect(record).toHaveProperty('evidence');
    expect((await find(jane, question)).facts.length).toBeGreaterThan(0);
  });
});
