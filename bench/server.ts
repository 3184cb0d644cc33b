// Calls per second of one, two and four processes on one PostgreSQL server: windows and searches of the demo's data.
// Run: npx tsx bench/server.ts [--seconds 5] [--callers 8] [--json]; without DATABASE_OWNER_URL, DATABASE_OPERATOR_URL
// and DATABASE_URL of an empty database it sets a server up for itself.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { openServerStore } from '../src/store/postgres/server.ts';
import { openFixture } from '../test/fixture.ts';
import { serverScript } from '../test/store/server_script.ts';

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    callers: { type: 'string', default: '8' },
    json: { type: 'boolean', default: false },
  },
});
const worker = join(import.meta.dirname, 'server_worker.ts');
const limits = { pool: { most: 4, longestLine: 100, waitMs: 10_000 }, statementMs: 60_000 };

interface Addresses {
  readonly owner: string;
  readonly operator: string;
  readonly app: string;
}

/** The addresses of the environment or of the script. */
function addressesOf(told: Readonly<Record<string, string | undefined>>): Addresses | null {
  const { DATABASE_OWNER_URL: owner, DATABASE_OPERATOR_URL: operator, DATABASE_URL: app } = told;
  return owner === undefined || operator === undefined || app === undefined ? null : { owner, operator, app };
}

/** Migrates the database and fills it with the demo's data. */
async function prepare({ owner, operator, app }: Addresses): Promise<void> {
  const seeded = await openFixture({
    openStore: async ({ embedder, log }) => {
      const grantTo = { serve: app, operate: operator };
      const migrating = await openServerStore({ url: owner, purpose: 'migrate', embedder, log, limits, grantTo });
      await migrating.migrate();
      await migrating.close();
      return openServerStore({ url: operator, purpose: 'operate', embedder, log, limits });
    },
  });
  await seeded.close();
}

interface Part {
  readonly calls: number;
  readonly seconds: number;
}

/** Starts one process; it says when it is ready, begins when it is told, and gives its count. */
async function startWorker(url: string): Promise<{ readonly begin: () => void; readonly done: Promise<Part> }> {
  const args = ['--url', url, '--callers', options.callers, '--milliseconds', String(Number(options.seconds) * 1000)];
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), worker, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  if ((await lines.next()).value !== 'ready') throw new Error('a process did not get ready');
  const done = lines.next().then(({ value }): Part => JSON.parse(String(value)));
  return { begin: () => void child.stdin.write('begin\n'), done };
}

async function callsPerSecond(url: string, processes: number): Promise<number> {
  const workers = await Promise.all(Array.from({ length: processes }, () => startWorker(url)));
  for (const { begin } of workers) begin();
  const parts = await Promise.all(workers.map(({ done }) => done));
  return parts.reduce((sum, { calls, seconds }) => sum + calls / seconds, 0);
}

const folder = mkdtempSync(join(tmpdir(), 'bench-server-'));
const given = addressesOf(process.env);
try {
  const addresses = given ?? addressesOf(await serverScript('start', folder));
  if (addresses === null) throw new Error('there is no server');
  await prepare(addresses);
  const rates: number[] = [];
  for (const processes of [1, 2, 4]) rates.push(await callsPerSecond(addresses.app, processes));
  const [one = 0, two = 0, four = 0] = rates;
  const report = {
    machine: `${cpus()[0]?.model ?? 'unknown'} × ${cpus().length}, Node ${process.version}`,
    callers_in_each_process: Number(options.callers),
    calls_per_second_1: Number(one.toFixed(1)),
    calls_per_second_2: Number(two.toFixed(1)),
    calls_per_second_4: Number(four.toFixed(1)),
    ratio_2_to_1: Number((two / one).toFixed(2)),
    ratio_4_to_1: Number((four / one).toFixed(2)),
  };
  if (options.json) process.stdout.write(`${JSON.stringify(report)}\n`);
  else {
    for (const [name, value] of Object.entries(report)) process.stdout.write(`${name.padEnd(26)}${value}\n`);
    process.stdout.write('a call: one assembled window, or one search in its run; the server shares the machine\n');
  }
} finally {
  if (given === null) await serverScript('stop', folder, 'immediate');
  rmSync(folder, { recursive: true, force: true });
}
