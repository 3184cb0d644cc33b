// Erasure while memory is in use (design E1, N3, N4): what was read before is not recorded after, the files of a data
// directory hold nothing of it, and a server's rounds of retention survive whatever happens.

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRetention } from '../../src/manager/start_retention.ts';
import { MemoryError } from '../../src/model/errors.ts';
import { rowId, userId } from '../../src/model/ids.ts';
import { openEmbeddedStore } from '../../src/store/postgres/pglite.ts';
import { rowsIn } from '../../src/store/erasure.ts';
import type { RetentionStep } from '../../src/store/erasure.ts';
import type { Store } from '../../src/store/store.ts';
import { callAs, openFixture, operatorCall, projectJson, scopeOf } from '../fixture.ts';
import type { Fixture } from '../fixture.ts';

const began = '2020-01-01T00:00:00.000000Z';
const dry = { dryRun: false };

/** A tenant of one shared document and one fact that was learned of what jane said. */
const world = (tenant: string, rows: object) => ({
  ...rows,
  tenant_id: tenant,
  entities: [
    {
      id: 'learned',
      subject: 'service:mail',
      predicate: 'owner',
      content: 'Mail belongs to zqcanaryfact, says Jane.',
      aliases: ['zqcanaryalias'],
      source_event_id: 'said',
      valid_from: began,
    },
    {
      id: 'condition',
      subject: 'service:mail',
      predicate: 'fee',
      content: 'Mail is free there.',
      conditions: { plan: 'zqcanaryplan' },
      source_event_id: 'said',
      valid_from: began,
    },
    { id: 'kept', subject: 'service:mail', predicate: 'fee', content: 'Mail costs two.', valid_from: began },
  ],
  turns: [
    {
      id: 'said',
      user_id: 'jane',
      thread_id: 'talk',
      created_at: began,
      event_type: 'user_msg',
      text: 'I am zqcanaryturn and I own mail.',
    },
  ],
});

async function profile(): Promise<object> {
  return Object(await projectJson('seeds/default_profile.json'));
}

describe('memory that is in use', () => {
  let fixture: Fixture;
  /** Runs before the next write of a window or an answer: between its reading and its recording. */
  let between: (() => Promise<unknown>) | null = null;
  let count = 0;
  const sam = (tenant: string) => callAs(scopeOf({ tenant, user: 'sam', agent: null, thread: 'desk', roles: [] }));
  const asked = { question: 'Who owns mail, and what does it cost?', intent: null, at: null, model: null } as const;

  beforeAll(async () => {
    fixture = await openFixture({
      seeds: [],
      openStore: async (made) => {
        const store: Store = await openEmbeddedStore({ directory: ':memory:', migrate: true, ...made });
        return {
          ...store,
          async write(...given) {
            const act = between;
            between = null;
            await act?.();
            return await store.write(...given);
          },
        };
      },
    });
  });
  afterAll(() => fixture.close());

  async function tenantOf(): Promise<string> {
    const tenant = `in-use-${(count += 1)}`;
    await fixture.operator.seed([{ name: 'w.json', json: world(tenant, await profile()) }], { requestId: 'seed' });
    return tenant;
  }
  const eraseJane = (tenant: string) =>
    fixture.operator.erase(operatorCall(tenant), { kind: 'user', userId: userId('jane') }, dry);

  it('[E1,N3] a window whose memory was erased before it was recorded is made again without it', async () => {
    const tenant = await tenantOf();
    const first = await fixture.manager.assembleWindow(sam(tenant), asked);
    expect(JSON.stringify(first)).toContain('zqcanaryfact');
    between = () => eraseJane(tenant);
    const second = await fixture.manager.assembleWindow(sam(tenant), asked);
    expect(JSON.stringify(second)).not.toContain('zqcanary');
    expect(JSON.stringify(second)).toContain('Mail costs two.');
    // The earlier window showed it: it is gone for its own reader too.
    await expect(fixture.manager.manifest(sam(tenant), rowId(first.manifest.manifest_id))).rejects.toMatchObject({
      code: 'not_found',
    });
    const recent = await fixture.manager.recentManifests(sam(tenant), 5);
    expect(recent.map(({ manifest }) => manifest.manifest_id)).toEqual([second.manifest.manifest_id]);
    expect(JSON.stringify(recent)).not.toContain('zqcanary');
  });

  it('[E1,L1] a call of a run whose window was erased is answered anew, in a run of its own', async () => {
    const tenant = await tenantOf();
    const window = await fixture.manager.assembleWindow(sam(tenant), asked);
    const claim = { subject: 'service:mail', predicate: 'owner' };
    const nobody = async () => ({ outcome: 'unsupported' }) as const;
    between = () => eraseJane(tenant);
    const outcome = await fixture.manager.callTool(sam(tenant), 'lookup_entity', claim, nobody);
    expect(JSON.stringify(outcome)).not.toContain('zqcanary');
    await expect(fixture.manager.run(sam(tenant), window.runId)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('[E1,D4] a result that only named what was erased, and showed nothing of it, goes too', async () => {
    const tenant = await tenantOf();
    const nobody = async () => ({ outcome: 'unsupported' }) as const;
    const claim = { subject: 'service:mail', predicate: 'fee', conditions: { plan: 'unknown' } };
    const outcome = await fixture.manager.callTool(sam(tenant), 'lookup_entity', claim, nobody);
    expect(outcome).toMatchObject({ content: { memories: [] } });
    const stored = async () => JSON.stringify(await fixture.manager.recentManifests(sam(tenant), 5));
    expect(await stored()).toContain('zqcanaryplan');
    await eraseJane(tenant);
    expect(await stored()).not.toContain('zqcanary');
  });

  it('[E1,S3] an answer that cites what was erased meanwhile is refused, and nothing of it is kept', async () => {
    const tenant = await tenantOf();
    const window = await fixture.manager.assembleWindow(sam(tenant), asked);
    const cited = window.seated.find(({ memory }) => memory.ref[1] === 'learned');
    const text = `It belongs to zqcanaryfact [${cited?.id ?? ''}].`;
    between = () => eraseJane(tenant);
    await expect(
      fixture.manager.recordTurn(sam(tenant), { role: 'assistant', text, runId: window.runId }),
    ).rejects.toMatchObject({ code: 'version_conflict' });
    expect(await fixture.operator.erase(operatorCall(tenant), { kind: 'tenant' }, { dryRun: true })).toMatchObject({
      tables: { conversation_memory: 0 },
    });
  });
});

describe('the files of a data directory', () => {
  const folder = mkdtempSync(join(tmpdir(), 'erasure-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

  const filesWith = (word: string): readonly string[] =>
    readdirSync(folder, { recursive: true })
      .map(String)
      .filter((name) => statSync(join(folder, name)).isFile())
      .filter((name) => readFileSync(join(folder, name)).includes(word));

  it('[E1] hold no word of what was erased: tables, statistics and write-ahead log', async () => {
    const fixture = await openFixture({
      seeds: [],
      openStore: (made) => openEmbeddedStore({ directory: folder, migrate: true, ...made }),
    });
    const given = await profile();
    const files = ['one', 'two'].map((tenant) => ({ name: `${tenant}.json`, json: world(tenant, given) }));
    await fixture.operator.seed(files, { requestId: 'seed' });
    const jane = callAs(scopeOf({ tenant: 'one', user: 'jane', agent: null, thread: 'talk', roles: [] }));
    const lots = Array.from({ length: 40 }, (_, place) => `zqcanaryword${place}`).join(' ');
    await fixture.manager.recordTurn(jane, { role: 'user', text: `I keep ${lots}.`, runId: null });
    const question = { question: 'Who owns mail?', intent: null, at: null, model: null };
    await fixture.manager.assembleWindow(jane, question);
    expect(filesWith('zqcanaryword7').length).toBeGreaterThan(0);
    const target = { kind: 'user', userId: userId('jane') } as const;
    const report = await fixture.operator.erase(operatorCall('one'), target, dry);
    expect(report.filesRewritten).toBe(true);
    expect(filesWith('zqcanaryword7')).toEqual([]);
    // The other tenant's jane said the same, and keeps it.
    expect(filesWith('zqcanaryturn').length).toBeGreaterThan(0);
    await fixture.operator.erase(operatorCall('two'), target, dry);
    const words = ['zqcanaryturn', 'zqcanaryfact', 'zqcanaryalias', 'zqcanaryword7'];
    expect(words.flatMap(filesWith)).toEqual([]);
    await fixture.close();
    expect(words.flatMap(filesWith)).toEqual([]);
  });
});

describe('rounds of retention', () => {
  const soon = { hours: 0.1 / 3600 };
  const until = async (done: () => boolean): Promise<void> => {
    while (!done()) await new Promise((resolve) => setTimeout(resolve, 5));
  };

  it('[N4] see to every tenant with a policy, survive a store that is away, and end when they are told to', async () => {
    const fixture = await openFixture({ seeds: [] });
    const given = await profile();
    const policy = {
      id: 'retention',
      guideline_key: 'context_retention',
      guideline_value: { classes: { user_msg: 30 } },
      valid_from: began,
    };
    const files = ['one', 'two', 'three'].map((tenant) => {
      const { guidelines = [], ...rest } = world(tenant, given) as { guidelines?: object[] };
      const json = { ...rest, guidelines: tenant === 'three' ? guidelines : [...guidelines, policy] };
      return { name: `${tenant}.json`, json };
    });
    await fixture.operator.seed(files, { requestId: 'seed' });
    const { log, store, parts } = fixture;
    const steps: (RetentionStep | null)[] = [];
    let away = 1;
    // Away once, as a server is that starts anew.
    const retainNext: Store['retainNext'] = async (...call) => {
      if (steps.length === 1 && away > 0) {
        away -= 1;
        throw new MemoryError('store_unavailable', 'The store cannot be reached.');
      }
      const step = await store.retainNext(...call);
      steps.push(step);
      return step;
    };
    const stop = startRetention({ store: { ...store, retainNext }, log, newId: parts.newId }, soon);
    await until(() => steps.filter((step) => rowsIn(step?.expired.tables ?? {}) > 0).length === 2);
    await stop();
    const before = steps.length;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(steps.length).toBe(before);
    expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
    expect(JSON.stringify(log.lines)).not.toContain('zqcanary');
    const turnsOf = async (tenant: string): Promise<number | undefined> =>
      (await fixture.operator.erase(operatorCall(tenant), { kind: 'tenant' }, { dryRun: true })).tables[
        'conversation_memory'
      ];
    expect([await turnsOf('one'), await turnsOf('two'), await turnsOf('three')]).toEqual([0, 0, 1]);
    await fixture.close();
  });
});
