// What the store tells the log: never memory text, and never anything to a caller.

import type { JsonObject } from '../model/json.ts';

/**
 * Something for the log. `bad_row`: a stored row was left out; `database_error`: what the database said;
 * `connection_lost`: a connection ended that no call was using.
 */
export interface StoreProblem {
  readonly kind: 'bad_row' | 'database_error' | 'connection_lost';
  readonly requestId: string | null;
  readonly message: string;
  readonly detail: JsonObject;
}

/** Where the store reports; the composition root passes the log's own. */
export type LogProblem = (problem: StoreProblem) => void;

/** The part of the log that the store uses. */
export interface StoreLog {
  warn(detail: Readonly<Record<string, unknown>>, message: string): void;
  error(detail: Readonly<Record<string, unknown>>, message: string): void;
}

/** Writes problems to a log: a failure of the database as an error, what was got over as a warning. */
export function reportTo(log: StoreLog): LogProblem {
  return ({ kind, requestId, message, detail }) => {
    const fields = { requestId, kind, ...detail };
    if (kind === 'database_error') log.error(fields, message);
    else log.warn(fields, message);
  };
}
