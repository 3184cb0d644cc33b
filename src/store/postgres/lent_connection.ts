// A connection of the pool while one caller has it (design N1, N8): statements one after the other, given up when the
// caller's time is over or the caller is gone.

import type { PoolClient, QueryResult } from 'pg';
import { abortedBy, MemoryError } from '../../model/errors.ts';
import { deadlineExceeded } from '../deadline.ts';
import type { Parameter } from '../statements/session.ts';
import type { CallOptions } from '../store.ts';
import { sendCancelRequest } from './cancel_request.ts';
import type { Connection } from './connection.ts';

/** How long a cancelled statement may still take before its connection is cut. */
const graceMs = 1000;

/** A connection with what the pool wants to know of it. */
export interface LentConnection extends Connection {
  /** True when the connection must not be used again. */
  isSpoilt(): boolean;
  /** Ends the watch over the call. */
  release(): void;
}

/** Lends a client of the pool under the bounds of a call. */
export function lend(client: PoolClient, options: CallOptions): LentConnection {
  let stopped: MemoryError | null = null;
  let spoilt = false;
  let running: 'nothing' | 'statement' | 'commit' = 'nothing';
  let last: Promise<unknown> = Promise.resolve();
  let cutting: ReturnType<typeof setTimeout> | undefined;
  const onError = (): void => void (spoilt = true);
  const stop = (reason: MemoryError): void => {
    if (stopped !== null) return;
    stopped = reason;
    if (running === 'nothing') return;
    // A request that comes late would hit whoever has the connection next, so nobody gets it.
    spoilt = true;
    // What a commit has begun it may finish.
    if (running === 'statement') void requestCancel(client);
    cutting = setTimeout(() => cut(client), graceMs);
  };
  const endWatch = watch(options, stop);
  client.on('error', onError);

  // The driver wants one statement at a time, and callers may have several under way.
  const inTurn = <T>(kind: 'statement' | 'commit', work: () => Promise<T>): Promise<T> => {
    const turn = last.then(async () => {
      if (stopped !== null) throw stopped;
      running = kind;
      try {
        return await work();
      } catch (error) {
        throw kind === 'statement' && stopped !== null ? stopped : error;
      } finally {
        running = 'nothing';
        clearTimeout(cutting);
      }
    });
    last = turn.catch(() => {});
    return turn;
  };
  return {
    query: (sql, parameters) => inTurn('statement', async () => (await ask(client, sql, parameters)).rows),
    execute: (sql) => inTurn('statement', async () => void (await client.query(sql))),
    commit: () => inTurn('commit', () => commit(client)),
    isSpoilt: () => spoilt || stopped !== null,
    release() {
      endWatch();
      clearTimeout(cutting);
      client.removeListener('error', onError);
    },
  };
}

function ask(client: PoolClient, sql: string, parameters: readonly Parameter[]): Promise<QueryResult> {
  return client.query(sql, [...parameters]);
}

async function commit(client: PoolClient): Promise<void> {
  const { command } = await client.query('COMMIT').catch((error: unknown) => {
    throw isRefusal(error) ? error : outcomeUnknown(error);
  });
  if (command !== 'COMMIT') throw new Error('a failed transaction was to be committed');
}

// Only an answer of the severity ERROR says for certain that the transaction does not stand.
function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'severity' in error && error.severity === 'ERROR';
}

function outcomeUnknown(cause: unknown): MemoryError {
  return new MemoryError(
    'outcome_unknown',
    'The connection to the store was lost while the change was being kept: it may have been kept or not.',
    {},
    cause,
  );
}

/** Calls `stop` when the caller gives up or its time is over; returns the way to stop watching. */
function watch({ signal, deadlineMs }: CallOptions, stop: (reason: MemoryError) => void): () => void {
  const abort = (): void => {
    if (signal !== undefined) stop(abortedBy(signal));
  };
  const timer = deadlineMs === undefined ? undefined : setTimeout(() => stop(deadlineExceeded()), deadlineMs);
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted === true) abort();
  return () => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  };
}

async function requestCancel(client: PoolClient): Promise<void> {
  const [processId, secretKey, host, port] = ['processID', 'secretKey', 'host', 'port'].map((name): unknown =>
    Reflect.get(client, name),
  );
  if (typeof processId !== 'number' || typeof secretKey !== 'number') return;
  if (typeof host !== 'string' || typeof port !== 'number') return;
  await sendCancelRequest({ host, port, processId, secretKey });
}

/** Ends a connection whose server does not answer. */
function cut(client: PoolClient): void {
  const connection: unknown = Reflect.get(client, 'connection');
  const stream: unknown = Object(connection) === connection ? Reflect.get(Object(connection), 'stream') : undefined;
  if (stream instanceof Object && 'destroy' in stream && typeof stream.destroy === 'function') stream.destroy();
}
