// Asks a service again where that can help: a bounded number of times, later each time, as the service itself says.

/** How long and how often a service is asked. */
export interface Patience {
  /** Milliseconds for one attempt, its whole answer included. */
  readonly attemptMs: number;
  /** Milliseconds for all attempts and the waiting between them. */
  readonly totalMs: number;
  readonly attempts: number;
  /** Milliseconds before the second attempt; doubled before each further one. */
  readonly backOffMs: number;
}

/** Why a service gave nothing: a few words for the log, without what was sent, the key, or the service's own words. */
export class ServiceFailure extends Error {
  /** The status of its answer, where there was one and it was the reason. */
  readonly status: number | null;

  constructor(reason: string, status: number | null = null) {
    super(reason);
    this.name = 'ServiceFailure';
    this.status = status;
  }
}

/** A failure that another attempt may mend, after so many milliseconds where the service named a time. */
export class TryAgain extends ServiceFailure {
  readonly afterMs: number | null;

  constructor(reason: string, told: { readonly status?: number; readonly afterMs?: number | null } = {}) {
    super(reason, told.status ?? null);
    this.name = 'TryAgain';
    this.afterMs = told.afterMs ?? null;
  }
}

/**
 * Calls `attempt` until it gives a value. Rejects with {@link ServiceFailure}, at once where the wait that is asked for
 * would pass the total time, and with the signal's reason where the caller ends it.
 */
export async function withPatience<Value>(
  patience: Patience,
  signal: AbortSignal | undefined,
  attempt: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const end = performance.now() + patience.totalMs;
  for (let count = 1; ; count += 1) {
    const left = Math.min(patience.attemptMs, end - performance.now());
    const timeout = AbortSignal.timeout(Math.max(1, Math.ceil(left)));
    const bounded = signal === undefined ? timeout : AbortSignal.any([timeout, signal]);
    try {
      return await attempt(bounded);
    } catch (error) {
      signal?.throwIfAborted();
      const failure = timeout.aborted ? new TryAgain('no answer in time') : error;
      if (!(failure instanceof TryAgain)) throw failure;
      const wait = failure.afterMs ?? patience.backOffMs * 2 ** (count - 1) * (0.75 + Math.random() / 2);
      if (count >= patience.attempts || performance.now() + wait >= end) {
        throw new ServiceFailure(failure.message, failure.status);
      }
      await waited(wait, signal);
    }
  }
}

async function waited(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(done, milliseconds);
    function done(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      if (signal?.aborted === true) reject(signal.reason as Error);
      else resolve();
    }
    signal?.addEventListener('abort', done, { once: true });
  });
}
