// What a caller is told of a failure of Oracle or its driver: a code and a plain sentence; the database's words go to
// the log alone. And what may be tried again: only what certainly did not happen.

import { MemoryError } from '../../model/errors.ts';
import { failureSentences, type DatabaseFailureCode } from '../failure_sentences.ts';
import type { LogProblem } from '../problem.ts';

/** Codes of the database and of its driver by what they mean to a caller. */
const meanings: Readonly<Record<DatabaseFailureCode, string>> = {
  // A row that a policy does not let in, and a right that the login does not have.
  scope_violation: 'ORA-28115 ORA-01031 ORA-41900',
  // A key that stands already, a deadlock, a transaction that could not be serialised.
  version_conflict: 'ORA-00001 ORA-00060 ORA-08177',
  // Too long for its column, or so long that JSON_TABLE gave NULL for it.
  text_refused: 'ORA-12899 ORA-01400 ORA-01407 ORA-01461',
  // Time: the driver's, the database's, or a lock that was not given.
  deadline_exceeded: 'NJS-123 ORA-01013 ORA-00040 ORA-00054 ORA-30006',
  schema_missing: 'ORA-00942 ORA-04043 ORA-02289 PLS-00201',
  // The pool has no connection to give or is closed; the server or the network is away, or has no room.
  store_unavailable:
    'NJS-003 NJS-040 NJS-064 NJS-065 NJS-076 ' +
    'NJS-500 NJS-501 NJS-503 NJS-504 NJS-510 NJS-511 NJS-513 NJS-521 NJS-530 ' +
    'ORA-00018 ORA-00020 ORA-01033 ORA-01034 ORA-01090 ORA-02391 ORA-12516 ORA-12520',
  internal: '',
};

/** Why a server cannot be used, where that is more than being away; no name and no address. */
const reasons: readonly (readonly [RegExp, DatabaseFailureCode, string])[] = [
  [
    /^ORA-(?:01005|01017|01045|28000|28001|28040|12638)$/,
    'store_unavailable',
    'The server of the store refused the login.',
  ],
  [/^(?:NJS-518|NJS-519|ORA-12514|ORA-12505)$/, 'store_unavailable', 'The server has no database of this name.'],
  [/^NJS-50[5-8]$/, 'store_unavailable', "The certificate of the store's server is not trusted."],
  [
    /^NJS-5(?:12|14|15|16|17|20|22|29)$/,
    'store_unavailable',
    'The address of the store, or a file that it needs, cannot be read.',
  ],
  [/^ORA-20002$/, 'store_unavailable', 'Another migration of this database is running.'],
  [/^ORA-00439$/, 'store_unavailable', 'The edition of the database lacks a feature that the schema needs.'],
  [/^ORA-4028[34]$/, 'store_unavailable', 'A model of the database is not there, or may not be used.'],
  [
    /^ORA-(?:12899|01400|01407|01461)$/,
    'text_refused',
    'A text is empty, or longer than this database can hold in its place.',
  ],
  [
    /^ORA-(?:01555|01466|08180|08181|51815)$/,
    'store_unavailable',
    'The database no longer has its rows as of the moment that was asked for.',
  ],
];

const codeByDatabaseCode = new Map(
  (Object.keys(meanings) as readonly DatabaseFailureCode[]).flatMap((code) =>
    meanings[code].split(' ').map((item) => [item, code] as const),
  ),
);

/** Lost before or while it answered: a fresh connection may succeed. The driver wraps the database's own codes in these. */
const lostConnection = new Set([
  'NJS-500',
  'NJS-501',
  'NJS-503',
  'NJS-510',
  'NJS-513',
  'NJS-518',
  'NJS-521',
  'NJS-003',
]);

/** The whole transaction can begin anew at once: a deadlock, a serialisation, packages that were made anew. */
const undone = new Set(['ORA-00060', 'ORA-08177', 'ORA-04068']);

/** A snapshot that is too old for what is left of it, or that a definition came after. */
const snapshotGone = new Set(['ORA-01555', 'ORA-01466', 'ORA-08180', 'ORA-08181', 'ORA-51815']);

/** What the database said, as the cause of a failure: for the log and for the decision to try again. */
class DatabaseFailure extends Error {
  readonly databaseCode: string | null;

  constructor(databaseCode: string | null, message: string) {
    super(`${databaseCode ?? 'no code'}: ${message}`);
    this.databaseCode = databaseCode;
  }
}

/**
 * The failure to throw for anything that was thrown in a transaction; a MemoryError stays as it is. What the database
 * said goes to the log and into `cause`.
 */
export function toMemoryError(error: unknown, requestId: string, log: LogProblem): MemoryError {
  if (error instanceof MemoryError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const databaseCode = databaseCodeOf(error);
  const [code, sentence] = meaningOf(databaseCode, message);
  log({
    kind: 'database_error',
    requestId,
    message: toldToTheLog(message),
    detail: { database_code: databaseCode, ...violatedKey(databaseCode, message), code },
  });
  return new MemoryError(code, sentence, {}, new DatabaseFailure(databaseCode, toldToTheLog(message)));
}

/** True for a failure after which a fresh connection may succeed; a write that had begun is not to be repeated for it. */
export function lostItsConnection(error: MemoryError): boolean {
  return has(lostConnection, error);
}

/** True when the database gave the transaction up for the sake of another one or of new code: it may begin anew. */
export function wasGivenUp(error: MemoryError): boolean {
  return has(undone, error);
}

/** True when a snapshot, of now or of a recorded position, could not be read any more. */
export function lostItsSnapshot(error: MemoryError): boolean {
  return has(snapshotGone, error);
}

/** True for an answer of the database that a commit did not happen; whatever the driver says leaves that open. */
export function isRefusal(error: unknown): boolean {
  return databaseCodeOf(error)?.startsWith('ORA-') === true;
}

function has(codes: ReadonlySet<string>, { cause }: MemoryError): boolean {
  return cause instanceof DatabaseFailure && codes.has(cause.databaseCode ?? '');
}

/** The driver's own code, which for a lost connection stands in place of the database's; else `ORA-` and the number. */
function databaseCodeOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null) return null;
  const code: unknown = Reflect.get(error, 'code');
  return typeof code === 'string' && /^(?:ORA|NJS|DPI)-\d+$/.test(code) ? code : null;
}

function meaningOf(databaseCode: string | null, message: string): readonly [DatabaseFailureCode, string] {
  // A block that did not compile says why in its later lines.
  const inside = databaseCode === 'ORA-06550' ? (/\b(?:PLS|ORA)-0\d{4}\b(?<!06550)/.exec(message)?.[0] ?? null) : null;
  const found = inside ?? databaseCode ?? '';
  const reason = reasons.find(([pattern]) => pattern.test(found));
  if (reason !== undefined) return [reason[1], reason[2]];
  const code = codeByDatabaseCode.get(found) ?? 'internal';
  return [code, failureSentences[code]];
}

const uniqueKey = /\(\w+\.(\w+)\) violated(?: on table \w+\.(\w+))?/;

/** The key and the table of a row that stands already, as the database's first line names them. */
function violatedKey(databaseCode: string | null, message: string): Readonly<Record<string, string | null>> {
  if (databaseCode !== 'ORA-00001') return {};
  const [, constraint, table] = uniqueKey.exec(message) ?? [];
  return { table: table?.toLowerCase() ?? null, constraint: constraint?.toLowerCase() ?? null };
}

/** What the log is told: the first line, without quoted values, which may be memory text; of a block all that was wrong. */
function toldToTheLog(message: string): string {
  if (message.startsWith('ORA-06550')) return message;
  return (message.split('\n', 1)[0] ?? '').replaceAll(/'[^']*'/g, "'…'");
}
