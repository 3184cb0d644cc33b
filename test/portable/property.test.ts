// Export and import as a property: whatever a tenant holds, its file holds that and nothing else, and what is made of
// the file answers every caller alike. PORTABLE_CASES sets how many callers ask (default 25); the seed is fixed.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { instant } from '../../src/model/time.ts';
import { callAs, openFixture, operatorCall, scopeOf } from '../fixture.ts';
import type { Fixture } from '../fixture.ts';
import { agents, tenants, threads, users, worlds } from '../isolation/model.ts';
import type { World } from '../isolation/model.ts';
import { exported, imported, linesOf } from './files.ts';

const seed = 20261130;
const cases = Number(process.env['PORTABLE_CASES'] ?? 25);
const at = instant('2027-01-01T00:00:00Z');
const nobody = async () => ({ outcome: 'unsupported' as const });

let world: World;
let source: Fixture;
let target: Fixture;
const files = new Map<string, Buffer>();

const callers = fc.record({
  tenant: fc.constantFrom(...tenants),
  user: fc.constantFrom(...users, 'nobody'),
  agent: fc.oneof(fc.constant(null), fc.constantFrom(...agents)),
  thread: fc.constantFrom(...threads, 'empty'),
});
const said = fc.tuple(callers, fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }));

beforeAll(async () => {
  [world = { rows: [], files: [], quarantined: [] }] = fc.sample(worlds, { numRuns: 1, seed });
  [source, target] = [await openFixture({ isSeeded: true }), await openFixture({ isSeeded: true })];
  await source.operator.seed(world.files, { requestId: 'seed' });
  for (const { tenant, ref } of world.quarantined) {
    await source.store.operate(operatorCall(tenant).scope, { requestId: 'quarantine' }, (writer) =>
      writer.quarantine(ref, 'test'),
    );
  }
  for (const [who, text] of fc.sample(said, { numRuns: cases, seed })) {
    const call = callAs(scopeOf(who));
    // What cannot be kept is refused, and that is no matter here.
    const turn = { role: 'user', text: `On latency ${text}`, runId: null } as const;
    await source.manager.recordTurn(call, turn).catch(() => {});
    if (text.length % 3 !== 0) continue;
    const question = `What of latency, ${text.replaceAll('\u0000', '')}?`;
    await source.manager.assembleWindow(call, { question, intent: null, at: null, model: null });
    await source.manager.callTool(call, 'search_memory', { query: question }, nobody);
  }
  for (const tenant of tenants) {
    const { bytes } = await exported(source, tenant);
    files.set(tenant, bytes);
    await imported(target, tenant, bytes);
  }
});
afterAll(async () => Promise.all([source.close(), target.close()]));

it('[N2,D3] a file holds every row of its tenant, and no word of another', () => {
  for (const tenant of tenants) {
    const text = files.get(tenant)?.toString('utf8') ?? '';
    const found = new Set(text.match(/zq[a-p]{8}/g));
    const own = new Set(world.rows.flatMap((row) => (row.tenant === tenant ? [row.canary] : [])));
    expect({ tenant, found }).toEqual({ tenant, found: own });
  }
});

it('[D3] what was imported is exported as the same rows', async () => {
  for (const tenant of tenants) {
    const { rows } = linesOf((await exported(target, tenant)).bytes);
    expect({ tenant, rows }).toEqual({ tenant, rows: linesOf(files.get(tenant) ?? Buffer.alloc(0)).rows });
  }
});

it('[D3,N2] every caller gets the same windows and the same answers from both', async () => {
  expect.hasAssertions();
  const asking = fc.tuple(callers, fc.nat(world.rows.length - 1), fc.nat(world.rows.length - 1));
  const check = async ([who, one, two]: readonly [Parameters<typeof scopeOf>[0], number, number]) => {
    const words = [world.rows[one]?.canary, world.rows[two]?.canary].join(' or ');
    const question = `What is known about ${words} on latency, refunds and backups?`;
    const told = [];
    for (const { manager } of [source, target]) {
      const call = callAs(scopeOf(who));
      const { request, seated } = await manager.assembleWindow(call, { question, intent: null, at, model: null });
      told.push({ request, seated, guidelines: await manager.guidelines(call), tools: await manager.listTools(call) });
    }
    expect(told[1]).toEqual(told[0]);
  };
  await fc.assert(fc.asyncProperty(asking, check), { seed, numRuns: cases, endOnFailure: true });
});
