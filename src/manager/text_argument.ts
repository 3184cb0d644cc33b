// Arguments as text: a row's schema may be looser than what a handler can take.

import { MemoryError } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';

/** The argument as well-formed text, trimmed. Throws `invalid_argument` where it is missing, empty or no text. */
export function textArgument(args: JsonObject, field: string): string {
  const value = args[field];
  if (typeof value !== 'string' || value.trim() === '') {
    throw new MemoryError('invalid_argument', `The argument "${field}" must be a text that is not empty.`, { field });
  }
  return value.toWellFormed().trim();
}
