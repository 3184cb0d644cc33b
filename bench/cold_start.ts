// Cold start over stdio with no owner running, process start to the answer of tools/list, beside
// @modelcontextprotocol/server-memory. With an owner running: bench/owner.ts.
// Run: npm run build && npm run bench:cold-start [-- --rounds 15 --json]

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { cpus, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

interface Contender {
  readonly name: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

interface Times {
  readonly initializeMs: number;
  readonly toolsMs: number;
  readonly tools: number;
}

const messages = [
  {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
  },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} },
];

async function startOnce(contender: Contender): Promise<Times> {
  const started = performance.now();
  const child: ChildProcess = spawn(process.execPath, contender.args, {
    env: { ...process.env, ...contender.env },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  if (child.stdin === null || child.stdout === null) throw new Error('no pipes');
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.stdin.write(`${JSON.stringify(messages[0])}\n`);
  let initializeMs = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const answer = JSON.parse(line) as { id?: number; result?: { tools?: readonly unknown[] } };
    if (answer.id === 1) {
      initializeMs = performance.now() - started;
      child.stdin.write(`${JSON.stringify(messages[1])}\n${JSON.stringify(messages[2])}\n`);
    }
    if (answer.id === 2) {
      const toolsMs = performance.now() - started;
      child.stdin.end();
      const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await exited;
      clearTimeout(timer);
      return { initializeMs, toolsMs, tools: answer.result?.tools?.length ?? 0 };
    }
  }
  throw new Error(`${contender.name} ended without an answer`);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '15' }, json: { type: 'boolean', default: false } },
});
const directory = await mkdtemp(join(tmpdir(), 'cold-start-'));
const memoryPackage = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-memory/package.json');
const ours: Contender = {
  name: 'context-assembly-memory',
  args: [join(root, 'dist/main.js'), 'stdio'],
  env: { CONTEXT_DATA_DIR: join(directory, 'ours'), CONTEXT_USER_ID: 'bench' },
};
const peer: Contender = {
  name: '@modelcontextprotocol/server-memory',
  args: [join(dirname(memoryPackage), 'dist/index.js')],
  env: { MEMORY_FILE_PATH: join(directory, 'memory.jsonl') },
};
/** Without what an earlier start left running. */
function stopOwner(): void {
  execFileSync(process.execPath, [ours.args[0] ?? '', 'stop'], {
    env: { ...process.env, ...ours.env },
    stdio: 'ignore',
  });
}

try {
  const first = await startOnce(ours);
  await startOnce(peer);
  const runs: { readonly ours: Times; readonly peer: Times }[] = [];
  for (let round = 0; round < Number(options.rounds); round += 1) {
    stopOwner();
    runs.push({ ours: await startOnce(ours), peer: await startOnce(peer) });
  }
  const report = {
    machine: `${cpus()[0]?.model ?? 'unknown'} × ${cpus().length}, Node ${process.version}`,
    rounds: runs.length,
    first_start_ms: Math.round(first.toolsMs),
    ours_initialize_ms: Math.round(median(runs.map((run) => run.ours.initializeMs))),
    ours_tools_list_ms: Math.round(median(runs.map((run) => run.ours.toolsMs))),
    peer_tools_list_ms: Math.round(median(runs.map((run) => run.peer.toolsMs))),
    ratio: Number(median(runs.map((run) => run.ours.toolsMs / run.peer.toolsMs)).toFixed(2)),
  };
  if (options.json) process.stdout.write(`${JSON.stringify(report)}\n`);
  else {
    for (const [name, value] of Object.entries(report)) process.stdout.write(`${name.padEnd(22)}${value}\n`);
    process.stdout.write('ratio: median over rounds of ours / peer, start to tools/list on an existing store\n');
  }
} finally {
  stopOwner();
  await rm(directory, { recursive: true, force: true });
}
