// Judges a bearer token: which signatures, issuer, audience and times are accepted, in the order they are checked (design I1).

import canonicalize from 'canonicalize';
import type { JWTVerifyResult } from 'jose';
import { principalOf, subjectOf } from './claims.ts';
import { hasDuplicateNames } from './duplicate_names.ts';
import type { ReadLimits } from './fetch_document.ts';
import { createKeySource } from './key_source.ts';
import type { KeyTimes } from './key_source.ts';
import { keyLoader } from './load_keys.ts';
import { tokenScope } from './make_scope.ts';
import { outcomeOf, Refusal } from './refusal.ts';
import type { Principal, SignIn, Verifier } from './sign_in.ts';
import { checkOptions } from './verifier_options.ts';
import type { JwtVerifierOptions } from './verifier_options.ts';

/** The longest token, in characters; one with many groups has a few thousand, and Node takes headers of 16 KiB in all. */
export const longestTokenCharacters = 12_288;

const publishedTimes: KeyTimes = { freshMs: 600_000, usableMs: 3_600_000, cooldownMs: 30_000, retryMs: 5_000 };
// A file costs nothing to read, so a change of it is seen within a second.
const fileTimes: KeyTimes = { freshMs: 1_000, usableMs: 3_600_000, cooldownMs: 1_000, retryMs: 1_000 };
const usualLimits: ReadLimits = { deadlineMs: 5_000, longestBytes: 262_144 };

/** A verifier of JSON Web Tokens of one issuer. Throws `invalid_configuration` for options that could not be safe. */
export function createJwtVerifier(options: JwtVerifierOptions): Verifier {
  checkOptions(options);
  const clock = options.clock ?? Date.now;
  const load = keyLoader(options.keys, options.issuer, { ...usualLimits, ...options.limits });
  const usualTimes = options.keys.kind === 'file' ? fileTimes : publishedTimes;
  const keys = createKeySource(load, { ...usualTimes, ...options.times }, clock, options.log);
  return {
    verify: async (authorization): Promise<SignIn> => {
      if (authorization === undefined) return noToken('no Authorization header');
      const token = /^bearer +(\S+)$/i.exec(authorization)?.[1];
      if (token === undefined) return noToken('the Authorization header is of another form than Bearer and a token');
      try {
        checkForm(token);
        const { jwtVerify } = await import('jose');
        const verified = await jwtVerify(token, keys.keyFor, {
          algorithms: [...options.algorithms],
          issuer: options.issuer,
          audience: options.audience,
          requiredClaims: ['exp', 'sub'],
          clockTolerance: options.leewaySeconds,
          currentDate: new Date(clock()),
        });
        checkNames(token);
        checkKind(verified);
        checkTimes(verified, clock() / 1000 + options.leewaySeconds);
        return { kind: 'accepted', principal: accepted(verified, options) };
      } catch (error) {
        return outcomeOf(error);
      }
    },
    ready: () => keys.ready(),
  };
}

function noToken(reason: string): SignIn {
  return { kind: 'refused', error: 'invalid_request', description: 'A bearer token is needed.', reason };
}

/** Size first: nothing of a token is decoded before it is known to be small. */
function checkForm(token: string): void {
  if (token.length > longestTokenCharacters) throw new Refusal('The token is too long.', 'too long');
  if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) {
    throw new Refusal('The token is not a signed JSON Web Token.', 'not three parts of base64url');
  }
}

function checkNames(token: string): void {
  const isAmbiguous = token
    .split('.', 2)
    .some((part) => hasDuplicateNames(Buffer.from(part, 'base64url').toString('utf8')));
  if (isAmbiguous) throw new Refusal('The token names a claim twice.', 'a name twice in the header or the claims');
}

const acceptedTypes = new Set(['jwt', 'at+jwt', 'application/jwt', 'application/at+jwt']);

/** An access token, not another token that the same issuer signs: id tokens and logout tokens are for clients. */
function checkKind({ protectedHeader, payload }: JWTVerifyResult): void {
  const type: unknown = protectedHeader.typ;
  if (type !== undefined && !(typeof type === 'string' && acceptedTypes.has(type.toLowerCase()))) {
    throw new Refusal('The token is not an access token.', 'header typ is neither JWT nor at+jwt');
  }
  // Hashes of another token stand in id tokens alone; the other two are how some providers say what a token is for.
  const isIdToken = Object.hasOwn(payload, 'at_hash') || Object.hasOwn(payload, 'c_hash');
  if (isIdToken || payload.token_use === 'id' || payload.typ === 'ID')
    throw new Refusal('The token is not an access token.', 'its claims are those of an id token');
}

/** What jose leaves open: an end that is never reached, and a time of issue that is yet to come. */
function checkTimes({ payload: { exp, iat } }: JWTVerifyResult, latestSeconds: number): void {
  if (!Number.isSafeInteger(Math.floor(exp ?? Number.NaN))) {
    throw new Refusal('The token has no usable end.', 'exp is no number of seconds');
  }
  if (iat !== undefined && !(iat <= latestSeconds)) {
    throw new Refusal('The token has no usable time of issue.', 'iat is in the future');
  }
}

function accepted({ payload }: JWTVerifyResult, options: JwtVerifierOptions): Principal {
  const principal = principalOf(payload, options.claims);
  const subject = subjectOf(payload);
  const { tenantId: tenant, userId: user, agentId: agent } = principal;
  return {
    scope: tokenScope(principal),
    subject,
    key: canonicalize({ issuer: options.issuer, tenant, user, agent, subject }) ?? '',
    expiresAt: Math.floor(payload.exp ?? 0),
  };
}
