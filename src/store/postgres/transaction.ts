// Design N1: every use of a connection is one transaction, whose end clears role and context; a connection that cannot
// be rolled back is given up.

import type { LogProblem } from '../problem.ts';
import type { CallOptions } from '../store.ts';
import type { Connection, Engine } from './connection.ts';
import { toMemoryError } from './database_error.ts';
import { startDeadline } from './deadline.ts';
import { createSession } from './session.ts';
import type { Session } from './session.ts';

/** How a transaction begins: its isolation, then the role that it steps down to. */
export const beginnings = {
  read: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL ROLE mem_app',
  write: 'BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL ROLE mem_app',
  operate: 'BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL ROLE mem_operator',
  /** As the engine's own login; the migration files step down to the owner. */
  migrate: 'BEGIN ISOLATION LEVEL READ COMMITTED',
} as const;

/** What a transaction runs with. */
export interface TransactionOptions {
  readonly engine: Engine;
  readonly log: LogProblem;
  readonly call: CallOptions;
  readonly beginning: keyof typeof beginnings;
}

/** Runs `work` in one transaction: committed when it returns, rolled back when anything throws. */
export async function transaction<T>(
  { engine, log, call, beginning }: TransactionOptions,
  work: (session: Session, connection: Connection) => Promise<T>,
): Promise<T> {
  const deadline = startDeadline(call);
  return await engine.use(call, async (connection, discard) => {
    try {
      deadline.check();
      await connection.execute(beginnings[beginning]);
      const session = createSession(connection, deadline, { requestId: call.requestId, log });
      const result = await work(session, connection);
      session.requireSound();
      deadline.check();
      await connection.execute('COMMIT');
      return result;
    } catch (error) {
      await connection.execute('ROLLBACK').catch(discard);
      throw toMemoryError(error, call.requestId, log);
    }
  });
}
