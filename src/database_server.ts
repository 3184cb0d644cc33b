// The part of the configuration that says where a database server is, and as whom it is used.

import { z } from 'zod';

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
  { name: 'CONTEXT_POOL_MAX', default: '10', meaning: 'Connections of a process to the server, 1 to 500.' },
  {
    name: 'CONTEXT_STATEMENT_TIMEOUT_MS',
    default: '30000',
    meaning: 'The longest that one statement on the server, or a wait for a connection to it, may take.',
  },
] as const;

/** How a database server is reached; each purpose has a login of its own. */
export interface DatabaseServer {
  /** For serving; null when it is not set. */
  readonly url: string | null;
  /** For operator commands; null when it is not set. */
  readonly operatorUrl: string | null;
  /** For migrations; null when it is not set. */
  readonly ownerUrl: string | null;
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
  CONTEXT_POOL_MAX: wholeNumber({ least: 1, most: 500 }).default(10),
  CONTEXT_STATEMENT_TIMEOUT_MS: wholeNumber({ least: 100, most: 86_400_000 }).default(30_000),
};

const shape = z.object(serverShape);

/** The variables of a server as read. */
export type ServerValues = z.output<typeof shape>;

/** The server that these values name; frozen. */
export function databaseServer(values: ServerValues): DatabaseServer {
  return Object.freeze({
    url: values.DATABASE_URL ?? null,
    operatorUrl: values.DATABASE_OPERATOR_URL ?? null,
    ownerUrl: values.DATABASE_OWNER_URL ?? null,
    poolMax: values.CONTEXT_POOL_MAX,
    statementTimeoutMs: values.CONTEXT_STATEMENT_TIMEOUT_MS,
  });
}

/** The addresses, and the passwords inside them as they stand and as they are meant: nothing of it may be written. */
export function addressSecrets(values: ServerValues): readonly string[] {
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
