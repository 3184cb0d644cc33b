// Who asks: made only from verified claims or launch configuration, never from a tool argument.

import type { AgentId, TenantId, ThreadId, UserId } from './ids.ts';

/** An end user's context: every read and write of a window or tool happens under one. */
export interface Scope {
  readonly tenantId: TenantId;
  readonly userId: UserId;
  readonly agentId: AgentId | null;
  readonly threadId: ThreadId;
  readonly roles: readonly string[];
  /** OAuth scopes of the token; `null` where the transport has none (stdio, library), which lacks nothing. */
  readonly oauthScopes: readonly string[] | null;
}

/** An operator's context: one tenant, no user; only operator commands make one. */
export interface OperatorScope {
  readonly tenantId: TenantId;
}

/** The scope columns of a row: `null` means inherited by all below. */
export interface RowScope {
  readonly tenantId: TenantId;
  readonly userId: UserId | null;
  readonly agentId: AgentId | null;
  readonly threadId: ThreadId | null;
}

/** The host that speaks to us, as it named itself. */
export interface Client {
  readonly name: string;
  readonly version: string;
}
