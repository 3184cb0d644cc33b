// Makes a scope from trusted values only: launch configuration, or the claims of a verified token (design I2, I3).

import { agentId, tenantId, threadId, userId } from '../model/ids.ts';
import type { OperatorScope, Scope } from '../model/scope.ts';

/** What the launch configuration says of the principal. `threadId` null: the thread `default`. */
export interface LaunchPrincipal {
  readonly tenantId: string;
  readonly userId: string;
  readonly agentId: string | null;
  readonly threadId: string | null;
  readonly roles: readonly string[];
}

/** The thread of a principal that names none (design L2). */
const defaultThread = 'default';

/** The scope of a process that an operator launched. Throws `invalid_argument` for ids that cannot be. */
export function launchScope(principal: LaunchPrincipal): Scope {
  return {
    tenantId: tenantId(principal.tenantId),
    userId: userId(principal.userId),
    agentId: principal.agentId === null ? null : agentId(principal.agentId),
    threadId: threadId(principal.threadId ?? defaultThread),
    roles: principal.roles,
    oauthScopes: null,
  };
}

/** What the claims of a verified token say of the principal. */
export interface TokenPrincipal {
  readonly tenantId: string;
  readonly userId: string;
  readonly agentId: string | null;
  readonly roles: readonly string[];
  /** OAuth scopes that the token grants; a token without any grants none. */
  readonly oauthScopes: readonly string[];
}

/** The scope of a verified token, in the thread `default`. Throws `invalid_argument` for ids that cannot be. */
export function tokenScope(principal: TokenPrincipal): Scope {
  return { ...launchScope({ ...principal, threadId: null }), oauthScopes: principal.oauthScopes };
}

/** The same principal in another thread: a thread belongs to its principal, so naming one reveals nothing (I2). */
export function inThread(scope: Scope, thread: string): Scope {
  return { ...scope, threadId: threadId(thread) };
}

/** An operator's context; made by operator commands alone. */
export function operatorScope(tenant: string): OperatorScope {
  return { tenantId: tenantId(tenant) };
}
