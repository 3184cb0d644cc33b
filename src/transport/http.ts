// Streamable HTTP (design T1, I1): one endpoint for both eras, each request signed in by itself, then led to its own tenant.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Principal, Verifier } from '../auth/sign_in.ts';
import type { McpDependencies } from './call_context.ts';
import { createBodyReader } from './http_body.ts';
import { isMetadataPath, metadataDocument, type Resource } from './http_challenge.ts';
import { openExchange, tiesOfRequest, type Exchange } from './http_exchange.ts';
import { createGate, createTurns, type Gate } from './http_gate.ts';
import { allowPage, objectionToSender, preflightHeaders, type Doors } from './http_guard.ts';
import { createHealth, type Health } from './http_health.ts';
import { usualLimits, type HttpLimits } from './http_limits.ts';
import { answer, insufficientScope, type Endpoint } from './http_endpoint.ts';
import { createSessions, type Sessions } from './http_sessions.ts';
import { createTenants, type Tenants } from './http_tenants.ts';
import { createMcpServer, type MakeServer } from './mcp.ts';

/** What serving over HTTP needs beside the MCP side itself. */
export interface HttpOptions {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  readonly doors: Doors;
  /** Whose tokens are taken; null where there is no sign-in. */
  readonly resource: Resource | null;
  readonly verifier: Verifier;
  /** What all requests have in common; the scope is each request's own. */
  readonly common: Omit<McpDependencies, 'scope' | 'tiesOf' | 'isPerRequest'>;
  /** Whether the store answers. */
  readonly storeIsReady: () => Promise<boolean>;
  readonly limits?: HttpLimits;
  /** Makes the server of a session or of a request, where more than the product is served. */
  readonly makeServer?: MakeServer;
}

/** A server that listens. */
export interface HttpServer {
  readonly host: string;
  readonly port: number;
  /** What is open now, for tests and benches. */
  counts(): {
    readonly exchanges: number;
    readonly sessions: number;
    readonly tenants: number;
    readonly running: number;
    readonly waiting: number;
  };
  /** Takes nothing more, lets what runs come to its end, then ends streams, sessions and connections. */
  close(): Promise<void>;
}

/** How often connections that send too slowly are looked for. */
const checkEveryMs = 2_000;
/** How long the last words on a stream may take to leave. */
const partingMs = 500;
const metadataHeaders = { 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=300' } as const;

interface State extends Endpoint {
  readonly options: HttpOptions;
  readonly health: Health;
  readonly sessions: Sessions;
  readonly tenants: Tenants;
  readonly gate: Gate;
  /** Requests that are not yet answered, streams among them. */
  readonly exchanges: Set<Exchange>;
  isDraining: boolean;
}

/** Listens. Rejects with the system's error where the address cannot be had. */
export async function serveHttp(options: HttpOptions): Promise<HttpServer> {
  const limits = options.limits ?? usualLimits;
  const state = createState(options, limits);
  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.keepAliveMs,
      connectionsCheckingInterval: Math.min(checkEveryMs, limits.headersMs / 2),
    },
    (request, response) => void serve(state, request, response),
  );
  server.maxConnections = limits.connections;
  await listen(server, options);
  const { address: host, port } = server.address() as AddressInfo;
  let closing: Promise<void> | null = null;
  return {
    host,
    port,
    counts: () => ({
      exchanges: state.exchanges.size,
      sessions: state.sessions.count(),
      tenants: state.tenants.count(),
      ...state.gate.counts(),
    }),
    close: () => (closing ??= stop(state, server)),
  };
}

function createState(options: HttpOptions, limits: HttpLimits): State {
  const { resource, verifier, common, storeIsReady, makeServer = createMcpServer } = options;
  const tiesOf: McpDependencies['tiesOf'] = (context) => tiesOfRequest(context.http?.authInfo);
  const ofSession = ({ scope }: Principal) => makeServer({ ...common, scope, tiesOf });
  const state: State = {
    options,
    limits,
    resource,
    verifier,
    log: common.log,
    readBody: createBodyReader(limits),
    nextTurn: createTurns(),
    gate: createGate(limits.gate),
    sessions: createSessions(limits.sessions, ofSession),
    tenants: createTenants(limits.streams, { ...common, makeServer }),
    health: createHealth(async () => !state.isDraining && (await verifier.ready()) && (await storeIsReady())),
    exchanges: new Set(),
    isDraining: false,
  };
  return state;
}

function listen(server: Server, { host, port }: HttpOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Never rejects: whatever goes wrong ends in an answer, or with the connection. */
async function serve(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  // A socket that breaks is no affair of anybody else's.
  request.on('error', () => {});
  response.on('error', () => {});
  const path = (request.url ?? '').split('?', 1)[0] ?? '';
  try {
    if (await state.health(path, request, response)) return;
    if (state.resource !== null && isMetadataPath(path, state.resource))
      tellMetadata(state.resource, request, response);
    else if (path === '/mcp') await serveMcp(state, request, response);
    else sendHead(response, 404);
  } catch (error) {
    state.log.error({ error }, 'a request broke off');
    response.destroy();
  }
}

function tellMetadata(resource: Resource, { method }: IncomingMessage, response: ServerResponse): void {
  if (method === 'OPTIONS') return sendHead(response, 204, { ...metadataHeaders, ...preflightHeaders() });
  if (method !== 'GET' && method !== 'HEAD') return sendHead(response, 405, { allow: 'GET, HEAD, OPTIONS' });
  response.writeHead(200, { ...metadataHeaders, 'content-type': 'application/json' });
  response.end(JSON.stringify(metadataDocument(resource)));
}

function sendHead(response: ServerResponse, status: number, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, headers);
  response.end();
}

async function serveMcp(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { options, limits, log, exchanges } = state;
  const objection = objectionToSender(request, options.doors);
  if (objection === null) allowPage(request, response);
  if (objection === null && request.method === 'OPTIONS') return sendHead(response, 204, preflightHeaders());
  const exchange = openExchange(request, response, {
    log,
    stallMs: limits.stallMs,
    newRequestId: options.common.newRequestId,
    stepUp: (scopes) => insufficientScope(state.resource, scopes),
  });
  exchanges.add(exchange);
  response.once('close', () => exchanges.delete(exchange));
  const { isDraining } = state;
  if (isDraining) response.shouldKeepAlive = false;
  const { response: answered, ...manner } = await answer(state, exchange, { objection, isDraining });
  await exchange.send(answered, manner);
}

/** First what was asked, then who listens, then the sessions, then the connections. */
async function stop(state: State, server: Server): Promise<void> {
  state.isDraining = true;
  const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
  server.closeIdleConnections();
  const { drainMs } = state.limits;
  await until(() => [...state.exchanges].every((exchange) => exchange.isStream()), drainMs);
  await state.tenants.close();
  await state.sessions.close();
  await until(() => state.exchanges.size === 0, partingMs);
  server.closeAllConnections();
  await closed;
}

async function until(isSo: () => boolean, withinMs: number): Promise<void> {
  const endMs = performance.now() + withinMs;
  while (!isSo() && performance.now() < endMs) await pause(10);
}
