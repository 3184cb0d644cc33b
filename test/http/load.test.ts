// Many hosts at once, well-behaved and not: nobody hears of another tenant, everybody is served, and when all have gone
// nothing of them is left. LOAD_SECONDS sets how long (default 20).
import { request } from 'node:http';
import { connect as connectSocket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { MemoryManager } from '../../src/manager/manager.ts';
import { usualLimits } from '../../src/transport/http_limits.ts';
import { openFixture, operatorCall, type Fixture } from '../fixture.ts';
import { newerEnvelope, until, type Host } from '../protocol/harness.ts';
import { kinds, openHttp, tokenOf, type HttpFixture } from './harness.ts';
import { choosesThis, loadSeeds, loadTenants, mixedCalls, type LoadTenant } from './load_tenants.ts';

const seconds = Number(process.env['LOAD_SECONDS'] ?? 20);
const clients = 64;
const megabyte = 2 ** 20;
vi.setConfig({ testTimeout: 120_000 + seconds * 10_000 });

let fixture: Fixture;
let served: HttpFixture;
/** Tenants whose tools somebody watches. */
let watchers = 0;

beforeAll(async () => {
  fixture = await openFixture({ seeds: [] });
  await fixture.operator.seed(loadSeeds, { requestId: 'seed' });
  const manager: MemoryManager = {
    ...fixture.manager,
    watchTools(...given) {
      watchers += 1;
      const stop = fixture.manager.watchTools(...given);
      return () => {
        watchers -= 1;
        stop();
      };
    },
  };
  const limits = {
    headersMs: 5_000,
    requestMs: 10_000,
    gate: { ...usualLimits.gate, waitMs: 60_000 },
    sessions: { ...usualLimits.sessions, idleMs: 8_000 },
  };
  // Nobody is to run out of time here, however busy the machine: that is another test's matter.
  served = await openHttp({ ...fixture, manager }, { limits, callDeadlineMs: 60_000, clarifyDeadlineMs: 60_000 });
});
afterAll(async () => {
  await served.close();
  await fixture.close();
});

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Megabytes in use after everything that nobody holds has gone. */
async function heapMegabytes(): Promise<number> {
  for (let round = 0; round < 3; round += 1) {
    collect();
    await pause(20);
  }
  return process.memoryUsage().heapUsed / megabyte;
}

const nothing = { exchanges: 0, sessions: 0, tenants: 0, running: 0, waiting: 0 };

/** Waits until the server holds nothing of anybody. */
async function idle(): Promise<void> {
  await expect.poll(() => served.server.counts(), { timeout: 40_000 }).toEqual(nothing);
  await expect.poll(() => watchers, { timeout: 5_000 }).toBe(0);
}

interface Connected {
  readonly host: Host;
  readonly tenant: LoadTenant;
}

/** Clients of all kinds, as many of each tenant. */
async function connectAll(count: number): Promise<readonly Connected[]> {
  const places = Array.from({ length: count }, (_, place) => place);
  return Promise.all(
    places.map(async (place) => {
      const tenant = loadTenants[place % loadTenants.length] ?? 'aspen';
      const kind = kinds[Math.floor(place / loadTenants.length) % kinds.length] ?? 'newer';
      const identity = { tenant, user: `user-${place}`, agent: null, roles: [] };
      return { host: await served.host(kind, identity, choosesThis), tenant };
    }),
  );
}

/** All of them ask one thing after another until the time is over; gives the answers of each tenant. */
async function askUntil(endMs: number, hosts: readonly Connected[]): Promise<ReadonlyMap<string, number>> {
  const answers = new Map<string, number>();
  const work = async ({ host, tenant }: Connected, place: number) => {
    for (let number = place; performance.now() < endMs; number += 1) {
      await mixedCalls[number % mixedCalls.length]?.(host, tenant, `thread-${number}`);
      answers.set(tenant, (answers.get(tenant) ?? 0) + 1);
    }
  };
  await Promise.all(hosts.map(work));
  return answers;
}

/** Sends bytes that never become a request, and gives what is said before the connection ends. */
function dribble(): Promise<string> {
  const socket = connectSocket(served.server.port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write('POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Slow: ');
  const drip = setInterval(() => socket.write('a'), 200);
  return new Promise((resolve) => {
    let heard = '';
    socket.setEncoding('utf8').on('data', (part: string) => (heard += part));
    socket.once('close', () => {
      clearInterval(drip);
      resolve(heard);
    });
  });
}

function sendLarge(): Promise<number | undefined> {
  const authorization = `Bearer ${tokenOf({ tenant: 'aspen', user: 'large' })}`;
  const headers = { 'content-type': 'application/json', authorization, 'transfer-encoding': 'chunked' };
  return new Promise((resolve, reject) => {
    const asked = request(served.url, { method: 'POST', headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asked.on('error', reject);
    asked.end(Buffer.alloc(5 * megabyte, 0x20));
  });
}

/** A search that nobody waits for. */
async function giveUp(): Promise<void> {
  const controller = new AbortController();
  const params = { name: 'search_memory', arguments: { query: 'mail' }, _meta: newerEnvelope };
  const asked = served.post(
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    { identity: { tenant: 'aspen', user: 'hasty', agent: null, roles: [] }, signal: controller.signal },
  );
  setTimeout(() => controller.abort(), 10);
  await asked.then(async (response) => response.text()).catch(() => {});
}

/** What others do meanwhile: slow heads, bodies that are too large, requests that are given up. */
async function misbehave(endMs: number): Promise<void> {
  const slow: Promise<string>[] = [];
  for (let round = 0; performance.now() < endMs && round < 10; round += 1) {
    slow.push(dribble(), dribble());
    expect(await sendLarge()).toBe(413);
    await Promise.all(Array.from({ length: 20 }, giveUp));
  }
  for (const said of await Promise.all(slow)) expect(said).toMatch(/^(?:HTTP\/1\.1 408|$)/);
}

describe('64 hosts of 8 tenants', () => {
  it('[T1,I2,N2] each hear of their own tenant alone, and leave nothing behind', async () => {
    const warmUp = await connectAll(8);
    await askUntil(performance.now() + 1_000, warmUp);
    await Promise.all(warmUp.map(({ host }) => host.close()));
    await idle();
    const before = await heapMegabytes();

    const hosts = await connectAll(clients);
    const started = performance.now();
    const endMs = started + seconds * 1_000;
    const schema = { type: 'object', properties: {}, additionalProperties: false };
    const added = { tool_name: 'added', tool_schema: schema, tool_handler: 'clarify', usage_notes: 'Asks zqaspen.' };
    const [answers] = await Promise.all([
      askUntil(endMs, hosts),
      misbehave(endMs),
      pause(1_000).then(async () => fixture.operator.apply(operatorCall('aspen'), 'tools.json', { toolbox: [added] })),
    ]);
    const tookSeconds = (performance.now() - started) / 1_000;
    for (const { host, tenant } of hosts) {
      if (tenant === 'aspen') await until(() => host.changes() > 0);
      else expect(host.changes()).toBe(0);
    }
    await Promise.all(hosts.map(({ host }) => host.close()));
    await idle();
    const after = await heapMegabytes();

    const counts = loadTenants.map((tenant) => answers.get(tenant) ?? 0);
    const total = counts.reduce((sum, count) => sum + count, 0);
    const [fewest, most] = [Math.min(...counts), Math.max(...counts)];
    console.info(
      `load: ${total} answers in ${tookSeconds.toFixed(0)} s; of a tenant ${fewest} to ${most}; heap ${before.toFixed(0)} MB before, ${after.toFixed(0)} MB after`,
    );
    expect(fewest).toBeGreaterThan(0);
    // What grows with each answer would be far beyond this.
    expect(after).toBeLessThan(before + 60);
    const [{ host } = { host: null }] = await connectAll(1);
    await mixedCalls[1]?.(host as Host, 'aspen', 'last');
  });
});
