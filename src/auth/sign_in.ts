// What sign-in says of a request: the interface between the HTTP transport and whatever verifies tokens (design I1).

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

/**
 * What became of a request's Authorization header. `description` is for the client, printable ASCII without quotes;
 * `reason` is for the log, and holds no token and no value of a claim. `unavailable`: no keys to judge by, try later.
 */
export type SignIn =
  | { readonly kind: 'accepted'; readonly principal: Principal }
  | {
      readonly kind: 'refused';
      /** `invalid_request`: there is no bearer token; `invalid_token`: there is one, and it is not accepted. */
      readonly error: 'invalid_request' | 'invalid_token';
      readonly description: string;
      readonly reason: string;
    }
  | { readonly kind: 'unavailable'; readonly retryAfterSeconds: number };

/** Judges tokens. */
export interface Verifier {
  /** Judges the value of an Authorization header; never throws. */
  verify(authorization: string | undefined): Promise<SignIn>;
  /** Whether keys are at hand, for /readyz. */
  ready(): Promise<boolean>;
}
