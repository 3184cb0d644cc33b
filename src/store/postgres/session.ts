// One transaction on one connection: named statements, each after a look at the deadline.

import type { MemoryError } from '../../model/errors.ts';
import type { LogProblem } from '../problem.ts';
import { createQueries } from '../sql_files.ts';
import type { Connection, DatabaseRow, Parameter } from './connection.ts';
import { toMemoryError } from './database_error.ts';
import type { Deadline } from './deadline.ts';

/** Runs statements of schema/postgres/queries by name. */
export interface Session {
  all(name: string, ...parameters: readonly Parameter[]): Promise<readonly DatabaseRow[]>;
  /** The only row. Throws when there is none. */
  one(name: string, ...parameters: readonly Parameter[]): Promise<DatabaseRow>;
  /** The first failure of a statement, also when somebody caught it: its transaction is lost. */
  failure(): MemoryError | null;
  readonly requestId: string;
  readonly log: LogProblem;
}

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
    async one(name, ...parameters) {
      const row = (await all(name, ...parameters))[0];
      if (row === undefined) throw new Error(`the statement ${name} gave no row`);
      return row;
    },
  };
}
