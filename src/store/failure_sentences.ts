// What a caller is told of a failure of a database, by code: one plain sentence, the same for every engine.

import type { ErrorCode } from '../model/errors.ts';

/** The sentences of the codes that a database's own failures become. */
export const failureSentences = {
  scope_violation: 'The row belongs to another user or to everybody, and only its owner may write it.',
  version_conflict: 'Another update of the same row came first.',
  text_refused: 'A text holds the character U+0000, which cannot be stored.',
  store_unavailable: 'The store cannot be reached.',
  deadline_exceeded: 'The store did not answer within the deadline.',
  schema_missing: 'The database does not have the schema of this version. Run: context-assembly-memory migrate',
  internal: 'The store failed.',
} as const satisfies Partial<Record<ErrorCode, string>>;

/** A code of {@link failureSentences}. */
export type DatabaseFailureCode = keyof typeof failureSentences;
