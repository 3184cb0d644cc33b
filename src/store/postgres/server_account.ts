// Design N2: which login may serve, operate or migrate, and what a server must be; anything else is refused by name.

import { z } from 'zod';
import { MemoryError } from '../../model/errors.ts';
import type { Session } from '../statements/session.ts';

/** What a login is opened for: serving end users, an operator's commands, or migrations. */
export type Purpose = 'serve' | 'operate' | 'migrate';

/** The variable that names the login of each purpose. */
export const variableOf = {
  serve: 'DATABASE_URL',
  operate: 'DATABASE_OPERATOR_URL',
  migrate: 'DATABASE_OWNER_URL',
} as const satisfies Record<Purpose, string>;

const oldestServer = 150_000;

const accountColumns = z.object({
  login: z.string(),
  database: z.string(),
  version: z.number(),
  version_name: z.string(),
  superuser: z.boolean(),
  bypasses: z.boolean(),
  creates_roles: z.boolean(),
  grants_itself: z.boolean(),
  owns_tables: z.boolean(),
  creates_schemas: z.boolean(),
  roles_exist: z.boolean(),
  reaches_owner: z.boolean(),
  reaches_operator: z.boolean(),
  may_be_owner: z.boolean(),
  may_be_operator: z.boolean(),
  may_be_app: z.boolean(),
  vector_installed: z.boolean(),
  vector_available: z.boolean(),
});

/** A login and its server, as the database sees them. */
export type Account = z.output<typeof accountColumns>;

/** Reads what the login of a session may do. */
export async function readAccount(session: Session): Promise<Account> {
  return accountColumns.parse(await session.one('account'));
}

/**
 * Throws `privileged_account` for a login that could step over row security, `schema_missing` where nothing was ever
 * migrated, and `invalid_configuration` for a login that cannot do its work or a server that is too old.
 */
export function requireAccount(account: Account, purpose: Purpose): void {
  requireServer(account, purpose);
  if (purpose === 'migrate') return;
  const variable = variableOf[purpose];
  const power = powerOf(account, purpose);
  if (power !== null) {
    throw new MemoryError(
      'privileged_account',
      `The login ${account.login} of ${variable} ${power}, so row security would not hold. Name a login that is a member of ${roleOf[purpose]} only.`,
      { variable },
    );
  }
  if (!account.roles_exist) {
    throw new MemoryError(
      'schema_missing',
      'The database does not have the schema of this version. Run: context-assembly-memory migrate',
      {},
    );
  }
  if (!(purpose === 'serve' ? account.may_be_app : account.may_be_operator)) {
    throw new MemoryError(
      'invalid_configuration',
      `The login ${account.login} of ${variable} is not a member of ${roleOf[purpose]}. Run context-assembly-memory migrate with ${variable} set, which grants it.`,
      { variable },
    );
  }
}

const roleOf = { serve: 'mem_app', operate: 'mem_operator' } as const;

/** What makes a login too powerful for its purpose, or null. */
function powerOf(account: Account, purpose: 'serve' | 'operate'): string | null {
  if (account.superuser) return 'is a superuser';
  if (account.bypasses) return 'may bypass row security';
  if (account.owns_tables || account.reaches_owner) return 'owns the tables or may become their owner';
  if (account.grants_itself) return 'may give itself any role';
  if (purpose === 'serve' && account.reaches_operator) return 'may become the operator';
  return null;
}

function requireServer({ version, version_name: name }: Account, purpose: Purpose): void {
  if (version >= oldestServer) return;
  throw new MemoryError(
    'invalid_configuration',
    `The server of ${variableOf[purpose]} is PostgreSQL ${name}; version 15 or newer is needed.`,
    { variable: variableOf[purpose] },
  );
}
