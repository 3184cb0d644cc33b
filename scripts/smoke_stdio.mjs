// Speaks to an installed package as a host would: initialize, list the tools, close its input, see it exit.
// Usage: node scripts/smoke_stdio.mjs FOLDER, where FOLDER has context-assembly-memory installed.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const answerDeadlineMs = 60_000;
const exitDeadlineMs = 20_000;
const folder = process.argv[2];
assert(folder, 'usage: node scripts/smoke_stdio.mjs FOLDER');

const dataFolder = mkdtempSync(join(tmpdir(), 'context-smoke-'));
const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('CONTEXT_'));
const server = spawn('npx', ['--no', 'context-assembly-memory', 'stdio'], {
  cwd: folder,
  env: {
    ...Object.fromEntries(inherited),
    CONTEXT_DATA_DIR: join(dataFolder, 'data'),
    CONTEXT_OWNER_IDLE_SECONDS: '0',
  },
  stdio: ['pipe', 'pipe', 'inherit'],
  shell: process.platform === 'win32',
});
const exited = new Promise((resolve, reject) => {
  server.once('error', reject);
  server.once('exit', (code, signal) => resolve(code ?? signal));
});

/** Waiting calls by request id. */
const waiting = new Map();
createInterface({ input: server.stdout }).on('line', (line) => {
  const message = JSON.parse(line);
  assert.equal(message.jsonrpc, '2.0', `stdout must carry JSON-RPC alone: ${line}`);
  waiting.get(message.id)?.(message);
});

const send = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

const within = (promise, deadlineMs, what) => {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: nothing within ${deadlineMs} ms`)), deadlineMs);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
};

const request = async (id, method, params) => {
  const answered = new Promise((resolve) => waiting.set(id, resolve));
  const gone = exited.then((status) => {
    throw new Error(`${method}: the server ended (${status}) before it answered`);
  });
  send({ id, method, params });
  const answer = await within(Promise.race([answered, gone]), answerDeadlineMs, method);
  assert(answer.result, `${method} failed: ${JSON.stringify(answer.error)}`);
  return answer.result;
};

/** What held the folder ends after its last client and closes its files meanwhile: only then is the folder ours. */
async function removeWhenFree(path) {
  const started = Date.now();
  for (;;) {
    const isHeld = existsSync(join(path, 'data', 'owner.json'));
    try {
      if (!isHeld) return rmSync(path, { recursive: true, force: true });
    } catch (error) {
      if (Date.now() - started > exitDeadlineMs) throw error;
    }
    assert(Date.now() - started < exitDeadlineMs, 'the owner of the folder did not end');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

try {
  const { serverInfo } = await request(1, 'initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'smoke', version: '1' },
  });
  send({ method: 'notifications/initialized' });
  const { tools } = await request(2, 'tools/list', {});
  const names = tools.map((tool) => tool.name).toSorted();
  assert.deepEqual(names, ['clarify', 'expand', 'lookup_entity', 'search_memory']);
  server.stdin.end();
  assert.equal(await within(exited, exitDeadlineMs, 'exit after the end of input'), 0, 'exit status');
  console.log(`${serverInfo.name} ${serverInfo.version}: ${names.join(', ')}; exited when its input ended`);
} finally {
  server.kill();
  await removeWhenFree(dataFolder);
}
