// The write-ahead log of the embedded engine: elsewhere a process in the background keeps it short, here nobody would.

import { z } from 'zod';
import { createQueries } from '../sql_files.ts';
import type { Connection } from './connection.ts';

const queries = createQueries('postgres');

/**
 * How long the log may get before a checkpoint, in bytes: the more memory there is, the more pages a checkpoint makes the
 * log hold anew, so it grows with the database between these.
 */
const shortest = 64 * 2 ** 20;
const longest = 2 ** 30;

/** Milliseconds between two looks: writing that much takes longer. */
const betweenLooks = 1_000;

/** What the engine is started with: segments that are done are removed, and not kept for later. */
export const logSettings = ['max_wal_size=64MB', 'min_wal_size=32MB', 'wal_recycle=off'] as const;

const lengthColumns = z.object({ log_bytes: z.number(), database_bytes: z.number() });

/** Gives a function to call after each commit: now and then it looks how long the log is, and cuts it. */
export function logKeeper(
  query: Connection['query'],
  now: () => number = () => performance.now(),
): () => Promise<void> {
  let lookAt = now() + betweenLooks;
  return async () => {
    if (now() < lookAt) return;
    try {
      const [row] = await query(queries('log_length'), []);
      const { log_bytes: length, database_bytes: size } = lengthColumns.parse(row);
      if (length > Math.min(longest, Math.max(shortest, size))) await query(queries('checkpoint'), []);
    } catch {
      // What was committed is committed. A disk that is full says so to the next one who writes.
    }
    lookAt = now() + betweenLooks;
  };
}
