// What tokens are judged by, and which settings could not be safe: those are refused before the first token comes.

import type { Log } from '../log.ts';
import { MemoryError } from '../model/errors.ts';
import { isSafeAddress } from './address.ts';
import type { ClaimNames } from './claims.ts';
import type { ReadLimits } from './fetch_document.ts';
import type { KeyTimes } from './key_source.ts';
import type { KeyPlace } from './load_keys.ts';

/** What tokens are judged by. */
export interface JwtVerifierOptions {
  /** The token's iss, compared as text. */
  readonly issuer: string;
  /** What the token's aud must name: the address of this resource, compared as text. */
  readonly audience: string;
  readonly keys: KeyPlace;
  /** Pinned signature algorithms, of {@link signatureAlgorithms}. */
  readonly algorithms: readonly string[];
  readonly claims: ClaimNames;
  /** By how much clocks may differ, 0 to 300. */
  readonly leewaySeconds: number;
  readonly log: Log;
  /** Milliseconds since 1970; the machine's clock when left out. */
  readonly clock?: () => number;
  /** Parts of how long keys are used that differ from what is usual for their place. */
  readonly times?: Partial<KeyTimes>;
  /** Parts of how keys are read that differ from what is usual. */
  readonly limits?: Partial<ReadLimits>;
}

/** Algorithms that can be pinned: asymmetric ones, since with a shared secret whoever checks a token could make one. */
export const signatureAlgorithms: readonly string[] =
  'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');

const longestLeewaySeconds = 300;

/** Throws `invalid_configuration` for the first setting that could not be safe; `data.option` names it. */
export function checkOptions(options: JwtVerifierOptions): void {
  const { issuer, audience, keys, algorithms, claims, leewaySeconds } = options;
  if (issuer === '') throw wrong('issuer', 'is empty');
  if (keys.kind === 'discovery' && (!isSafeAddress(issuer) || /[?#]/.test(issuer))) {
    throw wrong('issuer', 'is no https address without query, so its keys cannot be discovered');
  }
  if (audience === '') throw wrong('audience', 'is empty');
  if (keys.kind === 'url' && !isSafeAddress(keys.url)) {
    throw wrong('keys', 'stand at an address that is not https, or that holds a password');
  }
  if (keys.kind === 'file' && keys.path === '') throw wrong('keys', 'stand in a file without a name');
  if (algorithms.length === 0) throw wrong('algorithms', 'are none');
  if (!algorithms.every((name) => signatureAlgorithms.includes(name))) {
    throw wrong('algorithms', `are not all among ${signatureAlgorithms.join(', ')}`);
  }
  if (Object.values(claims).includes('')) throw wrong('claims', 'hold an empty name');
  if (!Number.isInteger(leewaySeconds) || leewaySeconds < 0 || leewaySeconds > longestLeewaySeconds) {
    throw wrong('leewaySeconds', `is no whole number from 0 to ${longestLeewaySeconds}`);
  }
}

function wrong(option: keyof JwtVerifierOptions, problem: string): MemoryError {
  return new MemoryError('invalid_configuration', `Sign-in: ${option} ${problem}.`, { option });
}
