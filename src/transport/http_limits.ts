// The bounds of serving over HTTP: sizes, times, and how much at once.

import type { GateLimits } from './http_gate.ts';
import type { SessionLimits } from './http_sessions.ts';
import type { StreamLimits } from './http_tenants.ts';

/** All bounds; milliseconds and bytes. */
export interface HttpLimits {
  readonly bodyBytes: number;
  /** Bodies beyond 64 KiB, or of a length that is not told, that one tenant may send at once. */
  readonly largeOfTenant: number;
  /** How long a request's head, and the whole of it, may take to come. */
  readonly headersMs: number;
  readonly requestMs: number;
  /** How long a connection stays on which nothing is asked; longer than balancers keep theirs. */
  readonly keepAliveMs: number;
  /** How long a client may read nothing of an answer. */
  readonly stallMs: number;
  /** How long an answer that is no stream may take, all waits counted. */
  readonly answerMs: number;
  /** How long what runs may take to come to its end when the server stops. */
  readonly drainMs: number;
  readonly connections: number;
  readonly gate: GateLimits;
  readonly sessions: SessionLimits;
  readonly streams: StreamLimits;
}

const streamKeepAliveMs = 15_000;

/** What holds unless a test says otherwise. */
export const usualLimits: HttpLimits = {
  bodyBytes: 4 * 1024 * 1024,
  largeOfTenant: 16,
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 65_000,
  stallMs: 30_000,
  answerMs: 150_000,
  drainMs: 8_000,
  connections: 10_000,
  gate: { running: 32, runningOfTenant: 8, waiting: 1024, waitingOfTenant: 128, waitMs: 15_000 },
  sessions: { idleMs: 30 * 60_000, ofTenant: 200, inAll: 2_000, keepAliveMs: streamKeepAliveMs },
  streams: { subscriptionsOfTenant: 200, keepAliveMs: streamKeepAliveMs },
};
