// The statements of schema/oracle/queries by name, each with its head, read once when it is first asked for.

import { createQueries, queryNames } from '../sql_files.ts';
import { readStatementHead } from '../statement_head.ts';
import type { StatementHead } from '../statement_head.ts';

/** A statement as the adapter runs it. */
export interface Statement {
  readonly name: string;
  readonly sql: string;
  readonly head: StatementHead;
  /** True for a block whose rows come as a JSON array from `:result`. */
  readonly hasResult: boolean;
  /** True for one that reads as of a position that was recorded, which the database may not reach any more. */
  readonly readsPast: boolean;
}

/** Gives statements by name. */
export interface Statements {
  /** Throws for a name that no file has. */
  named(name: string): Statement;
  /**
   * The statement for a session: without a snapshot the `_now` form of one that reads AS OF an SCN, which would not see
   * what its own transaction wrote.
   */
  seenBy(name: string, snapshot: 'snapshot' | 'present'): Statement;
  /**
   * The statement with these identifiers in place of those that stand quoted in its file, by the file's: the names of a
   * model cannot be bound. Throws for a name that could end its quotation marks, and where one is missing.
   */
  withNames(name: string, identifiers: Readonly<Record<string, string>>): Statement;
}

/** The statements of this dialect. */
export function createStatements(): Statements {
  const queries = createQueries('oracle');
  const names = new Set(queryNames('oracle'));
  const read = new Map<string, Statement>();
  const named = (name: string): Statement => {
    const known = read.get(name);
    if (known !== undefined) return known;
    if (!names.has(name)) throw new Error(`the Oracle dialect has no statement ${name}`);
    const sql = queries(name).trim();
    const head = readStatementHead(sql);
    const hasResult = /:result\b/.test(withoutComments(sql));
    const readsPast = head.binds.some((bind) => bind.name === 'at_snapshot');
    const statement = { name, sql, head, hasResult, readsPast };
    read.set(name, statement);
    return statement;
  };
  return {
    named,
    seenBy(name, snapshot) {
      const statement = named(name);
      return snapshot === 'present' && statement.head.context.includes('scn') ? named(`${name}_now`) : statement;
    },
    withNames(name, identifiers) {
      const statement = named(name);
      const sql = statement.sql.replaceAll(/"([A-Z_]+)"/g, (_, placed: string) => {
        const identifier = identifiers[placed] ?? '';
        if (!isIdentifier(identifier)) throw new Error(`the statement ${name} was given no name for ${placed}`);
        return `"${identifier}"`;
      });
      return { ...statement, sql };
    },
  };
}

/** True for a name that stands in a statement as it is, between quotation marks: nothing in it can end them. */
export function isIdentifier(name: string): boolean {
  return /^[A-Z][A-Z0-9_$#]{0,127}$/.test(name);
}

function withoutComments(sql: string): string {
  return sql.replaceAll(/^\s*--.*$/gm, '');
}
