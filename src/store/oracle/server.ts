// The Oracle engine: Oracle AI Database 23ai or newer, reached by the driver in Thin mode through a pool of connections.

import { MemoryError } from '../../model/errors.ts';
import { reportTo } from '../problem.ts';
import type { LogProblem, StoreLog } from '../problem.ts';
import { readMigrations } from '../sql_files.ts';
import type { EmbedderIdentity, Store } from '../store.ts';
import { readAccount, requireAccount, variableOf } from './account.ts';
import type { OracleAccount, Purpose } from './account.ts';
import { toMemoryError } from './database_error.ts';
import { loadDriver } from './driver.ts';
import { readExtras } from './extras.ts';
import { createPool } from './pool.ts';
import type { OracleLogin, PoolLimits } from './pool.ts';
import { readPrerequisites } from './prerequisites.ts';
import type { Prerequisite } from './prerequisites.ts';
import { createStatements } from './statements.ts';
import { createOracleStore } from './store.ts';
import { transaction } from './transaction.ts';
import type { OracleEngine } from './transaction.ts';

/** Bounds of the use of a database. */
export interface OracleLimits {
  readonly pool: PoolLimits;
  /** The longest that one statement may last. */
  readonly statementMs: number;
}

/** How to open a store on Oracle. */
export interface OracleOptions {
  /** The purpose's own login. */
  readonly login: OracleLogin;
  readonly purpose: Purpose;
  readonly embedder: EmbedderIdentity;
  /** True: a store whose vectors are by another embedder opens too. */
  readonly anyEmbedder?: boolean;
  readonly log: StoreLog;
  readonly limits: OracleLimits;
}

/** A store on Oracle, with what its login was when it was opened. */
export interface OracleStore extends Store {
  readonly account: OracleAccount;
  /** What the installation has; to be asked of the login of migrations. */
  prerequisites(): Promise<readonly Prerequisite[]>;
}

/**
 * Opens a store and looks at its login first. Throws `privileged_account`, `schema_missing`, `invalid_configuration` and
 * `store_unavailable`; it changes nothing, also not for a schema that is missing.
 */
export async function openOracleStore(options: OracleOptions): Promise<OracleStore> {
  const { purpose, embedder, anyEmbedder = false } = options;
  const engine = await openOracleEngine(options, reportTo(options.log));
  try {
    const call = { requestId: 'account' };
    const { account, extras } = await transaction(engine, { beginning: { as: 'look' }, call }, async (session) => {
      const login = await readAccount(session);
      requireAccount(login, purpose);
      return { account: login, extras: await readExtras(session) };
    });
    const migrations = readMigrations('oracle');
    const store = createOracleStore({ engine, embedder, migrations, extras, anyEmbedder });
    const prerequisites = (): Promise<readonly Prerequisite[]> =>
      transaction(engine, { beginning: { as: 'look' }, call: { requestId: 'prerequisites' } }, readPrerequisites);
    const opened = { ...store, account, prerequisites };
    return { ...opened, ...(purpose === 'migrate' ? {} : { migrate: () => Promise.reject(noMigration()) }) };
  } catch (error) {
    await engine.pool.close();
    throw error;
  }
}

/** Opens the engine alone: a pool that connects when it is first asked for a connection. */
export async function openOracleEngine(
  { login, limits, purpose }: Pick<OracleOptions, 'login' | 'limits' | 'purpose'>,
  log: LogProblem,
): Promise<OracleEngine> {
  const driver = await loadDriver();
  const pool = await createPool(driver, login, limits.pool).catch((error: unknown) => {
    // The driver reads address and wallet here, and says what is wrong with them in their own words.
    throw toMemoryError(error, 'open', log);
  });
  const statementMs = purpose === 'migrate' ? null : limits.statementMs;
  return { driver, pool, statements: createStatements(), log, statementMs };
}

function noMigration(): MemoryError {
  const variable = variableOf.migrate;
  return new MemoryError('invalid_configuration', `Migrations need the login of ${variable}.`, { variable });
}
