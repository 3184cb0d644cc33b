// Who is refused, by the whole server: status, challenge and body for each wrong token, and keys that change or are away.
import { createHmac } from 'node:crypto';
import { exportSPKI, generateKeyPair } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Verifier } from '../../src/auth/sign_in.ts';
import type { MemoryManager } from '../../src/manager/manager.ts';
import {
  openIdentityProvider,
  type Failure,
  type IdentityProvider,
  type SignOptions,
} from '../auth/identity_provider.ts';
import { janesClaims, openVerifier } from '../auth/verifier.ts';
import { openFixture, type Fixture } from '../fixture.ts';
import { newerEnvelope } from '../protocol/harness.ts';
import { messagesOf, openHttp, type HttpFixture } from './harness.ts';

let provider: IdentityProvider;
let fixture: Fixture;
let served: HttpFixture;
/** How many requests for the tools reached memory. */
let reached = 0;

beforeAll(async () => {
  provider = await openIdentityProvider();
  fixture = await openFixture({ seeds: ['acme_policy.json', 'globex.json'] });
  served = await serve(openVerifier(provider, { clock: Date.now }));
});
afterAll(async () => {
  await served.close();
  await fixture.close();
  await provider.close();
});

function serve(judge: Verifier): Promise<HttpFixture> {
  const manager: MemoryManager = {
    ...fixture.manager,
    async listTools(call) {
      reached += 1;
      return fixture.manager.listTools(call);
    },
  };
  return openHttp({ ...fixture, manager }, { judge });
}

const others: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const other of others.splice(0).toReversed()) await other.close();
});

const sign = (claims: Readonly<Record<string, unknown>> = {}, options: SignOptions = {}) =>
  provider.sign({ ...janesClaims, ...claims }, options);
const nowSeconds = () => Math.floor(Date.now() / 1000);
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const newerList = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: newerEnvelope } };
const olderList = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const metadata = 'https://memory.example.com/.well-known/oauth-protected-resource/mcp';

/** Everything of an answer that its sender chose. */
async function answerTo(to: HttpFixture, body: object, headers: Readonly<Record<string, string>>) {
  const response = await to.post(body, { identity: null, headers });
  const [status, challenge, retry] = [
    response.status,
    response.headers.get('www-authenticate'),
    response.headers.get('retry-after'),
  ];
  return { status, challenge, retry, body: await response.text() };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function beginSession(token: string): Promise<string> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'hand', version: '1' } };
  const greeting = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
  const response = await served.post(greeting, { identity: null, headers: bearer(token) });
  await response.text();
  return response.headers.get('mcp-session-id') ?? '';
}

const refusedBody = (message: string) =>
  JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null });

/** Signed with a text for a key, as if the public key were a shared secret. */
function hmacToken(secret: string): string {
  const claims = { iss: provider.issuer, exp: nowSeconds() + 60, ...janesClaims };
  const input = `${encode({ alg: 'HS256', kid: provider.keys().rsa.kid })}.${encode(claims)}`;
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
}

const unsigned = () =>
  `${encode({ alg: 'none' })}.${encode({ iss: provider.issuer, exp: nowSeconds() + 60, ...janesClaims })}`;

describe('a token', () => {
  const notOurs = 'The token is not a signed JSON Web Token.';
  const otherWay = 'The token is signed in a way that is not accepted.';
  const wrong: readonly (readonly [what: string, token: () => Promise<string> | string, told: string])[] = [
    ['that is garbage', () => 'garbage', notOurs],
    ['of three parts of garbage', () => 'a.b.c', notOurs],
    ['of alg none without a signature', () => `${unsigned()}.`, notOurs],
    ['of alg none with one', () => `${unsigned()}.AAAA`, otherWay],
    ['of HS256 by the public key', async () => hmacToken(await exportSPKI(provider.keys().rsa.publicKey)), otherWay],
    ['of another issuer', () => sign({ iss: 'https://elsewhere.example.com' }), 'The token comes from another issuer.'],
    ['for another audience', () => sign({ aud: 'https://other.example.com' }), 'The token is for another audience.'],
    ['that has expired', () => sign({ exp: nowSeconds() - 60 }), 'The token has expired.'],
    ['that is not valid yet', () => sign({ nbf: nowSeconds() + 60 }), 'The token is not valid yet.'],
    ['without a subject', () => sign({ sub: undefined }), 'The token names no subject.'],
    ['without a tenant', () => sign({ tenant_id: undefined }), 'The token names no tenant.'],
    ['with a tenant of another kind', () => sign({ tenant_id: 7 }), "The token's tenant claim is not usable."],
    ['of an unknown key', () => sign({}, { kid: 'unknown' }), 'The token is signed with a key that is not known.'],
    [
      'of one key by the name of another',
      () => sign({}, { kid: provider.keys().ec.kid }),
      'The token is signed with a key that is not known.',
    ],
    [
      'of a stranger by the name of a key',
      async () => sign({}, { key: (await generateKeyPair('RS256')).privateKey }),
      'The signature of the token is wrong.',
    ],
    [
      'whose claims were swapped',
      async () => (await sign()).replace(/\.[^.]+\./, `.${encode({ ...janesClaims, tenant_id: 'globex' })}.`),
      'The signature of the token is wrong.',
    ],
  ];

  it('[I1] that is right is served, in both eras, also where it is of a key of another type', async () => {
    const session = { 'mcp-session-id': await beginSession(await sign()) };
    const before = reached;
    for (const token of [await sign(), await sign({}, { algorithm: 'ES256' })]) {
      expect(await answerTo(served, newerList, bearer(token))).toMatchObject({ status: 200, challenge: null });
      expect(await answerTo(served, olderList, { ...session, ...bearer(token) })).toMatchObject({ status: 200 });
    }
    expect(reached - before).toBe(4);
  });

  it.each(wrong)('[I1] %s is refused before anything is looked at, in both eras', async (_, token, told) => {
    const session = { 'mcp-session-id': await beginSession(await sign()) };
    const [text, before] = [await token(), reached];
    for (const [body, headers] of [
      [newerList, {}],
      [olderList, session],
      [olderList, { 'mcp-session-id': 'none' }],
    ] as const) {
      expect(await answerTo(served, body, { ...headers, ...bearer(text) })).toEqual({
        status: 401,
        challenge: `Bearer error="invalid_token", error_description="${told}", resource_metadata="${metadata}"`,
        retry: null,
        body: refusedBody(told),
      });
    }
    expect(reached).toBe(before);
    expect(JSON.stringify(served.log.lines)).not.toContain(text);
  });

  it('[I1] that is missing, or stands where none belongs, is asked for', async () => {
    const token = await sign();
    for (const headers of [{}, { authorization: token }, { authorization: `Basic ${token}` }, { 'x-token': token }]) {
      expect(await answerTo(served, newerList, headers)).toEqual({
        status: 401,
        challenge: `Bearer resource_metadata="${metadata}"`,
        retry: null,
        body: refusedBody('A bearer token is needed.'),
      });
    }
    const asked = await fetch(`${served.url}?access_token=${token}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(newerList),
    });
    expect(asked.status).toBe(401);
  });

  it('[I1,I2] of another tenant on a session, or with the sealed state of one, hears what a stranger hears', async () => {
    const [janes, theirs] = [await sign(), await sign({ tenant_id: 'globex' })];
    const session = await beginSession(janes);
    const none = { status: 404, challenge: null, retry: null };
    const body = JSON.stringify({
      jsonrpc: '2.0',
      error: { code: -32_001, message: 'There is no such session.' },
      id: null,
    });
    const headers = { 'mcp-session-id': session, ...bearer(theirs) };
    expect(await answerTo(served, olderList, headers)).toEqual({ ...none, body });
    for (const method of ['DELETE', 'GET']) {
      const response = await fetch(served.url, { method, headers: { ...headers, accept: 'text/event-stream' } });
      expect([response.status, await response.text()]).toEqual([404, body]);
    }
    expect(await answerTo(served, olderList, { ...headers, ...bearer(janes) })).toMatchObject({ status: 200 });

    const args = { question: 'Which one?', options: ['this', 'that'] };
    const clarify = async (token: string, more: object) => {
      const params = { name: 'clarify', arguments: args, ...more, _meta: newerEnvelope };
      const asked = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
      const [message] = await messagesOf(await served.post(asked, { identity: null, headers: bearer(token) }));
      return (message as { readonly result: Readonly<Record<string, unknown>> }).result;
    };
    const { requestState } = await clarify(janes, {});
    const inputResponses = { answer: { action: 'accept', content: { answer: 'that' } } };
    const replayed = await clarify(theirs, { requestState, inputResponses });
    expect(replayed).toMatchObject({ isError: true });
    expect(JSON.stringify(replayed)).toContain('The requestState was not given for this call.');
    const own = await clarify(janes, { requestState, inputResponses });
    expect(own).toMatchObject({ structuredContent: { status: 'answered', answer: 'that' } });
  });
});

describe('keys', () => {
  /** A server of its own whose clock can be put on; tokens last three hours. */
  async function withClock() {
    const own = await openIdentityProvider();
    let aheadMs = 0;
    const judge = openVerifier(own, { clock: () => Date.now() + aheadMs, limits: { deadlineMs: 300 } });
    const server = await serve(judge);
    others.push(own, server);
    const token = () => own.sign({ ...janesClaims, exp: nowSeconds() + 10_800 });
    return {
      own,
      token,
      pass: (seconds: number) => void (aheadMs += seconds * 1000),
      ask: (text: string) => answerTo(server, newerList, bearer(text)),
      readiness: async () => (await fetch(server.url.replace('/mcp', '/readyz'))).status,
    };
  }

  const unavailable = {
    status: 503,
    challenge: null,
    retry: expect.stringMatching(/^[1-5]$/),
    body: refusedBody('Nobody can be signed in at the moment.'),
  };

  it('[I1] that rotate count at once, and those that were withdrawn end, without a restart', async () => {
    const { own, token, pass, ask } = await withClock();
    const older = await token();
    expect(await ask(older)).toMatchObject({ status: 200 });
    await own.rotate({ keepOlder: true });
    const newer = await token();
    for (const text of [newer, older]) expect(await ask(text)).toMatchObject({ status: 200 });
    pass(60);
    await own.rotate();
    expect(await ask(await token())).toMatchObject({ status: 200 });
    for (const text of [newer, older]) {
      expect(await ask(text)).toMatchObject({ status: 401, challenge: expect.stringContaining('invalid_token') });
    }
  });

  it('[I1] that cannot be read again serve for an hour, then nobody is let in until they can', async () => {
    const { own, token, pass, ask, readiness } = await withClock();
    const [known, forged] = [await token(), (await token()).slice(0, -4).concat('AAAA')];
    expect(await ask(known)).toMatchObject({ status: 200 });
    own.fail('down');
    pass(3_000);
    expect(await ask(known)).toMatchObject({ status: 200 });
    expect(await ask(forged)).toMatchObject({ status: 401 });
    pass(660);
    for (const text of [known, forged]) expect(await ask(text)).toEqual(unavailable);
    await expect.poll(readiness, { timeout: 3_000 }).toBe(503);
    own.fail(null);
    expect(await ask(known)).toEqual(unavailable);
    pass(5);
    expect(await ask(known)).toMatchObject({ status: 200 });
    await expect.poll(readiness, { timeout: 3_000 }).toBe(200);
  });

  it('[I1] a new key whose provider is away makes nobody a liar, and opens no door', async () => {
    const { own, token, ask } = await withClock();
    const known = await token();
    expect(await ask(known)).toMatchObject({ status: 200 });
    await own.rotate();
    own.fail('error');
    expect(await ask(await token())).toEqual(unavailable);
    expect(await ask(known)).toMatchObject({ status: 200 });
  });

  it.each<Failure>(['down', 'error', 'slow', 'oversized', 'redirect', 'garbage'])(
    '[I1] that were never had (%s) let nobody in',
    async (mode) => {
      const { own, token, pass, ask } = await withClock();
      own.fail(mode);
      const text = await token();
      expect(await ask(text)).toEqual(unavailable);
      own.fail(null);
      pass(5);
      expect(await ask(text)).toMatchObject({ status: 200 });
    },
  );
});
