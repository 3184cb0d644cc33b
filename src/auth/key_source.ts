// How long keys may be used, and when they are read again: rotation without a restart, an outage without an open door.

import type { CryptoKey, JWTVerifyGetKey } from 'jose';
import type { Log } from '../log.ts';
import { readFailure } from './fetch_document.ts';
import type { LoadKeys } from './load_keys.ts';
import { KeysUnavailable } from './refusal.ts';

/** Milliseconds that rule over keys. */
export interface KeyTimes {
  /** Keys of this age are read again before they are used. */
  readonly freshMs: number;
  /** While they cannot be read again, keys are used up to this age, and no longer. */
  readonly usableMs: number;
  /** Between two readings that unknown key ids ask for, so that garbage does not reach the provider. */
  readonly cooldownMs: number;
  /** Between a reading that failed and the next one. */
  readonly retryMs: number;
}

/** Chooses the key of a token. */
export interface KeySource {
  /** Throws `KeysUnavailable`, or the error that jose has for a token that no key fits. */
  readonly keyFor: JWTVerifyGetKey<CryptoKey>;
  /** Whether keys are at hand; reads them when they are not. */
  ready(): Promise<boolean>;
}

interface Held {
  readonly text: string;
  readonly choose: JWTVerifyGetKey<CryptoKey>;
  readonly count: number;
  readonly readAt: number;
}

/** Keys of one place, read when they are first asked for. `clock` gives milliseconds since 1970. */
export function createKeySource(load: LoadKeys, times: KeyTimes, clock: () => number, log: Log): KeySource {
  let held: Held | null = null;
  let failedAt: number | null = null;
  let searchedAt: number | null = null;
  let reading: Promise<void> | null = null;

  // A clock that was set back makes an age negative: then nothing counts as recent.
  const isWithin = (since: number | null | undefined, limitMs: number): boolean => {
    const ageMs = since === null || since === undefined ? -1 : clock() - since;
    return ageMs >= 0 && ageMs < limitMs;
  };

  async function readKeys(): Promise<void> {
    const readAt = clock();
    try {
      const text = await load();
      held = held?.text === text ? { ...held, readAt } : { text, readAt, ...(await keySet(text)) };
      failedAt = null;
      if (held.count === 0) log.warn({}, 'The key set for sign-in holds no public key.');
    } catch (error) {
      failedAt = clock();
      log.warn({ reason: readFailure(error) }, 'The keys for sign-in could not be read.');
    }
  }

  // Whoever asks while keys are being read waits for that reading.
  const read = (): Promise<void> => (reading ??= readKeys().finally(() => (reading = null)));

  function unavailable(): KeysUnavailable {
    const waitMs = failedAt === null ? 0 : failedAt + times.retryMs - clock();
    return new KeysUnavailable(Math.max(1, Math.ceil(waitMs / 1000)));
  }

  async function current(): Promise<Held> {
    if (!isWithin(held?.readAt, times.freshMs) && !isWithin(failedAt, times.retryMs)) await read();
    if (held === null || !isWithin(held.readAt, times.usableMs)) throw unavailable();
    return held;
  }

  /** Keys read after those that lacked one; throws `missing` when these are the latest word of the provider. */
  async function later(than: Held, missing: unknown): Promise<Held> {
    if (reading !== null) await reading;
    else if (held === than && !isWithin(failedAt, times.retryMs)) {
      if (failedAt === null && isWithin(searchedAt, times.cooldownMs)) throw missing;
      searchedAt = clock();
      await read();
    }
    // Without the provider nobody knows whether the key is a new one: that is no reason to call the token wrong.
    if (failedAt !== null || held === null) throw unavailable();
    return held;
  }

  return {
    keyFor: async (header, token) => {
      const keys = await current();
      try {
        return await keys.choose(header, token);
      } catch (error) {
        if (!isMissingKey(error)) throw error;
        return await (await later(keys, error)).choose(header, token);
      }
    },
    ready: async () => {
      try {
        return (await current()).count > 0;
      } catch {
        return false;
      }
    },
  };
}

function isMissingKey(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_JWKS_NO_MATCHING_KEY';
}

/** What a symmetric key (`k`) or the private half of another one has. */
const secretMembers = ['k', 'd', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'priv'];

/** The public keys of a key set; whatever in it is secret is no key for anybody who can read it, and left out. */
async function keySet(text: string): Promise<Pick<Held, 'choose' | 'count'>> {
  const document: unknown = JSON.parse(text);
  const keys: unknown = typeof document === 'object' && document !== null && 'keys' in document ? document.keys : null;
  if (!Array.isArray(keys)) throw new Error('no key set');
  const open = keys.filter(isPublicKey);
  const { createLocalJWKSet } = await import('jose');
  return { choose: createLocalJWKSet({ keys: open }), count: open.length };
}

function isPublicKey(key: unknown): key is { readonly kty: string } {
  return (
    typeof key === 'object' &&
    key !== null &&
    'kty' in key &&
    typeof key.kty === 'string' &&
    !secretMembers.some((member) => Object.hasOwn(key, member))
  );
}
