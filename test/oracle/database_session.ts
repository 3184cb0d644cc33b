// A real Oracle database for the contract: where the run has one, and one store over the three logins that it takes.

import { setTimeout as pause } from 'node:timers/promises';
import { openOracleStore } from '../../src/store/oracle/server.ts';
import type { StoreLog } from '../../src/store/problem.ts';
import type { Store } from '../../src/store/store.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { testEmbedder } from '../store/harness.ts';
import type { OpenedStore } from '../store/harness.ts';

const needed = [
  'DB_DSN',
  'DB_USER',
  'DB_PASSWORD',
  'DB_OPERATOR_USER',
  'DB_OPERATOR_PASSWORD',
  'DB_OWNER_USER',
  'DB_OWNER_PASSWORD',
] as const;

type Environment = Readonly<Record<string, string | undefined>>;

/** Why the contract cannot run on Oracle here, in one sentence; null: it can. */
export function oracleMissing(environment: Environment = process.env): string | null {
  const missing = needed.filter((name) => (environment[name] ?? '') === '');
  return missing.length === 0 ? null : `${missing.join(', ')} not set`;
}

/** What is told to whoever reads the output of a run without Oracle; nothing may look as if it had run. */
export function notRunLine(reason: string): string {
  return `store contract: NOT RUN on Oracle (${reason}). On a database of its own: npm run test:oracle`;
}

/** A table that was just made cannot be read as of an SCN at once (ORA-01466). */
const afterDefinitionsMs = 10_000;

/** Longer than the adapter waits between two questions for changed tools. */
const toldWithinMs = 6000;

/**
 * One store that serves, operates and migrates, each with its own login, as the contract wants it. The database has to be
 * one of the tests alone: it is migrated, and its vectors are those of the tests' embedder.
 */
export async function openOnOracle(environment: Environment = process.env): Promise<OpenedStore> {
  const problems: { message: string; detail: JsonObject }[] = [];
  const keep = (detail: Readonly<Record<string, unknown>>, message: string): void =>
    void problems.push({ message, detail: detail as JsonObject });
  const log: StoreLog = { warn: keep, error: keep };
  const value = (name: string): string => environment[name] ?? '';
  const open = (purpose: 'serve' | 'operate' | 'migrate', prefix: string) =>
    openOracleStore({
      purpose,
      embedder: testEmbedder,
      log,
      login: {
        user: value(`${prefix}USER`),
        password: value(`${prefix}PASSWORD`),
        connectString: value('DB_DSN'),
        walletFolder: environment['DB_WALLET_DIR'] ?? null,
        walletPassword: environment['DB_WALLET_PASSWORD'] ?? null,
      },
      limits: { pool: { most: 8, longestLine: 1000, waitMs: 10_000 }, statementMs: 60_000 },
    });
  const owner = await open('migrate', 'DB_OWNER_');
  const { applied, known } = await owner.schemaState();
  await owner.migrate();
  if (applied.length < known) await pause(afterDefinitionsMs);
  const serve = await open('serve', 'DB_');
  const operate = await open('operate', 'DB_OPERATOR_');
  return { store: oneStore({ owner, serve, operate }), raw: null, problems, toldWithinMs };
}

function oneStore({ owner, serve, operate }: Readonly<Record<'owner' | 'serve' | 'operate', Store>>): Store {
  return {
    ...serve,
    migrate: () => owner.migrate(),
    operate: (scope, call, use) => operate.operate(scope, call, use),
    inspect: (scope, call, use) => operate.inspect(scope, call, use),
    readPast: (scope, call, use) => ('userId' in scope ? serve : operate).readPast(scope, call, use),
    erase: (scope, call, target) => operate.erase(scope, call, target),
    retain: (scope, call) => operate.retain(scope, call),
    async close() {
      await Promise.all([owner.close(), serve.close(), operate.close()]);
    },
  };
}
