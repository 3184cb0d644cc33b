// A copy of a whole embedded database, taken while it is in use: between two calls, so that no transaction is open.

import { z } from 'zod';
import type { LogProblem } from '../problem.ts';
import { createQueries } from '../sql_files.ts';
import type { MigrationFile } from '../sql_files.ts';
import type { CallOptions, StoreCopy } from '../store.ts';
import type { Connection, Engine } from './connection.ts';
import { toMemoryError } from './database_error.ts';
import { readSchemaState } from './schema.ts';
import { transaction } from './transaction.ts';

const queries = createQueries('postgres');

const rowCount = z.object({ name: z.string(), rows: z.number().int() });

interface CopyOptions {
  readonly engine: Engine;
  readonly embedder: { readonly id: string; readonly dimensions: number };
  readonly log: LogProblem;
  readonly migrations: readonly MigrationFile[];
}

/** The way to copy a store; undefined where the engine has no files of its own. */
export function copierOf(options: CopyOptions): ((call: CallOptions) => Promise<StoreCopy>) | undefined {
  const { engine, log } = options;
  const { copyFiles } = engine;
  if (copyFiles === undefined) return undefined;
  return async (call) => {
    const state = await readSchemaState(options);
    const isKnown = state.applied.length === state.known;
    // One turn for both: the rows that are counted are those of the copy.
    return engine.use(call, async (connection) => {
      try {
        const rows = isKnown ? await countAllRows(connection) : null;
        await connection.query(queries('checkpoint'), []);
        const { tar, postgresMajor } = await copyFiles();
        return { state, rows, postgresMajor, tar };
      } catch (error) {
        throw toMemoryError(error, call.requestId, log);
      }
    });
  };
}

/** Rows of all tenants by table, in a turn of their own. */
export async function countRows(engine: Engine, log: LogProblem): Promise<Readonly<Record<string, number>>> {
  const call = { requestId: 'restore' };
  return engine.use(call, async (connection) => {
    try {
      return await countAllRows(connection);
    } catch (error) {
      throw toMemoryError(error, call.requestId, log);
    }
  });
}

/** The embedded engine's own login sees the rows of all tenants, and only their number leaves. */
async function countAllRows(connection: Connection): Promise<Readonly<Record<string, number>>> {
  const counts = (await connection.query(queries('count_rows'), [])).map((row) => rowCount.parse(row));
  return Object.fromEntries(counts.map(({ name, rows }) => [name, rows]));
}

/**
 * Makes a restored database one of its own (design N5): from here on it and the one it was copied from go different
 * ways, with the same transaction ids.
 */
export async function renewIncarnation(engine: Engine, log: LogProblem): Promise<void> {
  const call = { requestId: 'restore' };
  await transaction({ engine, log, call, beginning: 'migrate' }, async (session, connection) => {
    await connection.execute('SET LOCAL ROLE mem_owner');
    await session.one('renew_incarnation');
  });
}
