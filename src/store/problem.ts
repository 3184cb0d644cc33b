// What the store tells the log: never memory text, and never anything to a caller.

import type { JsonObject } from '../model/json.ts';

/** Something for the log. `bad_row`: a stored row was left out; `database_error`: what the database said. */
export interface StoreProblem {
  readonly kind: 'bad_row' | 'database_error' | 'lock';
  readonly requestId: string | null;
  readonly message: string;
  readonly detail: JsonObject;
}

/** Where the store reports; the composition root passes the log's own. */
export type LogProblem = (problem: StoreProblem) => void;
