// What `http` may be told by the environment: whom it believes, where it listens, and what it refuses to be told.
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { isLoopbackHost } from '../../src/auth/address.ts';
import { httpSettings } from '../../src/http_settings.ts';
import { MemoryError } from '../../src/model/errors.ts';

const machine = { platform: 'linux', home: '/home/ada', userName: 'ada' } as const;
const settingsOf = (environment: Readonly<Record<string, string>>) =>
  httpSettings(readConfig(environment, machine).http);

const signIn = {
  CONTEXT_AUTH_ISSUER: 'https://login.example.com',
  CONTEXT_AUTH_AUDIENCE: 'https://memory.example.com/mcp',
};

/** The variable that a start with these settings is refused for. */
function refusedFor(environment: Readonly<Record<string, string>>): unknown {
  try {
    settingsOf(environment);
  } catch (error) {
    if (!(error instanceof MemoryError) || error.code !== 'invalid_configuration') throw error;
    const { variable } = error.data;
    expect(error.message.split(' ')[0]).toBe(variable);
    return variable;
  }
  return null;
}

describe('the settings of http', () => {
  it('[I1] ask for tokens unless told otherwise, and have a default for all that is not said', () => {
    expect(settingsOf(signIn)).toEqual({
      host: '127.0.0.1',
      port: 3000,
      tokens: {
        issuer: 'https://login.example.com',
        audience: 'https://memory.example.com/mcp',
        keys: { kind: 'discovery' },
        algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA'],
        scopes: [],
        claims: { tenant: 'tenant_id', user: 'sub', agent: 'agent_id', roles: 'roles' },
        leewaySeconds: 30,
      },
      allowedHosts: ['localhost', '127.0.0.1', '[::1]', 'memory.example.com'],
      allowedOrigins: null,
    });
  });

  it('take what is given', () => {
    const settings = settingsOf({
      ...signIn,
      CONTEXT_HOST: '0.0.0.0',
      CONTEXT_PORT: '0',
      CONTEXT_AUTH_JWKS: '/etc/keys.json',
      CONTEXT_AUTH_ALGORITHMS: 'ES256, EdDSA',
      CONTEXT_AUTH_SCOPES: 'memory:read memory:use',
      CONTEXT_AUTH_CLAIM_TENANT: 'https://example.com/tenant',
      CONTEXT_AUTH_CLAIM_USER: 'user.name',
      CONTEXT_AUTH_CLAIM_AGENT: 'azp',
      CONTEXT_AUTH_CLAIM_ROLES: 'realm_access.roles',
      CONTEXT_AUTH_LEEWAY_SECONDS: '0',
      CONTEXT_ALLOWED_HOSTS: 'Memory.example.com,[::1]',
      CONTEXT_ALLOWED_ORIGINS: 'https://app.example.com, http://localhost:5173',
    });
    expect(settings).toMatchObject({ host: '0.0.0.0', port: 0 });
    expect(settings.tokens).toMatchObject({
      keys: { kind: 'file', path: '/etc/keys.json' },
      algorithms: ['ES256', 'EdDSA'],
      scopes: ['memory:read', 'memory:use'],
      claims: { tenant: 'https://example.com/tenant', user: 'user.name', agent: 'azp', roles: 'realm_access.roles' },
      leewaySeconds: 0,
    });
    expect(settings.allowedHosts).toEqual(['memory.example.com', '[::1]']);
    expect(settings.allowedOrigins).toEqual(['https://app.example.com', 'http://localhost:5173']);
    const url = 'https://login.example.com/keys';
    expect(settingsOf({ ...signIn, CONTEXT_AUTH_JWKS: url }).tokens?.keys).toEqual({ kind: 'url', url });
  });

  it('[I4] without sign-in are for this machine alone', () => {
    for (const CONTEXT_HOST of ['127.0.0.1', '127.8.8.8', '::1', 'localhost']) {
      expect(settingsOf({ CONTEXT_AUTH: 'none', CONTEXT_HOST }).tokens).toBeNull();
    }
    for (const CONTEXT_HOST of [
      '0.0.0.0',
      '::',
      '192.168.0.4',
      'memory.example.com',
      '127.0.0.1.example.com',
      '1.127.0.1',
    ]) {
      expect(refusedFor({ CONTEXT_AUTH: 'none', CONTEXT_HOST })).toBe('CONTEXT_HOST');
    }
    expect(['[::1]', 'LOCALHOST'].every(isLoopbackHost)).toBe(true);
    const { allowedHosts } = settingsOf({ CONTEXT_AUTH: 'none', CONTEXT_HOST: '127.8.8.8' });
    expect(allowedHosts).toEqual(['localhost', '127.0.0.1', '[::1]', '127.8.8.8']);
  });

  it('[I1] say whose tokens are believed, or there is no start', () => {
    expect(refusedFor({})).toBe('CONTEXT_AUTH_ISSUER');
    expect(refusedFor({ CONTEXT_AUTH_ISSUER: signIn.CONTEXT_AUTH_ISSUER })).toBe('CONTEXT_AUTH_AUDIENCE');
  });

  it.each([
    ['CONTEXT_HOST', 'a b'],
    ['CONTEXT_PORT', '65536'],
    ['CONTEXT_PORT', '-1'],
    ['CONTEXT_AUTH', 'basic'],
    ['CONTEXT_AUTH_ISSUER', 'http://login.example.com'],
    ['CONTEXT_AUTH_ISSUER', 'login.example.com'],
    ['CONTEXT_AUTH_AUDIENCE', 'http://memory.example.com/mcp'],
    ['CONTEXT_AUTH_AUDIENCE', 'https://memory.example.com/mcp#here'],
    ['CONTEXT_AUTH_AUDIENCE', 'https://ada:secret@memory.example.com/mcp'],
    ['CONTEXT_AUTH_JWKS', 'keys.json'],
    ['CONTEXT_AUTH_JWKS', 'http://login.example.com/keys'],
    ['CONTEXT_AUTH_ALGORITHMS', 'HS256'],
    ['CONTEXT_AUTH_ALGORITHMS', 'RS256,none'],
    ['CONTEXT_AUTH_ALGORITHMS', ','],
    ['CONTEXT_AUTH_SCOPES', 'a"b'],
    ['CONTEXT_AUTH_CLAIM_TENANT', 'a b'],
    ['CONTEXT_AUTH_CLAIM_USER', '\u0007'],
    ['CONTEXT_AUTH_CLAIM_AGENT', ' '],
    ['CONTEXT_AUTH_CLAIM_ROLES', '\t'],
    ['CONTEXT_AUTH_LEEWAY_SECONDS', '301'],
    ['CONTEXT_ALLOWED_HOSTS', 'https://memory.example.com'],
    ['CONTEXT_ALLOWED_HOSTS', 'memory.example.com:443'],
    ['CONTEXT_ALLOWED_ORIGINS', '*'],
    ['CONTEXT_ALLOWED_ORIGINS', 'https://app.example.com/page'],
  ])('refuse %s=%j, by its name', (variable, value) => {
    expect(refusedFor({ ...signIn, [variable]: value })).toBe(variable);
  });

  it('believe this machine without TLS', () => {
    const local = { CONTEXT_AUTH_ISSUER: 'http://127.0.0.1:9000', CONTEXT_AUTH_AUDIENCE: 'http://localhost:3000/mcp' };
    expect(settingsOf(local).tokens).toMatchObject({ issuer: 'http://127.0.0.1:9000' });
  });
});
