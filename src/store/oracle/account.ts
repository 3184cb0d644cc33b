// Design N2: which login may serve, operate or migrate, and what a database must be; anything else is refused by name.

import { z } from 'zod';
import { MemoryError } from '../../model/errors.ts';
import { failureSentences } from '../failure_sentences.ts';
import type { Session } from '../statements/session.ts';

/** What a login is opened for: serving end users, an operator's commands, or migrations. */
export type Purpose = 'serve' | 'operate' | 'migrate';

/** The variable that names the login of each purpose; its password stands in one of a like name. */
export const variableOf = {
  serve: 'DB_USER',
  operate: 'DB_OPERATOR_USER',
  migrate: 'DB_OWNER_USER',
} as const satisfies Record<Purpose, string>;

const loginOf = { serve: 'mem_app', operate: 'mem_operator' } as const;

/** The release number of 23ai and of 26ai alike. */
const oldestRelease = 23;

const accountColumns = z.object({
  login: z.string(),
  database: z.string(),
  version_name: z.string(),
  owns_or_administers: z.boolean(),
  bypasses: z.boolean(),
  reaches_others: z.boolean(),
  may_serve: z.boolean(),
  may_operate: z.boolean(),
});

/** A login and its database, as the database sees them. */
export type OracleAccount = z.output<typeof accountColumns>;

/** Reads what the login of a session may do. */
export async function readAccount(session: Session): Promise<OracleAccount> {
  return accountColumns.parse(await session.one('session_account'));
}

/**
 * Throws `privileged_account` for a login that could step over row security, `schema_missing` where nothing was ever
 * migrated, and `invalid_configuration` for a login that cannot do its work or a database that is too old.
 */
export function requireAccount(account: OracleAccount, purpose: Purpose): void {
  const variable = variableOf[purpose];
  requireRelease(account, variable);
  if (purpose === 'migrate') return requireAdministrator(account, variable);
  const power = powerOf(account, purpose);
  if (power !== null) {
    throw new MemoryError(
      'privileged_account',
      `The login ${account.login} of ${variable} ${power}, so row security would not hold. Name the login ${loginOf[purpose]}, which principals.sql makes.`,
      { variable },
    );
  }
  if (purpose === 'serve' ? account.may_serve : account.may_operate) return;
  // The packages are not there, or not for this login: it cannot see which.
  if (!account.may_serve && !account.may_operate) {
    throw new MemoryError('schema_missing', failureSentences.schema_missing, {});
  }
  throw new MemoryError(
    'invalid_configuration',
    `The login ${account.login} of ${variable} has no right to the package of its work. Name the login ${loginOf[purpose]}, which principals.sql makes.`,
    { variable },
  );
}

/** What makes a login too powerful for its purpose, or null. */
function powerOf(account: OracleAccount, purpose: 'serve' | 'operate'): string | null {
  if (account.owns_or_administers) return 'owns the tables or administers the database';
  if (account.bypasses) return 'is exempt from access policies';
  if (account.reaches_others) return 'has rights over the objects of every schema';
  if (purpose === 'serve' && account.may_operate) return 'may become the operator';
  return null;
}

function requireRelease({ version_name: version }: OracleAccount, variable: string): void {
  if (Number(/^\d+/.exec(version)?.[0] ?? 0) >= oldestRelease) return;
  throw new MemoryError(
    'invalid_configuration',
    `The database of ${variable} is Oracle ${version}; release 23 or newer is needed.`,
    { variable },
  );
}

// SYS has the rights, but what it makes is not under row security as that of others is; SYSTEM is the database's own.
function requireAdministrator(account: OracleAccount, variable: string): void {
  const { login, reaches_others: reaches, owns_or_administers: isTheDatabases } = account;
  if (reaches && !isTheDatabases) return;
  throw new MemoryError(
    'invalid_configuration',
    `The login ${login} of ${variable} cannot migrate. Name one that has the role DBA and is neither SYS nor SYSTEM, after principals.sql has run.`,
    { variable },
  );
}
