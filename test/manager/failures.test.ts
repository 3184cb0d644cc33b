// What breaks under a manager: a database that is gone, rows that a hand broke, calls that stop halfway. Each is a coded
// failure with an event, the process goes on, and nothing half written stays.

import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openStaticTable } from '../../src/embed/static_table.ts';
import { createManager } from '../../src/manager/create_manager.ts';
import type { AskUser, Call, MemoryManager, ToolOutcome } from '../../src/manager/manager.ts';
import { createOperatorManager } from '../../src/manager/operator.ts';
import type { ManagerParts } from '../../src/manager/parts.ts';
import { MemoryError } from '../../src/model/errors.ts';
import { rowId } from '../../src/model/ids.ts';
import type { EventType, Ref, StoredEvent } from '../../src/model/memory.ts';
import type { Scope } from '../../src/model/scope.ts';
import { lateInteraction } from '../../src/rerank/late_interaction.ts';
import { openEngine } from '../../src/store/postgres/pglite.ts';
import { createPostgresStore } from '../../src/store/postgres/store.ts';
import { readMigrations } from '../../src/store/sql_files.ts';
import { builtInSummariser } from '../../src/summarise/built_in.ts';
import { loadTokenizer } from '../../src/tokens/tokenizer.ts';
import { callAs, keptLog, openFixture, operatorCall, projectJson, scopeOf, type KeptLog } from '../fixture.ts';
import { contentOf, failureOf, linkHost, rejectionOf } from '../protocol/harness.ts';
import type { RawSession } from '../store/harness.ts';
import { rawSession } from '../store/pglite_session.ts';

const nobody: AskUser = async () => ({ outcome: 'unsupported' });
const lookup = { subject: 'model:helios-rag', predicate: 'beir_ndcg10' };
const question = { question: 'What is the BEIR score of Helios-RAG?', intent: null, at: null, model: null };

/** A seeded store with a way past it: statements as the database's own login, which nothing checks. */
interface Broken {
  readonly parts: ManagerParts;
  readonly manager: MemoryManager;
  readonly raw: RawSession;
  readonly log: KeptLog;
}

async function openBreakable(): Promise<Broken> {
  const log = keptLog();
  const table = openStaticTable(fileURLToPath(new URL('../../models/potion-base-8m', import.meta.url)));
  const engine = await openEngine(null);
  const store = createPostgresStore({
    engine,
    embedder: { id: table.id, dimensions: table.dimensions },
    log: ({ message, detail }) => log.warn(detail, message),
    migrations: readMigrations('postgres'),
  });
  await store.migrate();
  const parts: ManagerParts = {
    store,
    embedder: async () => table,
    reranker: async () => lateInteraction(table),
    tokenizer: async () => loadTokenizer(),
    summariser: async () => builtInSummariser,
    log,
    newId: (prefix) => rowId(`${prefix}_${randomUUID().replaceAll('-', '')}`),
    providerCount: null,
    documentUrl: null,
    clockMs: () => performance.now(),
  };
  const names = ['acme_policy.json', 'acme_memory.json', 'corpus_research.json', 'corpus_platform.json'];
  const files = await Promise.all(names.map(async (name) => ({ name, json: await projectJson(`seeds/${name}`) })));
  await createOperatorManager(parts).seed(files, { requestId: 'seed' });
  return { parts, manager: createManager(parts), raw: rawSession(engine), log };
}

let broken: Broken;
let scope: Scope;
let thread = 0;

beforeAll(async () => {
  broken = await openBreakable();
});
afterAll(() => broken.parts.store.close());
beforeEach(() => {
  scope = scopeOf({ thread: `failures-${(thread += 1)}` });
});

const byHand = (sql: string, ...parameters: readonly (string | number | null)[]) =>
  broken.raw.query({ role: null }, sql, parameters);

const callTool = (tool: string, args: unknown, more: Partial<Call> = {}, manager = broken.manager) =>
  manager.callTool(callAs(scope, more), tool, args, nobody);

const windowOf = (more: Partial<Call> = {}, manager = broken.manager) =>
  manager.assembleWindow(callAs(scope, more), question);

/** SQL, tables, stacks and engines: what no caller is told. */
const inside =
  /\bselect\b|\binsert\b|\bupdate \w+ set|\b(?:guideline|toolbox|entity|conversation)_memory\b|memory\.\w|\bat .+:\d+|\.ts\b|PGlite/i;

/** The failure, after what every failure owes: a known code, one plain sentence, nothing of the inside. */
async function failure(work: Promise<unknown>): Promise<MemoryError> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error;
    const told = JSON.stringify([error.message, error.data]);
    expect(told).not.toMatch(inside);
    return error;
  }
  throw new Error('it did not fail');
}

const eventsOf = (...types: readonly EventType[]): Promise<readonly StoredEvent[]> =>
  broken.parts.store.read(scope, { requestId: 'r', evaluationTime: null }, (reader) => reader.recentEvents(types, 200));

const runOf = () =>
  broken.parts.store.read(scope, { requestId: 'r', evaluationTime: null }, (reader) => reader.currentRun());

/** What a call that was carried out leaves; a refused one leaves a tool_call alone. */
const leftOf = async () => ({
  events: (await eventsOf('retrieval', 'tool_result', 'context_manifest', 'request')).map(({ eventId }) => eventId),
  run: { ...(await runOf()), idleFor: 0 },
});

const memoriesOf = (outcome: ToolOutcome) => (outcome.kind === 'memory' ? outcome.content.memories : []);

describe('bad calls', () => {
  it.each<[string, string, unknown, string, string]>([
    ['an unknown tool', 'drop_everything', {}, 'unknown_tool', 'denied'],
    ['a missing argument', 'search_memory', {}, 'invalid_argument', 'invalid'],
    ['an unknown argument', 'search_memory', { query: 'x', tenant_id: 'globex' }, 'invalid_argument', 'invalid'],
    ['an argument of another type', 'expand', { memory_id: 7 }, 'invalid_argument', 'invalid'],
    ['no object at all', 'lookup_entity', 'Helios', 'invalid_argument', 'invalid'],
    ['arguments of more than 64 KB', 'search_memory', { query: 'x'.repeat(66_000) }, 'invalid_argument', 'invalid'],
    ['an id that nobody was given', 'expand', { memory_id: 'B0123456789' }, 'not_issued', 'denied'],
  ])(
    '[T6,L5] %s is refused by its code, and the call is an event without its arguments',
    async (_, tool, args, code, outcome) => {
      const before = await leftOf();
      expect(await failure(callTool(tool, args))).toMatchObject({ code });
      expect(await leftOf()).toEqual(before);
      const [event] = await eventsOf('tool_call');
      expect(event?.payload).toMatchObject({ tool, outcome, code, arguments: null, tokens: 0 });
      expect(event?.payload['arguments_bytes']).toBeGreaterThan(0);
    },
  );
});

describe('rows that a hand broke', () => {
  it.each([
    ['context_budget', { usable_context: 'lots' }],
    ['context_budget', 'no object'],
    ['context_budget', { unknown_key: 1 }],
  ])('[B3,T6] a %s of %j stops windows and tools by its code, and all else goes on', async (key, value) => {
    const [row] = await byHand(
      'select id, guideline_value::text as value from memory.guideline_memory where tenant_id = $1 and guideline_key = $2',
      'acme',
      key,
    );
    const set = (json: unknown) =>
      byHand(
        'update memory.guideline_memory set guideline_value = $1::jsonb where tenant_id = $2 and id = $3',
        JSON.stringify(json),
        'acme',
        String(row?.['id']),
      );
    await set(value);
    try {
      expect(await failure(windowOf())).toMatchObject({ code: 'policy_invalid', data: { guideline: key } });
      expect(await failure(callTool('lookup_entity', lookup))).toMatchObject({ code: 'policy_invalid' });
      expect((await eventsOf('tool_call'))[0]?.payload).toMatchObject({ outcome: 'failed', code: 'policy_invalid' });
      expect(await eventsOf('retrieval', 'context_manifest', 'request', 'tool_result')).toEqual([]);
      expect(await runOf()).toBeNull();
      expect(await broken.manager.listTools(callAs(scope))).toHaveLength(4);
      expect(await broken.manager.guidelines(callAs(scope))).toContain('# ');
    } finally {
      await set(JSON.parse(String(row?.['value'])));
    }
    expect(memoriesOf(await callTool('lookup_entity', lookup))).not.toEqual([]);
  });

  it('[B3] a policy row that is gone is told as missing', async () => {
    const hide = (at: string | null) =>
      byHand(
        'update memory.guideline_memory set quarantined_at = $1::timestamptz where tenant_id = $2 and guideline_key = $3',
        at,
        'acme',
        'context_budget',
      );
    await hide('2026-01-01T00:00:00Z');
    try {
      expect(await failure(windowOf())).toMatchObject({ code: 'policy_missing' });
    } finally {
      await hide(null);
    }
  });

  it.each<[string, string, unknown]>([
    ['tool_schema', 'an array where a schema should be', []],
    ['tool_schema', 'a schema that is none', { type: 'object', properties: { query: { type: 'strange' } } }],
    ['access_policy', 'an unknown key', { everybody: true }],
    ['access_policy', 'a list that is none', { roles: 'researcher' }],
  ])('[T2] a tool whose %s is %s is left out and logged, and the others work', async (column, _, value) => {
    const [row] = await byHand(
      `select ${column}::text as value from memory.toolbox_memory where tenant_id = $1 and tool_name = $2`,
      'acme',
      'search_memory',
    );
    const set = (json: string) =>
      byHand(
        `update memory.toolbox_memory set ${column} = $1::jsonb where tenant_id = $2 and tool_name = $3`,
        json,
        'acme',
        'search_memory',
      );
    const before = broken.log.lines.length;
    await set(JSON.stringify(value));
    try {
      const names = (await broken.manager.listTools(callAs(scope))).map(({ name }) => name);
      expect(names).toEqual(['clarify', 'expand', 'lookup_entity']);
      expect(await failure(callTool('search_memory', { query: 'eviction' }))).toMatchObject({ code: 'unknown_tool' });
      expect(memoriesOf(await callTool('lookup_entity', lookup))).not.toEqual([]);
      expect((await windowOf()).request.tools).toHaveLength(3);
      expect(
        broken.log.lines
          .slice(before)
          .map(({ message }) => message)
          .join('\n'),
      ).toMatch(/toolbox/);
    } finally {
      await set(String(row?.['value']));
    }
    expect(await broken.manager.listTools(callAs(scope))).toHaveLength(4);
  });

  it('[N2] a memory that cannot be read as its type is left out, and the window is made of the rest', async () => {
    const set = (steps: string) =>
      byHand(
        "update memory.workflow_memory set steps = $1::jsonb where tenant_id = 'acme' and id = 'wf_verify_benchmark'",
        steps,
      );
    const [row] = await byHand(
      "select steps::text from memory.workflow_memory where tenant_id = 'acme' and id = 'wf_verify_benchmark'",
    );
    await set('{"no":"list"}');
    try {
      const window = await windowOf();
      expect(window.seated.length).toBeGreaterThan(0);
      expect(JSON.stringify(window.manifest)).not.toContain('wf_verify_benchmark');
    } finally {
      await set(String(row?.['steps']));
    }
  });
});

describe('memories that may no longer be shown', () => {
  const marks: readonly (readonly [string, string, string])[] = [
    ['deleted', 'deleted_at', "'2026-01-02T00:00:00Z'"],
    ['quarantined', 'quarantined_at', "'2026-01-02T00:00:00Z'"],
    ['expired', 'valid_until', "'2026-07-04T00:00:00Z'"],
  ];

  it.each(marks)('[L3,S1] expand of a %s row is not_visible, and no surface shows it', async (_, column, value) => {
    const found = memoriesOf(await callTool('lookup_entity', lookup))[0];
    expect(found?.content).toContain('0.78');
    const set = (to: string) =>
      byHand(
        `update memory.entity_memory set ${column} = ${to} where tenant_id = 'acme' and subject = $1 and predicate = $2 and version = 2`,
        lookup.subject,
        lookup.predicate,
      );
    await set(value);
    try {
      expect(await failure(callTool('expand', { memory_id: found?.id }))).toMatchObject({ code: 'not_visible' });
      expect((await eventsOf('tool_call'))[0]?.payload).toMatchObject({ outcome: 'denied', code: 'not_visible' });
      const content = found?.content ?? 'nothing';
      const after = [await callTool('lookup_entity', lookup), await callTool('search_memory', { query: content })];
      for (const outcome of after) expect(memoriesOf(outcome).map((memory) => memory.content)).not.toContain(content);
      const window = await windowOf();
      expect(window.seated.map(({ text }) => text).join('\n')).not.toContain(content);
    } finally {
      await set('null');
    }
    expect(memoriesOf(await callTool('lookup_entity', lookup))[0]?.content).toBe(found?.content);
  });

  it('[N2,S1] a quarantined row of any type never shows', async () => {
    const before = await windowOf();
    const quarantine = (ref: Ref, reason: string | null) =>
      broken.parts.store.operate(operatorCall('acme').scope, { requestId: 'r' }, (writer) =>
        writer.quarantine(ref, reason),
      );
    const seated = before.seated.map(({ memory }) => memory);
    const prefix = before.manifest.prefix.filter(({ slice }) => slice !== 'tool_surface').slice(0, 4);
    expect(new Set(seated.map(({ type }) => type)).size).toBeGreaterThan(2);
    const refs: readonly Ref[] = [
      ...seated.map(({ ref }) => ref),
      ...prefix.map(({ ref: [type, id, version] }): Ref => [type, rowId(id), version]),
    ];
    for (const ref of refs) await quarantine(ref, 'poisoned');
    try {
      const window = await windowOf();
      const shown = [...window.manifest.memories, ...window.manifest.prefix].map(({ ref }) => JSON.stringify(ref));
      for (const ref of refs) expect(shown).not.toContain(JSON.stringify(ref));
      for (const { text } of before.seated)
        expect(JSON.stringify(window.request)).not.toContain(JSON.stringify(text).slice(1, -1));
    } finally {
      for (const ref of refs) await quarantine(ref, null);
    }
    expect((await windowOf()).manifest.memories.map(({ ref }) => ref)).toEqual(
      before.manifest.memories.map(({ ref }) => ref),
    );
  });
});

describe('a call that stops halfway', () => {
  /** Ids as ever, but one of this kind that is there already: the write that uses it fails after those before it. */
  const withTaken = (prefix: string, taken: string): MemoryManager =>
    createManager({
      ...broken.parts,
      newId: (kind) => (kind === prefix ? rowId(taken) : broken.parts.newId(kind)),
    });

  it('[L1,D2] a result whose writing fails leaves no event, no round and no token spent, and the loop goes on', async () => {
    const window = await windowOf();
    const before = await leftOf();
    const manager = withTaken('manifest', window.manifest.manifest_id);
    expect(await failure(callTool('lookup_entity', lookup, {}, manager))).toMatchObject({ code: 'version_conflict' });
    expect(await leftOf()).toEqual(before);
    expect((await eventsOf('tool_call')).map(({ payload }) => payload)).toMatchObject([
      { outcome: 'failed', code: 'version_conflict', arguments: null },
    ]);
    const outcome = await callTool('lookup_entity', lookup);
    expect(outcome.kind === 'memory' && outcome.content.loop.rounds_left).toBe(2);
  });

  it('[M1,N3] a window whose writing fails opens no run and leaves no event', async () => {
    const window = await windowOf();
    const before = await leftOf();
    const manager = withTaken('manifest', window.manifest.manifest_id);
    expect(await failure(windowOf({}, manager))).toMatchObject({ code: 'version_conflict' });
    expect(await leftOf()).toEqual(before);
  });

  it('[D5,N1] a turn whose writing fails takes no number', async () => {
    const record = (text: string, manager = broken.manager) =>
      manager.recordTurn(callAs(scope), { role: 'user', text, runId: null });
    const first = await record('One.');
    expect(await failure(record('Lost.', withTaken('turn', first.eventId)))).toMatchObject({
      code: 'version_conflict',
    });
    expect(await failure(record('No\u0000thing.'))).toMatchObject({ code: 'text_refused' });
    expect((await record('Two.')).turnIndex).toBe(2);
    expect((await eventsOf('user_msg')).map(({ payload }) => payload['text'])).toEqual(['Two.', 'One.']);
  });

  it('[T9,L5] a call that was cancelled before it began is recorded as cancelled', async () => {
    const signal = AbortSignal.abort();
    expect(await failure(callTool('search_memory', { query: 'eviction' }, { signal }))).toMatchObject({
      code: 'cancelled',
    });
    expect((await eventsOf('tool_call'))[0]?.payload).toMatchObject({ outcome: 'cancelled', code: 'cancelled' });
    expect(await failure(windowOf({ signal }))).toMatchObject({ code: 'cancelled' });
    expect((await leftOf()).events).toEqual([]);
  });

  it('[T9,L5] a call that is cancelled while it is measured is cancelled too, whatever the reason says', async () => {
    for (const reason of [undefined, new MemoryError('cancelled', 'The call was cancelled.'), 'enough']) {
      const controller = new AbortController();
      const reranker = lateInteraction(
        openStaticTable(fileURLToPath(new URL('../../models/potion-base-8m', import.meta.url))),
      );
      const manager = createManager({
        ...broken.parts,
        reranker: async () => {
          controller.abort(reason);
          return reranker;
        },
      });
      const { signal } = controller;
      expect(await failure(callTool('lookup_entity', lookup, { signal }, manager))).toMatchObject({
        code: 'cancelled',
      });
      expect((await eventsOf('tool_call'))[0]?.payload).toMatchObject({ outcome: 'cancelled', code: 'cancelled' });
      expect(await runOf()).toBeNull();
    }
  });

  it('[T9,N8] a call without time left ends by its deadline and is recorded as timed out', async () => {
    expect(await failure(callTool('lookup_entity', lookup, { deadlineMs: 0 }))).toMatchObject({
      code: 'deadline_exceeded',
    });
    expect((await eventsOf('tool_call'))[0]?.payload).toMatchObject({
      outcome: 'timed_out',
      code: 'deadline_exceeded',
    });
  });
});

describe('a database that is gone', () => {
  const hosts: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const host of hosts.splice(0)) await host.close();
  });

  it('[T6,N8] is told by its code at every method, and the server goes on answering', async () => {
    const fixture = await openFixture({ seeds: ['acme_policy.json'] });
    const own = scopeOf({ thread: 'gone' });
    const host = await linkHost({ era: 'newer', manager: fixture.manager, scope: own });
    hosts.push(host);
    const call = callAs(own);
    expect(contentOf(await host.call('search_memory', { query: 'eviction' }))['memories']).toEqual([]);
    await fixture.store.close();
    const { manager } = fixture;
    const asked: readonly (() => Promise<unknown>)[] = [
      () => manager.assembleWindow(call, question),
      () => manager.callTool(call, 'search_memory', { query: 'eviction' }, nobody),
      () => manager.callTool(call, 'clarify', { question: 'Which one?' }, nobody),
      () => manager.listTools(call),
      () => manager.guidelines(call),
      () => manager.persona(call),
      () => manager.recentManifests(call, 5),
      () => manager.manifest(call, rowId('manifest_0')),
      () => manager.recordTurn(call, { role: 'user', text: 'Hello.', runId: null }),
    ];
    for (const ask of asked) expect(await failure(ask())).toMatchObject({ code: 'store_unavailable' });
    for (let round = 0; round < 2; round += 1) {
      expect(failureOf(await host.call('search_memory', { query: 'eviction' })).code).toBe('store_unavailable');
      expect((await rejectionOf(host.request('tools/list'))).data).toMatchObject({
        error: { code: 'store_unavailable' },
      });
    }
    expect(await host.request('prompts/list')).toMatchObject({ prompts: [{ name: 'context_window' }] });
    expect(fixture.log.lines.some(({ message }) => message.includes('could not be recorded'))).toBe(true);
  });
});
