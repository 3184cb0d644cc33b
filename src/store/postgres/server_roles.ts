// What `migrate` does on a server beside the numbered files: sees that roles and extension can be made, and lets the
// other logins step down to their roles. What it may not do, an administrator is told to.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { MemoryError } from '../../model/errors.ts';
import { sqlFolder } from '../sql_files.ts';
import type { Session } from '../statements/session.ts';
import type { Connection } from './connection.ts';
import { variableOf } from './server_account.ts';
import type { Account } from './server_account.ts';

/** The logins that get a role, by their names; null where the configuration names none. */
export interface Logins {
  readonly serve: string | null;
  readonly operate: string | null;
}

/** Throws `invalid_configuration` with what an administrator has to run, unless the login can apply the migrations. */
export async function requireMigrationRights(session: Session, account: Account, logins: Logins): Promise<void> {
  if (!account.vector_installed && !account.vector_available) {
    throw new MemoryError(
      'invalid_configuration',
      'The server has no extension vector. Install pgvector on it, and run migrate again.',
      { variable: variableOf.migrate },
    );
  }
  // Roles are shared by all databases of a server: others may have made them, and may be the ones who give them away.
  const mayMakeRoles = account.roles_exist ? account.reaches_owner || account.grants_itself : account.creates_roles;
  const lacks = [
    ...(account.superuser || mayMakeRoles ? [] : ['make the roles']),
    ...(account.superuser || account.vector_installed ? [] : ['create the extension vector']),
    ...(account.creates_schemas ? [] : ['create a schema']),
  ];
  if (lacks.length > 0) throw await administratorNeeded(session, account, logins, lacks.join(' and '));
}

async function administratorNeeded(
  session: Session,
  account: Account,
  logins: Logins,
  lacks: string,
): Promise<MemoryError> {
  const row = await session.one('administrator_script', account.login, logins.serve, logins.operate);
  const { script } = z.object({ script: z.string() }).parse(row);
  return new MemoryError(
    'invalid_configuration',
    `The login ${account.login} of ${variableOf.migrate} may not ${lacks}. An administrator of the database ${account.database} has to run once:\n${script}\nThen run migrate again.`,
    { variable: variableOf.migrate, administrator: script },
  );
}

const membershipColumns = z.object({ present: z.boolean(), granted: z.boolean(), grantable: z.boolean() });

/** Lets the logins step down to their roles; what stands already is left alone. */
export async function grantMemberships(
  session: Session,
  connection: Connection,
  account: Account,
  logins: Logins,
): Promise<void> {
  await session.one('migration_lock');
  const wanted = [
    ['serve', 'mem_app', logins.serve],
    ['operate', 'mem_operator', logins.operate],
  ] as const;
  for (const [purpose, role, login] of wanted) {
    if (login === null) continue;
    const { present, granted, grantable } = membershipColumns.parse(await session.one('membership', login, role));
    if (granted) continue;
    if (!present) {
      throw new MemoryError(
        'invalid_configuration',
        `The login ${login} of ${variableOf[purpose]} does not exist. Create it with a password and no other right, and run migrate again.`,
        { variable: variableOf[purpose] },
      );
    }
    if (!grantable && !account.grants_itself) {
      throw await administratorNeeded(session, account, logins, `grant ${role}`);
    }
    await session.one('membership_setting', login, role);
    await connection.execute(readFileSync(join(sqlFolder('postgres'), 'grant_membership.sql'), 'utf8'));
  }
}

/** The login that an address names, or null where it leaves that to the environment. */
export function loginOf(url: string | null): string | null {
  if (url === null || !URL.canParse(url)) return null;
  const { username } = new URL(url);
  return username === '' ? null : decodeURIComponent(username);
}
