// Where keys come from and how long they serve: discovery, rotation, outage; nothing of it ever opens the door.
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair } from 'jose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { keysAddress, metadataAddresses } from '../../src/auth/load_keys.ts';
import { openIdentityProvider } from './identity_provider.ts';
import type { Failure, IdentityProvider, MetadataPlace } from './identity_provider.ts';
import { janesClaims, openVerifier, verdict } from './verifier.ts';
import type { TestVerifier } from './verifier.ts';

const noKey = 'no key of that id and type';
const day = 86_400;
const nowSeconds = () => Math.floor(Date.now() / 1000);

/** A token that outlives every outage of these tests. */
const sign = (provider: IdentityProvider, options = {}) =>
  provider.sign({ ...janesClaims, exp: nowSeconds() + day }, options);

const judgeNew = async (provider: IdentityProvider, verifier: TestVerifier, options = {}) =>
  verdict(await verifier.judge(await sign(provider, options)));

let provider: IdentityProvider;
beforeEach(async () => {
  provider = await openIdentityProvider();
});
afterEach(() => provider.close());

const readings = () => provider.requests.filter((path) => path === '/keys').length;

describe('rotation', () => {
  it('[I1] a token of a new key is accepted without a restart, and keys are read once for it', async () => {
    const verifier = openVerifier(provider);
    expect(await judgeNew(provider, verifier)).toBe('accepted');
    await provider.rotate({ keepOlder: true });
    const tokens = await Promise.all(Array.from({ length: 8 }, () => sign(provider)));
    const verdicts = await Promise.all(tokens.map(async (token) => verdict(await verifier.judge(token))));
    expect(new Set(verdicts)).toEqual(new Set(['accepted']));
    expect(readings()).toBe(2);
  });

  it('[I1] a key that is published no more is refused when the kept keys are no longer fresh', async () => {
    const verifier = openVerifier(provider);
    const old = await sign(provider);
    expect(verdict(await verifier.judge(old))).toBe('accepted');
    await provider.rotate();
    verifier.pass(599);
    expect(verdict(await verifier.judge(old))).toBe('accepted');
    verifier.pass(2);
    expect(verdict(await verifier.judge(old))).toBe(noKey);
    expect(await judgeNew(provider, verifier)).toBe('accepted');
  });

  it('[I1] unknown key ids reach the provider once in the cool-down', async () => {
    const verifier = openVerifier(provider);
    const spray = async () => {
      const kids = Array.from({ length: 10 }, (_, index) => `garbage-${index}`);
      return Promise.all(kids.map((kid) => judgeNew(provider, verifier, { kid })));
    };
    expect(new Set(await spray())).toEqual(new Set([noKey]));
    expect(readings()).toBe(2);
    verifier.pass(29);
    await spray();
    expect(readings()).toBe(2);
    verifier.pass(2);
    await spray();
    expect(readings()).toBe(3);
    expect(await judgeNew(provider, verifier)).toBe('accepted');
  });

  it('[I1] what cannot be a token never reaches the provider', async () => {
    const verifier = openVerifier(provider);
    for (const text of ['garbage', 'a.b.c', 'e30.e30.AAAA', await sign(provider, { algorithm: 'PS256' })]) {
      expect(await verifier.judge(text)).toMatchObject({ kind: 'refused' });
    }
    expect(readings()).toBe(0);
  });

  it('[I1] many first tokens at once read the keys once', async () => {
    const verifier = openVerifier(provider);
    const token = await sign(provider);
    await Promise.all(Array.from({ length: 20 }, () => verifier.judge(token)));
    expect(readings()).toBe(1);
  });
});

describe('an outage', () => {
  const failures: readonly Failure[] = ['down', 'error', 'slow', 'oversized', 'redirect', 'garbage'];
  const limits = { deadlineMs: 150 };
  let stranger: Awaited<ReturnType<typeof generateKeyPair>>;
  beforeAll(async () => {
    stranger = await generateKeyPair('RS256');
  });

  it.each(failures)('[I1] (%s) before the first key leaves everybody out, and ends by itself', async (mode) => {
    const verifier = openVerifier(provider, { limits });
    provider.fail(mode);
    const token = await sign(provider);
    expect(await verifier.judge(token)).toEqual({ kind: 'unavailable', retryAfterSeconds: 5 });
    expect(await verifier.ready()).toBe(false);
    provider.fail(null);
    verifier.pass(3);
    expect(await verifier.judge(token)).toEqual({ kind: 'unavailable', retryAfterSeconds: 2 });
    verifier.pass(3);
    expect(verdict(await verifier.judge(token))).toBe('accepted');
    expect(await verifier.ready()).toBe(true);
  });

  it.each(failures)('[I1] (%s) is bridged by kept keys until their age limit, then nobody is let in', async (mode) => {
    const verifier = openVerifier(provider, { limits });
    const token = await sign(provider);
    expect(verdict(await verifier.judge(token))).toBe('accepted');
    provider.fail(mode);
    verifier.pass(3590);
    expect(verdict(await verifier.judge(token))).toBe('accepted');
    expect(await verifier.ready()).toBe(true);
    expect(verdict(await verifier.judge(await sign(provider, { key: stranger.privateKey })))).toBe(
      'signature does not match the key',
    );
    verifier.pass(20);
    expect(verdict(await verifier.judge(token))).toBe('unavailable');
    expect(await verifier.ready()).toBe(false);
    expect(verdict(await verifier.judge('a.b.c'))).toContain('not verifiable');
    provider.fail(null);
    verifier.pass(6);
    expect(verdict(await verifier.judge(token))).toBe('accepted');
  });

  it('[I1] leaves open whether an unknown key is a new one', async () => {
    const verifier = openVerifier(provider);
    expect(await judgeNew(provider, verifier)).toBe('accepted');
    provider.fail('down');
    await provider.rotate();
    const token = await sign(provider);
    expect(verdict(await verifier.judge(token))).toBe('unavailable');
    provider.fail(null);
    verifier.pass(6);
    expect(verdict(await verifier.judge(token))).toBe('accepted');
  });

  it('[I1] is asked about no more often than the retries allow', async () => {
    const verifier = openVerifier(provider);
    provider.fail('error');
    const token = await sign(provider);
    for (let round = 0; round < 5; round += 1) {
      await Promise.all([verifier.judge(token), verifier.judge(token), verifier.ready()]);
      verifier.pass(2);
    }
    // At 0 and at 6 seconds of 8.
    expect(readings()).toBe(2);
  });

  it('[I1] is logged with its cause, without what the provider wrote', async () => {
    const verifier = openVerifier(provider);
    provider.fail('garbage');
    await judgeNew(provider, verifier);
    expect(verifier.lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ reason: 'no JSON', msg: 'The keys for sign-in could not be read.' }),
    ]);
  });

  it('[I1] a clock that is set back makes no key younger', async () => {
    const verifier = openVerifier(provider);
    const token = await sign(provider);
    await verifier.judge(token);
    provider.fail('down');
    verifier.pass(-100);
    expect(verdict(await verifier.judge(token))).not.toBe('accepted');
  });
});

describe('a key set', () => {
  it('[I1] gives no secret key, and the others all the same', async () => {
    const { rsa, ec } = provider.keys();
    const secret = new TextEncoder().encode('a secret that everybody can read');
    provider.publish([
      { kty: 'oct', kid: 'shared', k: Buffer.from(secret).toString('base64url') },
      { ...rsa.privateKey.export({ format: 'jwk' }), kid: rsa.kid },
      'no key',
      null,
      ec.jwk,
    ]);
    const verifier = openVerifier(provider);
    expect(await judgeNew(provider, verifier, { algorithm: 'ES256' })).toBe('accepted');
    expect(await judgeNew(provider, verifier)).toBe(noKey);
    const shared = await sign(provider, { algorithm: 'HS256', kid: 'shared', key: secret });
    expect(verdict(await verifier.judge(shared))).toBe('algorithm outside the pinned ones');
  });

  it('[I1] without a public key lets nobody in, and is not ready', async () => {
    provider.publish([]);
    const verifier = openVerifier(provider);
    expect(await judgeNew(provider, verifier)).toBe(noKey);
    expect(await verifier.ready()).toBe(false);
  });

  it('[I1] with two keys that fit a token without a key id refuses it', async () => {
    await provider.rotate({ keepOlder: true });
    const verifier = openVerifier(provider);
    expect(await judgeNew(provider, verifier, { kid: null })).toBe(
      'the token does not say which of several keys signed it',
    );
  });

  it('[I1] of a key for encryption verifies nothing', async () => {
    const { rsa } = provider.keys();
    provider.publish([{ ...rsa.jwk, use: 'enc' }]);
    expect(await judgeNew(provider, openVerifier(provider))).toBe(noKey);
  });
});

describe('discovery', () => {
  const paths = ['', '/', '/realms/one', '/realms/one/'];
  const places: readonly MetadataPlace[] = ['oauth', 'openid', 'openid_appended'];
  const opened: IdentityProvider[] = [];
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });
  const open = async (options: Parameters<typeof openIdentityProvider>[0]) => {
    const one = await openIdentityProvider(options);
    opened.push(one);
    return one;
  };
  const keys = { kind: 'discovery' } as const;

  it.each(paths.flatMap((issuerPath) => places.map((metadata) => [issuerPath, metadata] as const)))(
    '[I1] finds the keys of an issuer with path `%s` whose metadata are %s',
    async (issuerPath, metadata) => {
      const one = await open({ issuerPath, metadata });
      expect(await judgeNew(one, openVerifier(one, { keys }))).toBe('accepted');
    },
  );

  it('[I1] asks at these addresses, in this order', () => {
    expect(metadataAddresses('https://login.example.com')).toEqual([
      'https://login.example.com/.well-known/oauth-authorization-server',
      'https://login.example.com/.well-known/openid-configuration',
    ]);
    expect(metadataAddresses('https://login.example.com/tenants/one/')).toEqual([
      'https://login.example.com/.well-known/oauth-authorization-server/tenants/one',
      'https://login.example.com/.well-known/openid-configuration/tenants/one',
      'https://login.example.com/tenants/one/.well-known/openid-configuration',
    ]);
  });

  it.each([
    ['another issuer', { issuer: 'https://elsewhere.example.com' }, 'metadata of another issuer'],
    ['no issuer', { issuer: undefined }, 'metadata of another issuer'],
    ['no address of keys', { jwks_uri: undefined }, 'metadata without jwks_uri'],
    ['keys that anybody on the way could change', { jwks_uri: 'http://login.example.com/keys' }, 'an unsafe jwks_uri'],
    ['keys in a file', { jwks_uri: 'file:///etc/passwd' }, 'an unsafe jwks_uri'],
  ])('[I1] believes no metadata with %s', async (_, members, reason) => {
    const verifier = openVerifier(provider, { keys });
    provider.describe(members);
    expect(await judgeNew(provider, verifier)).toBe('unavailable');
    expect(verifier.lines.join('')).toContain(reason);
  });

  it('[I1] lets only an issuer of this machine keep its keys on this machine', () => {
    const remote = 'https://login.example.com';
    const at = (issuer: string, address: string) => keysAddress({ issuer, jwks_uri: address }, issuer);
    expect(at(remote, 'https://keys.example.com/all')).toBe('https://keys.example.com/all');
    for (const address of ['http://127.0.0.1/keys', 'https://localhost/keys', 'http://[::1]/keys']) {
      expect(() => at(remote, address)).toThrow('an unsafe jwks_uri');
      expect(at('http://127.0.0.1:9', address)).toBe(address);
    }
    expect(() => keysAddress(null, remote)).toThrow('no metadata');
  });

  it('[I1] believes no issuer with a slash more', async () => {
    const verifier = openVerifier({ ...provider, issuer: `${provider.issuer}/` }, { keys });
    expect(await judgeNew(provider, verifier)).toBe('unavailable');
  });

  it('[I1] follows keys that move', async () => {
    const next = await open({});
    const verifier = openVerifier(provider, { keys });
    expect(await judgeNew(provider, verifier)).toBe('accepted');
    provider.describe({ jwks_uri: next.jwksUrl });
    const { kid } = next.keys().ec;
    const token = await sign(provider, { algorithm: 'ES256', kid: `${kid}-new`, key: next.keys().ec.privateKey });
    next.publish([{ ...next.keys().ec.jwk, kid: `${kid}-new` }]);
    expect(verdict(await verifier.judge(token))).toBe('accepted');
  });
});

describe('keys in a file', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'keys-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const write = async (path: string) => {
    const keys = [{ ...(await exportJWK(provider.keys().rsa.publicKey)), kid: provider.keys().rsa.kid }];
    writeFileSync(`${path}.new`, JSON.stringify({ keys }));
    renameSync(`${path}.new`, path);
  };

  it('[I1] are read again when the file changes, and no provider is asked', async () => {
    const path = join(folder, 'keys.json');
    await write(path);
    const verifier = openVerifier(provider, { keys: { kind: 'file', path } });
    const old = await sign(provider);
    expect(verdict(await verifier.judge(old))).toBe('accepted');
    await provider.rotate();
    await write(path);
    expect(await judgeNew(provider, verifier)).toBe('accepted');
    verifier.pass(2);
    expect(verdict(await verifier.judge(old))).toBe(noKey);
    expect(provider.requests).toEqual([]);
  });

  it('[I1] survive a file that is broken for a while, but not for ever', async () => {
    const path = join(folder, 'broken.json');
    await write(path);
    const verifier = openVerifier(provider, { keys: { kind: 'file', path } });
    expect(await judgeNew(provider, verifier)).toBe('accepted');
    writeFileSync(path, '{"keys": [');
    verifier.pass(3000);
    expect(await judgeNew(provider, verifier)).toBe('accepted');
    verifier.pass(700);
    expect(await judgeNew(provider, verifier)).toBe('unavailable');
    await write(path);
    verifier.pass(2);
    expect(await judgeNew(provider, verifier)).toBe('accepted');
  });

  it.each([
    ['that is missing', 'missing.json', 'ENOENT'],
    ['that is a folder', '.', 'not a file'],
  ])('[I1] %s let nobody in', async (_, name, reason) => {
    const verifier = openVerifier(provider, { keys: { kind: 'file', path: join(folder, name) } });
    expect(await judgeNew(provider, verifier)).toBe('unavailable');
    expect(verifier.lines.join('')).toContain(reason);
  });
});
