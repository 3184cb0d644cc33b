// A PostgreSQL server that goes away, loses connections or answers slowly while hosts ask over HTTP: whoever is hit hears
// a code and one sentence, and everybody is served again without a restart of ours.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openFixture, operatorCall, type Fixture } from '../fixture.ts';
import { until, type Host } from '../protocol/harness.ts';
import { openTransactions } from '../store/server_faults.ts';
import { serverScript } from '../store/server_script.ts';
import { administer, openStoreOnServer, type TestDatabase } from '../store/server_session.ts';
import { describeOnServer } from '../store/server_tests.ts';
import { kinds, openHttp, type HttpFixture } from './harness.ts';
import { choosesThis, loadSeeds, loadTenants, mixedCalls, wordsIn, type LoadTenant } from './load_tenants.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const innards = /node_modules|\.(?:ts|mjs|js):\d+|terminating connection|ECONN|select .* from|memory\.\w+_memory|pg_/i;

interface Asking {
  readonly host: Host;
  readonly tenant: LoadTenant;
}

interface Load {
  /** Answers since the last fault was over. */
  answered: number;
  /** Codes of failures, with how often each came. */
  readonly codes: Map<string, number>;
  isOver: boolean;
}

// The server of the run serves other tests: this one stops its own, and never one that somebody lent.
const isLent = (process.env['TEST_DATABASE_OWNER_URL'] ?? '') !== '';
if (isLent) console.warn('faults over http: skipped, TEST_DATABASE_OWNER_URL names a server that is not ours to stop');
describe.skipIf(isLent)('a server of its own', () => {
  describeOnServer('http on a PostgreSQL server with faults', () => {
    const folder = mkdtempSync(join(tmpdir(), 'context-http-faults-'));
    let database: TestDatabase;
    let fixture: Fixture;
    let served: HttpFixture;
    let hosts: readonly Asking[] = [];

    beforeAll(async () => {
      const { administrator = '' } = await serverScript('start', folder);
      fixture = await openFixture({
        seeds: [],
        async openStore({ embedder }) {
          const log = { warn: () => {}, error: () => {} };
          const store = await openStoreOnServer({ embedder, log }, { administrator });
          ({ database } = store);
          return store;
        },
      });
      await fixture.operator.seed(loadSeeds, { requestId: 'seed' });
      served = await openHttp(fixture, { callDeadlineMs: 3_000 });
      const places = Array.from({ length: 16 }, (_, place) => place);
      hosts = await Promise.all(
        places.map(async (place) => {
          const tenant = loadTenants[place % loadTenants.length] ?? 'aspen';
          const identity = { tenant, user: `user-${place}`, agent: null, roles: [] };
          return { host: await served.host(kinds[place % kinds.length] ?? 'newer', identity, choosesThis), tenant };
        }),
      );
    });
    afterAll(async () => {
      await served.close();
      await fixture.close();
      await serverScript('stop', folder, 'immediate');
      rmSync(folder, { recursive: true, force: true });
    });

    /** The code that a host was told; fails for a failure without one, or one that says too much. */
    function codeOf(error: unknown, tenant: LoadTenant): string {
      const { message, data } = error as { readonly message: string; readonly data?: unknown };
      const told = `${message} ${JSON.stringify(data ?? {})}`.replaceAll('\\', '');
      expect(told).not.toMatch(innards);
      expect(wordsIn(told).filter((word) => word !== `zq${tenant}`)).toEqual([]);
      const [, code] = /"error":\{"code":"([a-z_]+)"/.exec(told) ?? [];
      if (code === undefined) throw new Error(`no code in: ${told}`, { cause: error });
      return code;
    }

    async function askOn({ host, tenant }: Asking, place: number, load: Load): Promise<void> {
      for (let number = place; !load.isOver; number += 1) {
        try {
          await mixedCalls[number % mixedCalls.length]?.(host, tenant, `thread-${number}`);
          load.answered += 1;
        } catch (error) {
          const code = codeOf(error, tenant);
          load.codes.set(code, (load.codes.get(code) ?? 0) + 1);
          await pause(50);
        }
      }
    }

    /** Hosts ask while faults happen; after each of them everybody is served again. Gives the codes that were told. */
    async function during(faults: readonly (() => Promise<void>)[]): Promise<ReadonlyMap<string, number>> {
      const load: Load = { answered: 0, codes: new Map(), isOver: false };
      const asking = hosts.map((each, place) => askOn(each, place, load));
      try {
        for (const fault of faults) {
          await pause(300);
          await fault();
          load.answered = 0;
          await expect.poll(() => load.answered, { timeout: 20_000 }).toBeGreaterThan(2 * hosts.length);
        }
      } finally {
        load.isOver = true;
      }
      await Promise.all(asking);
      await until(() => served.server.counts().running === 0 && served.server.counts().waiting === 0);
      expect(await openTransactions(database)).toEqual([]);
      return load.codes;
    }

    const ready = async () => (await fetch(served.url.replace('/mcp', '/readyz'))).status;

    it('[N8,T6] restarted twice: hosts hear that it is away, subscribers of changes later, and nothing else', async () => {
      const restart = (mode: 'immediate' | 'fast') => () => serverScript('restart', folder, mode).then(() => {});
      const codes = await during([restart('immediate'), restart('fast')]);
      expect([...codes.keys()].filter((code) => !['store_unavailable', 'outcome_unknown'].includes(code))).toEqual([]);
      expect(codes.size).toBeGreaterThan(0);
      await expect.poll(ready, { timeout: 5_000 }).toBe(200);
      const listening = hosts.filter(({ tenant }) => tenant === 'maple');
      const before = listening.map(({ host }) => host.changes());
      const schema = { type: 'object', properties: {}, additionalProperties: false };
      const row = { tool_name: 'added', tool_schema: schema, tool_handler: 'clarify', usage_notes: 'Asks zqmaple.' };
      // The operator's own connection may have been one of those that ended.
      await expect
        .poll(async () =>
          fixture.operator.apply(operatorCall('maple'), 'tools.json', { toolbox: [row] }).then(() => true),
        )
        .toBe(true);
      for (const [place, { host }] of listening.entries()) await until(() => host.changes() > (before[place] ?? 0));
    });

    it('[N8,T6] loses its connections, some of them at work: the pool heals', async () => {
      const terminate = async () => {
        await administer(
          database.administrator,
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and pid <> pg_backend_pid()`,
        );
      };
      const codes = await during([terminate, terminate, terminate]);
      expect([...codes.keys()].filter((code) => !['store_unavailable', 'outcome_unknown'].includes(code))).toEqual([]);
    });

    it('[N8,T9] is slow: calls end at their deadline, and the others go on when it is over', async () => {
      const slow = async () => {
        const holder = new pg.Client({ connectionString: database.administrator });
        await holder.connect();
        try {
          await holder.query('begin; lock table memory.toolbox_memory in access exclusive mode');
          await pause(4_500);
        } finally {
          await holder.end();
        }
      };
      const codes = await during([slow]);
      const expected = ['deadline_exceeded', 'outcome_unknown', 'store_unavailable'];
      expect([...codes.keys()].filter((code) => !expected.includes(code))).toEqual([]);
      expect(codes.get('deadline_exceeded')).toBeGreaterThan(0);
    });
  });
});
