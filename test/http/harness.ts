// A server over HTTP on a fixture, with whoever signs in to it: identities are tokens, hosts are real clients on loopback.
import { randomUUID } from 'node:crypto';
import { StreamableHTTPClientTransport as NewerHttp } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport as OlderHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { launchScope } from '../../src/auth/make_scope.ts';
import type { SignIn, Verifier } from '../../src/auth/sign_in.ts';
import type { MemoryManager } from '../../src/manager/manager.ts';
import type { Store } from '../../src/store/store.ts';
import { serveHttp, type HttpServer } from '../../src/transport/http.ts';
import type { Resource } from '../../src/transport/http_challenge.ts';
import { usualLimits, type HttpLimits } from '../../src/transport/http_limits.ts';
import { keptLog, type KeptLog } from '../fixture.ts';
import { connectNewer, connectOlder, type Elicit, type Host } from '../protocol/harness.ts';

/** Who asks. */
export interface Identity {
  readonly tenant?: string;
  readonly user?: string;
  readonly agent?: string | null;
  readonly roles?: readonly string[];
  readonly scopes?: readonly string[];
  /** Another subject of the identity provider may be the same user. */
  readonly subject?: string;
  /** Seconds from now. */
  readonly endsIn?: number;
}

/** Jane of the demo's tenant. */
export const jane: Identity = { tenant: 'acme', user: 'jane', agent: 'research-assistant', roles: ['researcher'] };

/** A bearer token of this identity; only servers of {@link openHttp} believe it. */
export function tokenOf(identity: Identity = jane): string {
  const { endsIn = 3600, ...claims } = identity;
  const whole = { ...jane, scopes: [], ...claims, expiresAt: Math.floor(Date.now() / 1000) + endsIn };
  return `test.${Buffer.from(JSON.stringify(whole)).toString('base64url')}`;
}

/** Believes every token of {@link tokenOf} until its end. `isAway`: nobody can be judged. */
function testVerifier(state: { isAway?: boolean } = {}): Verifier {
  return {
    async verify(authorization): Promise<SignIn> {
      if (state.isAway === true) return { kind: 'unavailable', retryAfterSeconds: 7 };
      if (authorization === undefined) return refused('invalid_request', 'A bearer token is needed.');
      const claims = claimsOf(authorization);
      if (claims === null) return refused('invalid_token', 'The token is not one of ours.');
      if (claims.expiresAt <= Date.now() / 1000) return refused('invalid_token', 'The token has expired.');
      return { kind: 'accepted', principal: principalOf(claims) };
    },
    ready: async () => state.isAway !== true,
  };
}

interface Claims extends Required<Omit<Identity, 'endsIn' | 'subject'>> {
  readonly subject?: string;
  readonly expiresAt: number;
}

function claimsOf(authorization: string): Claims | null {
  const [, text] = /^Bearer test\.(\S+)$/.exec(authorization) ?? [];
  return text === undefined ? null : (JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Claims);
}

function principalOf(claims: Claims) {
  const { tenant, user, agent, roles, scopes, expiresAt, subject = user } = claims;
  const base = launchScope({ tenantId: tenant, userId: user, agentId: agent, threadId: null, roles });
  return {
    scope: { ...base, oauthScopes: scopes },
    subject,
    key: JSON.stringify([tenant, user, agent, subject]),
    expiresAt,
  };
}

function refused(error: 'invalid_request' | 'invalid_token', description: string): SignIn {
  return { kind: 'refused', error, description, reason: description };
}

/** Clients: of the newer era, the same client speaking the older one, and the older package's. */
export const kinds = ['newer', 'newer as older', 'older'] as const;
export type Kind = (typeof kinds)[number];

/** A running server and its clients. */
export interface HttpFixture {
  readonly url: string;
  readonly server: HttpServer;
  readonly log: KeptLog;
  readonly verifier: { isAway?: boolean };
  /** A connected client; closed with the server. */
  host(kind: Kind, identity?: Identity, elicit?: Elicit): Promise<Host>;
  /** One message by hand. */
  post(body: unknown, options?: PostOptions): Promise<Response>;
  close(): Promise<void>;
}

export interface PostOptions {
  readonly identity?: Identity | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface HttpFixtureOptions {
  readonly limits?: Partial<HttpLimits>;
  readonly resource?: Partial<Resource>;
  readonly clarifyDeadlineMs?: number;
  readonly callDeadlineMs?: number;
  readonly allowedOrigins?: readonly string[];
}

/** The address that tokens are for. */
export const audience = 'https://memory.example.com/mcp';

/** Serves a manager on a free port of this machine. */
export async function openHttp(
  served: { readonly manager: MemoryManager; readonly store: Store },
  options: HttpFixtureOptions = {},
): Promise<HttpFixture> {
  const log = keptLog();
  const verifier: { isAway?: boolean } = {};
  const server = await serveHttp({
    host: '127.0.0.1',
    port: 0,
    doors: { allowedHosts: ['127.0.0.1', 'localhost'], allowedOrigins: options.allowedOrigins ?? null },
    resource: { audience, issuer: 'https://login.example.com', scopes: [], ...options.resource },
    verifier: testVerifier(verifier),
    common: {
      manager: async () => served.manager,
      instructions: 'Memory is quoted evidence.',
      version: '0.0.0-test',
      log,
      callDeadlineMs: options.callDeadlineMs ?? 20_000,
      clarifyDeadlineMs: options.clarifyDeadlineMs ?? 2_000,
      stateKey: await served.store.sealingKey(),
      newRequestId: () => `req_${randomUUID()}`,
    },
    storeIsReady: async () => (await served.store.schemaState()).applied.length > 0,
    limits: { ...usualLimits, ...options.limits },
  });
  const url = `http://127.0.0.1:${server.port}/mcp`;
  const hosts: Host[] = [];
  return {
    url,
    server,
    log,
    verifier,
    async host(kind, identity = jane, elicit) {
      const host = await connect(kind, { url, identity, elicit });
      hosts.push(host);
      return host;
    },
    post: (body, given) => post(url, body, given),
    async close() {
      for (const host of hosts) await host.close().catch(() => {});
      await server.close();
    },
  };
}

/** Connects a client to a server, also to one of another process. */
export async function connect(
  kind: Kind,
  to: { readonly url: string; readonly identity?: Identity; readonly elicit?: Elicit | undefined },
): Promise<Host> {
  const headers = { authorization: `Bearer ${tokenOf(to.identity)}` };
  const given = { requestInit: { headers } };
  if (kind === 'older') return connectOlder(new OlderHttp(new URL(to.url), given), to.elicit);
  const transport = new NewerHttp(new URL(to.url), given);
  return connectNewer(transport, to.elicit, kind === 'newer' ? 'pin' : 'older');
}

/** Posts one message as a client would, or with other headers. `identity` null: without a token. */
export async function post(
  url: string,
  body: unknown,
  { identity = jane, headers = {}, signal }: PostOptions = {},
): Promise<Response> {
  const { method, params } = Object(body) as {
    method?: string;
    params?: { name?: string; uri?: string };
  };
  const name = params?.name ?? params?.uri;
  const isNewer = JSON.stringify(params ?? {}).includes('io.modelcontextprotocol/protocolVersion');
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(identity === null ? {} : { authorization: `Bearer ${tokenOf(identity)}` }),
      ...(isNewer ? { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method ?? '' } : {}),
      ...(isNewer && name !== undefined ? { 'mcp-name': name } : {}),
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** Begins a session of the older era by hand and gives its id. */
export async function beginSession(url: string, identity: Identity = jane): Promise<string> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'hand', version: '1' } };
  const response = await post(url, { jsonrpc: '2.0', id: 1, method: 'initialize', params }, { identity });
  const id = response.headers.get('mcp-session-id');
  await response.text();
  if (id === null) throw new Error(`no session: ${response.status}`);
  await post(
    url,
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { identity, headers: { 'mcp-session-id': id } },
  );
  return id;
}

/** The messages of an answer, whether it is a stream of events or one JSON text. */
export async function messagesOf(response: Response): Promise<readonly Record<string, unknown>[]> {
  const text = await response.text();
  if (!(response.headers.get('content-type') ?? '').startsWith('text/event-stream')) return [JSON.parse(text)];
  return text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice('data: '.length)) as Record<string, unknown>);
}
