// Whatever is presented, sign-in answers with one of its three kinds; and only what the provider signed is accepted.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasDuplicateNames } from '../../src/auth/duplicate_names.ts';
import { openIdentityProvider } from './identity_provider.ts';
import type { IdentityProvider } from './identity_provider.ts';
import { audience, janesClaims, openVerifier } from './verifier.ts';
import type { TestVerifier } from './verifier.ts';

let provider: IdentityProvider;
let verifier: TestVerifier;
let token: string;

beforeAll(async () => {
  provider = await openIdentityProvider();
  verifier = openVerifier(provider);
  token = await provider.sign(janesClaims);
});
afterAll(() => provider.close());

const part = fc.oneof(
  fc.string(),
  fc.json().map((text) => Buffer.from(text).toString('base64url')),
  fc
    .record(
      {
        alg: fc.constantFrom<unknown[]>('RS256', 'ES256', 'HS256', 'none', '', 1, null),
        kid: fc.oneof(fc.constantFrom<unknown[]>('rsa-1', 'ec-1', '__proto__', 1, null), fc.string()),
        typ: fc.constantFrom<unknown[]>('JWT', 'x', 1, null),
        crit: fc.constantFrom<unknown[]>([], ['exp'], ['b64'], 'b64', null),
        b64: fc.boolean(),
        jwk: fc.jsonValue(),
      },
      { requiredKeys: [] },
    )
    .map((header) => Buffer.from(JSON.stringify(header)).toString('base64url')),
);

describe('whatever is presented', () => {
  it('[I1] as a header is refused with a sentence, and nothing throws', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          fc.string({ unit: 'binary' }),
          fc.array(part, { maxLength: 6 }).map((parts) => `Bearer ${parts.join('.')}`),
          fc.tuple(part, part, part).map((parts) => `Bearer ${parts.join('.')}`),
        ),
        async (header) => {
          const result = await verifier.verify(header);
          expect(result).toMatchObject({ kind: 'refused' });
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('[I1] of a real token with one character changed is refused', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(token.length - 1),
        fc.constantFrom(...'AQgwZ09-_.='.split('')),
        async (place, character) => {
          const changed = `${token.slice(0, place)}${character}${token.slice(place + 1)}`;
          // The last character of a part holds bits that no byte has, so another text can be the same signature.
          fc.pre(!sameBytes(changed, token));
          expect(await verifier.judge(changed)).toMatchObject({ kind: 'refused' });
        },
      ),
      { numRuns: 500 },
    );
  });

  it('[I1] [I2] as properly signed claims is refused, or accepted as what the claims say', async () => {
    const value = fc.oneof(fc.constantFrom<unknown[]>('acme', 'jane', audience), fc.jsonValue({ maxDepth: 2 }));
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(
          fc.constantFrom('iss', 'aud', 'sub', 'exp', 'nbf', 'iat', 'tenant_id', 'agent_id', 'roles', 'scope', 'scp'),
          value,
          { maxKeys: 4 },
        ),
        async (changes) => {
          const claims = { iss: provider.issuer, ...janesClaims, ...changes };
          const result = await verifier.judge(await provider.sign(claims));
          if (result.kind === 'accepted') {
            const { scope, subject } = result.principal;
            expect([scope.tenantId, scope.userId, subject]).toEqual([claims.tenant_id, claims.sub, claims.sub]);
            expect(claims.iss).toBe(provider.issuer);
            expect([claims.aud].flat()).toContain(audience);
          } else {
            expect(result).toMatchObject({ kind: 'refused', error: 'invalid_token' });
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

const sameBytes = (one: string, other: string) => {
  const bytes = (text: string) => text.split('.').map((piece) => Buffer.from(piece, 'base64url').toString('hex'));
  return /^[\w.-]+$/.test(one) && bytes(one).join('.') === bytes(other).join('.');
};

describe('duplicate names', () => {
  it('[I1] are never seen in JSON that was written from a value', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(hasDuplicateNames(text)).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });

  it('[I1] are seen wherever an object is written with one of its members again', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }),
        fc.nat(),
        fc.jsonValue(),
        (members, choice, value) => {
          const names = Object.keys(members);
          const again = names[choice % names.length];
          const text = `${JSON.stringify(members).slice(0, -1)},${JSON.stringify(again)}:${JSON.stringify(value)}}`;
          expect([hasDuplicateNames(text), hasDuplicateNames(`{"outer":[1,${text}]}`)]).toEqual([true, true]);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
