// One HTTP request from its arrival to its last byte: whose it is, what it asked for, what became of it, and one log line.

import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AuthInfo } from '@modelcontextprotocol/server';
import type { Principal } from '../auth/sign_in.ts';
import type { ManagerLog } from '../manager/parts.ts';
import { MemoryError } from '../model/errors.ts';
import { send } from './http_answer.ts';
import type { Ticket } from './http_gate.ts';
import type { RequestTies, Settled } from './request_ties.ts';
import { startTrace, type RequestTrace } from './trace.ts';

/** What a request asks for, as far as the log may know. */
export interface Asked {
  /** Method of the protocol, `batch` for several at once, or the HTTP method where there is no message. */
  readonly method: string;
  readonly tool: string | null;
  /** How many answers it wants. */
  readonly requests: number;
  readonly traceparent: unknown;
}

/** A request on its way. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** Aborted when the client has gone, or when its time is over. */
  readonly signal: AbortSignal;
  /** Says who asks. */
  identify(principal: Principal): void;
  /** Says what for, and begins the trace. */
  ask(asked: Asked): void;
  /** The place it runs in, given back as soon as everything asked for is answered. */
  runIn(ticket: Ticket): void;
  /** What the protocol's side of it is to know. */
  authInfo(): AuthInfo;
  /** Ends what is sent after so many milliseconds. */
  endAfter(milliseconds: number): void;
  /** It is a stream, which lasts as long as the client likes, but not beyond this time (milliseconds since 1970). */
  streamUntil(timeMs: number): void;
  isStream(): boolean;
  /** Called once, at its end. */
  onEnd(action: () => void): void;
  /** Runs the protocol's side as a part of its trace. */
  within<Value>(work: () => Value): Value;
  /** Sends the answer and ends. Never rejects. `isHeld`: nothing is sent before it is known that no OAuth scope lacks. */
  send(answer: Response, manner?: Manner): Promise<void>;
}

/** How an answer is sent, and what the log learns of it. */
export interface Manner {
  readonly isHeld?: boolean;
  /** Why the request was refused, in words that are not for the client. */
  readonly reason?: string;
}

/** What exchanges have in common. */
export interface Surroundings {
  readonly log: ManagerLog;
  /** How long a client may read nothing. */
  readonly stallMs: number;
  readonly newRequestId: () => string;
  /** The answer to a call that wants one of these OAuth scopes. */
  stepUp(scopes: readonly string[]): Response;
}

/** Timers count no further. */
const longestTimerMs = 2 ** 31 - 1;

const tiesKey = 'ties';

/** What `tiesOf` of an MCP server over HTTP is: each request's own. Throws `internal` for a request that has none. */
export function tiesOfRequest(authInfo: AuthInfo | undefined): RequestTies {
  const ties = authInfo?.extra?.[tiesKey];
  // Nobody else makes authInfo: what stands there was put there by an exchange.
  if (ties === undefined) throw new MemoryError('internal', 'The request has no sender.');
  return ties as RequestTies;
}

/** Begins an exchange with its arrival. */
export function openExchange(request: IncomingMessage, response: ServerResponse, around: Surroundings): Exchange {
  const controller = new AbortController();
  const state: State = {
    request,
    around,
    requestId: around.newRequestId(),
    startedMs: performance.now(),
    arrivedMs: Date.now(),
    principal: null,
    asked: { method: request.method ?? '', tool: null, requests: 0, traceparent: request.headers['traceparent'] },
    trace: null,
    ticket: null,
    answered: 0,
    settled: null,
    hasGone: false,
    isStream: false,
  };
  const endings: (() => void)[] = [];
  response.once('close', () => {
    state.hasGone = !response.writableFinished;
    controller.abort();
  });
  const timers: NodeJS.Timeout[] = [];
  const ties = tiesTo(state, controller.signal);
  const endAfter = (ms: number) =>
    void timers.push(setTimeout(() => controller.abort(), Math.min(Math.max(0, ms), longestTimerMs)));
  return {
    request,
    response,
    requestId: state.requestId,
    signal: controller.signal,
    identify: (principal) => void (state.principal = principal),
    ask(asked) {
      state.asked = { ...asked, tool: asked.tool === null ? null : shownTool(asked.tool), method: shown(asked.method) };
      state.trace = traceOf(state);
    },
    runIn: (ticket) => void (state.ticket = ticket),
    authInfo: () => authInfoOf(state, ties()),
    endAfter,
    streamUntil(timeMs) {
      state.isStream = true;
      endAfter(timeMs - Date.now());
    },
    isStream: () => state.isStream,
    onEnd: (action) => void endings.push(action),
    within: (work) => (state.trace === null ? work() : state.trace.within(work)),
    async send(answer, { isHeld = false, reason } = {}) {
      const { signal } = controller;
      const instead = () => (isHeld ? stepUpOf(state) : null);
      const status = await send(response, answer, { signal, stallMs: around.stallMs, instead, isHeld });
      for (const timer of timers) clearTimeout(timer);
      state.ticket?.leave();
      for (const action of endings.splice(0)) action();
      conclude(state, status, reason);
    },
  };
}

interface State {
  readonly request: IncomingMessage;
  readonly around: Surroundings;
  readonly requestId: string;
  readonly startedMs: number;
  readonly arrivedMs: number;
  principal: Principal | null;
  asked: Asked;
  trace: RequestTrace | null;
  ticket: Ticket | null;
  answered: number;
  /** The end of what was asked; of several, of the last that did not go well. */
  settled: Settled | null;
  hasGone: boolean;
  isStream: boolean;
}

/** Methods and tools may be any text of the client's: only what could be one is written down. */
function shown(method: string): string {
  return /^[A-Za-z][A-Za-z/_]{0,63}$/.test(method) ? method : '?';
}

function shownTool(tool: string): string {
  return /^[A-Za-z0-9_-]{1,64}$/.test(tool) ? tool : '?';
}

/** Nobody who is not signed in says which trace this belongs to. */
function traceOf({ request, principal, asked, arrivedMs }: State): RequestTrace {
  const traceparent = principal === null ? null : asked.traceparent;
  return startTrace({ httpMethod: request.method ?? '', traceparent, arrivedMs });
}

function tiesTo(state: State, signal: AbortSignal): () => RequestTies {
  return () => {
    const { principal, requestId } = state;
    if (principal === null) throw new MemoryError('internal', 'The request has no sender.');
    return {
      scope: principal.scope,
      principalKey: principal.key,
      requestId,
      signal,
      begin(_method, tool) {
        const endSpan = tool === null ? null : (state.trace?.toolCall(shownTool(tool)) ?? null);
        return (settled) => {
          endSpan?.(settled);
          if (state.settled === null || settled.outcome !== 'ok') state.settled = settled;
          state.answered += 1;
          if (state.answered >= state.asked.requests) state.ticket?.leave();
        };
      },
      pause: () => state.ticket?.pause(),
      resume: () => state.ticket?.resume(),
    };
  };
}

function authInfoOf({ principal }: State, ties: RequestTies): AuthInfo {
  const scopes = principal?.scope.oauthScopes ?? [];
  // The token itself goes no further than to whoever verified it.
  return { token: '', clientId: '', scopes: [...scopes], extra: { [tiesKey]: ties } };
}

/** A single call that lacked a scope was refused by its first look at the tool: nothing of an answer has been sent. */
function stepUpOf({ settled, around }: State): Response | null {
  const scopes = settled?.neededScopes ?? [];
  return scopes.length === 0 ? null : around.stepUp(scopes);
}

/** The end of the trace, and the one line that a request leaves. */
function conclude(state: State, status: number, reason: string | undefined): void {
  const { asked, principal, settled, around } = state;
  const trace = state.trace ?? traceOf(state);
  const outcome = state.hasGone ? 'cancelled' : (settled?.outcome ?? outcomeOf(status));
  trace.end({ status, method: asked.method, outcome });
  const line = {
    requestId: state.requestId,
    tenant: principal === null ? null : tenantMark(principal.scope.tenantId),
    method: asked.method,
    tool: asked.tool,
    outcome,
    code: settled?.code ?? null,
    ms: Math.round((performance.now() - state.startedMs) * 10) / 10,
    tokens: settled?.tokens ?? null,
    status,
    traceId: trace.traceId,
    reason: reason ?? null,
  };
  const known = Object.entries(line).filter(([, value]) => value !== null);
  around.log[status >= 500 ? 'warn' : 'info'](Object.fromEntries(known), 'a request was answered');
}

function outcomeOf(status: number): string {
  if (status === 401) return 'unauthenticated';
  if (status === 403) return 'denied';
  if (status === 429 || status === 503) return 'busy';
  if (status >= 500) return 'failed';
  return status >= 400 ? 'invalid' : 'ok';
}

/** Enough to tell tenants apart, or to look for one whose name is known: never the name. */
function tenantMark(tenant: string): string {
  return createHash('sha256').update(tenant, 'utf8').digest('hex').slice(0, 12);
}
