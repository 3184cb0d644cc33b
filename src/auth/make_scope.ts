// Makes a scope from trusted values only: launch configuration here, verified claims with sign-in (design I2, I3).

import { MemoryError } from '../model/errors.ts';
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

/**
 * The scope of a process that an operator launched. Throws `invalid_configuration` where tenant or user is not set, and
 * `invalid_argument` for ids that cannot be.
 */
export function launchScope(principal: LaunchPrincipal): Scope {
  requireSet(principal.tenantId, 'CONTEXT_TENANT_ID');
  requireSet(principal.userId, 'CONTEXT_USER_ID');
  return {
    tenantId: tenantId(principal.tenantId),
    userId: userId(principal.userId),
    agentId: principal.agentId === null ? null : agentId(principal.agentId),
    threadId: threadId(principal.threadId ?? defaultThread),
    roles: principal.roles,
    oauthScopes: null,
  };
}

/** The same principal in another thread: a thread belongs to its principal, so naming one reveals nothing (I2). */
export function inThread(scope: Scope, thread: string): Scope {
  return { ...scope, threadId: threadId(thread) };
}

/** An operator's context; made by operator commands alone. Throws as {@link launchScope} does. */
export function operatorScope(tenant: string): OperatorScope {
  requireSet(tenant, 'CONTEXT_TENANT_ID');
  return { tenantId: tenantId(tenant) };
}

// On a server that many share nobody is served by default: an empty id is one that nobody gave.
function requireSet(value: string, variable: string): void {
  if (value !== '') return;
  const message = `${variable} is not set; on a database server it has no default.`;
  throw new MemoryError('invalid_configuration', message, { variable });
}
