// What people suffer from in other memory systems: one test for each complaint, end to end on the real store.
// The numbers are those of the list of complaints; those that a later version answers are printed with their reason.

import { utimesSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createManager } from '../../src/manager/create_manager.ts';
import type { AskUser, MemoryManager } from '../../src/manager/manager.ts';
import { rowId } from '../../src/model/ids.ts';
import type { Ref } from '../../src/model/memory.ts';
import type { Scope } from '../../src/model/scope.ts';
import type { Reranker } from '../../src/rerank/reranker.ts';
import { openEmbeddedStore } from '../../src/store/postgres/pglite.ts';
import { callAs, openFixture, operatorCall, projectJson, scopeOf, type Fixture } from '../fixture.ts';
import {
  contentOf,
  failureOf,
  linkHost,
  memoriesOf,
  rejectionOf,
  temporaryFolder,
  type Host,
} from '../protocol/harness.ts';

/** Complaints whose answer is no part of this version. */
const later = [
  {
    peer: 1,
    about: 'a delete of one user that dropped everybody',
    reason: 'nothing deletes yet; erasure brings it (E1)',
  },
  { peer: 9, about: 'a delete that raced a consolidation', reason: 'erasure in one transaction brings it (E1)' },
  { peer: 10, about: 'a forgotten fact that was recalled', reason: 'erasure and replay bring it (E1, R1)' },
  { peer: 19, about: 'sign-in that never signed in, open binds', reason: 'HTTP and sign-in bring it (I1, I4)' },
] as const;

const nobody: AskUser = async () => ({ outcome: 'unsupported' });

let fixture: Fixture;
let thread = 0;

beforeAll(async () => {
  fixture = await openFixture();
  const profile = await projectJson('seeds/default_profile.json');
  for (const tenant of ['acme-corp', 'acme%', 'fresh']) await fixture.operator.init(operatorCall(tenant), profile);
});
afterAll(() => fixture.close());

const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close();
});

/** A thread that no other test speaks in: loops of their own. */
const freshThread = () => `peers-${(thread += 1)}`;
const janeNow = (more: Parameters<typeof scopeOf>[0] = {}) => scopeOf({ thread: freshThread(), ...more });

async function hostFor(scope: Scope, more: Partial<Parameters<typeof linkHost>[0]> = {}): Promise<Host> {
  const host = await linkHost({ era: 'newer', manager: fixture.manager, scope, ...more });
  hosts.push(host);
  return host;
}

const windowOf = (scope: Scope, question: string, manager: MemoryManager = fixture.manager) =>
  manager.assembleWindow(callAs(scope), { question, intent: null, at: null, model: null });

const apply = (tenant: string, file: object) => fixture.operator.apply(operatorCall(tenant), 'peers.json', file);

const entity = (subject: string, content: string, more: object = {}) => ({
  subject,
  predicate: 'owner',
  content,
  ...more,
});
const paper = (name: string, text: string) => ({
  collection: 'papers',
  title: name,
  source_uri: `https://papers.example/${name}`,
  text,
});

describe('peers', () => {
  it('are answered now or listed with the version that answers them', () => {
    for (const { peer, about, reason } of later) console.log(`peer ${peer}: ${about}: later, ${reason}`);
    expect(later.map(({ peer }) => peer)).toEqual([1, 9, 10, 19]);
  });

  it('[N2] peer 2: a tenant or user whose name begins another’s, or is a pattern, reads nothing of it', async () => {
    await apply('acme-corp', { entities: [entity('service:vault', 'corp-only fact of the vault')] });
    await apply('acme', {
      entities: [
        entity('service:vault', 'janet-only fact of the vault', { user_id: 'janet' }),
        entity('service:vault', 'acme-only fact of the vault'),
      ],
    });
    const lookup = async (tenant: string, user: string) => {
      const host = await hostFor(janeNow({ tenant, user }));
      const answer = await host.call('lookup_entity', { subject: 'service:vault', predicate: 'owner' });
      return memoriesOf(answer).map(({ content }) => content);
    };
    expect(await lookup('acme', 'jane')).toEqual(['acme-only fact of the vault']);
    expect(await lookup('acme', 'jan%')).toEqual(['acme-only fact of the vault']);
    expect(await lookup('acme', 'janet')).toEqual(['janet-only fact of the vault']);
    expect(await lookup('acme-corp', 'jane')).toEqual(['corp-only fact of the vault']);
    expect(await lookup('acme%', 'jane')).toEqual([]);
  });

  it('[I2,T2] peer 3: a filter that a caller names is refused, and no argument widens what it may see', async () => {
    const host = await hostFor(janeNow());
    for (const argument of ['dataset', 'datasets', 'user_id', 'tenant_id', 'namespace']) {
      const failure = failureOf(await host.call('search_memory', { query: 'Helios', [argument]: 'globex' }));
      expect(failure).toMatchObject({ code: 'invalid_argument' });
      expect(failure.message).toContain(argument);
    }
    const answer = await host.call('search_memory', { query: 'globex Helios-RAG internal run', limit: 25 });
    expect(JSON.stringify(answer)).not.toContain('globex-canary');
  });

  it('[N2,T7] peer 4: no read surface shows a user what is another user’s', async () => {
    const host = await hostFor(janeNow());
    const question = 'What did the private rerun of the July shortlist say of Helios-RAG?';
    const shown = [
      await host.call('search_memory', { query: question, limit: 25 }),
      await host.call('lookup_entity', { subject: 'model:helios-rag', predicate: 'beir_ndcg10' }),
      await host.request('prompts/get', { name: 'context_window', arguments: { question } }),
      await host.request('tools/list'),
      await host.request('resources/list'),
      await host.request('resources/read', { uri: 'memory://guidelines' }),
      await host.request('resources/read', { uri: 'memory://persona' }),
    ];
    for (const output of shown) expect(JSON.stringify(output)).not.toMatch(/sam-canary|globex-canary/);
    const { manifest, runId } = await windowOf(janeNow({ user: 'sam' }), question);
    for (const uri of [`memory://manifests/${manifest.manifest_id}`, `memory://windows/${runId}`]) {
      const absent = await rejectionOf(host.request('resources/read', { uri: `${uri}0` }));
      const foreign = await rejectionOf(host.request('resources/read', { uri }));
      expect(foreign.message).toBe(absent.message);
      expect(foreign.code).toBe(absent.code);
    }
  });

  it('[I2,T2] peer 5: no tool takes or lists tenants, users or collections of others', async () => {
    const host = await hostFor(janeNow());
    const { tools } = await host.request<{ tools: { inputSchema: { properties: object } }[] }>('tools/list');
    const taken = tools.flatMap(({ inputSchema }) => Object.keys(inputSchema.properties));
    expect(taken.filter((name) => /tenant|user|scope|bank|namespace|agent|thread/i.test(name))).toEqual([]);
    const { resources } = await host.request<{ resources: { uri: string }[] }>('resources/list');
    expect(JSON.stringify(resources)).not.toMatch(/globex|sam/);
  });

  it('[A3,S3] peer 6: what a model answered is recalled as unverified conversation, and becomes no fact', async () => {
    const scope = janeNow();
    const facts = (await fixture.operator.countRows(operatorCall('acme'))).get('entity_memory');
    for (let round = 0; round < 3; round += 1) {
      const text = 'The quokka cluster has nine million shards.';
      await fixture.manager.recordTurn(callAs(scope), { role: 'assistant', text, runId: null });
    }
    const window = await windowOf(janeNow(), 'How many shards has the quokka cluster?');
    const recalled = window.manifest.memories.filter(({ type }) => type === 'conversation');
    const quokkas = window.seated.filter(({ text }) => text.includes('quokka'));
    expect(quokkas.map(({ status }) => status)).toEqual(['unverified']);
    expect(recalled.find(({ id }) => id === quokkas[0]?.id)).toMatchObject({ origin: 'model' });
    expect(window.manifest.excluded.filter(({ rule }) => rule === 'dedup').length).toBeGreaterThanOrEqual(2);
    expect((await fixture.operator.countRows(operatorCall('acme'))).get('entity_memory')).toBe(facts);
  });

  it('[D2,S3] peer 7: a new fact takes the place of the old one, which stays beside it as history', async () => {
    await apply('fresh', { entities: [entity('service:maps', 'Maps belongs to team Blue.')] });
    await apply('fresh', { entities: [entity('service:maps', 'Maps belongs to team Red.')] });
    const scope = janeNow({ tenant: 'fresh' });
    const window = await windowOf(scope, 'Who owns service:maps, which team?');
    expect(window.seated.map(({ text }) => text).join('\n')).toContain('team Red');
    expect(JSON.stringify(window.request)).not.toContain('team Blue');
    const answer = await (await hostFor(scope)).call('lookup_entity', { subject: 'service:maps', predicate: 'owner' });
    expect(memoriesOf(answer).map(({ status, provenance }) => [status, provenance.version])).toEqual([
      ['current', 2],
      ['historical', 1],
    ]);
  });

  it('[D2] peer 8: a fact is superseded by its own claim alone: same subject, predicate and conditions', async () => {
    const fee = (content: string, more: object = {}) => entity('service:fees', content, { predicate: 'fee', ...more });
    const eu = { conditions: { region: 'eu' } };
    await apply('fresh', { entities: [fee('The fee is two.'), fee('The fee in the EU is three.', eu)] });
    const again = await apply('fresh', { entities: [fee('The fee is two.'), fee('The fee in the EU is four.', eu)] });
    expect(again.map(({ outcome, version }) => [outcome, version])).toEqual([
      ['unchanged', 1],
      ['updated', 2],
    ]);
    const host = await hostFor(janeNow({ tenant: 'fresh' }));
    const answer = await host.call('lookup_entity', { subject: 'service:fees', predicate: 'fee' });
    expect(
      memoriesOf(answer)
        .map(({ content }) => content)
        .toSorted(),
    ).toEqual(['The fee in the EU is four.', 'The fee is two.']);
  });

  it('[L1] peer 11: a tool result is capped in tokens, and what does not fit is pointed at', async () => {
    // Distinct words in each, or they would be duplicates of one another.
    const long = (name: string) =>
      Array.from({ length: 900 }, (_, at) => `${name}walrus${at}`)
        .join(' ')
        .concat(' is how tides move walruses.');
    await apply('acme', { documents: ['a', 'b', 'c', 'd'].map((name) => paper(`walrus-${name}`, long(name))) });
    const scope = janeNow();
    await windowOf(scope, 'How do tides move walruses?');
    const answer = await (await hostFor(scope)).call('search_memory', { query: 'tides move walruses', limit: 25 });
    const tokens = (await fixture.parts.tokenizer())(answer.content[0]?.text ?? '');
    expect(tokens).toBeLessThanOrEqual(1000);
    expect(memoriesOf(answer).length).toBeGreaterThan(0);
    expect(memoriesOf(answer).some(({ tier }) => tier === 'pointer')).toBe(true);
  });

  it('[D5,N3] peers 12, 13 and 22: what was acknowledged is there after a restart, and a directory has one holder', async () => {
    const folder = temporaryFolder();
    const embedder = await fixture.parts.embedder();
    const open = () => openEmbeddedStore({ directory: folder.path, embedder, log: fixture.log, migrate: true });
    try {
      const first = await open();
      const manager = createManager({ ...fixture.parts, store: first });
      const scope = scopeOf({ tenant: 'kept', thread: 'kept' });
      const say = (at: number) => manager.recordTurn(callAs(scope), { role: 'user', text: `Word ${at}.`, runId: null });
      const places = (await Promise.all(Array.from({ length: 8 }, (_, at) => say(at)))).map(
        ({ turnIndex }) => turnIndex,
      );
      expect(places.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
      // A lock is not given away because it is old, and the holder never notices the one who asked.
      for (const name of readdirSync(join(folder.path, 'owner'))) {
        utimesSync(join(folder.path, 'owner', name), new Date(0), new Date(0));
      }
      await expect(open()).rejects.toMatchObject({
        code: 'store_locked',
        message: expect.stringContaining(String(process.pid)),
      });
      expect((await say(8)).turnIndex).toBe(9);
      await first.close();
      const second = await open();
      const tail = await second.read(scope, { requestId: 'r', evaluationTime: null }, (reader) => reader.tail(20));
      expect(tail.map(({ text }) => text).toSorted()).toEqual(Array.from({ length: 9 }, (_, at) => `Word ${at}.`));
      await second.close();
    } finally {
      folder.remove();
    }
  });

  it('[Q6] peer 14: a reranker that hangs costs its deadline and no more, and the manifest says so', async () => {
    const hanging: Reranker = { id: 'hanging', score: () => new Promise(() => {}) };
    const manager = createManager({ ...fixture.parts, reranker: async () => hanging });
    const retrieval = { guideline_key: 'context_retrieval', guideline_value: { rerank: { deadline_ms: 30 } } };
    await apply('globex', { guidelines: [retrieval] });
    const scope = janeNow({ tenant: 'globex' });
    const { manifest } = await windowOf(scope, 'What is the score of Helios-RAG?', manager);
    expect(manifest.fallbacks).toEqual(['rerank_deadline']);
    expect(manifest.memories.length).toBeGreaterThan(0);
    const capped = { ...retrieval, guideline_value: { rerank: { candidates: 2 } } };
    await apply('globex', { guidelines: [capped] });
    expect((await windowOf(scope, 'What is the score of Helios-RAG?')).manifest.fallbacks).toContain('rerank_cap');
  });

  it('[B7,L1] peer 15: no argument raises a limit of the policy', async () => {
    const scope = janeNow();
    await windowOf(scope, 'What is known of eviction?');
    const host = await hostFor(scope);
    for (const limit of [26, 1e9, -1, 1.5]) {
      const failure = failureOf(await host.call('search_memory', { query: 'eviction', limit }));
      expect(failure.code).toBe('invalid_argument');
    }
    let before = { tokens_left: 1000, rounds_left: 3 };
    for (let round = 1; round <= 4; round += 1) {
      const answer = await host.call('search_memory', { query: 'eviction of memory', limit: 25 });
      const loop = contentOf(answer)['loop'] as typeof before;
      const isSpent = before.tokens_left === 0 || before.rounds_left === 0;
      if (isSpent) expect(memoriesOf(answer)).toEqual([]);
      else expect(loop.rounds_left).toBe(before.rounds_left - 1);
      expect(loop.tokens_left).toBeGreaterThanOrEqual(0);
      expect(loop.tokens_left).toBeLessThanOrEqual(before.tokens_left);
      before = loop;
    }
    expect(before.tokens_left === 0 || before.rounds_left === 0).toBe(true);
  });

  it('[A1] peer 16: the prefix is the same bytes for every question, and holds no time and no id', async () => {
    const scope = janeNow();
    const first = await windowOf(scope, 'What is known of eviction?');
    await fixture.manager.recordTurn(callAs(scope), { role: 'user', text: 'And of retention?', runId: null });
    const second = await windowOf({ ...scope, threadId: janeNow().threadId }, 'Compare Letta and AgentCore.');
    expect(second.request.messages[0]).toEqual(first.request.messages[0]);
    expect(JSON.stringify(second.request.tools)).toBe(JSON.stringify(first.request.tools));
    expect(second.manifest.prefix_hash).toBe(first.manifest.prefix_hash);
    const prefix = JSON.stringify([first.request.messages[0], first.request.tools]);
    expect(prefix).not.toMatch(/\d{4}-\d{2}-\d{2}T/);
    const { manifest } = first;
    const ids = [manifest.manifest_id, manifest.run_id, ...manifest.prefix.map(({ ref: [, id] }) => id)];
    for (const id of ids) expect(prefix).not.toContain(`"${id}"`);
  });

  it('[T2] peer 17: one odd schema hides its own tool and no other', async () => {
    const tool = (name: string, schema: object) => ({
      tool_name: name,
      tool_handler: 'search_memory',
      tool_schema: schema,
      usage_notes: 'Odd.',
    });
    const odd = tool('odd', { type: 'object', properties: { query: { type: 'array' } } });
    await expect(apply('fresh', { toolbox: [odd] })).rejects.toMatchObject({ code: 'invalid_seed' });
    const host = await hostFor(janeNow({ tenant: 'fresh' }));
    const names = async () =>
      (await host.request<{ tools: { name: string }[] }>('tools/list')).tools.map(({ name }) => name);
    const four = ['clarify', 'expand', 'lookup_entity', 'search_memory'];
    expect(await names()).toEqual(four);
    // As a hand at the database would write it; nothing checks it there.
    await fixture.store.operate(operatorCall('fresh').scope, { requestId: 'r' }, (writer) =>
      writer.importRows({
        rows: [{ ...uncheckedTool, name: 'odd', schema: { type: 'object', properties: { query: { type: 'array' } } } }],
        provenance: [],
        links: [],
        index: [],
      }),
    );
    expect(await names()).toEqual(four);
  });

  it('[L4] peer 18: a host that can ask its user but never answers does not hold the call', async () => {
    const host = await hostFor(janeNow(), {
      era: 'older',
      elicit: () => new Promise(() => {}),
      clarifyDeadlineMs: 150,
    });
    const began = performance.now();
    const content = contentOf(await host.call('clarify', { question: 'Research or support search?' }));
    expect(content).toMatchObject({ status: 'ask_in_reply', answer: null });
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  it('[Q2,D7] peer 20: text of any script and with accents is found, and a time without a zone is refused', async () => {
    await apply('fresh', {
      documents: [
        paper('tea', '京都の茶室では抹茶を飲みます。'),
        paper('cafe', 'Le café de Zoë est près de la gare.'),
        paper('noise', 'Nothing of interest stands here.'),
      ],
    });
    const host = await hostFor(janeNow({ tenant: 'fresh' }));
    const best = async (query: string) => memoriesOf(await host.call('search_memory', { query, limit: 1 }))[0]?.content;
    expect(await best('抹茶はどこで飲みますか')).toContain('抹茶');
    expect(await best('where is the cafe of zoe')).toContain('Zoë');
    for (const naive of ['2026-09-28T12:00:00', '2026-09-28 12:00', 'US/Pacific']) {
      const file = { entities: [entity('service:time', 'It began.', { valid_from: naive })] };
      await expect(apply('fresh', file)).rejects.toMatchObject({ code: 'invalid_seed' });
    }
  });

  it('[D2,N2] peer 21: an update keeps what it replaces with its writer, and a poisoned memory can be set aside', async () => {
    const claim = { subject: 'service:gate', predicate: 'owner' };
    await apply('fresh', { entities: [{ ...claim, content: 'The gate is shut.', written_by: 'keeper' }] });
    await apply('fresh', { entities: [{ ...claim, content: 'Poison: the gate is open.', written_by: 'stranger' }] });
    const scope = janeNow({ tenant: 'fresh' });
    const versions = await fixture.store.read(scope, { requestId: 'r', evaluationTime: null }, (reader) =>
      reader.entityVersions([{ ...claim, conditions: null }]),
    );
    const poisoned = versions.find(({ content }) => content.startsWith('Poison'));
    expect(versions.map(({ content }) => content)).toContain('The gate is shut.');
    if (poisoned === undefined) throw new Error('the second version is missing');
    await quarantine(poisoned.ref, 'poisoned');
    const window = await windowOf(scope, 'Is the gate open, service:gate?');
    const answer = await fixture.manager.callTool(callAs(scope), 'lookup_entity', claim, nobody);
    expect(JSON.stringify([window, answer])).not.toContain('Poison');
    await quarantine(poisoned.ref, null);
    const back = await fixture.manager.callTool(callAs(scope), 'lookup_entity', claim, nobody);
    expect(JSON.stringify(back)).toContain('Poison');
  });
});

const quarantine = (ref: Ref, reason: string | null) =>
  fixture.store.operate(operatorCall('fresh').scope, { requestId: 'r' }, (writer) => writer.quarantine(ref, reason));

const uncheckedTool = {
  type: 'toolbox',
  id: rowId('unchecked_odd'),
  userId: null,
  agentId: null,
  threadId: null,
  validFrom: null,
  validUntil: null,
  createdAt: null,
  writtenBy: 'test',
  trust: 'verified',
  sourceEventId: null,
  version: 1,
  supersededBy: null,
  handler: 'search_memory',
  accessPolicy: {},
  usageNotes: 'Odd.',
} as const;
