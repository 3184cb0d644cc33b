// One statement at a time on a connection, each with an end (design N8): it is told to stop first, and cut when it does
// not.

import type { Connection } from 'oracledb';
import { abortedBy, type MemoryError } from '../../model/errors.ts';
import { deadlineExceeded } from '../deadline.ts';
import type { CallOptions } from '../store.ts';
import { cutConnection } from './discard.ts';

/** How long what was told to stop may still take before its connection is cut. */
const graceMs = 1000;

/** How a connection was left; one that is `stuck` could not even be cut, and must not go back to its pool. */
export type Left = 'clean' | 'cut' | 'stuck';

/** What is done on a connection: a commit that has begun is never told to stop. */
export type Work = 'statement' | 'commit';

/** The line before one connection. */
export interface Turns {
  /** Runs `work` after what came before it. Throws why the caller's use ended, where it did. */
  take<T>(kind: Work, work: () => Promise<T>): Promise<T>;
  /** Stops watching over the caller, and waits for what still runs. */
  end(): Promise<void>;
  /** Ends the connection, also under what runs on it. */
  cut(): void;
  left(): Left;
}

/** A line whose statements end with the caller's own deadline or signal, or after `statementMs` (null: never). */
export function createTurns(connection: Connection, call: CallOptions, statementMs: number | null): Turns {
  let stopped: MemoryError | null = null;
  let left: Left = 'clean';
  let running: Work | null = null;
  let last: Promise<unknown> = Promise.resolve();
  let cutting: ReturnType<typeof setTimeout> | undefined;
  const cut = (): void => void (left = cutConnection(connection) ? 'cut' : 'stuck');
  const endWatch = watch(call, (reason) => {
    if (stopped !== null) return;
    stopped = reason;
    if (running === null) return;
    // What a commit has begun it may finish.
    if (running === 'statement') connection.break().catch(() => {});
    cutting = setTimeout(cut, graceMs);
  });
  return {
    take(kind, work) {
      const turn = last.then(async () => {
        if (stopped !== null) throw stopped;
        running = kind;
        // The driver's own time-out waits for an answer to its break, for ever if none comes.
        const hard = statementMs === null ? undefined : setTimeout(cut, statementMs + graceMs);
        try {
          return await work();
        } catch (error) {
          if (kind === 'commit') throw error;
          throw stopped ?? (left === 'clean' ? error : deadlineExceeded());
        } finally {
          running = null;
          clearTimeout(hard);
          clearTimeout(cutting);
        }
      });
      last = turn.catch(() => {});
      return turn;
    },
    async end() {
      endWatch();
      await last;
    },
    cut,
    left: () => left,
  };
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
