// Runs schema/oracle/principals.sql without SQLcl: its substitution variables come from the environment.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { scriptStatements } from '../src/store/oracle/script.ts';
import { sqlFolder } from '../src/store/sql_files.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Settings of SQL*Plus, which no database knows. */
const clientLine = /^(?:SET|WHENEVER|UNDEFINE)\b.*$/gim;

/**
 * The statements of principals.sql with the passwords and names of this environment. Throws with the variable's name for
 * one that is not set, or that could end the quotation that it stands in.
 */
export function principalStatements(environment: Environment): readonly string[] {
  const value = (name: string, pattern: RegExp, fallback?: string): string => {
    const given = environment[name] ?? fallback ?? '';
    if (!pattern.test(given))
      throw new Error(`${name} is not set, or holds a character that cannot stand in the script.`);
    return given;
  };
  const identifier = /^[A-Za-z][A-Za-z0-9_$#]{0,127}$/;
  const password = /^[^"\p{Cc}]+$/u;
  const values: Readonly<Record<string, string>> = {
    tablespace: value('DB_TABLESPACE', identifier, 'USERS'),
    app_password: value('DB_PASSWORD', password),
    operator_password: value('DB_OPERATOR_PASSWORD', password),
    migration_login: value('DB_OWNER_USER', identifier),
  };
  const script = readFileSync(join(sqlFolder('oracle'), 'principals.sql'), 'utf8').replaceAll(clientLine, '');
  return scriptStatements(
    script.replaceAll(/&&(\w+)/g, (variable, name: string) => {
      const text = values[name];
      if (text === undefined) throw new Error(`principals.sql asks for ${variable}, which nothing here knows.`);
      return text;
    }),
  );
}

/** Makes the principals as an administrator: SYS, or ADMIN on Autonomous Database. Users that exist stay as they are. */
export async function makePrincipals(environment: Environment): Promise<void> {
  const { DB_ADMIN_USER: user = 'SYS', DB_ADMIN_PASSWORD: password = '', DB_DSN: connectString = '' } = environment;
  const { default: oracledb } = await import('oracledb');
  const { DB_WALLET_DIR: wallet, DB_WALLET_PASSWORD: walletPassword } = environment;
  const connection = await oracledb.getConnection({
    user,
    password,
    connectString,
    ...(user.toUpperCase() === 'SYS' ? { privilege: oracledb.SYSDBA } : {}),
    ...(wallet === undefined ? {} : { configDir: wallet, walletLocation: wallet }),
    ...(walletPassword === undefined ? {} : { walletPassword }),
  });
  try {
    for (const statement of principalStatements(environment)) await connection.execute(statement);
  } finally {
    await connection.close();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await makePrincipals(process.env);
