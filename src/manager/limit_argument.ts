// How many memories a caller asks for: a row's schema cannot raise the ceiling.

import { MemoryError } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';

const defaultLimit = 5;

/** The most memories of one answer, whatever the row says. */
export const maxLimit = 25;

/** The argument `limit`, from 1 to {@link maxLimit}; 5 where there is none. Throws `invalid_argument`. */
export function limitArgument(args: JsonObject): number {
  const value = args['limit'];
  if (value === undefined) return defaultLimit;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > maxLimit) {
    throw new MemoryError('invalid_argument', `The argument "limit" must be a whole number from 1 to ${maxLimit}.`, {
      field: 'limit',
    });
  }
  return value;
}

/** How to get more than was asked for. */
export function moreHint(limit: number, what: string): string {
  return limit < maxLimit
    ? `More ${what} match. Ask again with a higher limit (up to ${maxLimit}) or narrower words.`
    : `More ${what} match. Ask again with narrower words.`;
}
