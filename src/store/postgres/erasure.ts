// Erasure and retention on PostgreSQL (design E1, N4): each a transaction of its own, in which one function of the
// database does the work; then, where the files are the engine's own, they are written anew.

import { z } from 'zod';
import type { OperatorScope } from '../../model/scope.ts';
import {
  addReports,
  erasureReport,
  retentionStep,
  rowsIn,
  targetColumns,
  type ErasureTarget,
  type ErasureReport,
  type RetentionReport,
  type RetentionStep,
} from '../erasure.ts';
import type { LogProblem } from '../problem.ts';
import { createQueries } from '../sql_files.ts';
import type { CallOptions } from '../store.ts';
import type { Connection, Engine } from './connection.ts';
import { toMemoryError } from './database_error.ts';
import type { Session } from './session.ts';
import type { TransactionOptions } from './transaction.ts';

const queries = createQueries('postgres');

/** Events of one step of retention: each step is a transaction that others wait for. */
const mostExpired = 1000;

/** Runs one bracketed transaction of the store. */
export type RunTransaction = <T>(
  beginning: TransactionOptions['beginning'],
  call: CallOptions,
  work: (session: Session) => Promise<T>,
) => Promise<T>;

interface Parts {
  readonly run: RunTransaction;
  readonly engine: Engine;
  readonly log: LogProblem;
}

interface Asked {
  readonly scope: OperatorScope;
  readonly call: CallOptions;
  readonly dryRun: boolean;
}

/** Erases, as {@link Store.erase} says. */
export async function erase(
  parts: Parts,
  { scope, call, dryRun }: Asked,
  target: ErasureTarget,
): Promise<ErasureReport> {
  const report = await parts.run('operate', call, async (session) => {
    await session.one('enter_erasure', scope.tenantId);
    return erasureReport(await session.one('erase', targetColumns(target), dryRun));
  });
  if (dryRun || rowsIn(report.tables) + report.ownersForgotten === 0) return report;
  return { ...report, filesRewritten: await rewriteFiles(parts, call) };
}

/** Applies the policy, as {@link Store.retain} says. */
export async function retain(parts: Parts, { scope, call, dryRun }: Asked): Promise<RetentionReport | null> {
  const report = await allSteps(() =>
    parts.run('operate', call, async (session) => {
      await session.one('enter_erasure', scope.tenantId);
      return retentionStep(await session.one('retain', mostExpired, dryRun));
    }),
  );
  if (report === null || dryRun || rowsIn(report.expired.tables) + rowsIn(report.pruned) === 0) return report;
  return { ...report, expired: { ...report.expired, filesRewritten: await rewriteFiles(parts, call) } };
}

async function allSteps(next: () => Promise<RetentionStep | null>): Promise<RetentionReport | null> {
  let all: RetentionReport | null = null;
  for (;;) {
    const step = await next();
    if (step === null) return all;
    all = all === null ? step : addReports(all, step);
    if (!step.more) return { expired: all.expired, pruned: all.pruned };
  }
}

/** One step of one tenant that is due, as {@link Store.retainNext} says. */
export function retainNext({ run }: Parts, call: CallOptions, everySeconds: number): Promise<RetentionStep | null> {
  return run('write', call, async (session) =>
    retentionStep(await session.one('retain_next', everySeconds, mostExpired)),
  );
}

/**
 * Deleted rows stay in the files until they are written anew: tables, what the planner noted of their values, and the
 * write-ahead log. False where the files are not the engine's own, and where it failed, which is logged: the rows are
 * erased already.
 */
async function rewriteFiles({ engine, log }: Parts, call: CallOptions): Promise<boolean> {
  if (engine.copyFiles === undefined) return false;
  try {
    // What was erased is erased: a caller that goes away now does not stop this.
    await engine.use({ requestId: call.requestId }, async (connection) => {
      for (const name of ['forget_statistics', 'rewrite_tables', 'rewrite_statistics']) await query(connection, name);
      await renewWriteAheadLog(connection);
    });
    return true;
  } catch (error) {
    toMemoryError(error, call.requestId, log);
    return false;
  }
}

/** Every segment there is, also one that was kept to be used again, gets its turn and is removed. */
async function renewWriteAheadLog(connection: Connection): Promise<void> {
  await query(connection, 'remove_old_segments');
  const [row] = await query(connection, 'count_segments');
  const { segments } = z.object({ segments: z.number().int() }).parse(row);
  for (let turn = 0; turn <= segments; turn += 1) {
    await query(connection, 'checkpoint');
    await query(connection, 'switch_segment');
  }
  await query(connection, 'checkpoint');
}

function query(connection: Connection, name: string): ReturnType<Connection['query']> {
  return connection.query(queries(name), []);
}
