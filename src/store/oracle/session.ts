// One transaction on one connection: named statements with the trusted context beside the caller's values, each after a
// look at the deadline.

import type { MemoryError } from '../../model/errors.ts';
import type { Deadline } from '../deadline.ts';
import { historyGone } from '../history_gone.ts';
import type { LogProblem } from '../problem.ts';
import type { DatabaseRow, Parameter, Session } from '../statements/session.ts';
import { bindsOf } from './binds.ts';
import type { TrustedContext } from './binds.ts';
import { lostItsSnapshot, toMemoryError } from './database_error.ts';
import type { Driver } from './driver.ts';
import type { LentConnection } from './lent_connection.ts';
import type { Statements } from './statements.ts';

/** What a session runs with. */
export interface SessionParts {
  readonly driver: Driver;
  readonly statements: Statements;
  readonly connection: LentConnection;
  readonly deadline: Deadline;
  readonly requestId: string;
  readonly log: LogProblem;
}

/** A session whose statements see the rows of a snapshot where the context has one, else the present. */
export function createSession(parts: SessionParts, trusted: TrustedContext): Session {
  const { driver, statements, connection, deadline, requestId, log } = parts;
  let failure: MemoryError | null = null;
  const attempt = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    try {
      deadline.check();
      return await work();
    } catch (error) {
      const told = toMemoryError(error, requestId, log);
      // A recorded past that is gone is an answer: a query that fails takes nothing from its transaction here.
      if (lostItsSnapshot(told) && statements.named(name).readsPast) throw historyGone(told.cause);
      failure ??= told;
      throw failure;
    }
  };
  const prepared = (name: string, parameters: readonly Parameter[]) => {
    const statement = statements.seenBy(name, trusted.scn === null ? 'present' : 'snapshot');
    return { ...statement, binds: bindsOf(driver, statement, parameters, trusted) };
  };
  const all = (name: string, ...parameters: readonly Parameter[]): Promise<readonly DatabaseRow[]> =>
    attempt(name, async () => {
      const { sql, binds, hasResult } = prepared(name, parameters);
      return await connection.execute(sql, binds, hasResult);
    });
  return {
    requestId,
    log,
    all,
    async *pages(name) {
      const { sql, binds } = prepared(name, []);
      const rows = connection.pages(sql, binds)[Symbol.asyncIterator]();
      for (;;) {
        const page = await attempt(name, () => rows.next());
        if (page.done === true) return;
        yield page.value;
      }
    },
    failure: () => failure,
    async one(name, ...parameters) {
      const row = (await all(name, ...parameters))[0];
      if (row === undefined) throw new Error(`the statement ${name} gave no row`);
      return row;
    },
  };
}
