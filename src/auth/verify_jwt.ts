// The place of the verifier of tokens; what stands here accepts nobody.

import type { Verifier } from './sign_in.ts';

/** What tokens are judged by. */
export interface JwtVerifierOptions {
  readonly issuer: string;
  readonly audience: string;
  readonly keys:
    | { readonly kind: 'discovery' }
    | { readonly kind: 'url'; readonly url: string }
    | { readonly kind: 'file'; readonly path: string };
  readonly algorithms: readonly string[];
  readonly claims: { readonly tenant: string; readonly user: string; readonly agent: string; readonly roles: string };
  readonly leewaySeconds: number;
  readonly log: { warn(detail: Readonly<Record<string, unknown>>, message: string): void };
}

/** A verifier that has no keys. */
export function createJwtVerifier(options: JwtVerifierOptions): Verifier {
  options.log.warn({}, 'this build cannot verify tokens');
  return { verify: async () => ({ kind: 'unavailable', retryAfterSeconds: 60 }), ready: async () => false };
}
