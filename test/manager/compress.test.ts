// Digests of threads and compressions through the manager (C1): made of raw turns, found, annotated, private, rebuilt.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { indexEntries, placedMemories } from '../../src/manager/index_rows.ts';
import { newTokenCounts } from '../../src/manager/token_counts.ts';
import { createManager } from '../../src/manager/create_manager.ts';
import type { MemoryManager, RebuiltText, WindowResult } from '../../src/manager/manager.ts';
import type { ManagerParts } from '../../src/manager/parts.ts';
import type { Ref } from '../../src/model/memory.ts';
import type { Scope } from '../../src/model/scope.ts';
import { runId } from '../../src/model/ids.ts';
import { builtInSummariser } from '../../src/summarise/built_in.ts';
import { SummariserFailure, type Summariser } from '../../src/summarise/summariser.ts';
import { document } from '../store/harness.ts';
import { callAs, type Fixture, openFixture, operatorCall, projectJson, scopeOf } from '../fixture.ts';

let fixture: Fixture;
let count = 0;

beforeAll(async () => {
  fixture = await openFixture({ isSeeded: true });
});
afterAll(() => fixture.close());

/** A tenant of its own with the default profile, and ada's thread in it. */
async function tenant(budget: object = {}): Promise<Scope> {
  const name = `tenant-${(count += 1)}`;
  await fixture.operator.init(operatorCall(name), await projectJson('seeds/default_profile.json'));
  if (Object.keys(budget).length > 0) await changeBudget(name, budget);
  return scopeOf({ tenant: name, user: 'ada', agent: null, thread: 'main', roles: [] });
}

async function changeBudget(name: string, budget: object): Promise<void> {
  const profile = (await projectJson('seeds/default_profile.json')) as {
    guidelines: { guideline_key: string; guideline_value: object }[];
  };
  const row = profile.guidelines.find(({ guideline_key: key }) => key === 'context_budget')!;
  const guidelines = [{ guideline_key: row.guideline_key, guideline_value: { ...row.guideline_value, ...budget } }];
  await fixture.operator.apply(operatorCall(name), 'budget.json', { guidelines });
}

/** A manager with other parts, over the same store. */
function managerWith(parts: Partial<ManagerParts>): MemoryManager {
  return createManager({ ...fixture.parts, ...parts });
}

async function say(scope: Scope, turns: number, manager = fixture.manager, from = 1): Promise<void> {
  for (let turn = from; turn < from + turns; turn += 1) {
    const text = turn === 3 ? 'The contract with Kramer is KX-2291-B.' : `Turn ${turn} speaks of ship_${turn}.`;
    const role = turn % 2 === 1 ? 'user' : 'assistant';
    await manager.recordTurn(callAs(scope), { role, text, runId: null });
  }
}

const digestOf = (scope: Scope) =>
  fixture.store.read(scope, { requestId: 'test', evaluationTime: null }, (reader) => reader.threadDigest());

const windowOf = (scope: Scope, question: string, manager = fixture.manager): Promise<WindowResult> =>
  manager.assembleWindow(callAs(scope), { question, intent: null, at: null, model: null });

const broken: Summariser = {
  identity: { model: 'remote', promptVersion: 'prompt-1' },
  isRemote: true,
  summarise: async () => {
    throw new SummariserFailure('status 503');
  },
};

describe('the digest of a thread', () => {
  it('[C1,D4] is made of the raw turns as they leave the tail, and stands in windows as history', async () => {
    const scope = await tenant();
    await say(scope, 11);
    expect(await digestOf(scope)).toBeNull();
    await say(scope, 19, fixture.manager, 12);
    const digest = (await digestOf(scope))!;
    expect(digest).toMatchObject({ firstTurn: 1, lastTurn: 24, turns: 24, ...builtInSummariser.identity });
    expect(digest.memory.summary).toContain('user 3: The contract with Kramer is KX-2291-B.');
    expect(digest.memory).toMatchObject({ trust: 'derived', scope: { userId: 'ada', threadId: 'main' } });
    const { manifest, request } = await windowOf(scope, 'Which contract do we have with Kramer?');
    const seat = manifest.memories.find(({ ref }) => ref[1] === digest.memory.ref[1]);
    expect(seat).toMatchObject({ slice: 'recalled_history', status: 'historical', type: 'summary' });
    expect(request.messages.at(-1)?.content).toContain('KX-2291-B');
  });

  it('[C1] is made anew from the turns, not from the former one, and of exactly one current row', async () => {
    const scope = await tenant();
    await say(scope, 12);
    const former = (await digestOf(scope))!;
    expect((await fixture.manager.compactThread(callAs(scope))).outcome).toBe('fresh');
    await say(scope, 1, fixture.manager, 13);
    const made = await fixture.manager.compactThread(callAs(scope));
    expect(made).toMatchObject({ outcome: 'made', turns: 13, lastTurn: 13, failure: null });
    await fixture.store.read(scope, { requestId: 'test', evaluationTime: null }, async (reader) => {
      const sources = (await reader.provenance([made.ref!])).map(({ source }) => source);
      expect(new Set(sources.map(([type]) => type))).toEqual(new Set(['conversation']));
      expect(await reader.memories(sources)).toHaveLength(13);
      const [old] = await reader.memories([former.memory.ref]);
      expect(old?.lifecycle.validUntil).not.toBeNull();
    });
  });

  it('[C1] of two at once one is kept, and both calls end well', async () => {
    const scope = await tenant();
    await say(scope, 5);
    const results = await Promise.all([1, 2, 3].map(() => fixture.manager.compactThread(callAs(scope))));
    expect(results.map(({ outcome }) => outcome).filter((outcome) => outcome === 'made')).toHaveLength(1);
    expect(results.every(({ outcome }) => ['made', 'overtaken', 'fresh'].includes(outcome))).toBe(true);
    expect((await digestOf(scope))?.turns).toBe(5);
  });

  it('[N2,I2] is there for its user, agent and thread alone, in tools and windows too', async () => {
    const scope = await tenant();
    await say(scope, 24);
    const others = [
      { ...scope, ...scopeOf({ tenant: scope.tenantId, user: 'bob', agent: null, thread: 'main', roles: [] }) },
      await tenant(),
    ];
    for (const other of others) {
      await say(other, 14);
      const { manifest, request } = await windowOf(other, 'What is ship_5, and the contract with Kramer?');
      const digest = (await digestOf(scope))!;
      expect(JSON.stringify({ manifest, request })).not.toContain(digest.memory.ref[1]);
      expect((await digestOf(other))!.memory.ref).not.toEqual(digest.memory.ref);
    }
    expect(await fixture.manager.compress(callAs(others[0]!), { thread: false, rebuild: false })).toEqual([]);
  });

  it('[C1] is not made where the policy does not compress', async () => {
    const scope = await tenant({ compress: false });
    await say(scope, 24);
    expect(await digestOf(scope)).toBeNull();
    expect((await fixture.manager.compactThread(callAs(scope))).outcome).toBe('off');
    expect(await fixture.manager.compress(callAs(scope), { thread: false, rebuild: true })).toEqual([]);
  });

  it('[S3,C1] carries the correction of a fact that its turns mention, and is later made without them', async () => {
    const scope = await tenant();
    const fact = (content: string) => ({
      entities: [{ subject: 'port:api', predicate: 'number', content, aliases: ['API port'] }],
    });
    const apply = (content: string) =>
      fixture.operator.apply(operatorCall(scope.tenantId), 'facts.json', fact(content));
    await apply('The API port is 8080.');
    const { manifest } = await windowOf(scope, 'What is the API port?');
    const cited = manifest.memories.find(({ type }) => type === 'entity')!;
    const text = `The API port is 8080 [${cited.id}].`;
    await fixture.manager.recordTurn(callAs(scope), { role: 'user', text: 'The API port?', runId: null });
    await fixture.manager.recordTurn(callAs(scope), { role: 'assistant', text, runId: runId(manifest.run_id) });
    await say(scope, 22, fixture.manager, 3);
    expect((await digestOf(scope))!.memory.summary).toContain('8080');
    await apply('The API port is 9090.');
    const after = await windowOf(scope, 'Which ship_5 and API port?');
    const digest = (await digestOf(scope))!;
    const seat = after.manifest.memories.find(({ ref }) => ref[1] === digest.memory.ref[1]);
    expect(seat?.annotation_refs).toHaveLength(1);
    expect(after.request.messages.at(-1)?.content).toContain('The API port is 9090.');
    const [stale] = await fixture.manager.compress(callAs(scope), { thread: true, rebuild: true });
    expect(stale).toMatchObject({ kind: 'digest', state: 'stale', outcome: 'made' });
    expect((await digestOf(scope))!.memory.summary).not.toContain('8080');
  });
});

describe('a summariser that asks a service', () => {
  it('[C1] makes no turn wait, and is asked by compactThread; its failure is told, and the built-in one serves', async () => {
    const scope = await tenant();
    const manager = managerWith({ summariser: async () => broken });
    await say(scope, 14, manager);
    expect(await digestOf(scope)).toBeNull();
    const lines = fixture.log.lines.length;
    expect(await manager.compactThread(callAs(scope))).toMatchObject({
      outcome: 'made',
      failure: 'status 503',
      model: builtInSummariser.identity.model,
    });
    const logged = JSON.stringify(fixture.log.lines.slice(lines));
    expect(logged).toContain('status 503');
    expect(logged).not.toMatch(/Kramer|ship_/);
  });

  it('[C1,N3] is asked outside of every transaction, and its failure stands in the manifest', async () => {
    const scope = await tenant();
    await importGuide(scope, 'harbour');
    let inside = 0;
    const within = async <T>(work: Promise<T>): Promise<T> => {
      inside += 1;
      return work.finally(() => (inside -= 1));
    };
    const { store } = fixture;
    const watched: ManagerParts['store'] = {
      ...store,
      read: (as, options, use) => within(store.read(as, options, use)),
      write: (as, options, use) => within(store.write(as, options, use)),
    };
    const asked: number[] = [];
    const service = (answer: () => Promise<string>): Summariser => ({
      ...broken,
      summarise: async () => {
        asked.push(inside);
        return answer();
      },
    });
    const failing = managerWith({
      store: watched,
      summariser: async () => service(() => Promise.reject(new SummariserFailure('status 500'))),
    });
    const first = await windowOf(scope, 'What does the harbour guide say of item_3?', failing);
    expect(first.manifest.fallbacks).toContain('summariser_failed');
    expect(first.manifest.memories.map(({ tier }) => tier)).toContain('summary');
    expect(asked.length).toBeGreaterThan(0);
    expect(new Set(asked)).toEqual(new Set([0]));
    // What the built-in one made is used from then on, without asking again.
    const second = await windowOf(scope, 'What does the harbour guide say of item_3?', failing);
    expect([second.manifest.fallbacks, asked.length]).toEqual([[], 1]);
    // And is told as stale, until the service answers.
    const list = (rebuild: boolean, manager: MemoryManager): Promise<readonly RebuiltText[]> =>
      manager.compress(callAs(scope), { thread: false, rebuild });
    expect(await list(false, failing)).toMatchObject([{ kind: 'compression', state: 'stale', outcome: 'listed' }]);
    // The smallest slice of the policy needs a shorter one than the window had; it is made once.
    expect(await list(true, failing)).toMatchObject([{ outcome: 'made', failure: 'status 500' }]);
    expect(await list(true, failing)).toMatchObject([{ outcome: 'unchanged', failure: 'status 500' }]);
    const working = managerWith({ summariser: async () => service(async () => 'The harbour guide lists items.') });
    expect(await list(true, working)).toMatchObject([{ outcome: 'made', model: 'remote', failure: null }]);
    expect(await list(false, working)).toEqual([]);
    const third = await windowOf(scope, 'What does the harbour guide say of item_3?', working);
    expect(third.request.messages.at(-1)?.content).toContain('The harbour guide lists items.');
  });
});

/** A passage larger than any slice of the default profile, in one piece. */
async function importGuide(scope: Scope, name: string, owner: Scope['userId'] | null = null): Promise<void> {
  const sentences = Array.from(
    { length: 700 },
    (_, index) => `The ${name} guide says that item_${index} costs ${index} EUR.`,
  );
  const row = document({ userId: owner, collection: 'guides', title: name }, [sentences.join(' ')]);
  const { parts } = fixture;
  const placed = placedMemories([row], { tenantId: scope.tenantId });
  const index = await indexEntries(await parts.embedder(), placed);
  const counts = newTokenCounts(
    placed.map(({ memory }) => memory),
    await parts.tokenizer(),
  );
  await fixture.store.operate({ tenantId: scope.tenantId }, { requestId: 'test' }, async (writer) => {
    await writer.importRows({ rows: [row], index, provenance: [], links: [] });
    await writer.putTokenCounts(counts);
  });
}

describe('stale compressions', () => {
  it('[C1] of another model, prompt or text are not used, and are listed until they are made anew', async () => {
    const scope = await tenant();
    await importGuide(scope, 'lighthouse');
    const other = (identity: Summariser['identity'], says: string) =>
      managerWith({ summariser: async () => ({ identity, isRemote: false, summarise: async () => says }) });
    const ask = (manager: MemoryManager) => windowOf(scope, 'What does the lighthouse guide say?', manager);
    const shown = async (manager: MemoryManager) => (await ask(manager)).request.messages.at(-1)?.content ?? '';
    const old = other({ model: 'm', promptVersion: '1' }, 'Said by the first one.');
    const next = other({ model: 'm', promptVersion: '2' }, 'Said by the second one.');
    expect(await shown(old)).toContain('Said by the first one.');
    expect(await next.compress(callAs(scope), { thread: false, rebuild: false })).toMatchObject([{ state: 'stale' }]);
    const second = await shown(next);
    expect(second).toContain('Said by the second one.');
    expect(second).not.toContain('Said by the first one.');
    expect(await next.compress(callAs(scope), { thread: false, rebuild: false })).toEqual([]);
    expect(await shown(old)).toContain('Said by the first one.');
  });

  it('[C1] a smaller slice gets a shorter text of its own, made once', async () => {
    const scope = await tenant();
    await importGuide(scope, 'mill');
    const asked: number[] = [];
    const summariser: Summariser = {
      ...builtInSummariser,
      summarise: (source, limits) => {
        asked.push(limits.maxTokens);
        return builtInSummariser.summarise(source, limits);
      },
    };
    const manager = managerWith({ summariser: async () => summariser });
    await windowOf(scope, 'What does the mill guide say?', manager);
    await changeBudget(scope.tenantId, { usable_context: 14_000 });
    for (const _ of [1, 2]) {
      const { manifest } = await windowOf(scope, 'What does the mill guide say?', manager);
      expect(manifest.memories.map(({ tier }) => tier)).toContain('summary');
    }
    expect(asked).toHaveLength(2);
    expect(asked[1]).toBeLessThan(asked[0]!);
  });

  it('[C1,D3] compress makes what is missing, piece by piece, and keeps it when it is interrupted', async () => {
    const scope = await tenant();
    for (const name of ['north', 'south', 'west']) await importGuide(scope, name);
    await say(scope, 5);
    const controller = new AbortController();
    const call = callAs(scope, { signal: controller.signal, onProgress: () => controller.abort() });
    await expect(fixture.manager.compress(call, { thread: false, rebuild: true })).rejects.toMatchObject({
      code: 'cancelled',
    });
    const both = await Promise.all(
      [1, 2].map(() => fixture.manager.compress(callAs(scope), { thread: false, rebuild: true })),
    );
    const made = both.flat().filter(({ outcome }) => outcome === 'made');
    expect(new Set(made.map(({ ref }) => (ref as Ref)[1])).size).toBe(2);
    expect(made).toHaveLength(2);
    expect(await fixture.manager.compress(callAs(scope), { thread: false, rebuild: false })).toEqual([]);
  });

  it('[N2] compress lists and shortens nothing of another user or tenant', async () => {
    const scope = await tenant();
    await importGuide(scope, 'cellar', scope.userId);
    const listed = (as: Scope) => fixture.manager.compress(callAs(as), { thread: false, rebuild: true });
    const bob = scopeOf({ tenant: scope.tenantId, user: 'bob', agent: null, thread: 'main', roles: [] });
    expect(await listed(bob)).toEqual([]);
    expect(await listed(await tenant())).toEqual([]);
    expect(await listed(scope)).toMatchObject([{ kind: 'compression', state: 'missing', outcome: 'made' }]);
  });
});
