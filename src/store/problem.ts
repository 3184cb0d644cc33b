// What the store tells the log: never memory text, and never anything to a caller.

import type { JsonObject } from '../model/json.ts';

/** Something for the log. `bad_row`: a stored row was left out; `database_error`: what the database said. */
export interface StoreProblem {
  readonly kind: 'bad_row' | 'database_error';
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

/** Writes problems to a log: a bad row as a warning, a failure of the database as an error. */
export function reportTo(log: StoreLog): LogProblem {
  return ({ kind, requestId, message, detail }) => {
    const fields = { requestId, kind, ...detail };
    if (kind === 'bad_row') log.warn(fields, message);
    else log.error(fields, message);
  };
}
