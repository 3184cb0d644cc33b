// The difference of two real windows (design R2): after a correction, a policy change, a new question, and for others.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ManifestDifference } from '../../src/diff/difference.ts';
import { rowId } from '../../src/model/ids.ts';
import type { Manifest } from '../../src/model/manifest.ts';
import { callAs, type Fixture, jane, openFixture, operatorCall, projectJson, readStory, scopeOf } from '../fixture.ts';

let fixture: Fixture;
let question: string;
let otherQuestion: string;

beforeAll(async () => {
  fixture = await openFixture();
  const story = await readStory();
  question = story.question;
  otherQuestion = story.comparisonQuestion;
});

afterAll(async () => {
  await fixture.close();
});

async function windowFor(asked: string): Promise<Manifest> {
  const wanted = { question: asked, intent: null, at: null, model: null };
  return (await fixture.manager.assembleWindow(callAs(jane), wanted)).manifest;
}

const apply = (json: unknown) => fixture.operator.apply(operatorCall('acme'), 'change.json', json);

async function diff(from: Manifest, to: Manifest): Promise<ManifestDifference> {
  const asked = { from: rowId(from.manifest_id), to: rowId(to.manifest_id) };
  return (await fixture.manager.diff(callAs(jane), asked)).difference;
}

const seatedOf = (manifest: Manifest) => manifest.memories.map(({ ref }) => ref.join(' '));

/** What a difference must say of any two windows: everything that one has and the other lacks, each once. */
function expectComplete(from: Manifest, to: Manifest, difference: ManifestDifference): void {
  const before = new Set(seatedOf(from));
  const after = new Set(seatedOf(to));
  const replaced = difference.changed.filter((one) => one.from.join(' ') !== one.to.join(' '));
  const entered = [...difference.entered.map(({ ref }) => ref), ...replaced.map((one) => one.to)];
  const left = [...difference.left.map(({ ref }) => ref), ...replaced.map((one) => one.from)];
  expect(entered.map((ref) => ref.join(' ')).toSorted()).toEqual(
    [...after].filter((key) => !before.has(key)).toSorted(),
  );
  expect(left.map((ref) => ref.join(' ')).toSorted()).toEqual([...before].filter((key) => !after.has(key)).toSorted());
}

describe('two windows of one question', () => {
  it('[R2] with nothing changed between them do not differ', async () => {
    const difference = await diff(await windowFor(question), await windowFor(question));
    expect(difference).toMatchObject({ entered: [], left: [], changed: [], question: [], made_by: [] });
    expect(difference.policy).toEqual({ budget_ref: null, retrieval_ref: null, changes: [] });
    expect(difference.prefix).toEqual({ same: true, entered: [], left: [] });
    expect(difference.same_request).toBe(true);
  });

  it('[R2] show a correction as a new version of the same fact, and the history that it reaches', async () => {
    const before = await windowFor(question);
    const fact = before.memories.find(({ ref }) => ref[1] === 'ctxseed_2688f0418960d68379370cf8');
    expect(fact).toBeDefined();
    await apply({
      entities: [
        {
          subject: 'model:helios-rag',
          predicate: 'beir_ndcg10',
          content: 'Helios-RAG achieves 0.79 nDCG@10 on the BEIR benchmark (corrected again).',
          aliases: ['Helios-RAG', 'Helios'],
          value: 0.79,
          unit: 'nDCG@10',
        },
      ],
    });
    const after = await windowFor(question);
    const difference = await diff(before, after);
    expectComplete(before, after, difference);
    const replaced = difference.changed.find((one) => one.from[1] === fact?.ref[1]);
    const now = after.memories.find(({ ref }) => ref[0] === 'entity' && ref[2] === 3)?.ref;
    expect(replaced).toMatchObject({ from: fact?.ref, to: now, cause: { kind: 'new_version', ref: now } });
    expect(replaced?.changes).toContainEqual({ field: 'version', from: 2, to: 3 });
    const july = difference.changed.find((one) => one.from[1] === 'context_july_summary');
    expect(july?.cause).toMatchObject({ kind: 'correction', ref: now, question: false, policy: [] });
    expect(difference.policy.budget_ref).toBeNull();
    expect(difference.same_request).toBe(false);
  });

  it('[R2] show a policy change by its keys, and what it let in and kept out', async () => {
    const before = await windowFor(question);
    const policy = (await projectJson('seeds/acme_policy.json')) as { guidelines: { guideline_key: string }[] };
    const budget = policy.guidelines.find(({ guideline_key: key }) => key === 'context_budget') as unknown as {
      guideline_value: { shares: Record<string, object> };
    };
    const value = structuredClone(budget.guideline_value);
    value.shares['fact_check'] = { durable_facts: 0.7, evidence: 0.05, recalled_history: 0.15, volatile_tail: 0.1 };
    await apply({ guidelines: [{ guideline_key: 'context_budget', guideline_value: value }] });
    const after = await windowFor(question);
    const difference = await diff(before, after);
    expectComplete(before, after, difference);
    expect(difference.policy.budget_ref).toMatchObject({ field: 'budget_ref' });
    const keys = ['durable_facts', 'evidence', 'recalled_history', 'volatile_tail'].map(
      (slice) => `shares.fact_check.${slice}`,
    );
    expect(difference.policy.changes.map(({ field }) => field).toSorted()).toEqual(keys);
    expect(difference.allocation.map(({ slice }) => slice)).toContain('evidence');
    const pushedOut = difference.left.filter(({ slice }) => slice === 'evidence');
    expect(pushedOut.length).toBeGreaterThan(0);
    for (const { cause } of pushedOut) {
      expect(cause).toMatchObject({ kind: 'rule', rule: 'slice_budget', question: false });
      expect([...cause.policy].toSorted()).toEqual(keys);
    }
  });

  it('[R2] show another question as the cause of what search brought', async () => {
    const before = await windowFor(question);
    const after = await windowFor(otherQuestion);
    const difference = await diff(before, after);
    expectComplete(before, after, difference);
    expect(difference.question.map(({ field }) => field)).toEqual(expect.arrayContaining(['question_hash', 'intent']));
    expect(difference.policy).toEqual({ budget_ref: null, retrieval_ref: null, changes: [] });
    expect(difference.prefix.same).toBe(true);
    const moved = [...difference.entered, ...difference.left];
    expect(moved.length).toBeGreaterThan(0);
    const unexplained = moved.filter(({ cause }) => !cause.question && cause.rule !== 'lifecycle');
    expect(unexplained).toEqual([]);
  });

  it('[R2] name the row that was not there yet, the guideline that entered, and the turn that a newer one pushed on', async () => {
    const before = await windowFor(question);
    await fixture.manager.recordTurn(callAs(jane), {
      role: 'user',
      text: 'Remember the BEIR score of Helios-RAG.',
      runId: null,
    });
    await apply({ guidelines: [{ guideline_key: 'length_of_answers', guideline_value: 'Be brief.' }] });
    const after = await windowFor(question);
    const difference = await diff(before, after);
    expectComplete(before, after, difference);
    expect(difference.entered.find(({ slice }) => slice === 'volatile_tail')?.cause).toMatchObject({
      kind: 'not_there_yet',
    });
    expect(difference.prefix).toMatchObject({ same: false, left: [], entered: [{ slice: 'guidelines' }] });
  });
});

describe('titles', () => {
  it('[R2] are those of rows that the caller may see, and stand in no manifest', async () => {
    const [from, to] = [await windowFor(question), await windowFor(otherQuestion)];
    const asked = { from: rowId(from.manifest_id), to: rowId(to.manifest_id) };
    const { titles, difference } = await fixture.manager.diff(callAs(jane), asked);
    const title = 'model:helios-rag workload_ndcg10';
    expect(titles.map((known) => known.title)).toContain(title);
    expect(JSON.stringify([difference, from, to])).not.toContain(title);
  });
});

describe('a manifest of another principal', () => {
  it('[R2,N2,I2] is not found, on either side', async () => {
    const manifest = await windowFor(question);
    const id = rowId(manifest.manifest_id);
    for (const scope of [scopeOf({ user: 'sam' }), scopeOf({ tenant: 'globex' }), scopeOf({ agent: 'hr-assistant' })]) {
      const asked = { question: 'What is the plan?', intent: null, at: null, model: null };
      const { manifest: own } = await fixture.manager.assembleWindow(callAs(scope), asked);
      const theirs = rowId(own.manifest_id);
      for (const pair of [
        { from: id, to: theirs },
        { from: theirs, to: id },
      ]) {
        await expect(fixture.manager.diff(callAs(scope), pair)).rejects.toMatchObject({ code: 'not_found' });
        await expect(fixture.manager.diff(callAs(jane), pair)).rejects.toMatchObject({ code: 'not_found' });
      }
    }
  });
});
