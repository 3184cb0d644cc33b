// What is written into an entry: enough to serve what this run would serve, and no secret.
import { describe, expect, it } from 'vitest';
import { readConfig, variables } from '../../src/config.ts';
import type { Variable } from '../../src/config.ts';
import { carriedVariables, localNotes, localServer, mergedEntry } from '../../src/connect/entry.ts';
import type { Launch, Settings } from '../../src/connect/entry.ts';

const launch: Launch = {
  platform: 'linux',
  node: '/opt/node/bin/node',
  program: '/srv/memory/dist/main.js',
  isBuilt: true,
  npm: null,
};
const settings = (environment: Settings['environment'], more: Partial<Settings> = {}): Settings => ({
  environment,
  envFile: null,
  dataDirectory: '/home/ada/memory',
  secrets: [],
  ...more,
});

describe('the server of an entry', () => {
  it('is started by full paths, on the data directory in use', () => {
    expect(localServer(launch, settings({}))).toEqual({
      command: '/opt/node/bin/node',
      args: ['/srv/memory/dist/main.js', 'stdio'],
      env: { CONTEXT_DATA_DIR: '/home/ada/memory' },
    });
  });

  it('serves whom this run would serve, and gets no variable that is empty or of something else', () => {
    const environment = {
      CONTEXT_DATA_DIR: 'memory',
      CONTEXT_TENANT_ID: 'acme',
      CONTEXT_USER_ID: 'ada',
      CONTEXT_AGENT_ID: 'desk',
      CONTEXT_ROLES: '',
      CONTEXT_TENNANT: 'x',
      PATH: '/bin',
      HOME: '/home/ada',
    };
    expect(localServer(launch, settings(environment)).env).toEqual({
      CONTEXT_DATA_DIR: '/home/ada/memory',
      CONTEXT_TENANT_ID: 'acme',
      CONTEXT_USER_ID: 'ada',
      CONTEXT_AGENT_ID: 'desk',
    });
  });

  it('never holds a secret, whatever is set', () => {
    const url = (user: string) => `postgres://${user}:very-secret-1@db.example/memory`;
    const environment = {
      CONTEXT_ENGINE: 'postgres',
      DATABASE_URL: url('app'),
      DATABASE_OPERATOR_URL: url('operator'),
      DATABASE_OWNER_URL: url('owner'),
      CONTEXT_TENANT_ID: 'acme',
      CONTEXT_USER_ID: 'ada',
      CONTEXT_MODEL_API_KEY: 'very-secret-2',
      CONTEXT_PROVIDER_COUNT: '1',
      CONTEXT_MODEL: 'm',
      CONTEXT_MODEL_URL: 'https://models.example/v1?key=very-secret-3',
    };
    const { secrets } = readConfig(environment, { platform: 'linux', home: '/home/ada', userName: 'ada' });
    const given = settings(environment, { dataDirectory: null, secrets });
    const server = localServer(launch, given);
    expect(JSON.stringify(server)).not.toContain('very-secret');
    expect(Object.keys(server.env).toSorted()).toEqual([
      'CONTEXT_ENGINE',
      'CONTEXT_MODEL',
      'CONTEXT_TENANT_ID',
      'CONTEXT_USER_ID',
    ]);
    const [note = '', ...more] = localNotes(launch, given);
    expect(note).toContain('DATABASE_URL, CONTEXT_PROVIDER_COUNT, CONTEXT_MODEL_URL, CONTEXT_MODEL_API_KEY: left out');
    expect(note).toContain('--env-file');
    expect([note, more].join(' ')).not.toContain('very-secret');
    expect(() => localServer(launch, settings({ CONTEXT_USER_ID: 'very-secret-2' }, { secrets }))).toThrow(
      expect.objectContaining({ code: 'invalid_argument', message: expect.not.stringContaining('very-secret') }),
    );
  });

  it('carries which models measure text, and leaves out their keys', () => {
    const environment = {
      CONTEXT_EMBEDDER: 'http',
      CONTEXT_EMBEDDER_URL: 'https://models.example/v1',
      CONTEXT_EMBEDDER_MODEL: 'small',
      CONTEXT_EMBEDDER_DIMENSIONS: '384',
      CONTEXT_EMBEDDER_API_KEY: 'very-secret-1',
      CONTEXT_RERANKER: 'onnx',
      CONTEXT_RERANKER_MODEL: '/models/bge',
    };
    const { secrets } = readConfig(environment, { platform: 'linux', home: '/home/ada', userName: 'ada' });
    const given = settings(environment, { secrets });
    const { CONTEXT_EMBEDDER_API_KEY: key, ...carried } = environment;
    expect(localServer(launch, given).env).toMatchObject(carried);
    expect(localNotes(launch, given).join(' ')).toContain('CONTEXT_EMBEDDER_API_KEY: left out');
    expect(JSON.stringify(localServer(launch, given)) + localNotes(launch, given).join(' ')).not.toContain(key);
  });

  it('carries where an Oracle database is, and leaves out its passwords', () => {
    const environment = {
      CONTEXT_ENGINE: 'oracle',
      DB_DSN: 'db.example/memory',
      DB_USER: 'mem_app',
      DB_PASSWORD: 'very-secret-1',
      DB_WALLET_DIR: '/wallet',
      DB_WALLET_PASSWORD: 'very-secret-2',
      DB_OPERATOR_USER: 'mem_operator',
      DB_OPERATOR_PASSWORD: 'very-secret-3',
      CONTEXT_TENANT_ID: 'acme',
      CONTEXT_USER_ID: 'ada',
    };
    const { secrets } = readConfig(environment, { platform: 'linux', home: '/home/ada', userName: 'ada' });
    const given = settings(environment, { dataDirectory: null, secrets });
    expect(Object.keys(localServer(launch, given).env).toSorted()).toEqual([
      'CONTEXT_ENGINE',
      'CONTEXT_TENANT_ID',
      'CONTEXT_USER_ID',
      'DB_DSN',
      'DB_USER',
      'DB_WALLET_DIR',
    ]);
    expect(localNotes(launch, given).join(' ')).toContain('DB_PASSWORD, DB_WALLET_PASSWORD: left out');
    expect(JSON.stringify(localServer(launch, given)) + localNotes(launch, given).join(' ')).not.toContain(
      'very-secret',
    );
  });

  it('knows every variable that it carries, and none that is a secret', () => {
    const all: readonly Variable[] = variables;
    const known = new Map(all.map((variable) => [variable.name, variable]));
    expect(carriedVariables.filter((name) => !known.has(name) || known.get(name)?.secret === true)).toEqual([]);
  });

  it('names a file of variables instead of repeating it; what the environment says goes first', () => {
    const environment = { CONTEXT_ENGINE: 'postgres', CONTEXT_TENANT_ID: 'other', DATABASE_URL: 'postgres://a:b@c/d' };
    const envFile = { path: '/home/ada/memory.env', variables: { ...environment, CONTEXT_TENANT_ID: 'acme' } };
    const given = settings({ ...environment, CONTEXT_USER_ID: 'ada' }, { envFile, dataDirectory: null });
    expect(localServer(launch, given)).toMatchObject({
      args: ['/srv/memory/dist/main.js', 'stdio', '--env-file', '/home/ada/memory.env'],
      env: { CONTEXT_TENANT_ID: 'other', CONTEXT_USER_ID: 'ada' },
    });
    expect(localNotes(launch, given)).toEqual([]);
  });

  it('keeps a data directory that a file names by its full path in that file alone', () => {
    const envFile = (value: string) => ({ path: '/a.env', variables: { CONTEXT_DATA_DIR: value } });
    const full = settings({ CONTEXT_DATA_DIR: '/home/ada/memory' }, { envFile: envFile('/home/ada/memory') });
    expect(localServer(launch, full).env).toEqual({});
    // Whose home `~` is, and which folder is the current one, is another matter in a host.
    const short = settings({ CONTEXT_DATA_DIR: '~/memory' }, { envFile: envFile('~/memory') });
    expect(localServer(launch, short).env).toEqual({ CONTEXT_DATA_DIR: '/home/ada/memory' });
  });

  it('says that on a server nobody is served unless somebody is named, and that a checkout has to be built', () => {
    const notes = localNotes(
      { ...launch, isBuilt: false },
      settings({ CONTEXT_USER_ID: 'ada' }, { dataDirectory: null }),
    );
    expect(notes[0]).toContain('npm run build');
    expect(notes[1]).toMatch(/^CONTEXT_TENANT_ID: not set/);
  });

  it('refuses what hosts replace by other text', () => {
    expect(() => localServer(launch, settings({ CONTEXT_USER_ID: '${HOME}' }))).toThrow(
      expect.objectContaining({ code: 'invalid_argument' }),
    );
  });

  it('is started through npx where npx started this one, without a shell that would look for Node', () => {
    const cached = { ...launch, program: '/home/ada/.npm/_npx/1f/node_modules/context-assembly-memory/dist/main.js' };
    const npm = '/opt/node/lib/node_modules/npm/bin/npm-cli.js';
    expect(localServer({ ...cached, npm }, settings({}))).toEqual({
      command: '/opt/node/bin/node',
      args: ['/opt/node/lib/node_modules/npm/bin/npx-cli.js', '-y', 'context-assembly-memory', 'stdio'],
      env: { PATH: '/opt/node/bin:/usr/bin:/bin', CONTEXT_DATA_DIR: '/home/ada/memory' },
    });
    const onWindows = localServer(
      {
        ...launch,
        platform: 'win32',
        node: 'C:\\node\\node.exe',
        program: 'C:\\cache\\_npx\\1f\\dist\\main.js',
        npm: 'C:\\node\\node_modules\\npm\\bin\\npx-cli.js',
      },
      settings({}),
    );
    expect(onWindows.args[0]).toBe('C:\\node\\node_modules\\npm\\bin\\npx-cli.js');
    expect(onWindows.env).not.toHaveProperty('PATH');
    // Started by `npm run` in a checkout, it stays where it is.
    expect(localServer({ ...launch, npm }, settings({})).args[0]).toBe(launch.program);
  });
});

describe('an entry that is there', () => {
  const ours = { command: '/n', args: ['m', 'stdio'], env: { CONTEXT_DATA_DIR: '/d' } };

  it('keeps what a person added, and loses what this run does not say', () => {
    const existing = {
      disabled: true,
      command: '/old',
      args: [],
      env: { DATABASE_URL: 'theirs', CONTEXT_USER_ID: 'former', CONTEXT_DATA_DIR: '/former' },
      timeout: 5,
    };
    expect(mergedEntry(existing, ours)).toEqual({
      disabled: true,
      ...ours,
      env: { DATABASE_URL: 'theirs', CONTEXT_DATA_DIR: '/d' },
      timeout: 5,
    });
    expect(mergedEntry({ ...existing, env: { CONTEXT_USER_ID: 'former' } }, { command: '/n', args: [] })).toEqual({
      disabled: true,
      command: '/n',
      args: [],
      timeout: 5,
    });
  });

  it('is replaced as a whole where it is reached in another way, or is no entry at all', () => {
    expect(mergedEntry({ url: 'https://a', headers: {} }, ours)).toEqual(ours);
    expect(mergedEntry(ours, { url: 'https://a' })).toEqual({ url: 'https://a' });
    expect(mergedEntry({ url: 'https://a', headers: {} }, { url: 'https://b' })).toEqual({
      url: 'https://b',
      headers: {},
    });
    for (const other of [null, 1, 'x', [], undefined]) expect(mergedEntry(other, ours)).toEqual(ours);
  });
});
