// Which terms an index holds: a lexeme of the database, never one that could be taken for a tenant's own.

const longestTermBytes = 255;

/** True for a term that can be indexed and asked for: not empty, not too long, well-formed, no control character. */
export function indexableTerm(term: string): boolean {
  return term.length > 0 && Buffer.byteLength(term) <= longestTermBytes && term.isWellFormed() && !/\p{Cc}/u.test(term);
}
