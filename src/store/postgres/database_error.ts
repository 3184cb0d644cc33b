// What a caller is told of a database failure: a code and a plain sentence; the database's words go to the log alone.

import { MemoryError } from '../../model/errors.ts';
import { failureSentences, type DatabaseFailureCode } from '../failure_sentences.ts';
import type { LogProblem } from '../problem.ts';

// Connection failures, a server that shuts down or starts or has no room, what the network says, and the reasons below.
const unreachable = /^(?:08(?!P01)|53|57P|E[A-Z]+$)/;

/** Why a server cannot be used, where that is more than being away; no name and no address. */
const reasons: readonly (readonly [RegExp, string])[] = [
  [/^28/, 'The server of the store refused the login.'],
  [/^3D000$/, 'The server has no database of this name.'],
  [/^(?:ENOTFOUND|EAI_\w+)$/, "The name of the store's server cannot be resolved."],
  [/CERT|^UNABLE_TO_|^ERR_(?:TLS|SSL)/, "The certificate of the store's server is not trusted."],
];

const reasonOf = (sqlState: string | null): string | null =>
  reasons.find(([pattern]) => pattern.test(sqlState ?? ''))?.[1] ?? null;

function codeOf(sqlState: string | null, message: string): DatabaseFailureCode {
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
    // A statement or a lock took longer than its bound, or the transaction stood still.
    case '57014':
    case '55P03':
    case '25P03':
      return 'deadline_exceeded';
    case null:
      return /closed|terminated|not queryable|ECONN/i.test(message) ? 'store_unavailable' : 'internal';
    default:
      return unreachable.test(sqlState) || reasonOf(sqlState) !== null ? 'store_unavailable' : 'internal';
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
  return new MemoryError(
    code,
    reasonOf(sqlState) ?? failureSentences[code],
    {},
    new DatabaseFailure(sqlState, message),
  );
}

/** What the database said, as the cause of a failure: for the log and for the decision to try again. */
class DatabaseFailure extends Error {
  readonly sqlState: string | null;

  constructor(sqlState: string | null, message: string) {
    super(`${sqlState ?? 'no code'}: ${message}`);
    this.sqlState = sqlState;
  }
}

/** The database's own code behind a failure, or null. */
export function sqlStateOf(error: MemoryError): string | null {
  return error.cause instanceof DatabaseFailure ? error.cause.sqlState : null;
}
