// What an accepted token makes of its bearer: scope, key, and how claims are found and read.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchScope } from '../../src/auth/make_scope.ts';
import type { Principal } from '../../src/auth/sign_in.ts';
import { openIdentityProvider } from './identity_provider.ts';
import type { IdentityProvider, SignOptions } from './identity_provider.ts';
import { audience, janesClaims, openVerifier, verdict } from './verifier.ts';
import type { TestVerifier } from './verifier.ts';

let provider: IdentityProvider;
let verifier: TestVerifier;

beforeAll(async () => {
  provider = await openIdentityProvider();
  verifier = openVerifier(provider);
});
afterAll(() => provider.close());

const sign = (claims: Readonly<Record<string, unknown>> = {}, options: SignOptions = {}) =>
  provider.sign({ ...janesClaims, ...claims }, options);

async function principalOf(claims: Readonly<Record<string, unknown>>, judge = verifier): Promise<Principal> {
  const result = await judge.judge(await sign(claims));
  if (result.kind !== 'accepted') throw new Error(verdict(result));
  return result.principal;
}

const reasonFor = async (claims: Readonly<Record<string, unknown>>, judge = verifier) =>
  verdict(await judge.judge(await sign(claims)));

describe('an accepted token', () => {
  it('[I1] [I2] gives the scope that its claims name, in the thread default', async () => {
    const principal = await principalOf({
      agent_id: 'bot',
      roles: ['admin', 'reader'],
      scope: 'memory.read memory.write',
    });
    expect(principal.scope).toEqual({
      tenantId: 'acme',
      userId: 'jane',
      agentId: 'bot',
      threadId: 'default',
      roles: ['admin', 'reader'],
      oauthScopes: ['memory.read', 'memory.write'],
    });
    expect(principal.subject).toBe('jane');
  });

  it('[I1] without optional claims has no agent, no role, and no OAuth scope, where a launched process lacks none', async () => {
    const { scope } = await principalOf({});
    expect(scope).toMatchObject({ agentId: null, roles: [], oauthScopes: [] });
    const launched = { tenantId: 'acme', userId: 'jane', agentId: null, threadId: null, roles: [] };
    expect(launchScope(launched)).toEqual({ ...scope, oauthScopes: null });
  });

  it.each<readonly [string, SignOptions]>([
    ['typ JWT', { typ: 'JWT' }],
    ['typ at+jwt', { typ: 'at+jwt' }],
    ['typ application/at+jwt', { typ: 'application/at+JWT' }],
    ['no typ', {}],
    ['ES256', { algorithm: 'ES256' }],
    ['no key id, where one key fits', { kid: null }],
  ])('[I1] may have %s', async (_, options) => {
    expect(verdict(await verifier.judge(await sign({}, options)))).toBe('accepted');
  });

  it('[I1] may be for several audiences, ours among them', async () => {
    expect(await reasonFor({ aud: ['https://other.example.com', audience] })).toBe('accepted');
  });

  it('[I2] has the key of its principal and of nobody else', async () => {
    const { key } = await principalOf({ jti: 'one', roles: 'admin' });
    expect((await principalOf({ jti: 'two', scope: 'memory.read' })).key).toBe(key);
    const others = await Promise.all(
      [{ tenant_id: 'globex' }, { sub: 'john' }, { agent_id: 'bot' }, { tenant_id: 'acme","user":"jane' }].map(
        async (claims) => (await principalOf(claims)).key,
      ),
    );
    expect(new Set([key, ...others]).size).toBe(others.length + 1);
    expect(JSON.parse(key)).toEqual({
      issuer: provider.issuer,
      tenant: 'acme',
      user: 'jane',
      agent: null,
      subject: 'jane',
    });
    const elsewhere = await openIdentityProvider();
    const theirs = await openVerifier(elsewhere).judge(await elsewhere.sign(janesClaims));
    expect(theirs).toMatchObject({ principal: { scope: { tenantId: 'acme', userId: 'jane' } } });
    expect(theirs).not.toMatchObject({ principal: { key } });
    await elsewhere.close();
  });

  it('[I2] keeps user and subject apart where the user is another claim', async () => {
    const byMail = openVerifier(provider, {
      claims: { tenant: 'tenant_id', user: 'oid', agent: 'azp', roles: 'roles' },
    });
    const one = await principalOf({ oid: 'jane', sub: 'client-1' }, byMail);
    const two = await principalOf({ oid: 'jane', sub: 'client-2' }, byMail);
    expect(one.scope).toEqual(two.scope);
    expect(one.key).not.toBe(two.key);
  });
});

describe('claims', () => {
  const nested = {
    tenant: 'https://example.com/tenant',
    user: 'person.id',
    agent: 'a.b.c',
    roles: 'realm_access.roles',
  };

  it('[I1] are found by a path, and by a name with dots in it', async () => {
    const judge = openVerifier(provider, { claims: nested });
    const { scope } = await principalOf(
      {
        tenant_id: undefined,
        'https://example.com/tenant': 'globex',
        person: { id: 'john' },
        a: { b: { c: 'bot' } },
        realm_access: { roles: ['admin'] },
      },
      judge,
    );
    expect(scope).toMatchObject({ tenantId: 'globex', userId: 'john', agentId: 'bot', roles: ['admin'] });
  });

  it('[I1] are taken by their literal name before a path', async () => {
    const judge = openVerifier(provider, { claims: { ...nested, tenant: 'org.id' } });
    const claims = { person: { id: 'john' }, 'org.id': 'literal', org: { id: 'nested' } };
    expect((await principalOf(claims, judge)).scope.tenantId).toBe('literal');
    expect(await reasonFor({ ...claims, 'org.id': 7 }, judge)).toBe(
      'claim `org.id` (tenant) is of a wrong type or form',
    );
  });

  it('[I1] are never what every object inherits', async () => {
    for (const tenant of ['constructor.name', 'toString', '__proto__', 'tenant_id.length', 'list.0']) {
      const judge = openVerifier(provider, { claims: { tenant, user: 'sub', agent: 'agent_id', roles: 'roles' } });
      expect(await reasonFor({ list: ['acme'] }, judge)).toBe(`claim \`${tenant}\` (tenant) is missing`);
    }
  });

  it.each<readonly [name: string, value: unknown, reason: string]>([
    ['tenant_id', undefined, 'claim `tenant_id` (tenant) is missing'],
    ...['', 7, null, true, ['acme'], { id: 'acme' }, 'a\u0000b', 'a\nb', 'x'.repeat(256), 'é'.repeat(128)].map(
      (value) => ['tenant_id', value, 'claim `tenant_id` (tenant) is of a wrong type or form'] as const,
    ),
    ...['', 7, null, 'a\u007f'].map(
      (value) => ['agent_id', value, 'claim `agent_id` (agent) is of a wrong type or form'] as const,
    ),
    ...[7, null, { admin: true }, ['admin', 7], [''], ['a\tb'], 'admin a\tb'].map(
      (value) => ['roles', value, 'claim `roles` (roles) is of a wrong type or form'] as const,
    ),
    ...[7, null, ['a', null]].map(
      (value) => ['scope', value, 'claim `scope` (scope) is of a wrong type or form'] as const,
    ),
    ['scp', 7, 'claim `scp` (scope) is of a wrong type or form'],
  ])('[I1] %s may not be %o', async (name, value, reason) => {
    const result = await verifier.judge(await sign({ [name]: value }));
    expect(verdict(result)).toBe(reason);
    expect(result).toMatchObject({ error: 'invalid_token' });
  });

  it('[I1] [I2] of an id with a lone surrogate are refused', async () => {
    const token = await provider.sign({ ...janesClaims, tenant_id: '\ud800' });
    expect(verdict(await verifier.judge(token))).toBe('claim `tenant_id` (tenant) is of a wrong type or form');
  });

  it.each([
    [{ roles: 'admin  reader' }, { roles: ['admin', 'reader'] }],
    [{ roles: [] }, { roles: [] }],
    [{ roles: ['data admin'] }, { roles: ['data admin'] }],
    [{ scope: '' }, { oauthScopes: [] }],
    [{ scope: ['a', 'b'] }, { oauthScopes: ['a', 'b'] }],
    [{ scp: 'a b' }, { oauthScopes: ['a', 'b'] }],
    [{ scp: ['a', 'b'] }, { oauthScopes: ['a', 'b'] }],
    [{ scope: '', scp: ['a'] }, { oauthScopes: [] }],
    [{ tenant_id: 'x'.repeat(255) }, { tenantId: 'x'.repeat(255) }],
  ])('[I1] %o is read as %o', async (claims, scope) => {
    expect((await principalOf(claims)).scope).toMatchObject(scope);
  });
});
