// Few connections for many callers: they stand in line, in order, and can leave the line.

import { AsyncLocalStorage } from 'node:async_hooks';
import { abortedBy, MemoryError } from '../model/errors.ts';
import { deadlineExceeded } from './deadline.ts';
import type { CallOptions } from './store.ts';

/** How many may be inside, and how many may wait. */
export interface TurnstileLimits {
  readonly places: number;
  readonly longestLine: number;
  /** How long a caller without a deadline of its own waits; null: until its turn comes. */
  readonly longestWaitMs: number | null;
}

const oneByOne: TurnstileLimits = { places: 1, longestLine: 2000, longestWaitMs: null };

/** A line before a resource that a fixed number of callers use at a time. */
export interface Turnstile {
  /** Runs `work` when its turn comes. Throws `cancelled`, `deadline_exceeded`, `store_unavailable` while waiting. */
  enter<T>(options: CallOptions, work: () => Promise<T>): Promise<T>;
  /** Turns all waiting callers away, now and later, and waits for those inside. */
  shut(): Promise<void>;
}

interface Waiting {
  readonly admit: () => void;
  readonly refuse: (error: MemoryError) => void;
}

/** A new turnstile with nobody in line. */
export function createTurnstile(limits: TurnstileLimits = oneByOne): Turnstile {
  const line: Waiting[] = [];
  const inside = new AsyncLocalStorage<{ active: boolean }>();
  let taken = 0;
  let shut = false;
  let whenEmpty: (() => void) | null = null;

  function leave(): void {
    const next = line.shift();
    if (next !== undefined) return next.admit();
    taken -= 1;
    if (taken === 0) whenEmpty?.();
  }

  async function enter<T>(options: CallOptions, work: () => Promise<T>): Promise<T> {
    // A use inside a use would wait for itself for ever.
    if (inside.getStore()?.active === true) {
      throw new MemoryError('internal', 'The store was used inside one of its own transactions.');
    }
    if (shut) throw closed();
    if (options.signal?.aborted === true) throw abortedBy(options.signal);
    if (line.length >= limits.longestLine) {
      throw new MemoryError('store_unavailable', 'Too many calls wait for the store.');
    }
    // Whoever is admitted takes the place of the one that left.
    if (taken >= limits.places) await turn(line, options, limits.longestWaitMs);
    else taken += 1;
    const visit = { active: true };
    try {
      return await inside.run(visit, work);
    } finally {
      visit.active = false;
      leave();
    }
  }

  return {
    enter,
    async shut() {
      shut = true;
      for (const waiting of line.splice(0)) waiting.refuse(closed());
      if (taken > 0) await new Promise<void>((resolve) => (whenEmpty = resolve));
    },
  };
}

function turn(line: Waiting[], options: CallOptions, longestWaitMs: number | null): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void): void => {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', abort);
      finish();
    };
    const waiting: Waiting = { admit: () => settle(resolve), refuse: (error) => settle(() => reject(error)) };
    const giveUp = (error: MemoryError): void => {
      const place = line.indexOf(waiting);
      if (place === -1) return;
      line.splice(place, 1);
      waiting.refuse(error);
    };
    const abort = (): void => {
      if (options.signal !== undefined) giveUp(abortedBy(options.signal));
    };
    const { deadlineMs = longestWaitMs } = options;
    const late = (): void => giveUp(options.deadlineMs === undefined ? tooLong() : deadlineExceeded());
    const timer = deadlineMs === null ? undefined : setTimeout(late, deadlineMs);
    options.signal?.addEventListener('abort', abort, { once: true });
    line.push(waiting);
  });
}

function tooLong(): MemoryError {
  return new MemoryError('store_unavailable', 'All connections to the store were in use for too long.');
}

/** The failure of a call to a store that was closed. */
export function closed(): MemoryError {
  return new MemoryError('store_unavailable', 'The store is closed.');
}
