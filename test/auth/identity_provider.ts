// An identity provider for tests: signs tokens, publishes its keys and metadata over HTTP on loopback, rotates and fails.
import { KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { CryptoKey, JWK, JWTHeaderParameters, JWTPayload } from 'jose';

/** How the provider fails: connection cut, status 500, no answer, a huge document, a redirect, no JSON. */
export type Failure = 'down' | 'error' | 'slow' | 'oversized' | 'redirect' | 'garbage';

/** How a token is signed where that differs from the newest RSA key with RS256. `kid` null: the header names none. */
export interface SignOptions {
  readonly kid?: string | null;
  readonly algorithm?: string;
  readonly typ?: string;
  readonly key?: CryptoKey | KeyObject | Uint8Array;
  /** Further members of the header. */
  readonly header?: Readonly<Record<string, unknown>>;
}

/** A key pair of the provider, published as `jwk`. */
export interface ProviderKey {
  readonly kid: string;
  /** Signs with any algorithm of its type. */
  readonly privateKey: KeyObject;
  readonly publicKey: CryptoKey;
  readonly jwk: JWK;
}

/** A provider that listens until it is closed. */
export interface IdentityProvider {
  readonly issuer: string;
  readonly jwksUrl: string;
  /** Paths that were asked for, in order. */
  readonly requests: readonly string[];
  /** A signed token: iss, iat and an exp in ten minutes unless the claims say otherwise; an undefined claim is left out. */
  sign(claims: Readonly<Record<string, unknown>>, options?: SignOptions): Promise<string>;
  /** The newest keys: `rsa-1` and `ec-1`, after a rotation `rsa-2` and `ec-2`. Only EC keys differ between providers. */
  keys(): { readonly rsa: ProviderKey; readonly ec: ProviderKey };
  /** New keys; the older ones are published no more, unless they are kept. */
  rotate(options?: { readonly keepOlder?: boolean }): Promise<void>;
  /** Publishes exactly these keys until the next rotation. */
  publish(keys: readonly unknown[]): void;
  /** Replaces members of the metadata; an undefined one is left out. */
  describe(members: Readonly<Record<string, unknown>>): void;
  /** Every answer fails so from now on; null: none does. */
  fail(mode: Failure | null): void;
  close(): Promise<void>;
}

/** Where metadata stands: RFC 8414, OpenID with the issuer's path after the well-known part, or before it. */
export type MetadataPlace = 'oauth' | 'openid' | 'openid_appended';

async function makeKey(kid: string, algorithm: 'RS256' | 'ES256'): Promise<ProviderKey> {
  const pair = await generateKeyPair(algorithm, { extractable: true });
  const privateKey = KeyObject.from(pair.privateKey);
  return { kid, privateKey, publicKey: pair.publicKey, jwk: { ...(await exportJWK(pair.publicKey)), kid, use: 'sig' } };
}

// An RSA key takes long to make, so the providers of a process share theirs, round by round; EC keys are their own.
const rsaKeys: Promise<ProviderKey>[] = [];

const makeKeys = async (round: number) => ({
  rsa: await (rsaKeys[round] ??= makeKey(`rsa-${round}`, 'RS256')),
  ec: await makeKey(`ec-${round}`, 'ES256'),
});

function metadataPath(place: MetadataPlace, issuerPath: string): string {
  const path = issuerPath.replace(/\/$/, '');
  switch (place) {
    case 'oauth':
      return `/.well-known/oauth-authorization-server${path}`;
    case 'openid':
      return `/.well-known/openid-configuration${path}`;
    case 'openid_appended':
      return `${path}/.well-known/openid-configuration`;
    default:
      throw place satisfies never;
  }
}

function failWith(mode: Failure, path: string, response: ServerResponse): void {
  switch (mode) {
    case 'down':
      response.destroy();
      return;
    case 'error':
      response.writeHead(500).end('out of order');
      return;
    case 'slow':
      // Left open: whoever asked must give up by itself, or wait until the provider closes.
      return;
    case 'oversized':
      response.writeHead(200).end(JSON.stringify({ keys: [], padding: 'x'.repeat(2_000_000) }));
      return;
    case 'redirect':
      response.writeHead(302, { location: `${path}?again` }).end();
      return;
    case 'garbage':
      response.writeHead(200).end('<html>');
      return;
    default:
      throw mode satisfies never;
  }
}

/** Opens a provider on a free port of loopback. `issuerPath` is part of the issuer, such as `/realms/one`. */
export async function openIdentityProvider(
  options: { readonly issuerPath?: string; readonly metadata?: MetadataPlace } = {},
): Promise<IdentityProvider> {
  const issuerPath = options.issuerPath ?? '';
  const requests: string[] = [];
  let round = 1;
  let keys = await makeKeys(round);
  let published: readonly unknown[] = [keys.rsa.jwk, keys.ec.jwk];
  let failure: Failure | null = null;

  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    requests.push(path);
    const bodies = new Map<string, unknown>([
      [metadataPath(options.metadata ?? 'oauth', issuerPath), metadata],
      ['/keys', { keys: published }],
    ]);
    // A redirect leads to an address that answers, so that following it would succeed.
    const body = bodies.get(path.replace('?again', ''));
    if (failure !== null && !path.endsWith('?again')) return failWith(failure, path, response);
    if (body === undefined) return response.writeHead(404).end();
    return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer = `${origin}${issuerPath}`;
  const jwksUrl = `${origin}/keys`;
  let metadata: Readonly<Record<string, unknown>> = { issuer, jwks_uri: jwksUrl };

  return {
    issuer,
    jwksUrl,
    requests,
    keys: () => keys,
    async sign(claims, { kid, algorithm = 'RS256', typ, key, header } = {}) {
      const own = algorithm.startsWith('ES') ? keys.ec : keys.rsa;
      const nowSeconds = Math.floor(Date.now() / 1000);
      const all: JWTPayload = { iss: issuer, iat: nowSeconds, exp: nowSeconds + 600, ...claims };
      const protectedHeader = {
        alg: algorithm,
        ...(kid === null ? {} : { kid: kid ?? own.kid }),
        ...(typ === undefined ? {} : { typ }),
        ...header,
      } as JWTHeaderParameters;
      return new SignJWT(all).setProtectedHeader(protectedHeader).sign(key ?? own.privateKey);
    },
    async rotate({ keepOlder = false } = {}) {
      round += 1;
      keys = await makeKeys(round);
      published = [...(keepOlder ? published : []), keys.rsa.jwk, keys.ec.jwk];
    },
    publish: (those) => {
      published = those;
    },
    describe: (members) => {
      metadata = { ...metadata, ...members };
    },
    fail: (mode) => {
      failure = mode;
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
