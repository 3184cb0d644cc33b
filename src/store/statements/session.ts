// What the port's methods ask of a dialect: statements by name, values that travel alike, rows as plain values.

import type { MemoryError } from '../../model/errors.ts';
import type { LogProblem } from '../problem.ts';

/** A value for a statement. JSON, vectors and times travel as text. */
export type Parameter = string | number | boolean | null | readonly string[] | readonly number[];

/**
 * A row as the engine gives it: text, booleans, numbers (exact), arrays of them, JSON values; times as text with six
 * decimals.
 */
export type DatabaseRow = Readonly<Record<string, unknown>>;

/** One transaction on one connection, which runs the statements of its dialect by name. */
export interface Session {
  /** Parameters in the order of the statement's head, which is the same in every dialect. */
  all(name: string, ...parameters: readonly Parameter[]): Promise<readonly DatabaseRow[]>;
  /** The only row. Throws when there is none. */
  one(name: string, ...parameters: readonly Parameter[]): Promise<DatabaseRow>;
  /** The rows of a statement without parameters, a bounded number at a time; the database keeps the place. */
  pages(name: string): AsyncIterable<readonly DatabaseRow[]>;
  /** The first failure of a statement, also when somebody caught it: its transaction is lost. */
  failure(): MemoryError | null;
  readonly requestId: string;
  readonly log: LogProblem;
}
