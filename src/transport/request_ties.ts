// Whose a request is and who waits for it: a connection's own over stdio, each request's own over HTTP (design I1, I3).

import type { CallOutcome } from '../model/event.ts';
import type { ErrorCode } from '../model/errors.ts';
import type { Scope } from '../model/scope.ts';

/** What became of one JSON-RPC request. */
export interface Settled {
  readonly outcome: CallOutcome;
  /** Null where nothing failed. */
  readonly code: ErrorCode | null;
  /** What a tool's memories took of the budget; null where nothing was returned. */
  readonly tokens: number | null;
  /** OAuth scopes of which the sign-in granted none and the tool wants one; empty where nothing lacks. */
  readonly neededScopes: readonly string[];
}

/** What ties a request to whoever sent it. */
export interface RequestTies {
  /** From launch configuration, or from the request's own verified token; never from the message. */
  readonly scope: Scope;
  /** Tells principals apart beyond the scope; sealed state is bound to it. */
  readonly principalKey: string;
  /** Names the request in the log and in errors. */
  readonly requestId: string;
  /** Aborted when nobody waits for the answer any more; null where the protocol alone says so. */
  readonly signal: AbortSignal | null;
  /** Begins a request; what is returned is called once, at its end. */
  begin(method: string, tool: string | null): (settled: Settled) => void;
  /** A person is being asked: whoever else waits may go on meanwhile. */
  pause(): void;
  resume(): void;
}

/** The end of a request that nothing went wrong with. */
export const settledWell: Settled = { outcome: 'ok', code: null, tokens: null, neededScopes: [] };
