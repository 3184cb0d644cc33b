// Runs the contract of the store on a real Oracle database, or says loudly that it did not. The database must be one of
// the tests alone. `--principals` makes the principals first, by an administrator's login (DB_ADMIN_USER, DB_ADMIN_PASSWORD).

import { spawn } from 'node:child_process';
import { notRunLine, oracleMissing } from '../test/oracle/database_session.ts';
import { makePrincipals } from './oracle_principals.ts';

const missing = oracleMissing();
if (missing === null) {
  if (process.argv.includes('--principals')) await makePrincipals(process.env);
  const tests = spawn('npx', ['vitest', 'run', 'test/oracle/database.test.ts'], { stdio: 'inherit' });
  tests.on('close', (code) => (process.exitCode = code ?? 1));
} else {
  console.warn(`\n${'='.repeat(100)}\n${notRunLine(missing)}\n${'='.repeat(100)}\n`);
}
