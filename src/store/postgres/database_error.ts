// What a caller is told of a database failure: a code and a plain sentence; the database's words go to the log alone.

import { MemoryError } from '../../model/errors.ts';
import type { ErrorCode } from '../../model/errors.ts';
import type { LogProblem } from '../problem.ts';

const sentences = {
  scope_violation: 'The row belongs to another user or to everybody, and only its owner may write it.',
  version_conflict: 'Another update of the same row came first.',
  text_refused: 'A text holds the character U+0000, which cannot be stored.',
  store_unavailable: 'The store cannot be reached.',
  schema_missing: 'The database does not have the schema of this version. Run: context-assembly-memory migrate',
  internal: 'The store failed.',
} as const satisfies Partial<Record<ErrorCode, string>>;

function codeOf(sqlState: string | null, message: string): keyof typeof sentences {
  switch (sqlState) {
    case '42501':
      return 'scope_violation';
    case '23505':
    case '40001':
    case '40P01':
      return 'version_conflict';
    case '22021':
    case '22P05':
      return 'text_refused';
    case '42P01':
    case '3F000':
    case '42704':
      return 'schema_missing';
    case null:
      return /closed|terminated|ECONN/i.test(message) ? 'store_unavailable' : 'internal';
    default:
      return /^(?:08(?!P01)|57P)/.test(sqlState) ? 'store_unavailable' : 'internal';
  }
}

function textField(error: object, field: string): string | null {
  const value: unknown = Reflect.get(error, field);
  return typeof value === 'string' ? value : null;
}

/**
 * The failure to throw for anything that was thrown in a transaction; a MemoryError stays as it is. Of a database error
 * the code, message and names go to the log and into `cause`; never its detail or parameters, which hold memory text.
 */
export function toMemoryError(error: unknown, requestId: string, log: LogProblem): MemoryError {
  if (error instanceof MemoryError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const source = typeof error === 'object' && error !== null ? error : {};
  const sqlState = textField(source, 'code');
  const code = codeOf(sqlState, message);
  log({
    kind: 'database_error',
    requestId,
    message,
    detail: {
      sql_state: sqlState,
      table: textField(source, 'table'),
      constraint: textField(source, 'constraint'),
      routine: textField(source, 'routine'),
      code,
    },
  });
  return new MemoryError(code, sentences[code], {}, new Error(`${sqlState ?? 'no code'}: ${message}`));
}
