// HTTP: what it adds to the bare calls of the manager, requests a second of 1, 8 and 64 clients in both eras, and of
// one, two and four processes on one PostgreSQL server.
// Run: npm run bench:http [-- --rounds 300 --seconds 3 --json]; sign-in by tokens, their signatures verified each time.

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { inThread, tokenScope } from '../src/auth/make_scope.ts';
import { createJwtVerifier } from '../src/auth/verify_jwt.ts';
import { createLog } from '../src/log.ts';
import type { AskUser, Call, MemoryManager } from '../src/manager/manager.ts';
import { usualLimits } from '../src/transport/http_limits.ts';
import { openServerStore } from '../src/store/postgres/server.ts';
import { openIdentityProvider } from '../test/auth/identity_provider.ts';
import { callAs, openFixture } from '../test/fixture.ts';
import { audience, openHttp } from '../test/http/harness.ts';
import { listen } from '../test/http/run_http.ts';
import { serverScript } from '../test/store/server_script.ts';
import { eras, openBenchClient, type BenchClient, type Era } from './http_client.ts';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '300' },
    seconds: { type: 'string', default: '3' },
    json: { type: 'boolean', default: false },
  },
});
const rounds = Number(options.rounds);
const worker = join(import.meta.dirname, 'http_worker.ts');
const claims = { aud: audience, sub: 'bench', tenant_id: 'acme', roles: ['researcher'] };
const scope = tokenScope({ tenantId: 'acme', userId: 'bench', agentId: null, roles: ['researcher'], oauthScopes: [] });
const nobody: AskUser = async () => ({ outcome: 'unsupported' });

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const hundredths = (value: number) => Number(value.toFixed(2));

interface Measured {
  readonly name: string;
  bare(manager: MemoryManager, call: (thread: string) => Call, thread: string): Promise<unknown>;
  over(client: BenchClient, thread: string): Promise<unknown>;
}

const query = 'How was cache eviction measured?';
const inMeta = (thread: string) => ({ _meta: { 'context-assembly-memory/thread_id': thread } });

/** The same calls, bare and over HTTP. */
const measured: readonly Measured[] = [
  {
    name: 'tools_list',
    bare: (manager, call, thread) => manager.listTools(call(thread)),
    over: (client, thread) => client.ask('tools/list', inMeta(thread)),
  },
  {
    name: 'guidelines',
    bare: (manager, call, thread) => manager.guidelines(call(thread)),
    over: (client, thread) => client.ask('resources/read', { uri: 'memory://guidelines', ...inMeta(thread) }),
  },
  {
    name: 'search_memory',
    bare: (manager, call, thread) => manager.callTool(call(thread), 'search_memory', { query }, nobody),
    over: (client, thread) =>
      client.ask('tools/call', { name: 'search_memory', arguments: { query }, ...inMeta(thread) }),
  },
];

interface Cost {
  readonly ms: number;
  /** Of this process: server and client, where the call goes over HTTP. */
  readonly cpuMs: number;
}

async function timed(work: () => Promise<unknown>): Promise<Cost> {
  const [started, before] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(before);
  return { ms: performance.now() - started, cpuMs: (user + system) / 1_000 };
}

/** Both ways in turn, so that whatever else the machine does falls on both; medians, the client's own cost included. */
async function overheadOf(each: Measured, manager: MemoryManager, client: BenchClient) {
  const [bare, over]: [Cost[], Cost[]] = [[], []];
  const call = (thread: string) => callAs(inThread(scope, thread));
  for (let round = -10; round < rounds; round += 1) {
    const thread = `${each.name}-${process.hrtime.bigint()}`;
    const ways = [
      async () => bare.push(await timed(() => each.bare(manager, call, `b${thread}`))),
      async () => over.push(await timed(() => each.over(client, `o${thread}`))),
    ];
    // Neither way is always the one that pays for what the other left to be done.
    for (const way of round % 2 === 0 ? ways : ways.toReversed()) await way();
    if (round < 0) bare.length = over.length = 0;
  }
  const [bareMs, overMs] = [bare.map(({ ms }) => ms), over.map(({ ms }) => ms)];
  const added = (of: 'ms' | 'cpuMs') => hundredths(median(over.map((cost, at) => cost[of] - (bare[at]?.[of] ?? 0))));
  return {
    bare_ms: hundredths(median(bareMs)),
    http_ms: hundredths(median(overMs)),
    added_ms: added('ms'),
    added_cpu_ms: added('cpuMs'),
    ratio: hundredths(median(overMs) / median(bareMs)),
  };
}

/** Requests a second of so many clients in a process of their own. */
async function requestsPerSecond(asking: {
  readonly urls: readonly string[];
  readonly clients: number;
  readonly era: Era;
  readonly tokens?: readonly string[];
}): Promise<number> {
  const { urls, clients, era, tokens = [] } = asking;
  const milliseconds = String(Number(options.seconds) * 1_000);
  const args = ['--urls', urls.join(','), '--clients', String(clients), '--milliseconds', milliseconds];
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--import',
    import.meta.resolve('tsx'),
    worker,
    ...args,
    '--era',
    era,
    '--tokens',
    tokens.join(','),
  ]);
  const { answers, seconds } = JSON.parse(stdout) as { readonly answers: number; readonly seconds: number };
  return Number((answers / seconds).toFixed(1));
}

/** On the embedded engine, in this process. */
async function embedded(): Promise<Readonly<Record<string, unknown>>> {
  const provider = await openIdentityProvider();
  const fixture = await openFixture({ seeds: ['acme_policy.json', 'corpus_research.json'] });
  const judge = createJwtVerifier({
    issuer: provider.issuer,
    audience,
    keys: { kind: 'url', url: provider.jwksUrl },
    algorithms: ['RS256'],
    claims: { tenant: 'tenant_id', user: 'sub', agent: 'agent_id', roles: 'roles' },
    leewaySeconds: 5,
    log: createLog({ level: 'silent', write: () => {} }),
  });
  // Clients are let wait: how fast it goes is asked, not who is turned away.
  const served = await openHttp(fixture, { judge, limits: { gate: { ...usualLimits.gate, waitMs: 120_000 } } });
  const report: Record<string, unknown> = {};
  const endsAt = Math.floor(Date.now() / 1_000) + 3_600;
  try {
    for (const era of eras) {
      const client = await openBenchClient({
        url: served.url,
        era,
        token: await provider.sign({ ...claims, exp: endsAt }),
      });
      // A server that has run for a while is what is measured.
      for (let round = 0; round < 1_000; round += 1) await client.ask('prompts/list');
      for (const each of measured) report[`${each.name}_${era}`] = await overheadOf(each, fixture.manager, client);
      client.close();
    }
    // Eight tenants' worth of users would only add rows: what is shared is the process.
    const signed = Array.from({ length: 8 }, (_, user) =>
      provider.sign({ ...claims, sub: `bench-${user}`, exp: endsAt }),
    );
    const tokens = await Promise.all(signed);
    for (const era of eras) {
      for (const clients of [1, 8, 64]) {
        const asking = { urls: [served.url], clients, era, tokens };
        report[`requests_per_second_${era}_${clients}`] = await requestsPerSecond(asking);
      }
    }
  } finally {
    await served.close();
    await fixture.close();
    await provider.close();
  }
  return report;
}

/** Processes of the real command on one PostgreSQL server. */
async function onServer(): Promise<Readonly<Record<string, unknown>>> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-http-'));
  try {
    const told = await serverScript('start', folder);
    const { DATABASE_OWNER_URL: owner = '', DATABASE_OPERATOR_URL: operator = '', DATABASE_URL: app = '' } = told;
    const limits = { pool: { most: 4, longestLine: 100, waitMs: 10_000 }, statementMs: 60_000 };
    const seeded = await openFixture({
      seeds: ['acme_policy.json', 'corpus_research.json'],
      async openStore({ embedder, log }) {
        const grantTo = { serve: app, operate: operator };
        const migrating = await openServerStore({ url: owner, purpose: 'migrate', embedder, log, limits, grantTo });
        await migrating.migrate();
        await migrating.close();
        return openServerStore({ url: operator, purpose: 'operate', embedder, log, limits });
      },
    });
    await seeded.close();
    const rates: number[] = [];
    for (const count of [1, 2, 4]) rates.push(await rateOfProcesses(count, app));
    const [one = 0, two = 0, four = 0] = rates;
    return {
      server_requests_per_second_1: one,
      server_requests_per_second_2: two,
      server_requests_per_second_4: four,
      ratio_2_to_1: hundredths(two / one),
      ratio_4_to_1: hundredths(four / one),
    };
  } finally {
    await serverScript('stop', folder, 'immediate');
    rmSync(folder, { recursive: true, force: true });
  }
}

async function rateOfProcesses(count: number, url: string): Promise<number> {
  const settings = { CONTEXT_ENGINE: 'postgres', DATABASE_URL: url, CONTEXT_LOG_LEVEL: 'silent' };
  const running = await Promise.all(Array.from({ length: count }, () => listen(settings)));
  try {
    return await requestsPerSecond({ urls: running.map((each) => each.url), clients: 16, era: 'newer' });
  } finally {
    for (const { child } of running) child.kill('SIGTERM');
    await Promise.all(running.map(({ ended }) => ended));
  }
}

const report = {
  machine: `${cpus()[0]?.model ?? 'unknown'} × ${cpus().length}, Node ${process.version}`,
  rounds,
  ...(await embedded()),
  ...(await onServer()),
};
if (options.json) process.stdout.write(`${JSON.stringify(report)}\n`);
else {
  for (const [name, value] of Object.entries(report)) {
    const text =
      typeof value === 'object' ? JSON.stringify(value).replaceAll(/[{}"]/g, '').replaceAll(',', '  ') : value;
    process.stdout.write(`${name.padEnd(32)}${String(text)}\n`);
  }
  process.stdout.write(
    'a request a second: one search in a thread of its own; clients and servers share the machine\n',
  );
}
