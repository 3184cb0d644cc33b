// Design N1: every use of a connection is a bracket: the context is cleared and set, the work done and committed by us,
// then rolled back and cleared; a connection that cannot be cleared is given up. Design N8: what certainly did not
// happen, and may well succeed now, is tried again.

import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { MemoryError } from '../../model/errors.ts';
import { startDeadline } from '../deadline.ts';
import type { Deadline } from '../deadline.ts';
import type { LogProblem } from '../problem.ts';
import type { Entrance } from '../statements/entrance.ts';
import type { DatabaseRow, Parameter, Session } from '../statements/session.ts';
import type { CallOptions } from '../store.ts';
import type { TrustedContext } from './binds.ts';
import { lostItsConnection, lostItsSnapshot, toMemoryError, wasGivenUp } from './database_error.ts';
import type { Driver } from './driver.ts';
import type { LentConnection } from './lent_connection.ts';
import type { ConnectionPool } from './pool.ts';
import { createSession } from './session.ts';
import type { SessionParts } from './session.ts';
import type { Statements } from './statements.ts';

/** What transactions run on. */
export interface OracleEngine {
  readonly driver: Driver;
  readonly pool: ConnectionPool;
  readonly statements: Statements;
  readonly log: LogProblem;
  /** The longest that one statement may take; null: no bound, as for migrations. */
  readonly statementMs: number | null;
}

/**
 * How a transaction begins: beside the store's calls, `look` and `migrate` have no context at all, for the schema and the
 * login, which may be there before the packages are.
 */
export type Beginning = Entrance | { readonly as: 'look' | 'migrate' };

/** What is run to enter, with the session's own values, and to leave; and what a repetition may assume. */
interface Bracket {
  readonly enter: readonly [name: string, ...parameters: readonly Parameter[]] | null;
  readonly leave: 'leave' | 'leave_operator' | null;
  readonly trusted: Omit<TrustedContext, 'scn'>;
  /** True where the work only reads: repeating it is safe whatever was lost. */
  readonly onlyReads: boolean;
}

const mostAttempts = 5;
/** A snapshot of now that cannot be read is taken anew once: a second one that fails says that undo is too small. */
const snapshotAttempts = 2;
const firstPauseMs = 10;
/** An erasure waits for every writer of the tenant, and works through all that came of what it takes. */
const longestErasureMs = 600_000;

/** `attempts`: how often work that fails so may be begun in all. */
type Outcome<T> = { readonly result: T } | { readonly error: MemoryError; readonly attempts: number };

/**
 * Runs `work` in one bracketed transaction: committed when it returns, rolled back when anything throws. `work` may be
 * called more than once, and only what it did in its last call stands.
 */
export async function transaction<T>(
  engine: OracleEngine,
  { beginning, call }: { readonly beginning: Beginning; readonly call: CallOptions },
  work: (session: Session, entered: DatabaseRow, connection: LentConnection) => Promise<T>,
): Promise<T> {
  const deadline = startDeadline(call);
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await attemptOnce(engine, { beginning, call, deadline }, work);
    if ('result' in outcome) return outcome.result;
    if (attempt >= outcome.attempts) throw outcome.error;
    // Those that were in each other's way must not meet again at the same moment.
    await pause(randomInt(firstPauseMs * 2 ** attempt));
  }
}

async function attemptOnce<T>(
  engine: OracleEngine,
  given: { readonly beginning: Beginning; readonly call: CallOptions; readonly deadline: Deadline },
  work: (session: Session, entered: DatabaseRow, connection: LentConnection) => Promise<T>,
): Promise<Outcome<T>> {
  const { driver, pool, statements, log } = engine;
  const { beginning, call, deadline } = given;
  const bracket = bracketOf(beginning);
  let stage: 'entering' | 'working' | 'keeping' = 'entering';
  let session: Session | null = null;
  const failed = (thrown: unknown): Outcome<T> => {
    // What `work` made of it does not matter when the database gave the transaction up.
    const failure = session?.failure() ?? null;
    const error = toMemoryError(failure !== null && wasGivenUp(failure) ? failure : thrown, call.requestId, log);
    return { error, attempts: attemptsFor(error, { stage, onlyReads: bracket.onlyReads }) };
  };
  try {
    deadline.check();
    const left = deadline.left();
    const statementMs = beginning.as === 'erase' ? longestErasureMs : engine.statementMs;
    const how = {
      tags: { action: beginning.as },
      clear: bracket.leave === null ? null : statements.named(bracket.leave).sql,
      bounds: { statementMs },
    };
    return await pool.use(left === null ? call : { ...call, deadlineMs: left }, how, async (connection) => {
      try {
        const parts: SessionParts = { driver, statements, connection, deadline, requestId: call.requestId, log };
        const entered = await enter(parts, bracket);
        stage = 'working';
        session = createSession(parts, { ...bracket.trusted, scn: scnOf(entered) });
        const result = await work(session, entered, connection);
        const failure = session.failure();
        if (failure !== null) throw failure;
        deadline.check();
        stage = 'keeping';
        if (!bracket.onlyReads) await connection.commit();
        return { result };
      } catch (error) {
        return failed(error);
      }
    });
  } catch (error) {
    return failed(error);
  }
}

/** The context is set by statements that belong to nobody yet: they take no value from a session. */
async function enter(parts: SessionParts, { enter: statement }: Bracket): Promise<DatabaseRow> {
  if (statement === null) return {};
  const [name, ...parameters] = statement;
  const rows = await createSession(parts, { tenantId: null, userId: null, scn: null }).all(name, ...parameters);
  return rows[0] ?? {};
}

function scnOf(entered: DatabaseRow): string | null {
  return z.object({ scn: z.string().nullable().default(null) }).parse(entered).scn;
}

/**
 * A write is repeated only where nothing of it can have been kept: before its first statement, or when the database says
 * that it undid all of it. A read is repeated on a fresh connection, and with a fresh snapshot.
 */
function attemptsFor(
  error: MemoryError,
  { stage, onlyReads }: { readonly stage: 'entering' | 'working' | 'keeping'; readonly onlyReads: boolean },
): number {
  if (wasGivenUp(error)) return mostAttempts;
  if (lostItsSnapshot(error)) return onlyReads ? snapshotAttempts : 1;
  return lostItsConnection(error) && (onlyReads || stage === 'entering') ? mostAttempts : 1;
}

const nobody = { tenantId: null, userId: null } as const;

function bracketOf(beginning: Beginning): Bracket {
  switch (beginning.as) {
    case 'read':
    case 'write': {
      const { tenantId, userId, agentId } = beginning.scope;
      return {
        enter: [`enter_${beginning.as}`, tenantId, userId, agentId],
        leave: 'leave',
        trusted: { tenantId, userId },
        onlyReads: beginning.as === 'read',
      };
    }
    case 'inspect':
    case 'operate':
    case 'erase': {
      const { tenantId } = beginning.scope;
      return {
        enter: [operatorEntrances[beginning.as], tenantId],
        leave: 'leave_operator',
        trusted: { tenantId, userId: null },
        onlyReads: beginning.as === 'inspect',
      };
    }
    case 'nobody':
      return { enter: ['leave'], leave: 'leave', trusted: nobody, onlyReads: false };
    case 'look':
    case 'migrate':
      return { enter: null, leave: null, trusted: nobody, onlyReads: beginning.as === 'look' };
    default:
      throw beginning satisfies never;
  }
}

const operatorEntrances = {
  inspect: 'enter_operator_read',
  operate: 'enter_operator',
  erase: 'enter_erasure',
} as const;
