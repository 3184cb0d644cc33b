// Who may list and call a tool: the rule of a toolbox row's access_policy (design T2).

import type { AccessPolicy } from '../model/memory.ts';
import type { Scope } from '../model/scope.ts';

/** `needs_scope`: all is right but an OAuth scope, so the tool is listed and the call steps up. */
export type Admission =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'denied' }
  | { readonly kind: 'needs_scope'; readonly scopes: readonly string[] };

const allowed: Admission = { kind: 'allowed' };
const denied: Admission = { kind: 'denied' };

/** Each list present must match one; `{}` allows all. A caller without OAuth (stdio, library) lacks no scope. */
export function admission(policy: AccessPolicy, scope: Scope): Admission {
  if (policy.roles !== undefined && !policy.roles.some((role) => scope.roles.includes(role))) return denied;
  if (policy.users !== undefined && !policy.users.some((user) => user === scope.userId)) return denied;
  if (policy.agents !== undefined && !policy.agents.some((agent) => agent === scope.agentId)) return denied;
  const granted = scope.oauthScopes;
  if (policy.scopes === undefined || granted === null) return allowed;
  return policy.scopes.some((name) => granted.includes(name))
    ? allowed
    : { kind: 'needs_scope', scopes: policy.scopes };
}
