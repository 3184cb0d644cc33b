// Pages of a list (design T9): fixed in size, named by cursors that mean nothing to a client.

import { MemoryError } from '../model/errors.ts';

/** Entries of one page. */
const pageSize = 50;

/** One page, and the cursor of the next where there is one. */
export interface Page<Entry> {
  readonly entries: readonly Entry[];
  readonly next: { readonly nextCursor?: string };
}

/**
 * The entries after the cursor, by code unit of their names. A cursor holds the last name it has shown, so entries that
 * come or go meanwhile neither repeat nor hide others. Throws `invalid_argument` for a cursor that this list never gave.
 */
export function pageOf<Entry extends { readonly name: string }>(
  entries: readonly Entry[],
  list: string,
  cursor: string | undefined,
): Page<Entry> {
  const after = cursor === undefined ? null : readCursor(list, cursor);
  const rest = entries
    .filter(({ name }) => after === null || name > after)
    .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const shown = rest.slice(0, pageSize);
  const last = shown.at(-1);
  const more = rest.length > shown.length && last !== undefined;
  return { entries: shown, next: more ? { nextCursor: writeCursor(list, last.name) } : {} };
}

/** For a list that never has a second page: every cursor is a wrong one. Throws `invalid_argument`. */
export function refuseCursor(cursor: string | undefined): void {
  if (cursor !== undefined) throw wrongCursor();
}

function wrongCursor(): MemoryError {
  return new MemoryError('invalid_argument', 'The cursor is not one that this list gave.', { field: 'cursor' });
}

function writeCursor(list: string, name: string): string {
  return Buffer.from(JSON.stringify([list, name])).toString('base64url');
}

function readCursor(list: string, cursor: string): string {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    throw wrongCursor();
  }
  if (!Array.isArray(parts) || parts.length !== 2 || parts[0] !== list) throw wrongCursor();
  const name: unknown = parts[1];
  // Decoding base64 forgives much; only what this list would write itself is its cursor.
  if (typeof name !== 'string' || writeCursor(list, name) !== cursor) throw wrongCursor();
  return name;
}
