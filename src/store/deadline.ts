// Design N8: cancellation and deadlines act between statements.

import { abortedBy, MemoryError } from '../model/errors.ts';
import type { CallOptions } from './store.ts';

/** Looks whether a call may go on. */
export interface Deadline {
  /** Throws `cancelled` or `deadline_exceeded`. */
  check(): void;
  /** Milliseconds left, or null without a deadline. */
  left(): number | null;
}

/** The deadline of a call that begins now. */
export function startDeadline(options: CallOptions): Deadline {
  const end = options.deadlineMs === undefined ? null : performance.now() + options.deadlineMs;
  const left = (): number | null => (end === null ? null : end - performance.now());
  return {
    left,
    check() {
      if (options.signal?.aborted === true) throw abortedBy(options.signal);
      if ((left() ?? 1) <= 0) throw deadlineExceeded();
    },
  };
}

/** The failure of a call whose time is over. */
export function deadlineExceeded(): MemoryError {
  return new MemoryError('deadline_exceeded', 'The store did not answer within the deadline.');
}
