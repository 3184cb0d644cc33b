// The connections of a process to an Oracle database (design N8): so many and no more, a line before them that has an
// end, and none that comes back with somebody's context.

import type { Connection, Pool, PoolAttributes } from 'oracledb';
import { abortedBy } from '../../model/errors.ts';
import { deadlineExceeded } from '../deadline.ts';
import type { CallOptions } from '../store.ts';
import { createTurnstile } from '../turnstile.ts';
import type { Driver } from './driver.ts';
import { lend } from './lent_connection.ts';
import type { LentConnection, StatementBounds } from './lent_connection.ts';

/** Bounds of a pool. */
export interface PoolLimits {
  /** Connections at a time. */
  readonly most: number;
  /** Calls that may wait for one. */
  readonly longestLine: number;
  /** How long a call without a deadline waits for one, and how long connecting may take. */
  readonly waitMs: number;
}

/** Where the database is, and as whom. */
export interface OracleLogin {
  readonly user: string;
  readonly password: string;
  readonly connectString: string;
  /** The folder of a wallet (with tnsnames.ora, where the connect string is a name), and its password. */
  readonly walletFolder: string | null;
  readonly walletPassword: string | null;
}

/** What a database administrator sees of a session while it works. */
export interface SessionTags {
  readonly action: string;
}

/** Lends connections to one database. */
export interface ConnectionPool {
  /**
   * Lends a connection until `work` settles. `clear` is the statement that clears the context; without its success
   * nobody gets the connection again. Waiting ends with `cancelled`, `deadline_exceeded` or `store_unavailable`.
   */
  use<T>(
    call: CallOptions,
    how: { readonly tags: SessionTags; readonly clear: string | null; readonly bounds: StatementBounds },
    work: (connection: LentConnection) => Promise<T>,
  ): Promise<T>;
  /** Connections that stand, and those that are lent. */
  counts(): { readonly open: number; readonly lent: number };
  /** Turns waiting calls away, waits for those at work and closes all connections. */
  close(): Promise<void>;
}

const idleSeconds = 30;
const programName = 'context-assembly-memory';

/** A pool over the driver's own, which never has to queue: the turnstile lets in as many as it has connections. */
export async function createPool(driver: Driver, login: OracleLogin, limits: PoolLimits): Promise<ConnectionPool> {
  const turnstile = createTurnstile({
    places: limits.most,
    longestLine: limits.longestLine,
    longestWaitMs: limits.waitMs,
  });
  const pool: Pool = await driver.createPool(settingsOf(login, limits));
  return {
    use: (call, { tags, clear, bounds }, work) =>
      turnstile.enter(call, async () => {
        const startedMs = performance.now();
        const connection = await checkOut(pool, call);
        const { deadlineMs } = call;
        const left = deadlineMs === undefined ? {} : { deadlineMs: deadlineMs - (performance.now() - startedMs) };
        // Sent along with the next statement, and never more than a tag: row security does not look at them.
        connection.clientId = call.requestId.slice(0, 64);
        connection.module = programName;
        connection.action = tags.action;
        const lent = lend(driver, connection, { call: { ...call, ...left }, bounds });
        try {
          return await work(lent);
        } finally {
          if ((await lent.leave(clear)) !== 'stuck') await connection.close().catch(() => {});
        }
      }),
    counts: () => ({ open: pool.connectionsOpen, lent: pool.connectionsInUse }),
    async close() {
      await turnstile.shut();
      await pool.close(0);
    },
  };
}

function settingsOf(login: OracleLogin, { most, waitMs }: PoolLimits): PoolAttributes {
  const { user, password, connectString, walletFolder, walletPassword } = login;
  const waitSeconds = Math.ceil(waitMs / 1000);
  return {
    user,
    password,
    connectString,
    ...(walletFolder === null ? {} : { configDir: walletFolder, walletLocation: walletFolder }),
    ...(walletPassword === null ? {} : { walletPassword }),
    poolMin: 0,
    poolMax: most,
    poolIncrement: 1,
    poolTimeout: idleSeconds,
    poolPingInterval: idleSeconds,
    poolPingTimeout: waitMs,
    queueMax: most,
    queueTimeout: waitMs,
    // What outlives a call outlives it on the server: cursors, and never more of them than there are statements.
    stmtCacheSize: 200,
    connectTimeout: waitSeconds,
    transportConnectTimeout: waitSeconds,
    // A server that went away without a word is noticed by the system.
    expireTime: 1,
    enableStatistics: false,
    homogeneous: true,
  };
}

/** A connection for a call that may give up while it is being made; it then goes back as soon as it stands. */
function checkOut(pool: Pool, { signal, deadlineMs }: CallOptions): Promise<Connection> {
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
    pool.getConnection().then(
      (connection) => {
        // Nothing was set on it, so there is nothing to clear.
        if (gone) connection.close().catch(() => {});
        else leave(() => resolve(connection));
      },
      (error: unknown) => {
        if (!gone) leave(() => reject(error instanceof Error ? error : new Error(String(error))));
      },
    );
  });
}
