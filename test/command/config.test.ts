// The configuration as a value: defaults per system, what is refused, what is never guessed.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig, unknownVariables, variables } from '../../src/config.ts';
import type { Machine } from '../../src/data_folder.ts';

const machine: Machine = { platform: 'linux', home: '/home/ada', userName: 'ada' };

const folderOf = (CONTEXT_DATA_DIR: string) => readConfig({ CONTEXT_DATA_DIR }, machine).dataDirectory;

describe('readConfig', () => {
  it('[I3] serves tenant local and the user of the operating system when nothing is set', () => {
    expect(readConfig({}, machine)).toEqual({
      engine: 'embedded',
      dataDirectory: '/home/ada/.local/share/context-assembly-memory',
      server: null,
      isShared: true,
      ownerIdleSeconds: 30,
      retentionHours: 0,
      tenantId: 'local',
      userId: 'ada',
      agentId: null,
      threadId: null,
      roles: [],
      http: expect.objectContaining({ CONTEXT_HOST: '127.0.0.1', CONTEXT_AUTH: 'jwt' }),
      models: { embedder: { kind: 'built-in' }, reranker: { kind: 'built-in' } },
      logLevel: 'warn',
      model: null,
      providerCount: null,
      documentUrl: null,
      summariser: null,
      secrets: [],
    });
  });

  it('is frozen, lists too', () => {
    const config = readConfig({ CONTEXT_ROLES: 'a' }, machine);
    expect([config, config.roles, config.secrets].every((part) => Object.isFrozen(part))).toBe(true);
  });

  it.each([
    ['linux', { XDG_DATA_HOME: '/data' }, '/data/context-assembly-memory'],
    ['linux', { XDG_DATA_HOME: 'relative' }, '/home/ada/.local/share/context-assembly-memory'],
    ['darwin', { XDG_DATA_HOME: '/data' }, '/home/ada/Library/Application Support/context-assembly-memory'],
    ['win32', {}, join('/home/ada', 'AppData', 'Local', 'context-assembly-memory')],
    ['win32', { LOCALAPPDATA: '/local' }, join('/local', 'context-assembly-memory')],
  ] as const)('on %s with %j keeps memory in %s', (platform, environment, expected) => {
    expect(readConfig(environment, { ...machine, platform }).dataDirectory).toBe(expected);
  });

  it('makes a given folder absolute, reads ~ as the home, and keeps :memory:', () => {
    expect(folderOf('~/memory')).toBe('/home/ada/memory');
    expect(folderOf('a')).toBe(join(process.cwd(), 'a'));
    expect(folderOf(':memory:')).toBe(':memory:');
  });

  it('reads roles as a list, and takes an empty value for not set', () => {
    const config = readConfig(
      { CONTEXT_ROLES: ' researcher, ,admin', CONTEXT_AGENT_ID: '', CONTEXT_MODEL: '' },
      machine,
    );
    expect(config.roles).toEqual(['researcher', 'admin']);
    expect([config.agentId, config.model]).toEqual([null, null]);
  });

  it('asks for all that the provider count needs', () => {
    const given = { CONTEXT_PROVIDER_COUNT: '1', CONTEXT_MODEL_URL: 'https://models.example/v1', CONTEXT_MODEL: 'm' };
    expect(readConfig({ ...given, CONTEXT_MODEL_API_KEY: 'k' }, machine)).toMatchObject({
      providerCount: { url: 'https://models.example/v1', model: 'm', apiKey: 'k' },
      secrets: ['k'],
    });
    expect(readConfig({ ...given, CONTEXT_PROVIDER_COUNT: '0' }, machine).providerCount).toBeNull();
  });

  it('[C1] asks for all that a summarising service needs; its model is its own, or that of windows', () => {
    const given = { CONTEXT_SUMMARISER: 'endpoint', CONTEXT_MODEL_URL: 'https://models.example/v1' };
    const summariser = (more: object) => readConfig({ ...given, ...more }, machine).summariser;
    expect(summariser({ CONTEXT_MODEL: 'm' })).toEqual({ url: 'https://models.example/v1', model: 'm', apiKey: null });
    expect(summariser({ CONTEXT_MODEL: 'm', CONTEXT_SUMMARISER_MODEL: 's' })?.model).toBe('s');
    expect(() => summariser({})).toThrow('CONTEXT_MODEL is not set, but CONTEXT_SUMMARISER is endpoint.');
    expect(() => readConfig({ CONTEXT_SUMMARISER: 'endpoint', CONTEXT_MODEL: 'm' }, machine)).toThrow(
      'CONTEXT_MODEL_URL',
    );
    expect(summariser({ CONTEXT_SUMMARISER: 'built-in' })).toBeNull();
  });

  it.each([
    ['CONTEXT_SUMMARISER', 'gpt'],
    ['CONTEXT_ENGINE', 'mysql'],
    ['DB_DSN', 'mem_app/hush@db.example/memory'],
    ['DB_USER', 'a\nb'],
    ['DATABASE_URL', 'server.example/memory'],
    ['DATABASE_OPERATOR_URL', 'mysql://server.example/memory'],
    ['CONTEXT_POOL_MAX', '0'],
    ['CONTEXT_POOL_MAX', 'many'],
    ['CONTEXT_STATEMENT_TIMEOUT_MS', '5'],
    ['CONTEXT_EMBEDDER', 'word2vec'],
    ['CONTEXT_EMBEDDER_URL', 'file:///etc/passwd'],
    ['CONTEXT_EMBEDDER_URL', 'https://user:password@models.example'],
    ['CONTEXT_EMBEDDER_API_KEY', 'with\nline'],
    ['CONTEXT_EMBEDDER_DIMENSIONS', '1'],
    ['CONTEXT_EMBEDDER_DIMENSIONS', '4097'],
    ['CONTEXT_EMBEDDER_DOWNLOAD', 'yes'],
    ['CONTEXT_RERANKER_SHAPE', 'bge'],
    ['CONTEXT_RERANKER', 'bge'],
    ['CONTEXT_LOG_LEVEL', 'trace'],
    ['CONTEXT_TENANT_ID', ''],
    ['CONTEXT_USER_ID', ''],
    ['CONTEXT_TENANT_ID', 'a\u0007b'],
    ['CONTEXT_USER_ID', 'ü'.repeat(128)],
    ['CONTEXT_ROLES', 'a,b\nc'],
    ['CONTEXT_DATA_DIR', 'a\u0000b'],
    ['CONTEXT_PROVIDER_COUNT', 'yes'],
    ['CONTEXT_MODEL_URL', 'file:///etc/passwd'],
    ['CONTEXT_MODEL_URL', 'https://user:password@models.example'],
    ['CONTEXT_MODEL_API_KEY', 'with\nline'],
  ])('refuses %s=%j by name', (name, value) => {
    expect(() => readConfig({ [name]: value }, machine)).toThrow(
      expect.objectContaining({
        code: 'invalid_configuration',
        message: expect.stringContaining(name),
        data: { variable: name },
      }),
    );
  });

  it('[I3] on a server there is no folder, and nobody is served by default', () => {
    const given = { CONTEXT_ENGINE: 'postgres', DATABASE_URL: 'postgres://app@db.example/memory' };
    expect(readConfig(given, { ...machine, home: '' })).toMatchObject({
      engine: 'postgres',
      dataDirectory: ':memory:',
      server: {
        postgres: { serve: given.DATABASE_URL, operate: null, migrate: null },
        oracle: null,
        logins: { serve: { variable: 'DATABASE_URL', isSet: true }, operate: { isSet: false } },
        poolMax: 10,
        statementTimeoutMs: 30_000,
      },
      tenantId: '',
      userId: '',
    });
    expect(readConfig({ ...given, CONTEXT_TENANT_ID: 'acme', CONTEXT_USER_ID: 'ada' }, machine)).toMatchObject({
      tenantId: 'acme',
      userId: 'ada',
    });
  });

  it('keeps addresses, and their passwords as they stand and as they are meant, as secrets', () => {
    const DATABASE_URL = 'postgres://app:p%40ss@db.example/memory';
    expect(readConfig({ DATABASE_URL }, machine).secrets).toEqual([DATABASE_URL, 'p%40ss', 'p@ss']);
  });

  it('[I3] reads where an Oracle database is, and a login with its password for each purpose', () => {
    const given = { CONTEXT_ENGINE: 'oracle', DB_CONNECT_STRING: 'db.example:1521/FREEPDB1', DB_USER: 'mem_app' };
    const config = readConfig({ ...given, DB_PASSWORD: 'hush', DB_WALLET_DIR: '/wallet' }, machine);
    expect(config).toMatchObject({ engine: 'oracle', dataDirectory: ':memory:', tenantId: '', userId: '' });
    expect(config.server).toMatchObject({
      postgres: null,
      oracle: {
        connectString: 'db.example:1521/FREEPDB1',
        serve: { user: 'mem_app', password: 'hush' },
        operate: null,
        walletFolder: '/wallet',
      },
      logins: { serve: { variable: 'DB_USER', isSet: true }, migrate: { variable: 'DB_OWNER_USER', isSet: false } },
    });
    expect(config.secrets).toEqual(['hush']);
  });

  it.each([
    ['DB_PASSWORD', { DB_USER: 'mem_app' }],
    ['DB_OPERATOR_USER', { DB_OPERATOR_PASSWORD: 'hush' }],
    ['DB_DSN', { DB_DSN: '' }],
    ['DB_CONNECT_STRING', { DB_CONNECT_STRING: 'other' }],
  ])('refuses Oracle’s variables that lack another or contradict each other: %s', (variable, given) => {
    expect(() => readConfig({ CONTEXT_ENGINE: 'oracle', DB_DSN: 'host/name', ...given }, machine)).toThrow(
      expect.objectContaining({ code: 'invalid_configuration', data: { variable } }),
    );
  });

  it('never repeats a secret in a refusal', () => {
    const secrets = {
      CONTEXT_MODEL_API_KEY: 'hush hush',
      CONTEXT_MODEL_URL: 'https://a:hush@b',
      DATABASE_URL: 'http://a:hush@b',
    };
    expect(() => readConfig(secrets, machine)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hush') }),
    );
  });
});

describe('the table of variables', () => {
  it('lists each once, with a meaning', () => {
    expect(new Set(variables.map(({ name }) => name)).size).toBe(variables.length);
    expect(variables.every(({ meaning }) => meaning.length > 10)).toBe(true);
  });

  it('holds the defaults that are in use', () => {
    const defaults = Object.fromEntries(variables.map((variable) => [variable.name, variable.default]));
    const config = readConfig({}, machine);
    expect(config).toMatchObject({
      engine: defaults['CONTEXT_ENGINE'],
      tenantId: defaults['CONTEXT_TENANT_ID'],
      models: { embedder: { kind: defaults['CONTEXT_EMBEDDER'] }, reranker: { kind: defaults['CONTEXT_RERANKER'] } },
      logLevel: defaults['CONTEXT_LOG_LEVEL'],
    });
  });

  it('tells a misspelt variable from one of another part', () => {
    const environment = { CONTEXT_TENNANT_ID: 'x', CONTEXT_PORT: '1', CONTEXT_USER_ID: 'a', PATH: '' };
    expect(unknownVariables(environment)).toEqual(['CONTEXT_TENNANT_ID']);
  });
});
