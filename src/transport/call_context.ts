// One call as the manager sees it (design T9, I2, L2): whose it is, what names it, and when it has to end.

import { CLIENT_INFO_META_KEY, type Server, type ServerContext } from '@modelcontextprotocol/server';
import { inThread } from '../auth/make_scope.ts';
import type { Call, MemoryManager } from '../manager/manager.ts';
import type { ManagerLog } from '../manager/parts.ts';
import { unlessAborted } from '../manager/unless_aborted.ts';
import { MemoryError } from '../model/errors.ts';
import type { Client, Scope } from '../model/scope.ts';
import type { RequestTies } from './request_ties.ts';

/** What the MCP side of a connection is made of. */
export interface McpDependencies {
  /** The manager once its store is open; asked for with every request, opened once by whoever made this function. */
  readonly manager: () => Promise<MemoryManager>;
  /** Who is served: from the launch configuration or from verified claims, never from a message. */
  readonly scope: Scope;
  /** Where each request has a sender of its own: whose this one is. Without it all are the connection's. */
  readonly tiesOf?: (context: ServerContext) => RequestTies;
  /** True where a server answers one request alone, so that it has nobody to tell of changed tools. */
  readonly isPerRequest?: true;
  readonly instructions: string;
  readonly version: string;
  readonly log: ManagerLog;
  /** How long a call may take, the wait for a person's answer not counted. */
  readonly callDeadlineMs: number;
  /** How long a person has to answer. */
  readonly clarifyDeadlineMs: number;
  /** At least 32 random bytes that seal the state which a client carries between two rounds of one call. */
  readonly stateKey: Uint8Array;
  readonly newRequestId: () => string;
}

/** The field of `_meta` that names the thread of a call (design L2). */
export const threadMetaKey = 'context-assembly-memory/thread_id';

const newerEra = '2026-07-28';
const longestClientField = 128;

/** True on a connection of revision 2026-07-28 or later; revisions are dates, so text order is time order. */
export function isNewerEra(server: Server): boolean {
  return (server.getNegotiatedProtocolVersion() ?? '') >= newerEra;
}

/** Whose a request is. Throws where a request that has to have a sender of its own has none. */
export function tiesOf(dependencies: McpDependencies, context: ServerContext): RequestTies {
  if (dependencies.tiesOf !== undefined) return dependencies.tiesOf(context);
  return {
    scope: dependencies.scope,
    principalKey: '',
    requestId: dependencies.newRequestId(),
    signal: null,
    begin: () => () => {},
    pause: () => {},
    resume: () => {},
  };
}

/** The scope with the thread that the request names; the same name of another principal is another thread. */
export function scopeOf(scope: Scope, context: ServerContext): Scope {
  const { _meta: meta } = context.mcpReq;
  const thread = meta?.[threadMetaKey];
  if (thread === undefined) return scope;
  if (typeof thread !== 'string') {
    throw new MemoryError('invalid_argument', `The field ${threadMetaKey} of _meta must be text.`, {
      field: threadMetaKey,
    });
  }
  return inThread(scope, thread);
}

/** The host as it named itself: once at the handshake in the older era, with each request in the newer. */
function clientOf(server: Server, context: ServerContext): Client | null {
  const envelope = context.mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  const named: unknown = isNewerEra(server) ? envelope?.[CLIENT_INFO_META_KEY] : server.getClientVersion();
  if (typeof named !== 'object' || named === null) return null;
  const { name, version } = named as { readonly name?: unknown; readonly version?: unknown };
  if (typeof name !== 'string' || typeof version !== 'string') return null;
  return { name: name.slice(0, longestClientField), version: version.slice(0, longestClientField) };
}

/** A deadline that can stand still while a person thinks. */
export interface Deadline {
  pause(): void;
  resume(): void;
}

interface RunningDeadline extends Deadline {
  readonly signal: AbortSignal;
  stop(): void;
}

/** Aborts with a MemoryError: `deadline_exceeded` after that many milliseconds, `cancelled` with one of the signals. */
function startDeadline(deadlineMs: number, outer: readonly AbortSignal[]): RunningDeadline {
  const controller = new AbortController();
  const cancel = () => controller.abort(new MemoryError('cancelled', 'The call was cancelled.'));
  const expire = () =>
    controller.abort(
      new MemoryError('deadline_exceeded', `The call took longer than ${deadlineMs / 1000} seconds.`, { deadlineMs }),
    );
  let leftMs = deadlineMs;
  let startedAtMs = 0;
  let timer: NodeJS.Timeout | undefined;
  const resume = () => {
    if (timer !== undefined) return;
    startedAtMs = performance.now();
    timer = setTimeout(expire, leftMs);
  };
  const pause = () => {
    if (timer === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    leftMs = Math.max(0, leftMs - (performance.now() - startedAtMs));
  };
  for (const signal of outer) {
    if (signal.aborted) cancel();
    signal.addEventListener('abort', cancel, { once: true });
  }
  resume();
  const stop = () => {
    pause();
    for (const signal of outer) signal.removeEventListener('abort', cancel);
  };
  return { signal: controller.signal, pause, resume, stop };
}

/** Sends progress to a client that asked for it; it only ever rises, as the protocol wants. */
function progressTo(context: ServerContext): Pick<Call, 'onProgress'> {
  const { _meta: meta } = context.mcpReq;
  const progressToken = meta?.progressToken;
  if (progressToken === undefined) return {};
  let last = -1;
  const onProgress = (done: number, message: string) => {
    const progress = Math.min(1, Math.max(0, done));
    if (progress <= last || context.mcpReq.signal.aborted) return;
    last = progress;
    const params = { progressToken, progress, total: 1, message };
    context.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
  return { onProgress };
}

/** A request on its way: the manager, the call to hand to it, and its deadline. */
export interface OpenCall {
  readonly manager: MemoryManager;
  readonly call: Call;
  readonly deadline: Deadline;
}

/**
 * Runs one request within its deadline, from waiting for the store to the last word. Throws what the work throws,
 * `invalid_argument` for a bad thread, `deadline_exceeded` or `cancelled`.
 */
export async function withinCall<Value>(
  connection: { readonly dependencies: McpDependencies; readonly server: Server },
  request: { readonly ties: RequestTies; readonly context: ServerContext },
  work: (open: OpenCall) => Promise<Value>,
): Promise<Value> {
  const { dependencies, server } = connection;
  const { context, ties } = request;
  const scope = scopeOf(ties.scope, context);
  const waiting = ties.signal === null ? [] : [ties.signal];
  const running = startDeadline(dependencies.callDeadlineMs, [context.mcpReq.signal, ...waiting]);
  const deadline = pausedWith(running, ties);
  const call: Call = {
    scope,
    requestId: ties.requestId,
    client: clientOf(server, context),
    signal: running.signal,
    ...progressTo(context),
  };
  const run = async () => {
    const manager = await dependencies.manager();
    running.signal.throwIfAborted();
    return work({ manager, call, deadline });
  };
  try {
    return await unlessAborted(run(), running.signal);
  } finally {
    running.stop();
  }
}

/** Who waits for a person takes no time of the deadline, and no room of whoever else wants to be served. */
function pausedWith(deadline: Deadline, ties: RequestTies): Deadline {
  return {
    pause() {
      deadline.pause();
      ties.pause();
    },
    resume() {
      deadline.resume();
      ties.resume();
    },
  };
}
