// Design N1: every use of a connection is one transaction, whose end clears role and context; a connection that cannot
// be rolled back is given up. Design N8: what certainly did not happen, and may well succeed now, is tried again.

import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { MemoryError } from '../../model/errors.ts';
import type { LogProblem } from '../problem.ts';
import type { CallOptions } from '../store.ts';
import type { Connection, Engine } from './connection.ts';
import { sqlStateOf, toMemoryError } from './database_error.ts';
import { startDeadline } from './deadline.ts';
import type { Deadline } from './deadline.ts';
import { createSession } from './session.ts';
import type { Session } from './session.ts';

/** How a transaction begins: its isolation, then the role that it steps down to. */
export const beginnings = {
  read: { begin: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', stepDown: 'SET LOCAL ROLE mem_app' },
  write: { begin: 'BEGIN ISOLATION LEVEL READ COMMITTED', stepDown: 'SET LOCAL ROLE mem_app' },
  /** An operator's look at a tenant, at what was recorded and at the past. */
  inspect: { begin: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', stepDown: 'SET LOCAL ROLE mem_operator' },
  operate: { begin: 'BEGIN ISOLATION LEVEL READ COMMITTED', stepDown: 'SET LOCAL ROLE mem_operator' },
  /** As the engine's own login; the migration files step down to the owner. */
  migrate: { begin: 'BEGIN ISOLATION LEVEL READ COMMITTED', stepDown: '' },
} as const;

/** What a transaction runs with. */
export interface TransactionOptions {
  readonly engine: Engine;
  readonly log: LogProblem;
  readonly call: CallOptions;
  readonly beginning: keyof typeof beginnings;
}

const mostAttempts = 5;
const firstPauseMs = 10;

type Outcome<T> = { readonly result: T } | { readonly error: MemoryError; readonly mayRepeat: boolean };

/**
 * Runs `work` in one transaction: committed when it returns, rolled back when anything throws. A transaction that the
 * database gave up in favour of another one, and one that found its connection dead before its first statement, run
 * again a few times: `work` may be called more than once, and only what it did in its last call stands.
 */
export async function transaction<T>(
  options: TransactionOptions,
  work: (session: Session, connection: Connection) => Promise<T>,
): Promise<T> {
  const deadline = startDeadline(options.call);
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await attemptOnce(options, deadline, work);
    if ('result' in outcome) return outcome.result;
    if (!outcome.mayRepeat || attempt >= mostAttempts) throw outcome.error;
    // Those that were in each other's way must not meet again at the same moment.
    await pause(randomInt(firstPauseMs * 2 ** attempt));
  }
}

async function attemptOnce<T>(
  { engine, log, call, beginning }: TransactionOptions,
  deadline: Deadline,
  work: (session: Session, connection: Connection) => Promise<T>,
): Promise<Outcome<T>> {
  const { begin, stepDown } = beginnings[beginning];
  let stage: 'waiting' | 'beginning' | 'working' = 'waiting';
  let session: Session | null = null;
  const failed = (thrown: unknown): Outcome<T> => {
    // What `work` made of it does not matter when the database gave the transaction up.
    const failure = session?.failure() ?? null;
    const given = failure !== null && wasGivenUp(failure) ? failure : thrown;
    const error = toMemoryError(given, call.requestId, log);
    const isDead = stage === 'beginning' && error.code === 'store_unavailable';
    return { error, mayRepeat: isDead || wasGivenUp(error) };
  };
  try {
    deadline.check();
    const left = deadline.left();
    const now = left === null ? call : { ...call, deadlineMs: left };
    return await engine.use(now, async (connection, discard) => {
      try {
        deadline.check();
        stage = 'beginning';
        await connection.execute(`${begin}; ${engine.bounds(deadline.left())} ${stepDown}`);
        stage = 'working';
        session = createSession(connection, deadline, { requestId: call.requestId, log });
        const result = await work(session, connection);
        const failure = session.failure();
        if (failure !== null) throw failure;
        deadline.check();
        await connection.commit();
        return { result };
      } catch (error) {
        await connection.execute('ROLLBACK').catch(discard);
        return failed(error);
      }
    });
  } catch (error) {
    return failed(error);
  }
}

/** True when the database undid the whole transaction for the sake of another one: serialization, deadlock. */
function wasGivenUp(error: MemoryError): boolean {
  return ['40001', '40P01'].includes(sqlStateOf(error) ?? '') || metAnotherMigration(error);
}

// Roles are shared by all databases of a server, and the migration lock is a database's own.
function metAnotherMigration({ cause }: MemoryError): boolean {
  return cause instanceof Error && /tuple concurrently updated|"pg_authid_rolname_index"/.test(cause.message);
}
