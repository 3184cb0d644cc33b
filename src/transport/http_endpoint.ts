// The way of a request on /mcp: sender, sign-in, form, body, a place to run in, then the era that its message speaks.

import { toWebRequest, type NodeIncomingMessageLike } from '@modelcontextprotocol/node';
import { isLegacyRequest } from '@modelcontextprotocol/server';
import type { Principal, SignIn, Verifier } from '../auth/sign_in.ts';
import type { ManagerLog } from '../manager/parts.ts';
import { discardBody, type BodyReader, type WrongBody } from './http_body.ts';
import { challenge, type Resource } from './http_challenge.ts';
import type { Exchange, Manner } from './http_exchange.ts';
import type { Gate, Refused } from './http_gate.ts';
import { objectionToForm, type Objection } from './http_guard.ts';
import type { HttpLimits } from './http_limits.ts';
import { outlineOf, type MessageOutline } from './http_message.ts';
import { refusal } from './http_refusal.ts';
import type { Sessions } from './http_sessions.ts';
import type { Tenants } from './http_tenants.ts';

/** What the endpoint leads to. */
export interface Endpoint {
  readonly resource: Resource | null;
  readonly verifier: Verifier;
  readonly log: ManagerLog;
  readonly limits: HttpLimits;
  readonly readBody: BodyReader;
  /** Resolves when it is one's turn to begin. */
  readonly nextTurn: () => Promise<void>;
  readonly gate: Gate;
  readonly sessions: Sessions;
  readonly tenants: Tenants;
}

/** An answer and how it is sent. */
export type Answer = Manner & { readonly response: Response };

const parseError = -32_700;

/** The answer to a request; refusals are answers too. Never rejects. */
export async function answer(
  endpoint: Endpoint,
  exchange: Exchange,
  known: { readonly objection: Objection | null; readonly isDraining: boolean },
): Promise<Answer> {
  try {
    const { request } = exchange;
    const { objection, isDraining } = known;
    if (objection !== null) return objected(objection);
    if (isDraining) return { response: refusal(503, 'The server is stopping.', { retryAfterSeconds: 1 }) };
    const wrongForm = objectionToForm(request);
    if (wrongForm?.status === 405) return objected(wrongForm);
    const signIn = await endpoint.verifier.verify(request.headers.authorization);
    if (signIn.kind !== 'accepted') return notSignedIn(endpoint, signIn);
    const { principal } = signIn;
    exchange.identify(principal);
    const lacking = scopesLacking(endpoint.resource, principal);
    if (lacking.length > 0) return { response: insufficientScope(endpoint.resource, lacking) };
    if (wrongForm !== null) return objected(wrongForm);
    return await answerSignedIn(endpoint, exchange, principal);
  } catch (error) {
    endpoint.log.error({ requestId: exchange.requestId, error }, 'a request could not be answered');
    return { response: refusal(500, 'Something unexpected went wrong in the memory server.', { code: -32_603 }) };
  }
}

function objected({ status, message, headers }: Objection): Answer {
  return { response: refusal(status, message, headers === undefined ? {} : { headers }) };
}

function notSignedIn({ resource }: Endpoint, signIn: Exclude<SignIn, { kind: 'accepted' }>): Answer {
  if (signIn.kind === 'unavailable') {
    const { retryAfterSeconds } = signIn;
    return { response: refusal(503, 'Nobody can be signed in at the moment.', { retryAfterSeconds }) };
  }
  const { error, description, reason } = signIn;
  // Whoever brings no token is told that one is needed, and of no error.
  const isMissing = error === 'invalid_request';
  const scopes = resource?.scopes ?? [];
  const told = isMissing ? { scopes } : { error, description, scopes };
  return { response: refusal(401, description, { headers: challengeHeader(resource, told) }), reason };
}

function challengeHeader(
  resource: Resource | null,
  told: Parameters<typeof challenge>[1],
): Readonly<Record<string, string>> {
  return resource === null ? {} : { 'www-authenticate': challenge(resource, told) };
}

/** All scopes that every token needs, where one of them is not there. */
function scopesLacking(resource: Resource | null, { scope }: Principal): readonly string[] {
  const needed = resource?.scopes ?? [];
  return needed.every((name) => scope.oauthScopes?.includes(name) === true) ? [] : needed;
}

/** The answer to a token that may not do this: which scopes would. */
export function insufficientScope(resource: Resource | null, scopes: readonly string[]): Response {
  const description = 'The token lacks a scope that this needs.';
  const told = { error: 'insufficient_scope', description, scopes } as const;
  return refusal(403, description, { headers: challengeHeader(resource, told) });
}

async function answerSignedIn(endpoint: Endpoint, exchange: Exchange, principal: Principal): Promise<Answer> {
  const { request } = exchange;
  const { limits, gate, nextTurn, readBody } = endpoint;
  let body: unknown;
  if (request.method === 'POST') {
    const read = await readBody(request, principal.scope.tenantId);
    if (read.kind !== 'json') return wrongBody(exchange, read.kind, limits.bodyBytes);
    body = read.value;
  }
  const outline = outlineOf(request, body);
  exchange.ask(outline);
  const isStream = outline.isSubscription || request.method === 'GET';
  if (isStream) exchange.streamUntil(principal.expiresAt * 1000);
  else exchange.endAfter(limits.answerMs);
  if (outline.requests > 0 && !isStream) {
    await nextTurn();
    const place = await gate.enter(principal.scope.tenantId, outline.requests, exchange.signal);
    if (typeof place === 'string') return { response: busy(place) };
    exchange.runIn(place);
  }
  const response = await exchange.within(() => dispatch(endpoint, exchange, { principal, body, outline }));
  return { response, isHeld: outline.isSingleCall };
}

async function wrongBody(exchange: Exchange, kind: WrongBody, mostBytes: number): Promise<Answer> {
  if (kind === 'too_many') return { response: busy('tenant_busy') };
  if (kind === 'too_deep') return { response: refusal(400, 'The body is nested too deep.', { code: parseError }) };
  if (kind !== 'too_large') return { response: refusal(400, 'The body is no JSON.', { code: parseError }) };
  await discardBody(exchange.request, mostBytes);
  exchange.response.shouldKeepAlive = false;
  return { response: refusal(413, `The body is larger than ${mostBytes} bytes.`) };
}

function busy(refused: Refused): Response {
  return refused === 'tenant_busy'
    ? refusal(429, 'Too many requests at once; try again in a moment.', { retryAfterSeconds: 1 })
    : refusal(503, 'The server has too much to do; try again in a moment.', { retryAfterSeconds: 2 });
}

async function dispatch(
  { sessions, tenants }: Endpoint,
  exchange: Exchange,
  asked: { readonly principal: Principal; readonly body: unknown; readonly outline: MessageOutline },
): Promise<Response> {
  const { principal, body, outline } = asked;
  const { signal } = exchange;
  const request = await toWebRequest(exchange.request as NodeIncomingMessageLike, body, { signal });
  const { isSubscription } = outline;
  return (await isLegacyRequest(request, body))
    ? sessions.serve({ exchange, principal, request, body })
    : tenants.serve({ exchange, principal, request, body, isSubscription });
}
