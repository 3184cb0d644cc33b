// The connections of a process to a server (design N8): so many and no more, and a line before them that has an end.

import type { Pool, PoolClient, PoolConfig } from 'pg';
import { abortedBy, MemoryError } from '../../model/errors.ts';
import { deadlineExceeded } from '../deadline.ts';
import type { LogProblem } from '../problem.ts';
import type { CallOptions } from '../store.ts';
import { createTurnstile } from '../turnstile.ts';
import type { Connection } from './connection.ts';
import { lend } from './lent_connection.ts';

/** Bounds of a pool. */
export interface PoolLimits {
  /** Connections at a time. */
  readonly most: number;
  /** Calls that may wait for one. */
  readonly longestLine: number;
  /** How long a call without a deadline waits for one, and how long connecting may take. */
  readonly waitMs: number;
}

/** Lends connections to one server. */
export interface ConnectionPool {
  use<T>(options: CallOptions, work: (connection: Connection, discard: () => void) => Promise<T>): Promise<T>;
  /** Turns waiting calls away, waits for those at work and closes all connections. */
  close(): Promise<void>;
}

const idleMs = 30_000;

/** A pool over the driver's own, which never has to queue: the turnstile lets in as many as it has connections. */
export function createPool(
  open: (settings: PoolConfig) => Pool,
  { limits, log }: { readonly limits: PoolLimits; readonly log: LogProblem },
): ConnectionPool {
  const turnstile = createTurnstile({
    places: limits.most,
    longestLine: limits.longestLine,
    longestWaitMs: limits.waitMs,
  });
  const pool = open({
    max: limits.most,
    connectionTimeoutMillis: limits.waitMs,
    idleTimeoutMillis: idleMs,
    allowExitOnIdle: true,
    keepAlive: true,
  });
  // An idle connection that ends is no failure of anybody's call; the next call gets another one.
  pool.on('error', (error) => log({ kind: 'connection_lost', requestId: null, message: error.message, detail: {} }));
  return {
    use: (options, work) =>
      turnstile.enter(options, async () => {
        const startedMs = performance.now();
        const client = await checkOut(pool, options);
        const { deadlineMs } = options;
        const left = deadlineMs === undefined ? {} : { deadlineMs: deadlineMs - (performance.now() - startedMs) };
        const connection = lend(client, { ...options, ...left });
        let discarded = false;
        try {
          return await work(connection, () => (discarded = true));
        } finally {
          connection.release();
          client.release(discarded || connection.isSpoilt());
        }
      }),
    async close() {
      await turnstile.shut();
      await pool.end();
    },
  };
}

/** A connection for a call that may give up while it is being made; it then goes back as soon as it stands. */
function checkOut(pool: Pool, { signal, deadlineMs }: CallOptions): Promise<PoolClient> {
  return new Promise((resolve, reject) => {
    let gone = false;
    const leave = (finish: () => void): void => {
      gone = true;
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      finish();
    };
    const abort = (): void => {
      if (signal !== undefined) leave(() => reject(abortedBy(signal)));
    };
    const timer =
      deadlineMs === undefined ? undefined : setTimeout(() => leave(() => reject(deadlineExceeded())), deadlineMs);
    signal?.addEventListener('abort', abort, { once: true });
    pool.connect().then(
      (client) => (gone ? client.release() : leave(() => resolve(client))),
      (error: unknown) => {
        if (!gone) leave(() => reject(error instanceof MemoryError ? error : unreachable(error)));
      },
    );
  });
}

function unreachable(cause: unknown): unknown {
  // What the driver says of its own time-out has no code.
  const timedOut = cause instanceof Error && !('code' in cause) && /timeout/i.test(cause.message);
  return timedOut ? new MemoryError('store_unavailable', 'The store does not answer.', {}, cause) : cause;
}
