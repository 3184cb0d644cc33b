// One transaction on one connection: named statements, each after a look at the deadline.

import type { MemoryError } from '../../model/errors.ts';
import type { Deadline } from '../deadline.ts';
import type { LogProblem } from '../problem.ts';
import { createQueries } from '../sql_files.ts';
import type { DatabaseRow, Parameter, Session } from '../statements/session.ts';
import type { Connection } from './connection.ts';
import { toMemoryError } from './database_error.ts';

const queries = createQueries('postgres');

/** A session over a connection that has begun a transaction. */
export function createSession(
  connection: Connection,
  deadline: Deadline,
  report: { readonly requestId: string; readonly log: LogProblem },
): Session {
  let failure: MemoryError | null = null;
  const all = async (name: string, ...parameters: readonly Parameter[]): Promise<readonly DatabaseRow[]> => {
    try {
      deadline.check();
      return await connection.query(queries(name), parameters);
    } catch (error) {
      failure ??= toMemoryError(error, report.requestId, report.log);
      throw failure;
    }
  };
  return {
    ...report,
    all,
    failure: () => failure,
    async *pages(name) {
      await all(name);
      for (;;) {
        const rows = await all('fetch_exported');
        if (rows.length === 0) break;
        yield rows;
      }
      await all('close_exported');
    },
    async one(name, ...parameters) {
      const row = (await all(name, ...parameters))[0];
      if (row === undefined) throw new Error(`the statement ${name} gave no row`);
      return row;
    },
  };
}
