// One owner on a machine: cold start with it running beside @modelcontextprotocol/server-memory, memory, calls a second.
// Run: npm run build && npm run bench:owner [-- --rounds 15 --seconds 5 --json]

import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { cpus, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const replacements = 5;
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const program = join(root, 'dist/main.js');

interface Answer {
  readonly id?: number;
  readonly result?: { readonly isError?: boolean; readonly tools?: readonly unknown[] };
}

interface Client {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  request(method: string, params?: object): Promise<Answer>;
  /** Milliseconds from the start of the process to the answer of tools/list. */
  readonly toolsMs: number;
  close(): Promise<void>;
}

async function connect(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Client> {
  const started = performance.now();
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'ignore'] });
  const waiting = new Map<number, (answer: Answer) => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const answer = JSON.parse(line) as Answer;
    waiting.get(answer.id ?? -1)?.(answer);
  });
  let lastId = 0;
  const send = (message: object) => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const request = async (method: string, params: object = {}): Promise<Answer> => {
    const id = (lastId += 1);
    const answered = new Promise<Answer>((resolve) => waiting.set(id, resolve));
    send({ id, method, params });
    const answer = await answered;
    waiting.delete(id);
    return answer;
  };
  const clientInfo = { name: 'bench', version: '1' };
  await request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  send({ method: 'notifications/initialized' });
  await request('tools/list');
  const toolsMs = performance.now() - started;
  return {
    child,
    request,
    toolsMs,
    async close() {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.stdin.end();
      await exited;
    },
  };
}

async function coldStart(args: readonly string[], env: Readonly<Record<string, string>>): Promise<number> {
  const client = await connect(args, env);
  await client.close();
  return client.toolsMs;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Resident megabytes of a process; NaN where the system does not say. */
function residentMegabytes(pid: number | undefined): number {
  if (process.platform !== 'linux' || pid === undefined) return Number.NaN;
  const found = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Math.round(Number(found?.[1]) / 1024);
}

/** Calls that spend budget, each in a thread of its own, so that no loop is ever spent. */
async function callsPerSecond(count: number, seconds: number): Promise<number> {
  const clients = await Promise.all(
    Array.from({ length: count }, async () => connect([program, 'stdio'], environment)),
  );
  const end = performance.now() + seconds * 1000;
  let calls = 0;
  const work = async (client: Client, place: number) => {
    for (let number = 0; performance.now() < end; number += 1) {
      const thread = `bench-${count}-${place}-${number}`;
      const { result } = await client.request('tools/call', {
        name: 'search_memory',
        arguments: { query: 'What after a power cut?' },
        _meta: { 'context-assembly-memory/thread_id': thread },
      });
      if (result?.isError !== false && result?.isError !== undefined) throw new Error('a call failed');
      calls += 1;
    }
  };
  const started = performance.now();
  await Promise.all(clients.map(work));
  const rate = (calls * 1000) / (performance.now() - started);
  await Promise.all(clients.map(async (client) => client.close()));
  return Math.round(rate * 10) / 10;
}

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    seconds: { type: 'string', default: '5' },
    json: { type: 'boolean', default: false },
  },
});
const directory = await mkdtemp(join(tmpdir(), 'bench-owner-'));
const environment = { CONTEXT_DATA_DIR: join(directory, 'ours'), CONTEXT_USER_ID: 'bench' };
const memoryPackage = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-memory/package.json');
const peer = [join(dirname(memoryPackage), 'dist/index.js')];
const peerEnvironment = { MEMORY_FILE_PATH: join(directory, 'memory.jsonl') };
const command = (...args: readonly string[]) =>
  execFileSync(process.execPath, [program, ...args], { env: { ...process.env, ...environment }, encoding: 'utf8' });
const ownerStatus = () => JSON.parse(command('status', '--json')) as { owner: { pid: number } };

try {
  command('apply', join(root, 'examples/apply_example.json'));
  command('stop');
  // The first start of an owner after a boot is another one's affair: here it runs, and nobody uses it.
  const keeper = await connect([program, 'stdio'], environment);
  const ownerIdle = residentMegabytes(ownerStatus().owner.pid);
  const relayIdle = residentMegabytes(keeper.child.pid);
  const rounds: { readonly ours: number; readonly peer: number }[] = [];
  for (let round = 0; round < Number(options.rounds); round += 1) {
    const ours = await coldStart([program, 'stdio'], environment);
    rounds.push({ ours, peer: await coldStart(peer, peerEnvironment) });
  }
  // A request that is asked of a dead owner, until its successor has answered it.
  const replaced: number[] = [];
  for (let round = 0; round < replacements; round += 1) {
    const { owner } = ownerStatus();
    process.kill(owner.pid, 'SIGKILL');
    const killed = performance.now();
    await keeper.request('tools/list');
    replaced.push(performance.now() - killed);
  }
  const rates: Record<string, number> = {};
  for (const count of [1, 8, 32]) {
    rates[`calls_per_second_${count}_clients`] = await callsPerSecond(count, Number(options.seconds));
  }
  const report = {
    machine: `${cpus()[0]?.model ?? 'unknown'} × ${cpus().length}, Node ${process.version}`,
    rounds: rounds.length,
    ours_tools_list_ms: Math.round(median(rounds.map(({ ours }) => ours))),
    peer_tools_list_ms: Math.round(median(rounds.map((round) => round.peer))),
    ratio: Number(median(rounds.map((round) => round.ours / round.peer)).toFixed(2)),
    dead_owner_replaced_ms: Math.round(median(replaced)),
    owner_idle_megabytes: ownerIdle,
    owner_loaded_megabytes: residentMegabytes(ownerStatus().owner.pid),
    relay_megabytes: relayIdle,
    ...rates,
  };
  await keeper.close();
  if (options.json) process.stdout.write(`${JSON.stringify(report)}\n`);
  else for (const [name, value] of Object.entries(report)) process.stdout.write(`${name.padEnd(30)}${value}\n`);
} finally {
  command('stop');
  await rm(directory, { recursive: true, force: true, maxRetries: 10 });
}
