// Isolation as a property over HTTP: callers of both eras, each by tokens of an identity provider, see what the model
// allows, and of what is another's they hear what they would hear of anything that never was.
// ISOLATION_HTTP_CASES sets how many answers are compared at least (default 2000 on the embedded engine, 400 on a
// server); the seed is fixed.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openIdentityProvider, type IdentityProvider } from '../auth/identity_provider.ts';
import { audience, openVerifier } from '../auth/verifier.ts';
import { operatorCall, type Fixture } from '../fixture.ts';
import { openHttp, type HttpFixture } from '../http/harness.ts';
import { blurred, openCaller, revisions, type Caller } from './http_caller.ts';
import { openSurfaces, type Surfaces } from './http_surfaces.ts';
import { tenants, type Principal } from './model.ts';
import { asking, openWorld, seed, type Case, type OpenedWorld } from './opened_world.ts';

/** Answers that are compared for one caller, at the least. */
const casesOfCaller = 20;

let provider: IdentityProvider;
let world: OpenedWorld;
let served: HttpFixture;
let surfaces: Surfaces;

/** A token of its own for each call of this function. */
const tokenFor = ({ tenant, user, agent, roles }: Principal) =>
  provider.sign({ aud: audience, sub: user, tenant_id: tenant, roles, ...(agent === null ? {} : { agent_id: agent }) });

async function callerFor(who: Principal, place: number): Promise<Caller> {
  const revision = revisions[place % 2 === 0 ? 3 : Math.floor(place / 2) % 3] ?? '2026-07-28';
  return openCaller(served.url, { who, token: await tokenFor(who), revision });
}

/** Runs the property on one engine; `open` gives a manager over a store without a row. */
export function describeIsolationOverHttp(open: () => Promise<Fixture>, usualCases: number): void {
  const wantedCases = Number(process.env['ISOLATION_HTTP_CASES'] ?? usualCases);
  vi.setConfig({ testTimeout: Math.max(300_000, wantedCases * 100) });

  beforeAll(async () => {
    provider = await openIdentityProvider();
    world = await openWorld(open);
    served = await openHttp(world.fixture, { judge: openVerifier(provider, { clock: Date.now }) });
    surfaces = openSurfaces(world);
  });
  afterAll(async () => {
    await served.close();
    await world.fixture.close();
    await provider.close();
  });

  describe('a generated world over HTTP', () => {
    it('[N2,I1,I2,T1,T2,T4,T7,T8] shows each caller what the model allows, and of others nothing, not even that it is', async () => {
      const numRuns = Math.ceil(wantedCases / casesOfCaller);
      const made = fc.sample(asking, { numRuns, seed }).map((given, place) => ({ given, place }));
      // Tenants ask side by side, so that whatever they share serves all of them at once; a tenant's callers in turn.
      const lane = async (tenant: string) => {
        for (const { given, place } of made.filter((each) => each.given.who.tenant === tenant))
          await visit(given, place);
      };
      await Promise.all(tenants.map(lane));
      console.info(`isolation over HTTP: ${surfaces.compared()} answers of ${numRuns} callers compared`);
      expect(surfaces.compared()).toBeGreaterThanOrEqual(wantedCases);
    });

    async function visit(given: Case, place: number): Promise<void> {
      const caller = await callerFor(given.who, place);
      try {
        await surfaces.visit(caller, given);
      } catch (error) {
        throw new Error(`caller ${place}, ${caller.revision}: ${JSON.stringify(given)}`, { cause: error });
      }
    }
  });

  describe('by hand', () => {
    const one: Principal = { tenant: 'pages-one', user: 'jane', agent: null, thread: 'main', roles: [] };
    const other: Principal = { ...one, tenant: 'pages-other' };
    const namesOf = (word: string) =>
      Array.from({ length: 60 }, (_, at) => `tool_${String(at).padStart(2, '0')}_${word}`);

    beforeAll(async () => {
      for (const [{ tenant }, word] of [
        [one, 'one'],
        [other, 'other'],
      ] as const) {
        const row = { tool_handler: 'clarify', tool_schema: { type: 'object' }, usage_notes: 'One of many.' };
        const toolbox = namesOf(word).map((tool_name) => ({ tool_name, ...row }));
        await world.fixture.operator.apply(operatorCall(tenant), 'tools.json', { toolbox });
      }
    });

    const cursorAfter = (name: string) => Buffer.from(JSON.stringify(['tools', name])).toString('base64url');

    it.each([3, 0])(
      '[T9,I2] a cursor of another tenant is a place in the own list, whatever stands there in theirs',
      async (at) => {
        const revision = revisions[at] ?? '2026-07-28';
        const [ours, theirs] = await Promise.all(
          [one, other].map(async (who) => openCaller(served.url, { who, token: await tokenFor(who), revision })),
        );
        const { nextCursor } = (await theirs!.ask('tools/list')).result;
        const given = await ours!.ask('tools/list', { cursor: nextCursor });
        const shown = (given.result['tools'] as readonly { readonly name: string }[]).map(({ name }) => name);
        expect(shown).toEqual(namesOf('one').filter((name) => name > 'tool_49_other'));
        // `tool_49_other` is the last one of their first page; nobody ever had `tool_49_oths`.
        expect(nextCursor).toBe(cursorAfter('tool_49_other'));
        expect(blurred(await ours!.ask('tools/list', { cursor: cursorAfter('tool_49_oths') }))).toBe(blurred(given));
      },
    );

    it('[I2] a tenant or user in the path leads nowhere, and all such paths to the same nowhere', async () => {
      const token = await tokenFor(one);
      const base = served.url.replace('/mcp', '');
      const answers = [
        '/mcp/pages-other',
        '/pages-other/mcp',
        '/mcp/never-was',
        '/mcp/',
        '/mcp;tenant=pages-other',
      ].map(async (path) => {
        const response = await fetch(`${base}${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}` },
        });
        const headers = [...response.headers].filter(([name]) => name !== 'date');
        return { status: response.status, headers, text: await response.text() };
      });
      const [first, ...rest] = await Promise.all(answers);
      expect(first).toMatchObject({ status: 404, text: '' });
      for (const answer of rest) expect(answer).toEqual(first);
    });
  });
}
