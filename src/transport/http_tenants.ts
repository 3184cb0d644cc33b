// The newer era over HTTP (design T3): each tenant has a handler of its own while it asks, so that nobody else is told of its tools.

import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import type { Principal } from '../auth/sign_in.ts';
import type { TenantId } from '../model/ids.ts';
import type { McpDependencies } from './call_context.ts';
import { tiesOfRequest, type Exchange } from './http_exchange.ts';
import { createMcpServer } from './mcp.ts';
import { wireProblem } from './wire_problem.ts';

/** Bounds of a tenant's streams. */
export interface StreamLimits {
  readonly subscriptionsOfTenant: number;
  readonly keepAliveMs: number;
}

/** The tenants that ask at the moment. */
export interface Tenants {
  serve(asked: {
    readonly exchange: Exchange;
    readonly principal: Principal;
    readonly request: Request;
    readonly body: unknown;
    /** It wants to be told of changes for as long as it stays. */
    readonly isSubscription: boolean;
  }): Promise<Response>;
  /** Tenants that have a handler. */
  count(): number;
  close(): Promise<void>;
}

interface Entry {
  readonly handler: McpHttpHandler;
  /** Requests and subscriptions that are open; with the last one the handler goes. */
  open: number;
  watching: Promise<() => void> | null;
}

/** Changes that come together are told once. */
const togetherMs = 20;

/** No tenants yet. `dependencies` makes the ones of a request. */
export function createTenants(limits: StreamLimits, common: Omit<McpDependencies, 'scope' | 'tiesOf'>): Tenants {
  const entries = new Map<TenantId, Entry>();
  const enter = (tenant: TenantId): Entry => {
    const known = entries.get(tenant);
    if (known !== undefined) return known;
    const entry = { handler: createHandler(limits, common), open: 0, watching: null };
    entries.set(tenant, entry);
    return entry;
  };
  const leave = (tenant: TenantId, entry: Entry): void => {
    entry.open -= 1;
    if (entry.open > 0 || entries.get(tenant) !== entry) return;
    entries.delete(tenant);
    void endEntry(entry);
  };
  // Whoever cannot be told of changes is told that: a subscription that never hears anything would be worse.
  const watchFor = (entry: Entry, tenant: TenantId) =>
    watch(common, tenant, entry.handler).catch((error: unknown) => {
      entry.watching = null;
      throw error;
    });
  return {
    count: () => entries.size,
    async serve({ exchange, principal, request, body, isSubscription }) {
      const { tenantId } = principal.scope;
      const entry = enter(tenantId);
      entry.open += 1;
      exchange.onEnd(() => leave(tenantId, entry));
      if (isSubscription) await (entry.watching ??= watchFor(entry, tenantId));
      const parsedBody = body === undefined ? {} : { parsedBody: body };
      return entry.handler.fetch(request, { authInfo: exchange.authInfo(), ...parsedBody });
    },
    async close() {
      const open = [...entries.values()];
      entries.clear();
      await Promise.all(open.map(endEntry));
    },
  };
}

function createHandler(limits: StreamLimits, common: Omit<McpDependencies, 'scope' | 'tiesOf'>): McpHttpHandler {
  const { log } = common;
  return createMcpHandler(
    ({ authInfo }) => {
      const { scope } = tiesOfRequest(authInfo);
      const tiesOf: McpDependencies['tiesOf'] = (context) => tiesOfRequest(context.http?.authInfo);
      return createMcpServer({ ...common, scope, tiesOf, isPerRequest: true });
    },
    {
      legacy: 'reject',
      maxSubscriptions: limits.subscriptionsOfTenant,
      keepAliveMs: limits.keepAliveMs,
      onerror: (error) => log.info({ problem: wireProblem(error) }, 'a message could not be served'),
    },
  );
}

/** Tells the tenant's subscribers of changed tools, from before they are told that they will be. */
async function watch(
  { manager }: Pick<McpDependencies, 'manager'>,
  tenant: TenantId,
  handler: McpHttpHandler,
): Promise<() => void> {
  let timer: NodeJS.Timeout | undefined;
  const tell = () => {
    timer = undefined;
    handler.notify.toolsChanged();
  };
  return (await manager()).watchTools(tenant, () => void (timer ??= setTimeout(tell, togetherMs).unref()));
}

async function endEntry({ handler, watching }: Entry): Promise<void> {
  const stop = await watching?.catch(() => null);
  stop?.();
  await handler.close().catch(() => {});
}
