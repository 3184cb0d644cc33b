// The contract of the store port on a real Oracle database, unchanged; without one it says loudly that it did not run.

import { describe, expect, it } from 'vitest';
import { principalStatements } from '../../scripts/oracle_principals.ts';
import { describeStore } from '../store/contract.ts';
import { notRunLine, openOnOracle, oracleMissing } from './database_session.ts';

const missing = oracleMissing();
if (missing !== null) console.warn(notRunLine(missing));

describe.skipIf(missing !== null)(missing === null ? 'Oracle' : `Oracle: ${notRunLine(missing)}`, () =>
  describeStore('store on an Oracle database', () => openOnOracle()),
);

describe('the run on a real database', () => {
  it('[N10] takes all logins, and says which variables it lacks', () => {
    const all = Object.fromEntries(
      [
        'DB_DSN',
        ...['DB_', 'DB_OPERATOR_', 'DB_OWNER_'].flatMap((prefix) => [`${prefix}USER`, `${prefix}PASSWORD`]),
      ].map((name) => [name, 'set']),
    );
    expect(oracleMissing(all)).toBeNull();
    expect(oracleMissing({ ...all, DB_USER: '', DB_OWNER_PASSWORD: undefined })).toBe(
      'DB_USER, DB_OWNER_PASSWORD not set',
    );
    expect(notRunLine('DB_DSN not set')).toMatch(/NOT RUN on Oracle \(DB_DSN not set\)/);
  });
});

describe('principals.sql without SQLcl', () => {
  const environment = { DB_PASSWORD: 'one', DB_OPERATOR_PASSWORD: 'two', DB_OWNER_USER: 'memory_migration' };

  it('[N2] is filled from the environment alone, whole and without a line of SQL*Plus', () => {
    const statements = principalStatements(environment);
    expect(statements.join('\n')).not.toMatch(/&|^(?:SET|WHENEVER|UNDEFINE)\b/im);
    expect(statements).toContain('CREATE USER IF NOT EXISTS mem_app IDENTIFIED BY "one"');
    expect(statements.at(-1)).toContain("'GRANT EXECUTE ON sys.dbms_rls TO memory_migration'");
  });

  it.each([
    ['DB_PASSWORD', 'a" ACCOUNT UNLOCK "'],
    ['DB_OWNER_USER', 'memory_migration, mem_app'],
    ['DB_OPERATOR_PASSWORD', ''],
  ])('[N2] refuses a %s that would not stay in its place', (name, value) => {
    expect(() => principalStatements({ ...environment, [name]: value })).toThrow(name);
  });
});
