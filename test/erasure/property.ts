// Erasure as a property (design E1): whatever is erased of a generated world, no place holds a word of it afterwards, and
// every row that does not depend on it is the same, byte for byte. ERASURE_CASES sets how many things are erased
// (default 6); the seed is fixed, so a failure comes again.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AskUser } from '../../src/manager/manager.ts';
import { agentId, rowId, threadId, userId } from '../../src/model/ids.ts';
import { rowsIn } from '../../src/store/erasure.ts';
import type { ErasureTarget } from '../../src/store/erasure.ts';
import type { Store } from '../../src/store/store.ts';
import { callAs, openFixture, operatorCall, scopeOf } from '../fixture.ts';
import type { Fixture, OpenStore } from '../fixture.ts';
import { tenants, threads, users, worlds } from '../isolation/model.ts';
import type { Principal, World, WorldRow } from '../isolation/model.ts';
import { dump, missingFrom } from '../store/dump.ts';
import type { Dump } from '../store/dump.ts';
import type { RawSession } from '../store/harness.ts';
import { owed, tableOf, withIds } from './owed_rows.ts';

const seed = 20261130;
const cases = Number(process.env['ERASURE_CASES'] ?? 6);
const nobody: AskUser = async () => ({ outcome: 'unsupported' });
const canaryForm = /zq[a-p]{8}/g;
const topics = ['latency', 'refunds', 'backups'] as const;
const owners = ['jan', 'jane', 'j_ne'] as const satisfies readonly (typeof users)[number][];

/** A store with raw statements beside it. */
export interface OpenedBeside {
  readonly store: Store;
  readonly raw: RawSession;
}

interface Case {
  readonly tenant: string;
  readonly kind: ErasureTarget['kind'];
  readonly user: string;
  readonly thread: string;
  readonly place: number;
  /** Who uses memory before. */
  readonly callers: readonly { readonly user: string; readonly agent: string | null; readonly topic: string }[];
}

const erasing: fc.Arbitrary<Case> = fc.record({
  tenant: fc.constantFrom(...tenants.slice(0, 4)),
  kind: fc.constantFrom<ErasureTarget['kind'][]>('user', 'user', 'thread', 'event', 'document'),
  user: fc.constantFrom(...users),
  thread: fc.constantFrom(...threads),
  place: fc.nat(1000),
  callers: fc.array(
    fc.record({
      user: fc.constantFrom(...owners),
      agent: fc.constantFrom(null, 'bot'),
      topic: fc.constantFrom(...topics),
    }),
    { minLength: 2, maxLength: 2 },
  ),
});

const canariesIn = (text: string): ReadonlySet<string> => new Set(text.match(canaryForm));
const canariesOfRows = (rows: Iterable<readonly string[]>) => canariesIn([...rows].flat().join('\n'));

/** Runs the property on one engine. */
export function describeErasure(open: (made: Parameters<OpenStore>[0]) => Promise<OpenedBeside>): void {
  let fixture: Fixture;
  let raw: RawSession;
  let world: World;
  const searched = { canaries: 0, places: 0 };

  beforeAll(async () => {
    [world = { rows: [], files: [], quarantined: [] }] = fc.sample(worlds, { numRuns: 1, seed });
    fixture = await openFixture({
      seeds: [],
      openStore: async (made) => {
        const opened = await open(made);
        ({ raw } = opened);
        return opened.store;
      },
    });
    await fixture.operator.seed(world.files.map(withLearned), { requestId: 'seed' });
  });
  afterAll(async () => {
    console.warn(`erasure: searched for ${searched.canaries} canaries in ${searched.places} places`);
    await fixture.close();
  });

  const scopeFor = (who: Principal) => scopeOf({ ...who });

  /** Uses memory as people do: windows, searches, look-ups and an answer that cites; gives all that was told. */
  async function use(who: Principal, topic: string): Promise<readonly unknown[]> {
    const call = callAs(scopeFor(who));
    const question = `What is known about ${topic}, and who is the owner?`;
    const window = await fixture.manager.assembleWindow(call, { question, intent: null, at: null, model: null });
    const cited = window.seated.slice(0, 3).map(({ id }) => `[${id}]`);
    const text = `Noted on ${topic} ${cited.join(' ')}.`;
    await fixture.manager.recordTurn(call, { role: 'user', text: question, runId: window.runId });
    await fixture.manager.recordTurn(call, { role: 'assistant', text, runId: window.runId });
    const claim = { subject: `service:${topic}`, predicate: 'owner' };
    return [
      window,
      await fixture.manager.callTool(call, 'search_memory', { query: `notes on ${topic}` }, nobody),
      await fixture.manager.callTool(call, 'search_history', { query: `what was said on ${topic}` }, nobody),
      await fixture.manager.callTool(call, 'lookup_entity', claim, nobody),
      await fixture.manager.listTools(call),
      await fixture.manager.guidelines(call),
      await fixture.manager.persona(call),
      await fixture.manager.recentManifests(call, 20),
    ];
  }

  const targetOf = ({ tenant, kind, user, thread, place }: Case): ErasureTarget => {
    const ofType = (type: WorldRow['type']) => world.rows.filter((row) => row.tenant === tenant && row.type === type);
    const pick = (type: WorldRow['type']) => ofType(type)[place % ofType(type).length];
    switch (kind) {
      case 'user':
        return { kind, userId: userId(user) };
      case 'thread':
        return { kind, userId: userId(user), threadId: threadId(thread), agentId: place % 2 ? null : agentId('bot') };
      case 'event':
        return { kind, id: rowId(pick('conversation')?.id ?? 'none') };
      case 'document':
        return { kind, id: rowId(`doc_${pick('chunk')?.id ?? 'none'}`) };
      case 'tenant':
        return { kind };
      default:
        throw kind satisfies never;
    }
  };

  /** Fails where a canary that is gone stands in any table, history or index, or in anything that was told since. */
  function expectNowhere(gone: ReadonlySet<string>, after: Dump, outputs: readonly unknown[]): void {
    const places: [string, string][] = [...after].map(([name, rows]) => [name, rows.join('\n')]);
    outputs.forEach((output, place) => places.push([`output ${place}`, JSON.stringify(output)]));
    places.push(['log', JSON.stringify(fixture.log.lines)]);
    for (const [name, text] of places) {
      const found = [...canariesIn(text)].filter((canary) => gone.has(canary));
      expect(found, `in ${name}`).toEqual([]);
    }
    searched.canaries += gone.size;
    searched.places += places.length;
  }

  async function check(tenant: string, target: ErasureTarget, callers: Case['callers']): Promise<number> {
    const principals = callers.map(
      ({ user, agent }): Principal => ({ tenant, user, agent, thread: 'main', roles: [] }),
    );
    for (const [place, who] of principals.entries()) await use(who, callers[place]?.topic ?? 'latency');
    const before = await dump(raw);
    const expected = owed(before, tenant, target);
    const preview = await fixture.operator.erase(operatorCall(tenant), target, { dryRun: true });
    const report = await fixture.operator.erase(operatorCall(tenant), target, { dryRun: false });
    expect({ ...report, filesRewritten: false }).toEqual(preview);
    const after = await dump(raw);
    const missing = missingFrom(before, after);
    const taken = withIds(new Map(Object.entries(missing)));
    const forgotten = new Set(
      (missing['conversation_memory'] ?? []).filter((row) => JSON.parse(row).event_type === 'tombstone'),
    );
    expect(forgotten.size).toBe(report.ownersForgotten);
    for (const [name, rows] of taken) {
      const really = rows.filter((row) => JSON.parse(row).event_type !== 'tombstone');
      expect({ name, rows: really.toSorted() }).toEqual({ name, rows: [...(expected.get(name) ?? [])].toSorted() });
    }
    expect([...expected.keys()].filter((name) => !taken.has(name))).toEqual([]);
    const gone = canariesTaken(tenant, expected);
    const outputs: unknown[] = [report];
    for (const who of principals.slice(0, 1)) outputs.push(await use(who, callers[0]?.topic ?? 'latency'));
    outputs.push(await exported(tenant));
    expectNowhere(gone, await dump(raw), outputs);
    const again = await fixture.operator.erase(operatorCall(tenant), target, { dryRun: true });
    // What was used since may be the same user's own.
    if (target.kind === 'event' || target.kind === 'document') expect(rowsIn(again.tables)).toBe(0);
    return gone.size;
  }

  /** The file that an export of the tenant would be. */
  async function exported(tenant: string): Promise<string> {
    const parts: Uint8Array[] = [];
    const write = async (bytes: Uint8Array) => void parts.push(bytes.slice());
    await fixture.operator.exportTenant(operatorCall(tenant), { program: 'test', write });
    return Buffer.concat(parts).toString('utf8');
  }

  /** The canaries of the world's rows that were owed; what was learned of a turn says the same and is owed with it. */
  function canariesTaken(tenant: string, expected: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
    const ids = new Map<string, ReadonlySet<string>>(
      [...expected].map(([name, rows]) => [
        name,
        new Set(rows.map((row) => JSON.parse(row)).map(({ event_id: event, id }) => String(event ?? id))),
      ]),
    );
    const taken = world.rows.filter((row) => row.tenant === tenant && ids.get(tableOf[row.type])?.has(row.id) === true);
    return new Set(taken.map(({ canary }) => canary));
  }

  describe('a generated world', () => {
    it('[E1,D4] keeps no word of what was erased, and every other row as it was', async () => {
      let found = 0;
      await fc.assert(
        fc.asyncProperty(erasing, async (made) => {
          found += await check(made.tenant, targetOf(made), made.callers);
        }),
        { seed, numRuns: cases, endOnFailure: true },
      );
      expect(found).toBeGreaterThan(cases);
    }, 180_000);

    it('[E1] keeps no word of a whole tenant, and nothing changes for the others', async () => {
      const [tenant] = tenants;
      const callers = [{ user: 'jane', agent: null, topic: 'refunds' }] as const;
      for (const who of callers) await use({ tenant, thread: 'main', roles: [], ...who }, who.topic);
      const before = await dump(raw);
      const gone = canariesOfRows([...(await dump(raw, tenant)).values()]);
      const report = await fixture.operator.erase(operatorCall(tenant), { kind: 'tenant' }, { dryRun: false });
      const after = await dump(raw);
      for (const rows of Object.values(missingFrom(before, after))) {
        for (const row of rows) expect(JSON.parse(row).tenant_id).toBe(tenant);
      }
      expect(gone.size).toBeGreaterThan(20);
      expectNowhere(gone, after, [report]);
    });
  });
}

/** A world's file with facts that were learned from turns, of which everybody may see some. */
function withLearned(file: World['files'][number]): World['files'][number] {
  const json = file.json as { readonly turns: readonly { id: string; text: string }[]; readonly entities: object[] };
  const learned = json.turns.map(({ id, text }, place) => ({
    id: `learned_${id}`,
    subject: `service:${topics[place % topics.length] ?? ''}`,
    predicate: `learned_${place}`,
    content: text,
    source_event_id: id,
    valid_from: '2020-02-02T00:00:00.000000Z',
    ...(place % 2 === 0 ? {} : { user_id: owners[place % owners.length] }),
  }));
  return { name: file.name, json: { ...json, entities: [...json.entities, ...learned] } };
}
