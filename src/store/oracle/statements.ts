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
  };
}

function withoutComments(sql: string): string {
  return sql.replaceAll(/^\s*--.*$/gm, '');
}
