// The part of the configuration that says where an Oracle database is, and as whom it is used.

import { z } from 'zod';
import { MemoryError } from './model/errors.ts';

/** The variables of an Oracle database, as the README's table lists them. */
export const oracleVariables = [
  {
    name: 'DB_DSN',
    default: '',
    meaning: 'Oracle database: host:port/service, a name of the tnsnames.ora in DB_WALLET_DIR, or a full descriptor.',
  },
  { name: 'DB_CONNECT_STRING', default: '', meaning: 'Another name of DB_DSN, for where it is set already.' },
  { name: 'DB_USER', default: '', meaning: 'Login for serving on Oracle, as principals.sql makes it: mem_app.' },
  { name: 'DB_PASSWORD', default: '', meaning: 'Password of DB_USER; never logged.', secret: true },
  { name: 'DB_OPERATOR_USER', default: '', meaning: 'Login of operator commands on Oracle: mem_operator.' },
  { name: 'DB_OPERATOR_PASSWORD', default: '', meaning: 'Password of DB_OPERATOR_USER; never logged.', secret: true },
  {
    name: 'DB_OWNER_USER',
    default: '',
    meaning: 'Login of `migrate` on Oracle: one with the role DBA, neither SYS nor SYSTEM.',
  },
  { name: 'DB_OWNER_PASSWORD', default: '', meaning: 'Password of DB_OWNER_USER; never logged.', secret: true },
  { name: 'DB_WALLET_DIR', default: '', meaning: 'Folder of a wallet for TLS: ewallet.pem, and tnsnames.ora.' },
  { name: 'DB_WALLET_PASSWORD', default: '', meaning: 'Password of the wallet; never logged.', secret: true },
] as const;

/** A login with its password. */
export interface OracleLogin {
  readonly user: string;
  readonly password: string;
}

/** Where an Oracle database is, with the logins that are set. */
export interface OracleLogins {
  readonly connectString: string;
  readonly serve: OracleLogin | null;
  readonly operate: OracleLogin | null;
  readonly migrate: OracleLogin | null;
  readonly walletFolder: string | null;
  readonly walletPassword: string | null;
}

const visible = z.string().regex(/^[^\p{Cc}]+$/u, 'holds a character that none has');
/** A login or password inside an address would be written wherever the address is. */
const address = visible.refine((text) => !text.includes('@'), 'holds a login; use DB_USER and DB_PASSWORD');

/** What each of the variables may be. */
export const oracleShape = {
  DB_DSN: address.optional(),
  DB_CONNECT_STRING: address.optional(),
  DB_USER: visible.optional(),
  DB_PASSWORD: visible.optional(),
  DB_OPERATOR_USER: visible.optional(),
  DB_OPERATOR_PASSWORD: visible.optional(),
  DB_OWNER_USER: visible.optional(),
  DB_OWNER_PASSWORD: visible.optional(),
  DB_WALLET_DIR: visible.optional(),
  DB_WALLET_PASSWORD: visible.optional(),
};

const shape = z.object(oracleShape);

/** The variables of an Oracle database as read. */
export type OracleValues = z.output<typeof shape>;

/** The variable that names the login of each purpose. */
export const oracleLoginVariables = {
  serve: 'DB_USER',
  operate: 'DB_OPERATOR_USER',
  migrate: 'DB_OWNER_USER',
} as const;

/** The database that these values name; frozen. Throws `invalid_configuration` where one of them lacks another. */
export function oracleLogins(values: OracleValues): OracleLogins {
  const { DB_DSN: dsn, DB_CONNECT_STRING: alias } = values;
  if (dsn !== undefined && alias !== undefined && dsn !== alias) {
    throw lacking('DB_CONNECT_STRING', 'is another address than DB_DSN, and both are set');
  }
  const connectString = dsn ?? alias;
  if (connectString === undefined) throw lacking('DB_DSN', 'is not set, but CONTEXT_ENGINE is oracle');
  return Object.freeze({
    connectString,
    serve: login('DB_USER', values.DB_USER, 'DB_PASSWORD', values.DB_PASSWORD),
    operate: login('DB_OPERATOR_USER', values.DB_OPERATOR_USER, 'DB_OPERATOR_PASSWORD', values.DB_OPERATOR_PASSWORD),
    migrate: login('DB_OWNER_USER', values.DB_OWNER_USER, 'DB_OWNER_PASSWORD', values.DB_OWNER_PASSWORD),
    walletFolder: values.DB_WALLET_DIR ?? null,
    walletPassword: values.DB_WALLET_PASSWORD ?? null,
  });
}

function login(
  name: string,
  user: string | undefined,
  passwordName: string,
  password: string | undefined,
): OracleLogin | null {
  if (user === undefined && password === undefined) return null;
  if (password === undefined) throw lacking(passwordName, `is not set, but ${name} is`);
  if (user === undefined) throw lacking(name, `is not set, but ${passwordName} is`);
  return Object.freeze({ user, password });
}

function lacking(variable: string, problem: string): MemoryError {
  return new MemoryError('invalid_configuration', `${variable} ${problem}.`, { variable });
}

/** The passwords: none may be written. */
export function oracleSecrets(values: OracleValues): readonly string[] {
  const { DB_PASSWORD, DB_OPERATOR_PASSWORD, DB_OWNER_PASSWORD, DB_WALLET_PASSWORD } = values;
  return [DB_PASSWORD, DB_OPERATOR_PASSWORD, DB_OWNER_PASSWORD, DB_WALLET_PASSWORD].filter(
    (secret) => secret !== undefined,
  );
}
