// Sessions of the older era over HTTP (design I2): each belongs to one principal, and to anybody else it does not exist.

import { randomUUID } from 'node:crypto';
import { WebStandardStreamableHTTPServerTransport, type Server } from '@modelcontextprotocol/server';
import type { Principal } from '../auth/sign_in.ts';
import type { McpDependencies } from './call_context.ts';
import type { Exchange } from './http_exchange.ts';
import { refusal } from './http_refusal.ts';
import { createMcpServer } from './mcp.ts';

/** Bounds of sessions. */
export interface SessionLimits {
  /** How long a session lives of which nobody asks anything. */
  readonly idleMs: number;
  readonly ofTenant: number;
  readonly inAll: number;
  /** How often a silent stream says that it still lives. */
  readonly keepAliveMs: number;
}

/** A request of the older era, its body read. */
export interface SessionRequest {
  readonly exchange: Exchange;
  readonly principal: Principal;
  readonly request: Request;
  readonly body: unknown;
}

/** The sessions of a process. */
export interface Sessions {
  serve(asked: SessionRequest): Promise<Response>;
  count(): number;
  close(): Promise<void>;
}

interface Session {
  readonly id: string;
  readonly key: string;
  readonly tenant: string;
  readonly server: Server;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** Requests and streams of it that are open now. */
  open: number;
  lastUsedMs: number;
}

const shortestSweepMs = 20;
const longestSweepMs = 30_000;

/** No sessions yet. `dependencies` makes a session's own. */
export function createSessions(
  limits: SessionLimits,
  dependencies: (principal: Principal) => McpDependencies,
): Sessions {
  const sessions = new Map<string, Session>();
  const end = async (session: Session): Promise<void> => {
    sessions.delete(session.id);
    await session.server.close().catch(() => {});
  };
  const sweep = () => {
    const longAgoMs = performance.now() - limits.idleMs;
    for (const session of sessions.values())
      if (session.open === 0 && session.lastUsedMs < longAgoMs) void end(session);
  };
  const everyMs = Math.min(longestSweepMs, Math.max(shortestSweepMs, limits.idleMs / 4));
  const timer = setInterval(sweep, everyMs).unref();
  return {
    count: () => sessions.size,
    async serve(asked) {
      const id = asked.exchange.request.headers['mcp-session-id'];
      if (id === undefined && isOpening(asked.body)) {
        const full = makeRoom(sessions, limits, { tenant: asked.principal.scope.tenantId, end });
        return full ?? open(sessions, { limits, dependencies }, asked);
      }
      if (typeof id !== 'string') return refusal(400, 'The header Mcp-Session-Id is missing.');
      const session = sessions.get(id);
      // Whose session it is nobody else learns, nor that there is one.
      if (session === undefined || session.key !== asked.principal.key) return unknownSession();
      return use(session, asked);
    },
    async close() {
      clearInterval(timer);
      await Promise.all([...sessions.values()].map(end));
    },
  };
}

type Dependencies = (principal: Principal) => McpDependencies;

/** Makes a session for a client that greets; one whose greeting is refused has nothing to come back to. */
async function open(
  sessions: Map<string, Session>,
  { limits, dependencies }: { readonly limits: SessionLimits; readonly dependencies: Dependencies },
  asked: SessionRequest,
): Promise<Response> {
  const { principal } = asked;
  const id = randomUUID();
  const { keepAliveMs } = limits;
  const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => id, keepAliveMs });
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a Transport is no EventTarget
  transport.onclose = () => sessions.delete(id);
  const server = createMcpServer(dependencies(principal));
  const { tenantId: tenant } = principal.scope;
  const session = { id, key: principal.key, tenant, server, transport, open: 0, lastUsedMs: performance.now() };
  sessions.set(id, session);
  await server.connect(transport);
  const response = await use(session, asked);
  if (transport.sessionId === undefined) await server.close().catch(() => {});
  return response;
}

function isOpening(body: unknown): boolean {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
  return messages.some((message) => Object(message)['method'] === 'initialize');
}

function unknownSession(): Response {
  return refusal(404, 'There is no such session.', { code: -32_001 });
}

async function use(session: Session, { exchange, request, body }: SessionRequest): Promise<Response> {
  session.open += 1;
  exchange.onEnd(() => {
    session.open -= 1;
    session.lastUsedMs = performance.now();
  });
  const parsedBody = body === undefined ? {} : { parsedBody: body };
  return session.transport.handleRequest(request, { authInfo: exchange.authInfo(), ...parsedBody });
}

/** The session used least lately makes room, if nobody is using it; else the newcomer has to wait. */
function makeRoom(
  sessions: ReadonlyMap<string, Session>,
  limits: SessionLimits,
  { tenant, end }: { readonly tenant: string; readonly end: (session: Session) => Promise<void> },
): Response | null {
  const own = [...sessions.values()].filter((session) => session.tenant === tenant);
  const isTenantFull = own.length >= limits.ofTenant;
  if (!isTenantFull && sessions.size < limits.inAll) return null;
  const idle = (isTenantFull ? own : [...sessions.values()]).filter((session) => session.open === 0);
  const [oldest] = idle.toSorted((a, b) => a.lastUsedMs - b.lastUsedMs);
  if (oldest === undefined) {
    return isTenantFull
      ? refusal(429, 'Too many sessions are open; end one, or try again later.', { retryAfterSeconds: 5 })
      : refusal(503, 'The server has too many sessions; try again later.', { retryAfterSeconds: 5 });
  }
  void end(oldest);
  return null;
}
