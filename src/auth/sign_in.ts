// What signing in gives (design I1): who a request speaks for, or why it is not served.

import type { Scope } from '../model/scope.ts';

/** Who a verified token speaks for. */
export interface Principal {
  /** Thread `default`; oauthScopes from the token. */
  readonly scope: Scope;
  /** The token's sub. */
  readonly subject: string;
  /** Equal for two tokens of one principal and for nobody else: issuer, tenant, user, agent and subject as canonical JSON. */
  readonly key: string;
  /** Seconds since 1970 at which the token ends. */
  readonly expiresAt: number;
}

/** What became of a request's Authorization header. */
export type SignIn =
  | { readonly kind: 'accepted'; readonly principal: Principal }
  | {
      readonly kind: 'refused';
      readonly error: 'invalid_request' | 'invalid_token';
      readonly description: string;
      readonly reason: string;
    }
  | { readonly kind: 'unavailable'; readonly retryAfterSeconds: number };

/** What verifies Authorization headers. */
export interface Verifier {
  verify(authorization: string | undefined): Promise<SignIn>;
  /** Whether keys are at hand, for /readyz. */
  ready(): Promise<boolean>;
}
