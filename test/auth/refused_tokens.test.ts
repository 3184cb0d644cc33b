// Which tokens are refused, and for which reason: each differs from an accepted one in one thing.
import { createHmac, sign as signBytes } from 'node:crypto';
import { exportJWK, exportSPKI, generateKeyPair } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { longestTokenCharacters } from '../../src/auth/verify_jwt.ts';
import { openIdentityProvider } from './identity_provider.ts';
import type { IdentityProvider, SignOptions } from './identity_provider.ts';
import { audience, janesClaims, openVerifier, verdict } from './verifier.ts';
import type { TestVerifier } from './verifier.ts';

let provider: IdentityProvider;
let verifier: TestVerifier;
let stranger: Awaited<ReturnType<typeof generateKeyPair>>;

beforeAll(async () => {
  provider = await openIdentityProvider();
  verifier = openVerifier(provider);
  stranger = await generateKeyPair('RS256', { extractable: true });
});
afterAll(() => provider.close());

const sign = (claims: Readonly<Record<string, unknown>> = {}, options: SignOptions = {}) =>
  provider.sign({ ...janesClaims, ...claims }, options);

const encode = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** Signs any text as claims with the provider's own key, since a signer of objects cannot name a claim twice. */
function signText(header: string, claims: string): string {
  const input = `${encode(header)}.${encode(claims)}`;
  return `${input}.${signBytes('sha256', Buffer.from(input), provider.keys().rsa.privateKey).toString('base64url')}`;
}

/** The claims of an accepted token as JSON, with the end of the text open. */
const openClaims = () => JSON.stringify({ iss: provider.issuer, exp: nowSeconds() + 60, ...janesClaims }).slice(0, -1);

const nowSeconds = () => Math.floor(Date.now() / 1000);
const notVerifiable = 'not three parts of base64url';
const noKey = 'no key of that id and type';
const badSignature = 'signature does not match the key';
const notPinned = 'algorithm outside the pinned ones';

function hmacToken(secret: string): string {
  const claims = { iss: provider.issuer, exp: nowSeconds() + 60, ...janesClaims };
  const input = `${encode({ alg: 'HS256', kid: provider.keys().rsa.kid })}.${encode(claims)}`;
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
}

describe('a header without a bearer token is refused as such', () => {
  it.each([
    ['none', undefined],
    ['an empty one', ''],
    ['another scheme', 'Basic amFuZTpzZWNyZXQ='],
    ['a scheme alone', 'Bearer '],
    ['a token alone', 'abc.def.ghi'],
    ['two tokens', 'Bearer a.b.c d.e.f'],
    ['another scheme that starts alike', 'Bearers a.b.c'],
  ])('[I1] %s', async (_, header) => {
    expect(await verifier.verify(header)).toMatchObject({ kind: 'refused', error: 'invalid_request' });
  });

  it('[I1] while the scheme may be written in any case', async () => {
    expect(verdict(await verifier.verify(`bEARER ${await sign()}`))).toBe('accepted');
  });
});

describe('a token is refused', () => {
  const cases: readonly (readonly [what: string, token: () => Promise<string> | string, reason: string])[] = [
    ['that is garbage', () => 'garbage', notVerifiable],
    ['of three parts of garbage', () => 'a.b.c', 'not verifiable: ERR_JWS_INVALID'],
    ['that is encrypted', () => `${encode({ alg: 'dir', enc: 'A256GCM' })}.a.b.c.d`, notVerifiable],
    ['with alg none and no signature', () => `${encode({ alg: 'none' })}.${encode(janesClaims)}.`, notVerifiable],
    ['with alg none and a signature', () => `${encode({ alg: 'none' })}.${encode(janesClaims)}.AAAA`, notPinned],
    ['with alg NONE', () => `${encode({ alg: 'NONE' })}.${encode(janesClaims)}.AAAA`, notPinned],
    ['without alg', () => `${encode({})}.${encode(janesClaims)}.AAAA`, 'not verifiable: ERR_JWS_INVALID'],
    [
      'of HS256 with the public key as PEM',
      async () => hmacToken(await exportSPKI(provider.keys().rsa.publicKey)),
      notPinned,
    ],
    ['of HS256 with the public key as JWK', () => hmacToken(JSON.stringify(provider.keys().rsa.jwk)), notPinned],
    ['of an algorithm outside the pin, with a known key', () => sign({}, { algorithm: 'PS256' }), notPinned],
    ['of RS256 with the id of an EC key', () => sign({}, { kid: provider.keys().ec.kid }), noKey],
    ['of an unknown key id', () => sign({}, { kid: 'unknown' }), noKey],
    ['of a known key id and another key', () => sign({}, { key: stranger.privateKey }), badSignature],
    ['of no key id and another key', () => sign({}, { kid: null, key: stranger.privateKey }), badSignature],
    [
      'with the claims of another one',
      async () => (await sign()).replace(/\.[^.]+\./, `.${encode({ ...janesClaims, sub: 'root' })}.`),
      badSignature,
    ],
    [
      'with a critical header that nobody knows',
      () => signText(JSON.stringify({ alg: 'RS256', crit: ['x'], x: 1 }), `${openClaims()}}`),
      'not verifiable: ERR_JOSE_NOT_SUPPORTED',
    ],
    ['of another issuer', () => sign({ iss: 'https://elsewhere.example.com' }), 'unexpected "iss" claim value'],
    ['of the issuer with a slash', () => sign({ iss: `${provider.issuer}/` }), 'unexpected "iss" claim value'],
    ['of the issuer in capitals', () => sign({ iss: provider.issuer.toUpperCase() }), 'unexpected "iss" claim value'],
    ['of no issuer', () => sign({ iss: undefined }), 'missing required "iss" claim'],
    ['for another audience', () => sign({ aud: 'https://other.example.com' }), 'unexpected "aud" claim value'],
    [
      'for other audiences',
      () => sign({ aud: ['https://other.example.com', `${audience}/x`] }),
      'unexpected "aud" claim value',
    ],
    ['for no audience', () => sign({ aud: undefined }), 'missing required "aud" claim'],
    ['for an audience in an object', () => sign({ aud: { 0: audience } }), 'unexpected "aud" claim value'],
    ['that has expired', () => sign({ exp: nowSeconds() - 10 }), 'expired'],
    ['without exp', () => sign({ exp: undefined }), 'missing required "exp" claim'],
    [
      'with an exp in words',
      () => signText('{"alg":"RS256"}', `${openClaims()}}`.replace(/"exp":\d+/, '"exp":"never"')),
      '"exp" claim must be a number',
    ],
    [
      'that never ends',
      () => signText('{"alg":"RS256"}', `${openClaims()}}`.replace(/"exp":\d+/, '"exp":1e999')),
      'exp is no number of seconds',
    ],
    ['that is not valid yet', () => sign({ nbf: nowSeconds() + 60 }), '"nbf" claim timestamp check failed'],
    ['that was issued in the future', () => sign({ iat: nowSeconds() + 60 }), 'iat is in the future'],
    ['without sub', () => sign({ sub: undefined }), 'missing required "sub" claim'],
    ['with an empty sub', () => sign({ sub: '' }), 'claim `sub` (user) is of a wrong type or form'],
    ['that is typed as another kind', () => sign({}, { typ: 'logout+jwt' }), 'header typ is neither JWT nor at+jwt'],
    ['that is typed as an id token', () => sign({}, { typ: 'id_token' }), 'header typ is neither JWT nor at+jwt'],
    [
      'typed by something that is no text',
      () => sign({}, { header: { typ: 1 } }),
      'header typ is neither JWT nor at+jwt',
    ],
    [
      'that holds the hash of another, as id tokens do',
      () => sign({ at_hash: 'x' }),
      'its claims are those of an id token',
    ],
    ['that says it is an id token', () => sign({ token_use: 'id' }), 'its claims are those of an id token'],
    ['that is longer than allowed', () => sign({ padding: 'x'.repeat(longestTokenCharacters) }), 'too long'],
    [
      'that names a claim twice',
      () => signText('{"alg":"RS256"}', `${openClaims()},"sub":"root"}`),
      'a name twice in the header or the claims',
    ],
    [
      'that names a claim twice in two spellings',
      () => signText('{"alg":"RS256"}', `${openClaims()},"su\\u0062":"root"}`),
      'a name twice in the header or the claims',
    ],
    [
      'that names something twice in its header',
      () => signText('{"alg":"none","alg":"RS256"}', `${openClaims()}}`),
      'a name twice in the header or the claims',
    ],
    ['whose claims are no object', () => signText('{"alg":"RS256"}', '["sub"]'), 'not verifiable: ERR_JWT_INVALID'],
  ];

  it.each(cases)('[I1] %s', async (_, token, reason) => {
    const result = await verifier.judge(await token());
    expect(verdict(result)).toBe(reason);
    expect(result).toMatchObject({ kind: 'refused', error: 'invalid_token' });
  });

  it('[I1] that brings the key it is signed with, or says where to find it', async () => {
    const asked: string[] = [];
    const jwk = await exportJWK(stranger.publicKey);
    const trap = await openIdentityProvider();
    trap.publish([{ ...jwk, kid: 'own' }]);
    for (const header of [{ jwk }, { jku: trap.jwksUrl }, { x5u: trap.jwksUrl }, { x5c: ['AAAA'] }]) {
      const token = await sign({}, { kid: 'own', key: stranger.privateKey, header });
      asked.push(verdict(await verifier.judge(token)));
      const disguised = await sign({}, { key: stranger.privateKey, header });
      asked.push(verdict(await verifier.judge(disguised)));
    }
    expect(new Set(asked)).toEqual(new Set([noKey, badSignature]));
    expect(trap.requests).toEqual([]);
    await trap.close();
  });

  it('[I1] while the same claims, properly signed, are accepted', async () => {
    expect(verdict(await verifier.judge(await sign()))).toBe('accepted');
    expect(verdict(await verifier.judge(signText('{"alg":"RS256"}', `${openClaims()}}`)))).toBe('accepted');
  });

  it('[I1] whatever was wrong, the client hears printable text without quotes, and the log neither token nor values', async () => {
    for (const [, token] of cases) {
      const text = await token();
      const result = await verifier.judge(text);
      if (result.kind !== 'refused') throw new Error(verdict(result));
      expect(result.description).toMatch(/^[\u0020\u0021\u0023-\u005b\u005d-\u007e]+$/);
      for (const secret of [text, 'jane', 'acme', 'root', provider.issuer, 'elsewhere']) {
        expect(`${result.description} ${result.reason}`).not.toContain(secret);
      }
    }
    expect(verifier.lines).toEqual([]);
  });
});

describe('times are judged with the leeway', () => {
  it('[I1] a token ends once, and clocks may differ by the leeway and no more', async () => {
    const own = openVerifier(provider, { leewaySeconds: 30 });
    const end = nowSeconds() + 100;
    const token = await sign({ exp: end });
    expect(await own.judge(token)).toMatchObject({ kind: 'accepted', principal: { expiresAt: end } });
    own.pass(125);
    expect(verdict(await own.judge(token))).toBe('accepted');
    own.pass(10);
    expect(verdict(await own.judge(token))).toBe('expired');
    const strict = openVerifier(provider, { leewaySeconds: 0 });
    expect(verdict(await strict.judge(await sign({ nbf: nowSeconds() + 20 })))).toBe(
      '"nbf" claim timestamp check failed',
    );
    expect(
      verdict(await openVerifier(provider, { leewaySeconds: 30 }).judge(await sign({ nbf: nowSeconds() + 20 }))),
    ).toBe('accepted');
  });
});

describe('settings that could not be safe stop the start', () => {
  it.each([
    ['algorithms', { algorithms: [] }],
    ['algorithms', { algorithms: ['RS256', 'HS256'] }],
    ['algorithms', { algorithms: ['none'] }],
    ['issuer', { issuer: '' }],
    ['issuer', { issuer: 'http://login.example.com', keys: { kind: 'discovery' } }],
    ['issuer', { issuer: 'https://login.example.com?x=1', keys: { kind: 'discovery' } }],
    ['audience', { audience: '' }],
    ['keys', { keys: { kind: 'url', url: 'http://login.example.com/keys' } }],
    ['keys', { keys: { kind: 'url', url: 'https://jane:secret@login.example.com/keys' } }],
    ['keys', { keys: { kind: 'file', path: '' } }],
    ['claims', { claims: { tenant: '', user: 'sub', agent: 'agent_id', roles: 'roles' } }],
    ['leewaySeconds', { leewaySeconds: 301 }],
    ['leewaySeconds', { leewaySeconds: Number.NaN }],
  ] as const)('[I1] %s: %o', (option, options) => {
    expect(() => openVerifier(provider, options)).toThrow(
      expect.objectContaining({ code: 'invalid_configuration', data: { option } }),
    );
  });
});
