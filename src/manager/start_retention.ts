// Retention beside a server's work (design N4): now and then, and whatever goes wrong the server goes on serving.

import { randomInt } from 'node:crypto';
import { rowsIn } from '../store/erasure.ts';
import type { ManagerParts } from './parts.ts';

const hourMs = 3_600_000;

/** The longest that a timer of the platform can wait. */
const longestTimerMs = 2 ** 31 - 1;

/** How far apart processes that were started together begin, as a part of the interval. */
const jitter = 0.1;

/** A part of the interval: a tenant that another process has just seen to is left alone. */
const restPart = 0.5;

/**
 * Sees to every tenant with a policy each `hours` (a positive number), with the rights of serving alone: the database
 * does what the policy says and takes no word of ours for it. Of several processes one works at a time. Failures are
 * logged, and the next round tries again. Returns the way to stop, which waits for a step that is running.
 */
export function startRetention(
  { store, log, newId }: Pick<ManagerParts, 'store' | 'log' | 'newId'>,
  { hours }: { readonly hours: number },
): () => Promise<void> {
  const stopped = new AbortController();
  const { signal } = stopped;
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> = Promise.resolve();
  const step = async (): Promise<boolean> => {
    const requestId = newId('retention');
    const done = await store.retainNext({ requestId, signal }, (hours * hourMs * restPart) / 1000);
    if (done === null) return false;
    const figures = { expired: rowsIn(done.expired.tables), pruned: rowsIn(done.pruned) };
    log.info({ requestId, ...figures }, 'retention of a tenant');
    return true;
  };
  const work = async (): Promise<void> => {
    try {
      while (!signal.aborted && (await step()));
    } catch (error) {
      if (!signal.aborted) log.error({ error }, 'retention failed; the next round tries again');
    }
  };
  const plan = (): void => {
    const waitMs = Math.min(longestTimerMs, hours * hourMs * (1 + (jitter * randomInt(1000)) / 1000));
    timer = setTimeout(() => {
      round = work().finally(() => {
        if (!signal.aborted) plan();
      });
    }, waitMs);
    timer.unref();
  };
  plan();
  return async () => {
    stopped.abort();
    clearTimeout(timer);
    await round;
  };
}
