// A verifier of the test provider's tokens, with a clock that tests set and a log that they read.
import { createJwtVerifier } from '../../src/auth/verify_jwt.ts';
import type { SignIn, Verifier } from '../../src/auth/sign_in.ts';
import type { JwtVerifierOptions } from '../../src/auth/verifier_options.ts';
import { createLog } from '../../src/log.ts';
import type { IdentityProvider } from './identity_provider.ts';

/** The audience that tokens of the tests are for. */
export const audience = 'https://memory.example.com/mcp';

/** Claims that are accepted by {@link openVerifier}'s defaults. */
export const janesClaims = { aud: audience, sub: 'jane', tenant_id: 'acme' } as const;

/** A verifier with what surrounds it. */
export interface TestVerifier extends Verifier {
  /** Judges a token as a bearer token. */
  judge(token: string): Promise<SignIn>;
  /** Lets seconds pass on the verifier's clock. */
  pass(seconds: number): void;
  /** Lines that were logged. */
  readonly lines: readonly string[];
}

/** A verifier that finds the provider's keys at their address, unless the options say otherwise. */
export function openVerifier(
  provider: Pick<IdentityProvider, 'issuer' | 'jwksUrl'>,
  options: Partial<JwtVerifierOptions> = {},
): TestVerifier {
  const lines: string[] = [];
  let nowMs = Date.now();
  const verifier = createJwtVerifier({
    issuer: provider.issuer,
    audience,
    keys: { kind: 'url', url: provider.jwksUrl },
    algorithms: ['RS256', 'ES256'],
    claims: { tenant: 'tenant_id', user: 'sub', agent: 'agent_id', roles: 'roles' },
    leewaySeconds: 5,
    log: createLog({ level: 'debug', write: (line) => lines.push(line) }),
    clock: () => nowMs,
    ...options,
  });
  return {
    ...verifier,
    judge: (token) => verifier.verify(`Bearer ${token}`),
    pass: (seconds) => {
      nowMs += seconds * 1000;
    },
    lines,
  };
}

/** What a verdict comes to in one word or sentence, so that a test says why a token was refused. */
export function verdict(result: SignIn): string {
  switch (result.kind) {
    case 'accepted':
      return 'accepted';
    case 'refused':
      return result.reason;
    case 'unavailable':
      return 'unavailable';
    default:
      throw result satisfies never;
  }
}
