// How far work on many rows is: how many of them, how fast, and how long the rest will take.

import type { OperatorCall } from './manager.ts';

const tellEveryMs = 500;

/** Counts rows that are done, and tells of them twice a second and at the end. */
export function createRowProgress(
  call: Pick<OperatorCall, 'onProgress'>,
  work: { readonly what: string; readonly total: number; readonly clockMs: () => number },
): (rows: number) => void {
  const { what, total, clockMs } = work;
  const says = (done: number, seconds: number) =>
    `${what} ${done} of ${total} rows, ${Math.round(done / seconds)} a second`;
  return createProgress(call, { total, clockMs, says });
}

/** Counts units of work that are done, and tells of them in the words given, twice a second and at the end. */
export function createProgress(
  call: Pick<OperatorCall, 'onProgress'>,
  work: {
    readonly total: number;
    readonly clockMs: () => number;
    readonly says: (done: number, seconds: number) => string;
  },
): (units: number) => void {
  const { total, clockMs, says } = work;
  const start = clockMs();
  let done = 0;
  let told = start;
  return (units) => {
    done += units;
    const share = total === 0 ? 1 : Math.min(1, done / total);
    const now = clockMs();
    if (share < 1 && now - told < tellEveryMs) return;
    told = now;
    const seconds = Math.max(0.001, (now - start) / 1000);
    const left = Math.ceil((seconds / Math.max(share, 0.001)) * (1 - share));
    // Before the first unit nothing is known of the rest.
    call.onProgress?.(share, share === 0 ? says(done, seconds) : `${says(done, seconds)}, ${left} s left`);
  };
}
