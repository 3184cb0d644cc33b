// The part of the configuration that says where a database server is, and as whom it is used.

import { z } from 'zod';
import { oracleLoginVariables, oracleLogins, oracleSecrets, oracleShape, oracleVariables } from './oracle_logins.ts';
import type { OracleLogins } from './oracle_logins.ts';

/** The variables of a server, as the README's table lists them. */
export const serverVariables = [
  {
    name: 'DATABASE_URL',
    default: '',
    meaning: 'Server, database and login for serving, a member of mem_app only: postgres://…; never logged.',
    secret: true,
  },
  {
    name: 'DATABASE_OPERATOR_URL',
    default: '',
    meaning: 'The same with the login of operator commands, a member of mem_operator; never logged.',
    secret: true,
  },
  {
    name: 'DATABASE_OWNER_URL',
    default: '',
    meaning: 'The same with the login of `migrate`, which makes the tables; never logged.',
    secret: true,
  },
  ...oracleVariables,
  { name: 'CONTEXT_POOL_MAX', default: '10', meaning: 'Connections of a process to the server, 1 to 500.' },
  {
    name: 'CONTEXT_STATEMENT_TIMEOUT_MS',
    default: '30000',
    meaning: 'The longest that one statement on the server, or a wait for a connection to it, may take.',
  },
] as const;

/** What a login on a server is for. */
type Purpose = 'serve' | 'operate' | 'migrate';

/** The addresses of a PostgreSQL server, each with the login of its purpose; null where it is not set. */
export type PostgresAddresses = Readonly<Record<Purpose, string | null>>;

/** A database server and its logins. One of `postgres` and `oracle` says where it is. */
export interface DatabaseServer {
  readonly postgres: PostgresAddresses | null;
  readonly oracle: OracleLogins | null;
  /** The variable that names the login of each purpose, and whether it is set. */
  readonly logins: Readonly<Record<Purpose, { readonly variable: string; readonly isSet: boolean }>>;
  readonly poolMax: number;
  readonly statementTimeoutMs: number;
}

/** An address as the server's own tools read it; what is wrong with it is said without repeating it. */
const databaseAddress = z
  .string()
  .refine(
    (text) => URL.canParse(text) && /^postgres(?:ql)?:$/.test(new URL(text).protocol),
    'is no address of the form postgres://login:password@host:port/database',
  );

function wholeNumber({ least, most }: { readonly least: number; readonly most: number }) {
  return z
    .string()
    .refine(
      (text) => /^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most,
      `is no whole number from ${least} to ${most}`,
    )
    .transform(Number);
}

/** What each of the variables may be. */
export const serverShape = {
  DATABASE_URL: databaseAddress.optional(),
  DATABASE_OPERATOR_URL: databaseAddress.optional(),
  DATABASE_OWNER_URL: databaseAddress.optional(),
  ...oracleShape,
  CONTEXT_POOL_MAX: wholeNumber({ least: 1, most: 500 }).default(10),
  CONTEXT_STATEMENT_TIMEOUT_MS: wholeNumber({ least: 100, most: 86_400_000 }).default(30_000),
};

const shape = z.object(serverShape);

/** The variables of a server as read. */
export type ServerValues = z.output<typeof shape>;

const postgresLoginVariables = {
  serve: 'DATABASE_URL',
  operate: 'DATABASE_OPERATOR_URL',
  migrate: 'DATABASE_OWNER_URL',
} as const satisfies Record<Purpose, string>;

/** The server of each engine as these values name it, frozen; null for the one that has none. */
const servers = {
  embedded: () => null,
  postgres(values: ServerValues) {
    const postgres = Object.freeze({
      serve: values.DATABASE_URL ?? null,
      operate: values.DATABASE_OPERATOR_URL ?? null,
      migrate: values.DATABASE_OWNER_URL ?? null,
    });
    return { postgres, oracle: null, logins: loginsOf(postgresLoginVariables, postgres) };
  },
  oracle(values: ServerValues) {
    const oracle = oracleLogins(values);
    return { postgres: null, oracle, logins: loginsOf(oracleLoginVariables, oracle) };
  },
};

/** An engine by the name that CONTEXT_ENGINE gives it. */
export type EngineName = keyof typeof servers;

/**
 * The server that an engine has by these values, frozen; null for an engine without one. Throws `invalid_configuration`
 * where a value lacks another.
 */
export function databaseServer(engine: EngineName, values: ServerValues): DatabaseServer | null {
  const server = servers[engine](values);
  if (server === null) return null;
  const bounds = { poolMax: values.CONTEXT_POOL_MAX, statementTimeoutMs: values.CONTEXT_STATEMENT_TIMEOUT_MS };
  return Object.freeze({ ...server, ...bounds });
}

function loginsOf(
  variables: Readonly<Record<Purpose, string>>,
  given: Readonly<Record<Purpose, unknown>>,
): DatabaseServer['logins'] {
  const login = (purpose: Purpose) => ({ variable: variables[purpose], isSet: given[purpose] !== null });
  return Object.freeze({ serve: login('serve'), operate: login('operate'), migrate: login('migrate') });
}

/** Addresses with the passwords inside them, as they stand and as they are meant, and passwords: nothing may be written. */
export function serverSecrets(values: ServerValues): readonly string[] {
  return [...addressSecrets(values), ...oracleSecrets(values)];
}

function addressSecrets(values: ServerValues): readonly string[] {
  const addresses = [values.DATABASE_URL, values.DATABASE_OPERATOR_URL, values.DATABASE_OWNER_URL];
  return addresses.flatMap((address) => {
    if (address === undefined) return [];
    const { password } = new URL(address);
    return [address, password, decoded(password)].filter((secret) => secret !== '');
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
