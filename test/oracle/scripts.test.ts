// No Oracle runs here: each script and statement of that dialect is at least sentences of its grammar.
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { scriptStatements } from '../../src/store/oracle/script.ts';
import { createQueries, queryNames, sqlFolder } from '../../src/store/sql_files.ts';
import { readScript } from './catalogue.ts';
import { olderSql, parseErrors, rewritings } from './grammar.ts';

// What the grammar cannot read though Oracle can, with the reason. A statement is named by its file and place.
const unparsed: Readonly<Record<string, string>> = {};

const scripts = readdirSync(sqlFolder('oracle')).filter((name) => name.endsWith('.sql'));
const queries = createQueries('oracle');
const statements: readonly (readonly [name: string, sql: string])[] = [
  ...scripts.flatMap((script) =>
    scriptStatements(readScript(script)).map((sql, index) => [`${script} ${index + 1}`, sql] as const),
  ),
  ...queryNames('oracle').map((name) => [`queries/${name}.sql`, queries(name)] as const),
];

describe('scripts and statements for Oracle (not run on Oracle here)', () => {
  it('[N6] parse by the grammar of PL/SQL once newer clauses are rewritten', { timeout: 900_000 }, async () => {
    const failing: Record<string, readonly string[]> = {};
    for (const [name, sql] of statements) {
      const errors = await parseErrors(sql);
      if (errors.length > 0) failing[name] = errors.slice(0, 2);
    }
    const unexpected = Object.entries(failing).filter(([name]) => unparsed[name] === undefined);
    expect(Object.fromEntries(unexpected)).toEqual({});
    expect(
      Object.keys(unparsed).filter((name) => failing[name] === undefined),
      'exceptions that parse now',
    ).toEqual([]);
  });

  it('[N6] need every rewriting', () => {
    const all = statements.map(([, sql]) => sql);
    for (const script of scripts) all.push(readScript(script));
    const idle = rewritings.filter(({ pattern }) => !all.some((sql) => sql.search(new RegExp(pattern)) !== -1));
    expect(idle.map(({ why }) => why)).toEqual([]);
  });

  it('[N6] end each statement with a slash, and hold nothing that SQLcl would stop at', () => {
    for (const script of scripts) {
      const text = readScript(script);
      expect({ script, ended: text.trimEnd().split('\n').at(-1) === '/' || /^UNDEFINE/m.test(text) }).toEqual({
        script,
        ended: true,
      });
      // Numbered scripts are run by the program too, which substitutes nothing.
      if (/^\d/.test(script))
        expect({ script, found: /&|^(?:SET|WHENEVER|PROMPT)\b/m.test(text) }).toEqual({ script, found: false });
      for (const sql of scriptStatements(text)) {
        const isProgram = /^(?:DECLARE|BEGIN|CREATE OR REPLACE (?:PACKAGE|FUNCTION|TRIGGER))\b/m.test(sql);
        expect({
          script,
          sql: sql.slice(0, 60),
          blankLine: !isProgram && /\n\s*\n(?!SET|WHENEVER|CREATE USER)/.test(sql.replace(/^(?:--.*\n)*\n?/, '')),
        }).toEqual({
          script,
          sql: sql.slice(0, 60),
          blankLine: false,
        });
      }
    }
  });
});

describe('the grammar can fail', () => {
  it.each([
    ['an alias before AS OF', 'SELECT e.id FROM mem_owner.entity_memory e AS OF SCN :scn'],
    ['a bracket that is never closed', 'SELECT COUNT(* FROM mem_owner.entity_memory e'],
    ['a block without an end', 'BEGIN UPDATE mem_owner.thread t SET t.next_turn_index = 1;'],
    ['a limit of the other dialect', 'SELECT e.id FROM mem_owner.entity_memory e LIMIT 5'],
  ])('on %s', { timeout: 300_000 }, async (_what, sql) => {
    expect(await parseErrors(sql)).not.toEqual([]);
  });

  it('and reads what a rewriting leaves of a newer clause', () => {
    expect(olderSql('SELECT TO_VECTOR(e.bits, *, BINARY) FROM DUAL FETCH EXACT FIRST 3 ROWS ONLY')).toBe(
      'SELECT TO_VECTOR(e.bits, 0, BINARY) FROM DUAL FETCH FIRST 3 ROWS ONLY',
    );
  });
});
