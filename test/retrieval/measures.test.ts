// The built-in embedder and reranker (design Q5, Q6) against the table's expected values, and reranking's bounds.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import { describe, expect, it } from 'vitest';
import { openStaticTable } from '../../src/embed/static_table.ts';
import { rerank, type RerankCandidate } from '../../src/manager/retrieve.ts';
import { MemoryError } from '../../src/model/errors.ts';
import { rowId, tenantId } from '../../src/model/ids.ts';
import { refKey } from '../../src/model/memory.ts';
import { instant } from '../../src/model/time.ts';
import { lateInteraction } from '../../src/rerank/late_interaction.ts';
import type { Reranker } from '../../src/rerank/reranker.ts';
import { parseRetrieval } from '../../src/store/policy_rows.ts';

interface Expected {
  readonly texts: readonly {
    readonly text: string;
    readonly ids: readonly number[];
    readonly first8: readonly number[];
    readonly norm: number;
  }[];
  readonly pairs: readonly { readonly a: string; readonly b: string; readonly cosine: number }[];
}

const tableFolder = join(import.meta.dirname, '..', '..', 'models', 'potion-base-8m');
const table = openStaticTable(tableFolder);
const expected: Expected = JSON.parse(readFileSync(join(import.meta.dirname, 'fixtures', 'static_table.json'), 'utf8'));

const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);

describe('the built-in table [Q5]', () => {
  it.for(expected.texts)('reads the word pieces of $text as the reference does', ({ text, ids }) => {
    expect(table.tokens(text)).toEqual(ids);
  });

  it.for(expected.texts.filter(({ norm }) => norm > 0))('gives the vector of $text', async ({ text, first8 }) => {
    const [vector] = await table.embed([text], { purpose: 'query' });
    for (const [index, value] of first8.entries()) expect(vector?.[index]).toBeCloseTo(value, 5);
    expect(vector).toHaveLength(table.dimensions);
    expect(Math.sqrt(dot(vector!, vector!))).toBeCloseTo(1, 6);
  });

  it('gives no vector for a text without pieces', async () => {
    expect(expected.texts.filter(({ norm }) => norm === 0).map(({ text }) => text)).toEqual(['']);
    expect(await table.embed([''], { purpose: 'text' })).toEqual([null]);
  });

  it.for(expected.pairs)('measures $a against $b', ({ a, b, cosine }) => {
    const [first, second] = table.embedNow([a, b]);
    expect(dot(first!, second!)).toBeCloseTo(cosine, 4);
  });

  it('names itself and its size, and reads no text without end', () => {
    expect([table.id, table.dimensions]).toEqual(['potion-base-8m-i8', 256]);
    expect(table.tokens('a '.repeat(500_000)).length).toBeLessThanOrEqual(20_000);
    expect(table.embedNow(['[UNK] [CLS]', '\ud800'])[0]).toBeNull();
  });

  it('finds a plain word that is one piece as the tokenizer does', () => {
    const tokenizer = new Tokenizer(JSON.parse(readFileSync(join(tableFolder, 'tokenizer.json'), 'utf8')), {});
    const words = [...tokenizer.get_vocab().keys()].filter((word) => /^[a-z0-9]+$/.test(word));
    expect(words.length).toBeGreaterThan(20_000);
    const titled = words.map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`);
    const ids = (word: string) => tokenizer.encode(word, { add_special_tokens: false }).ids;
    expect(titled.filter((word) => table.tokens(word).join() !== ids(word).join())).toEqual([]);
  });

  it('says plainly that its folder is incomplete', () => {
    expect(() => openStaticTable('/nowhere')).toThrow(expect.objectContaining({ code: 'invalid_configuration' }));
  });
});

const texts = (...list: readonly string[]) => list.map((text) => ({ text, prior: 0, passage: false }));

describe('late interaction [Q6]', () => {
  const reranker = lateInteraction(table);

  it('prefers the text that answers, and states the bounds of its scores', async () => {
    const scores = await reranker.score(
      'Which port does the replica use?',
      texts('The replica listens on port 5433.', 'Refunds above 250 need approval.', ''),
    );
    const values = scores.map(({ value }) => value);
    expect(values[0]).toBeGreaterThan(values[1] ?? 1);
    expect(values[2]).toBe(0);
    for (const score of scores) expect(score).toMatchObject({ kind: 'score', low: 0.1, high: 0.95 });
  });

  it('gives the same scores whatever was asked before, and however much', async () => {
    const asked = 'Which port does the replica of the invoice service use after a restore?';
    const passages = texts('The replica listens on port 5433.', 'Refunds above 250 need approval.', 'restore the port');
    const busy = lateInteraction(table);
    const first = await busy.score(asked, passages);
    const others = readFileSync(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8').split('\n');
    for (const other of others.slice(0, 60)) await busy.score(other, [...passages, ...texts(other)]);
    expect(await busy.score(asked, passages)).toEqual(first);
    expect(await lateInteraction(table).score(asked, passages)).toEqual(first);
  });

  it('weighs a piece that few texts hold for more', async () => {
    const question = 'port LM-4107';
    const list = ['error LM-4107', 'port', 'port one', 'port two', 'port three', 'the port of call'];
    const [identifier = 0, common = 1] = (await reranker.score(question, texts(...list))).map(({ value }) => value);
    expect(identifier).toBeGreaterThan(common);
  });

  it('lets the search decide between equal texts', async () => {
    const equal = [0.2, 0.9].map((prior) => ({
      text: 'The replica listens on port 5433.',
      prior,
      passage: false,
    }));
    const [less = 1, more = 0] = (await reranker.score('replica port', equal)).map(({ value }) => value);
    expect(more).toBeGreaterThan(less);
  });

  it('puts a text that only asks behind one that tells, and judges a passage more by its own words', async () => {
    const score = async (list: readonly { text: string; prior: number; passage: boolean }[]) =>
      (await reranker.score('Which port does the replica use', list)).map(({ value }) => value);
    const told = { text: 'The replica uses port 5433.', prior: 0.5, passage: false };
    const [asked = 1, tells = 0] = await score([{ ...told, text: 'The replica uses port 5433?' }, told]);
    expect(tells).toBeGreaterThan(asked);
    const [turn = 1, passage = 0] = await score([told, { ...told, passage: true }]);
    expect(passage).toBeGreaterThan(turn);
  });

  it('leaves the order to the search where nothing of the question is known, as of Thai', async () => {
    const question = 'กู้คืนข้อมูลสำรอง';
    expect(table.tokens(question)).toEqual([]);
    const found = ['สำรองข้อมูล', 'anything'].map((text, place) => ({ text, prior: 1 - place / 4, passage: true }));
    expect((await reranker.score(question, found)).map(({ value }) => value)).toEqual([0.5, 0.375]);
    expect(await reranker.score('anything', [])).toEqual([]);
  });

  it('stops when its signal aborts', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(reranker.score('port', texts('port'), { signal })).rejects.toThrow('enough');
  });
});

const at = instant('2026-09-01T00:00:00Z');

const candidate = (id: string, slice: 'evidence' | 'durable_facts' = 'evidence'): RerankCandidate => ({
  slice,
  fused: 0.5,
  memory: {
    type: 'workflow',
    ref: ['workflow', rowId(id), 1],
    scope: { tenantId: tenantId('acme'), userId: null, agentId: null, threadId: null },
    lifecycle: {
      validFrom: at,
      validUntil: null,
      createdAt: at,
      deletedAt: null,
      supersededBy: null,
      quarantinedAt: null,
    },
    trust: 'verified',
    sourceEventId: null,
    name: id,
    description: 'restore a backup',
    steps: [],
    expectedOutcome: null,
    confidence: null,
  },
});

const policy = (candidates: number, deadlineMs = 5_000) => ({
  ref: null,
  ...parseRetrieval({}),
  rerank: { candidates, deadlineMs },
});

const scoring = (score: Reranker['score']): Reranker => ({ id: 'test', score });
const ones = scoring((_, list) => Promise.resolve(list.map(() => ({ kind: 'logit', value: 1 }))));

describe('reranking [Q6]', () => {
  it('scores every candidate under the cap', async () => {
    const done = await rerank(ones, { question: 'q', candidates: [candidate('a')], policy: policy(10) });
    expect([...done.scores.keys()]).toEqual([refKey(candidate('a').memory.ref)]);
    expect(done.fallbacks).toEqual([]);
  });

  it('keeps to the cap, in turn over the slices, and says so', async () => {
    const candidates = [
      ...['a', 'b', 'c'].map((id) => candidate(id)),
      ...['d', 'e'].map((id) => candidate(id, 'durable_facts')),
    ];
    const done = await rerank(ones, { question: 'q', candidates, policy: policy(3) });
    expect([...done.scores.keys()].map((key) => key.split('\u0000')[1])).toEqual(['a', 'b', 'd']);
    expect(done.fallbacks).toEqual(['rerank_cap']);
  });

  it('serves the fused order when the deadline passes, even of a reranker that does not listen', async () => {
    const late = scoring(() => new Promise(() => {}));
    const done = await rerank(late, { question: 'q', candidates: [candidate('a')], policy: policy(10, 5) });
    expect(done.scores.size).toBe(0);
    expect(done.fallbacks).toEqual(['rerank_deadline']);
  });

  it('cuts the built-in reranker off at the deadline', async () => {
    const many = Array.from({ length: 20_000 }, (_, index) => candidate(`w${index}`));
    const done = await rerank(lateInteraction(table), {
      question: 'restore',
      candidates: many,
      policy: policy(20_000, 1),
    });
    expect(done.fallbacks).toEqual(['rerank_deadline']);
  });

  it('serves the fused order when the reranker fails, and gives the log the reason', async () => {
    const failure = new Error('the endpoint is gone');
    const broken = scoring(() => Promise.reject(failure));
    const done = await rerank(broken, { question: 'q', candidates: [candidate('a')], policy: policy(10) });
    expect(done.fallbacks).toEqual(['rerank_failed']);
    expect(done.failure).toBe(failure);
    const short = scoring(() => Promise.resolve([]));
    const unequal = await rerank(short, { question: 'q', candidates: [candidate('a')], policy: policy(10) });
    expect(unequal.fallbacks).toEqual(['rerank_failed']);
  });

  it('lets another reranker stand in for one that fails, and says which', async () => {
    const failure = new Error('the model is gone');
    const broken = scoring(() => Promise.reject(failure));
    const request = { question: 'q', candidates: [candidate('a')], policy: policy(10) };
    const builtIn: Reranker = { ...ones, id: 'built-in' };
    const done = await rerank(broken, { ...request, standIn: async () => builtIn });
    expect([...done.scores.values()]).toEqual([{ kind: 'logit', value: 1 }]);
    expect(done.fallbacks).toEqual(['rerank_failed', 'reranked_by:built-in']);
    expect(done.failure).toBe(failure);
  });

  it('serves the fused order when nobody can stand in: the same one, a failing one, one that is late', async () => {
    const broken = scoring(() => Promise.reject(new Error('the model is gone')));
    const request = { question: 'q', candidates: [candidate('a')], policy: policy(10, 50) };
    const late: Reranker = { id: 'late', score: () => new Promise(() => {}) };
    for (const standIn of [broken, { ...broken, id: 'other' }, late]) {
      const done = await rerank(broken, { ...request, standIn: async () => standIn });
      expect([done.scores.size, done.fallbacks]).toEqual([0, ['rerank_failed']]);
    }
    const unloadable = () => Promise.reject(new Error('the table is gone'));
    expect((await rerank(broken, { ...request, standIn: unloadable })).fallbacks).toEqual(['rerank_failed']);
    const overdue = await rerank(late, { ...request, standIn: async () => ones });
    expect(overdue.fallbacks, 'nothing is left of the deadline').toEqual(['rerank_deadline']);
  });

  it("rejects when the caller's own signal aborts", async () => {
    const request = { question: 'q', candidates: [candidate('a')], policy: policy(10) };
    const plain = rerank(ones, { ...request, signal: AbortSignal.abort(new Error('gone')) });
    await expect(plain).rejects.toMatchObject({ code: 'cancelled' });
    const late = new MemoryError('deadline_exceeded', 'too late');
    await expect(rerank(ones, { ...request, signal: AbortSignal.abort(late) })).rejects.toBe(late);
  });
});
