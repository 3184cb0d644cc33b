// search_history (T3, Q10): what was said in the caller's own threads and nobody else's, through the same assembler.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ToolResultContent } from '../../src/assembly/assembly_input.ts';
import type { AskUser } from '../../src/manager/manager.ts';
import { rowId } from '../../src/model/ids.ts';
import type { Manifest } from '../../src/model/manifest.ts';
import type { Ref } from '../../src/model/memory.ts';
import type { Scope } from '../../src/model/scope.ts';
import { callAs, type Fixture, openFixture, operatorCall, projectJson, scopeOf } from '../fixture.ts';

const nobody: AskUser = async () => ({ outcome: 'unsupported' });
const began = '2026-01-01T00:00:00.000000Z';

/** Rows that must never be found, and one that must: all say the same. */
const walruses = {
  tenant_id: 'acme',
  summaries: [
    walrusSummary('walrus_over', { valid_from: began, valid_until: '2026-02-01T00:00:00.000000Z' }),
    walrusSummary('walrus_future', { valid_from: '2999-01-01T00:00:00.000000Z' }),
    walrusSummary('walrus_bad', { valid_from: began }),
    walrusSummary('walrus_kept', { valid_from: began }),
  ],
};

function walrusSummary(id: string, times: object): object {
  return {
    id,
    user_id: 'jane',
    agent_id: 'research-assistant',
    thread_id: 'jane-walrus',
    title: `Walruses ${id}`,
    summary: `The walrus counted its mussels (${id}).`,
    completed_at: began,
    ...times,
  };
}

let fixture: Fixture;
let threads = 0;

beforeAll(async () => {
  fixture = await openFixture();
  const tool = await projectJson('seeds/history.json');
  for (const tenant of ['acme', 'globex']) await fixture.operator.apply(operatorCall(tenant), 'history.json', tool);
  await fixture.operator.seed([{ name: 'walruses.json', json: walruses }], { requestId: 'seed' });
});

afterAll(() => fixture.close());

/** Jane in a thread that nobody has spoken in. */
const freshJane = () => scopeOf({ thread: `history-${(threads += 1)}` });

interface Answer {
  readonly content: ToolResultContent;
  readonly manifest: Manifest;
  /** Row ids in the order in which they are shown. */
  readonly rows: readonly string[];
}

async function search(query: string, scope: Scope = freshJane(), more: object = {}): Promise<Answer> {
  const outcome = await fixture.manager.callTool(callAs(scope), 'search_history', { query, ...more }, nobody);
  if (outcome.kind !== 'memory' || outcome.manifest === null) throw new Error(`search_history gave ${outcome.kind}`);
  expect(JSON.parse(outcome.text)).toEqual(outcome.content);
  const { manifest, content } = outcome;
  return { content, manifest, rows: manifest.memories.map(({ ref }) => ref[1]) };
}

async function failure(args: object): Promise<unknown> {
  return fixture.manager.callTool(callAs(freshJane()), 'search_history', args, nobody).catch((error: unknown) => error);
}

const quarantine = (ref: Ref) =>
  fixture.store.operate(operatorCall('acme').scope, { requestId: 'quarantine' }, (writer) =>
    writer.quarantine(ref, 'test'),
  );

const say = (scope: Scope, role: 'user' | 'assistant', text: string) =>
  fixture.manager.recordTurn(callAs(scope), { role, text, runId: null });

describe('what search_history finds', () => {
  it('[T3,Q10] turns and summaries of other threads, with their time and thread, as unverified and historical', async () => {
    const { content, rows } = await search('What was decided about passage lengths on the ticket set?', freshJane(), {
      limit: 8,
    });
    expect(rows).toEqual(expect.arrayContaining(['sum_jane_length_test', 'turn_jane_chunking_03']));
    const statuses = Object.fromEntries(content.memories.map(({ type, status }) => [type, status]));
    expect(statuses).toEqual({ summary: 'historical', conversation: 'unverified' });
    const turn = content.memories.find(({ type }) => type === 'conversation');
    expect(turn?.provenance).toMatchObject({ date: '2026-09-15', source: 'thread:jane-chunking' });
    expect(content).toMatchObject({ evidence: 'found', more: expect.stringContaining('turns and summaries') });
  });

  it('[Q1,Q10] a time in the question leads to what was said then', async () => {
    const saidIn = async (month: string) =>
      (await search(`What did we say about refunds in ${month} 2026?`, freshJane(), { limit: 1 })).rows[0];
    expect(await saidIn('June')).toMatch(/refund_briefing|briefing_0/);
    expect(await saidIn('August')).toMatch(/turn_jane_stripe/);
  });

  it('[S3] what was corrected since comes with its correction', async () => {
    const { content } = await search('What was said of the shortlist and the BEIR score of Helios-RAG?');
    const stale = content.memories.filter(({ content: text }) => text.includes('0.92'));
    expect(stale.length).toBeGreaterThan(0);
    const summary = stale.find(({ type }) => type === 'summary');
    expect(summary?.annotations[0]).toMatchObject({ current_fact_id: 'B331ec01f36' });
  });

  it('[T3] one thread alone where that is asked for', async () => {
    const scope = scopeOf({ thread: 'jane-infra' });
    const { rows } = await search('What did I say about the replay fix?', scope, { thread: 'current', limit: 25 });
    expect(rows).toContain('turn_jane_infra_07');
    expect(rows.filter((id) => !/jane_(infra|freeze)/.test(id))).toEqual([]);
    const { rows: none, content } = await search('replay fix', freshJane(), { thread: 'current' });
    expect(none).toEqual([]);
    expect(content.evidence).toBe('none');
  });

  it('[L3] expand gives the whole of what was shown, in this run alone', async () => {
    const scope = freshJane();
    const { content } = await search('Which Stripe API version are we on?', scope, { limit: 1 });
    const args = { memory_id: content.memories[0]?.id };
    const outcome = await fixture.manager.callTool(callAs(scope), 'expand', args, nobody);
    expect(outcome).toMatchObject({ kind: 'memory', content: { memories: [{ id: args.memory_id, tier: 'full' }] } });
    const elsewhere = fixture.manager.callTool(callAs(freshJane()), 'expand', args, nobody);
    await expect(elsewhere).rejects.toMatchObject({ code: 'not_issued' });
  });

  it('[L1,R1] spends the loop, writes its manifest, and is replayed to the byte', async () => {
    const scope = freshJane();
    const first = await search('refunds', scope, { limit: 2 });
    const second = await search('refunds', scope, { limit: 2 });
    expect(second.content.loop.rounds_left).toBe(first.content.loop.rounds_left - 1);
    for (const { manifest } of [first, second]) {
      const replayed = await fixture.manager.replay(callAs(scope), rowId(manifest.manifest_id));
      expect(replayed.result).toEqual({ outcome: 'matched' });
    }
  });

  it('[T2,T3] is listed as reading, with the schema of results, in a menu that stays under its budget', async () => {
    const tools = await fixture.manager.listTools(callAs(freshJane()));
    const tool = tools.find(({ name }) => name === 'search_history');
    expect(tool?.annotations).toMatchObject({ readOnlyHint: true, idempotentHint: true, openWorldHint: false });
    expect(tool?.outputSchema).toEqual(tools.find(({ name }) => name === 'search_memory')?.outputSchema);
    const read = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    const countTokens = await fixture.parts.tokenizer();
    expect(countTokens(JSON.stringify(read))).toBeLessThan(1_200);
  });

  it('[T2] arguments of another kind are refused by name', async () => {
    expect(await failure({ query: 'x', thread: 'jane-leave' })).toMatchObject({ code: 'invalid_argument' });
    expect(await failure({ query: 'x', limit: 26 })).toMatchObject({ code: 'invalid_argument' });
    expect(await failure({ query: 'x', user_id: 'sam' })).toMatchObject({ code: 'invalid_argument' });
  });
});

describe('what a question does not find', () => {
  it('[Q10] itself, where the host has recorded it before it was answered', async () => {
    const scope = freshJane();
    const text = 'Which walrus did the zoological department name Valerie?';
    await say(scope, 'user', text);
    expect((await search(text, scope)).content.memories.map(({ content }) => content)).not.toContain(text);
    // Answered, it is history like any other.
    await say(scope, 'assistant', 'None that I know of.');
    const { content } = await search(text, scope);
    expect(content.memories[0]?.content).toBe(text);
  });

  it('[Q10,R1] the turns that its window shows already, and it says so', async () => {
    const scope = freshJane();
    await say(scope, 'user', 'Our office plant is called Ferdinand.');
    await say(scope, 'assistant', 'Noted: Ferdinand.');
    const question = { question: 'How is our plant called?', intent: null, at: null, model: null } as const;
    const window = await fixture.manager.assembleWindow(callAs(scope), question);
    expect(window.manifest.memories.filter(({ slice }) => slice === 'volatile_tail')).toHaveLength(2);
    const { content, manifest } = await search('office plant Ferdinand', scope);
    expect(JSON.stringify(content.memories)).not.toContain('Ferdinand');
    expect(content.notes).toEqual([expect.stringContaining('stand in your window')]);
    const replayed = await fixture.manager.replay(callAs(scope), rowId(manifest.manifest_id));
    expect(replayed.result).toEqual({ outcome: 'matched' });
    // Nobody knows what a host without a window shows.
    const elsewhere = await search('office plant Ferdinand');
    expect(JSON.stringify(elsewhere.content.memories)).toContain('Ferdinand');
  });
});

describe('leaks', () => {
  const secrets = /sam-canary|globex|offered me a job|25% with 18%|days of leave|keep it between us/;
  const questions = [
    'Another company has offered me a job, what about the notice period?',
    'What discount should we ask Meridian for on the three-year licence?',
    'How many days of leave do I have left this year, two weeks in December?',
    'globex Helios-RAG BEIR score and refunds',
  ];

  it('[N2,I2] nothing of another user, another agent or another tenant', async () => {
    for (const question of questions) {
      const { content, manifest } = await search(question, freshJane(), { limit: 25 });
      expect(JSON.stringify(content)).not.toMatch(secrets);
      expect(JSON.stringify(manifest)).not.toMatch(/turn_sam|sum_sam|turn_jane_leave|turn_curator/);
    }
    // Each is there for its owner, so the questions would find it.
    const sam = await search(questions[0]!, scopeOf({ user: 'sam', thread: 'new' }));
    expect(sam.rows).toContain('turn_sam_offer_01');
    const hr = await search(questions[2]!, scopeOf({ agent: 'hr-assistant', thread: 'new' }));
    expect(hr.rows).toContain('turn_jane_leave_01');
  });

  it('[N2] a thread of the same name is another principal’s own', async () => {
    for (const scope of [
      scopeOf({ user: 'sam', thread: 'jane-infra' }),
      scopeOf({ tenant: 'globex', thread: 'jane-infra' }),
    ]) {
      const { rows } = await search('replay fix and ORA-27102', scope, { thread: 'current', limit: 25 });
      expect(rows.filter((id) => id.startsWith('turn_jane_infra'))).toEqual(scope.tenantId === 'globex' ? rows : []);
      expect(JSON.stringify(rows)).not.toContain('sum_jane');
    }
  });

  it('[S1,N2] nothing that is over, not yet begun, deleted or quarantined', async () => {
    await quarantine(['summary', rowId('walrus_bad'), 1]);
    await quarantine(['conversation', rowId('turn_jane_stripe_08'), 1]);
    const { manifest } = await search('How many mussels did the walrus count?', freshJane(), { limit: 25 });
    const walrusRows = JSON.stringify(manifest).match(/walrus_[a-z]+/g);
    expect(new Set(walrusRows)).toEqual(new Set(['walrus_kept']));
    const stripe = await search('Which Stripe API version are we on these days?', freshJane(), { limit: 25 });
    expect(JSON.stringify(stripe.content)).toContain('Which Stripe API version');
    expect(JSON.stringify(stripe.manifest)).not.toContain('turn_jane_stripe_08');
    const erased = { kind: 'event', id: rowId('turn_jane_tokyo_01') } as const;
    await fixture.operator.erase(operatorCall('acme'), erased, { dryRun: false });
    const tokyo = await search('Do answers follow the language of the question in Tokyo?', freshJane(), { limit: 25 });
    expect(JSON.stringify(tokyo.manifest)).not.toContain('turn_jane_tokyo_01');
    expect(tokyo.rows).toContain('turn_jane_tokyo_02');
  });
});
