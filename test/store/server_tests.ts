// Groups of tests that need a PostgreSQL server: skipped with the reason where the run has none.

import { describe } from 'vitest';
import { serverMissing } from './server_session.ts';

/** A group of tests on the server of the run. */
export function describeOnServer(name: string, tests: () => void): void {
  const missing = serverMissing();
  const title = missing === null ? name : `${name}: skipped, no PostgreSQL server (${missing.split('\n')[0]})`;
  describe.skipIf(missing !== null)(title, tests);
}
