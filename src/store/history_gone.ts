// The one failure of a read that is an answer (design R1, N4): the database no longer has the past that was asked for.

import { MemoryError } from '../model/errors.ts';
import type { UnavailableReason } from '../model/replay.ts';

const reason = 'history_gone' satisfies UnavailableReason;

/** The failure of a read as of a recorded position whose rows are not kept any more; `cause` is for the log alone. */
export function historyGone(cause: unknown): MemoryError {
  return new MemoryError(
    'store_unavailable',
    'The database no longer has its rows as of the moment that was asked for.',
    { reason },
    cause,
  );
}

/** True for {@link historyGone}. Its transaction can go on: what is there now may still be read. */
export function isHistoryGone(error: unknown): boolean {
  return error instanceof MemoryError && error.data['reason'] === reason;
}
