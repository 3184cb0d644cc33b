// A connection of the pool while one caller has it (design N1): nobody gets it again before its context was cleared.

import type { BindParameters, Connection } from 'oracledb';
import { MemoryError } from '../../model/errors.ts';
import type { DatabaseRow } from '../statements/session.ts';
import type { CallOptions } from '../store.ts';
import { isRefusal } from './database_error.ts';
import type { Driver } from './driver.ts';
import { executeOptions, namedRows, rowsOf } from './result_rows.ts';
import { createTurns } from './turns.ts';
import type { Left, Turns } from './turns.ts';

/** How long rolling back and clearing the context may take together. */
const leavingMs = 2000;
/** Rows of a page of a long result. */
const rowsOfPage = 100;

/** What bounds a use of a connection. */
export interface StatementBounds {
  /** The longest that one statement may take; null: no bound, as for a migration. */
  readonly statementMs: number | null;
}

/** A connection that one caller has. */
export interface LentConnection {
  execute(sql: string, binds: BindParameters, hasResult: boolean): Promise<readonly DatabaseRow[]>;
  /** A statement of a script. Throws also where what it made does not compile, which the database calls a warning. */
  define(sql: string): Promise<void>;
  /** The rows of a query a page at a time. */
  pages(sql: string, binds: BindParameters): AsyncIterable<readonly DatabaseRow[]>;
  /** Commits. Throws `outcome_unknown` where the answer got lost: the transaction may stand or not. */
  commit(): Promise<void>;
  /**
   * Rolls back what was not committed and runs the statement that clears the context (null: there was none). Where either
   * fails or does not end, the connection is cut.
   */
  leave(clear: string | null): Promise<Left>;
}

/** Lends a connection under the bounds of a call. */
export function lend(
  driver: Driver,
  connection: Connection,
  { call, bounds }: { readonly call: CallOptions; readonly bounds: StatementBounds },
): LentConnection {
  const turns = createTurns(connection, call, bounds.statementMs);
  connection.callTimeout = bounds.statementMs ?? 0;
  const options = executeOptions(driver);
  return {
    execute: (sql, binds, hasResult) =>
      turns.take('statement', async () => rowsOf(await connection.execute<unknown>(sql, binds, options), hasResult)),
    define: (sql) =>
      turns.take('statement', async () => {
        const { warning } = await connection.execute<unknown>(sql, {}, options);
        if (warning !== undefined) throw new Error('a statement of a script made something that does not compile');
      }),
    async *pages(sql, binds) {
      const byPages = { ...options, fetchArraySize: rowsOfPage, prefetchRows: rowsOfPage, resultSet: true };
      const { resultSet } = await turns.take('statement', () => connection.execute<unknown>(sql, binds, byPages));
      if (resultSet === undefined) throw new Error('a statement that is read by pages is no query');
      try {
        for (;;) {
          const rows = await turns.take('statement', () => resultSet.getRows(rowsOfPage));
          if (rows.length === 0) return;
          yield namedRows(resultSet.metaData, rows);
        }
      } finally {
        await resultSet.close().catch(() => {});
      }
    },
    commit: () => turns.take('commit', () => commit(connection)),
    async leave(clear) {
      await turns.end();
      if (turns.left() === 'clean') {
        await clearAway(turns, async () => {
          connection.callTimeout = 0;
          await connection.rollback();
          if (clear !== null) await connection.execute(clear, {}, options);
        });
      }
      return turns.left();
    },
  };
}

async function commit(connection: Connection): Promise<void> {
  // A break would leave open what became of it.
  connection.callTimeout = 0;
  await connection.commit().catch((error: unknown) => {
    throw isRefusal(error) ? error : outcomeUnknown(error);
  });
}

async function clearAway(turns: Turns, clear: () => Promise<void>): Promise<void> {
  const timer = setTimeout(() => turns.cut(), leavingMs);
  try {
    await clear();
  } catch {
    turns.cut();
  } finally {
    clearTimeout(timer);
  }
}

function outcomeUnknown(cause: unknown): MemoryError {
  return new MemoryError(
    'outcome_unknown',
    'The connection to the store was lost while the change was being kept: it may have been kept or not.',
    {},
    cause,
  );
}
