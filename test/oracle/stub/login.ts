// Logging in: both sides prove that they know the password without sending it, and the client sends it under a key that
// came of that.

import { createCipheriv, createDecipheriv, createHash, pbkdf2Sync, randomBytes } from 'node:crypto';
import type { WireReader } from './wire.ts';
import { WireWriter } from './wire.ts';

/** Who logged in, and what they asked the session to be. */
export interface Login {
  readonly user: string;
  readonly program: string;
  /** The statement that sets the session's time zone. */
  readonly alterSession: string;
}

/** The state of one login. */
export interface LoginExchange {
  /** The answer to the first message: what the client needs to make its proof. */
  challenge(): Buffer;
  /** Who they are and the answer to the second message; null: the password is another. */
  verify(reader: WireReader): { readonly login: Login; readonly answer: Buffer } | null;
}

const rounds = 64;
const keyRounds = 3;
const passwordVerifier = 0x4815;

/** One login with this password, for whichever user. */
export function createLogin(password: string): LoginExchange {
  const salt = randomBytes(16);
  const sessionSalt = randomBytes(16);
  const serverKey = randomBytes(32);
  const stretched = pbkdf2Sync(
    password,
    Buffer.concat([salt, Buffer.from('AUTH_PBKDF2_SPEEDY_KEY')]),
    rounds,
    64,
    'sha512',
  );
  const passwordKey = createHash('sha512').update(stretched).update(salt).digest().subarray(0, 32);
  return {
    challenge: () =>
      new WireWriter()
        .byte(8)
        .integer(5)
        .pair('AUTH_SESSKEY', hex(encrypt(passwordKey, serverKey)))
        .pair('AUTH_VFR_DATA', hex(salt), passwordVerifier)
        .pair('AUTH_PBKDF2_CSK_SALT', hex(sessionSalt))
        .pair('AUTH_PBKDF2_VGEN_COUNT', String(rounds))
        .pair('AUTH_PBKDF2_SDER_COUNT', String(keyRounds))
        .done(),
    verify(reader) {
      const { user, pairs } = readCredentials(reader);
      const clientKey = decrypt(passwordKey, Buffer.from(pairs.get('AUTH_SESSKEY') ?? '', 'hex')).subarray(0, 32);
      const both = hex(Buffer.concat([clientKey, serverKey]));
      const key = pbkdf2Sync(both, sessionSalt, keyRounds, 32, 'sha512');
      const sent = decrypt(key, Buffer.from(pairs.get('AUTH_PASSWORD') ?? '', 'hex')).subarray(16);
      if (sent.subarray(0, Buffer.byteLength(password)).toString() !== password) return null;
      const proof = encrypt(key, Buffer.concat([randomBytes(16), Buffer.from('SERVER_TO_CLIENT')]));
      return {
        login: {
          user,
          program: pairs.get('AUTH_PROGRAM_NM') ?? '',
          alterSession: (pairs.get('AUTH_ALTER_SESSION') ?? '').replaceAll('\0', ''),
        },
        answer: new WireWriter()
          .byte(8)
          .integer(4)
          .pair('AUTH_SVR_RESPONSE', hex(proof))
          .pair('AUTH_VERSION_NO', String((23 << 24) | (26 << 20)))
          .pair('AUTH_MAX_OPEN_CURSORS', '300')
          .pair('AUTH_DBNAME', 'STUBPDB')
          .done(),
      };
    },
  };
}

/** Both messages begin alike: a user's name, and then pairs. */
function readCredentials(reader: WireReader): { readonly user: string; readonly pairs: ReadonlyMap<string, string> } {
  reader.byte();
  reader.integers(2);
  reader.byte();
  const count = reader.integer();
  reader.skip(2);
  const user = reader.text();
  return { user, pairs: new Map(Array.from({ length: count }, () => reader.pair())) };
}

const hex = (bytes: Buffer): string => bytes.toString('hex').toUpperCase();

function encrypt(key: Buffer, bytes: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-cbc', key, Buffer.alloc(16)).setAutoPadding(false);
  return Buffer.concat([cipher.update(bytes), cipher.final()]);
}

function decrypt(key: Buffer, bytes: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-cbc', key, Buffer.alloc(16)).setAutoPadding(false);
  return Buffer.concat([decipher.update(bytes), decipher.final()]);
}
