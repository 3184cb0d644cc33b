// Why a token is not accepted, told twice: to the client which requirement failed, to the log a little more.

import type { SignIn } from './sign_in.ts';

/** Thrown inside sign-in when a token is not accepted; the message is the reason for the log. */
export class Refusal extends Error {
  readonly description: string;

  constructor(description: string, reason: string) {
    super(reason);
    this.name = 'Refusal';
    this.description = description;
  }
}

/** Thrown inside sign-in when no keys may be used, and for how long asking again is of no use. */
export class KeysUnavailable extends Error {
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super('no keys are at hand');
    this.name = 'KeysUnavailable';
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** What the client hears and the log reads, by the code that jose gives its errors. */
const byCode: Readonly<Record<string, readonly [description: string, reason: string]>> = {
  ERR_JWT_EXPIRED: ['The token has expired.', 'expired'],
  ERR_JOSE_ALG_NOT_ALLOWED: ['The token is signed in a way that is not accepted.', 'algorithm outside the pinned ones'],
  ERR_JWKS_NO_MATCHING_KEY: ['The token is signed with a key that is not known.', 'no key of that id and type'],
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: [
    'The token is signed with a key that is not known.',
    'the token does not say which of several keys signed it',
  ],
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: ['The signature of the token is wrong.', 'signature does not match the key'],
};

/** The same for a registered claim that jose refuses. */
const byClaim: Readonly<Record<string, string>> = {
  iss: 'The token comes from another issuer.',
  aud: 'The token is for another audience.',
  exp: 'The token has no usable end.',
  nbf: 'The token is not valid yet.',
  iat: 'The token has no usable time of issue.',
  sub: 'The token names no subject.',
};

const notOurs = 'The token is not a signed JSON Web Token.';

/** Turns whatever was thrown while a token was judged into what becomes of the request: the one place that does. */
export function outcomeOf(error: unknown): Exclude<SignIn, { readonly kind: 'accepted' }> {
  if (error instanceof KeysUnavailable) return { kind: 'unavailable', retryAfterSeconds: error.retryAfterSeconds };
  const [description, reason] = words(error);
  return { kind: 'refused', error: 'invalid_token', description, reason };
}

function words(error: unknown): readonly [description: string, reason: string] {
  if (error instanceof Refusal) return [error.description, error.message];
  const code = textOf(error, 'code');
  const claim = textOf(error, 'claim');
  const known = byCode[code];
  if (known !== undefined) return known;
  const description = byClaim[claim];
  // The message of such an error names claim and check, never a value.
  if (code === 'ERR_JWT_CLAIM_VALIDATION_FAILED' && description !== undefined && error instanceof Error) {
    return [description, error.message];
  }
  // Anything else is a form that jose does not take, or a key that cannot be used: its message could quote the token.
  return [notOurs, `not verifiable: ${code === '' ? textOf(error, 'name') || 'unknown' : code}`];
}

function textOf(error: unknown, member: 'code' | 'claim' | 'name'): string {
  const value: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, member) : undefined;
  return typeof value === 'string' ? value : '';
}
