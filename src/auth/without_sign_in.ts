// Serving without sign-in, on this machine alone (design I4): whoever asks is the principal that the operator configured.

import canonicalize from 'canonicalize';
import type { Scope } from '../model/scope.ts';
import type { Verifier } from './sign_in.ts';

/** Accepts every request as this principal, whatever it brings. */
export function withoutSignIn(scope: Scope): Verifier {
  const { tenantId: tenant, userId: user, agentId: agent } = scope;
  const key = canonicalize({ issuer: null, tenant, user, agent, subject: user }) ?? '';
  const principal = { scope, subject: user, key, expiresAt: Number.POSITIVE_INFINITY };
  return { verify: async () => ({ kind: 'accepted', principal }), ready: async () => true };
}
