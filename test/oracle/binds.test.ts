// The binds of every statement, by the driver's own parser, are those that its head names.
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { createQueries, queryNames } from '../../src/store/sql_files.ts';
import { readStatementHead } from '../../src/store/statement_head.ts';

/** The part of the driver that reads a statement; not public, so the tests see that it still exists. */
interface DriverStatement {
  _prepare(sql: string): void;
  readonly isPlSql: boolean;
  readonly isQuery: boolean;
  readonly isReturning: boolean;
  readonly bindInfoList: readonly { readonly bindName: string }[];
}

const { Statement } = createRequire(import.meta.url)('oracledb/lib/thin/statement.js') as {
  Statement: new () => DriverStatement;
};

function prepared(sql: string): DriverStatement {
  const statement = new Statement();
  statement['_prepare'](sql);
  return statement;
}

const bindNames = (sql: string): readonly string[] =>
  [...new Set(prepared(sql).bindInfoList.map(({ bindName }) => bindName.toLowerCase()))].toSorted();

// Words that Oracle does not take as the name of a bind (ORA-01745, or reserved in PL/SQL).
const reserved = new Set(
  'access add all alter and any as asc at audit begin between by case check comment create current date default delete desc distinct end exclusive exists file for from grant group having in index insert into is level like limit lock long mode modify not null number of on option or order public raw resource row rows rownum select session set share size start sysdate table then to trigger type uid union unique update user validate values view when where with'.split(
    ' ',
  ),
);
const contextNames = new Set(['tenant_id', 'user_id', 'scn']);
const queries = createQueries('oracle');
const names = queryNames('oracle');

describe('binds of Oracle’s statements (not run on Oracle here)', () => {
  it.each(names)('[N1] %s binds what its head names', (name) => {
    const { binds, derived, context } = readStatementHead(queries(name));
    const declared = [...binds.map((bind) => bind.name), ...derived.map((bind) => bind.name), ...context];
    const isProgram = prepared(queries(name)).isPlSql;
    const found = bindNames(queries(name)).filter((bind) => !(isProgram && bind === 'result'));
    expect(found).toEqual(declared.toSorted());
    expect(new Set(declared).size, 'a name stands twice').toBe(declared.length);
    expect(declared.filter((bind) => reserved.has(bind))).toEqual([]);
    expect(context.filter((bind) => !contextNames.has(bind))).toEqual([]);
  });

  it('[N1] are in no statement both returned and bound: rows come from a query, or as JSON from :result', () => {
    for (const name of names) {
      const statement = prepared(queries(name));
      expect({ name, isReturning: statement.isReturning }).toEqual({ name, isReturning: false });
      if (bindNames(queries(name)).includes('result'))
        expect({ name, isPlSql: statement.isPlSql }).toEqual({ name, isPlSql: true });
      if (statement.isPlSql) expect({ name, ends: /\bEND;\s*$/.test(queries(name)) }).toEqual({ name, ends: true });
      else expect({ name, ends: /;\s*$/.test(queries(name)) }).toEqual({ name, ends: false });
    }
  });

  it('[N1] can be told apart from strings, comments and quoted names', () => {
    expect(bindNames('-- :comment\nSELECT \':text\', ":name", :real FROM DUAL')).toEqual(['real']);
    expect(bindNames('SELECT 1 FROM DUAL WHERE :a = :b OR :a = 1')).toEqual(['a', 'b']);
    expect(() => readStatementHead('SELECT 1 FROM DUAL')).toThrow('does not name its binds');
    expect(() => readStatementHead('-- binds: a strange\nSELECT :a FROM DUAL')).toThrow('a strange');
    expect(readStatementHead('-- binds: a json,\n--   b flag\n-- context: scn\nSELECT 1')).toEqual({
      binds: [
        { name: 'a', type: 'json' },
        { name: 'b', type: 'flag' },
      ],
      derived: [],
      context: ['scn'],
    });
  });
});
