// No Oracle runs here: each script and statement of that dialect is at least sentences of its grammar.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { queryNames } from '../../src/store/sql_files.ts';
import { scriptStatements } from '../../src/store/oracle/script.ts';
import { readScript } from './catalogue.ts';
import { olderSql, parsedHash, parseErrors, readRecord, rewritings } from './grammar.ts';
import { everyStatement, scripts, unparsed } from './statements.ts';

const statements = everyStatement();

describe('scripts and statements for Oracle (not run on Oracle here)', () => {
  it('[N6] parse by the grammar of PL/SQL once newer clauses are rewritten', { timeout: 900_000 }, async () => {
    const record = readRecord();
    const failing: Record<string, readonly string[]> = {};
    for (const [name, sql] of statements) {
      const errors = record.has(parsedHash(sql)) ? [] : await parseErrors(sql);
      if (errors.length > 0) failing[name] = errors.slice(0, 2);
    }
    const unexpected = Object.entries(failing).filter(([name]) => unparsed[name] === undefined);
    expect(Object.fromEntries(unexpected)).toEqual({});
    const parsed = Object.keys(unparsed).filter((name) => failing[name] === undefined);
    expect(parsed, 'exceptions that parse now').toEqual([]);
  });

  it('[N6] are recorded as parsed, and nothing else is', () => {
    const accepted = statements.filter(([name]) => unparsed[name] === undefined).map(([, sql]) => parsedHash(sql));
    expect(readRecord(), 'run `npx tsx scripts/parse_oracle.ts`, and commit test/oracle/parsed.json').toEqual(
      new Set(accepted),
    );
  });

  it('[N6] need every rewriting', () => {
    const all = statements.map(([, sql]) => sql);
    for (const script of scripts) all.push(readScript(script));
    const idle = rewritings.filter(({ pattern }) => !all.some((sql) => sql.search(new RegExp(pattern)) !== -1));
    expect(idle.map(({ why }) => why)).toEqual([]);
  });

  it('[N6] are named in docs/oracle.md as they are, all that a person runs', () => {
    const text = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'oracle.md'), 'utf8');
    const named = [...text.matchAll(/[\w/]*\b\w+\.sql\b/g)].map(([name]) => name.replace(/^schema\/oracle\//, ''));
    const known = [...scripts, ...queryNames('oracle').map((name) => `queries/${name}.sql`)];
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
    expect(scripts.filter((script) => !/^\d/.test(script) && !named.includes(script))).toEqual([]);
    // Statements are called by name alone, too.
    const quoted = [...text.matchAll(/`([a-z]+_[a-z_]+)`/g)].map(([, name = '']) => name);
    const spoken = quoted.filter((name) => /^(?:past|vectors|lexical|retain|replaced)_/.test(name));
    expect(spoken.filter((name) => !queryNames('oracle').includes(name))).toEqual([]);
    expect(spoken).not.toEqual([]);
  });

  it('[N6] end each statement with a slash, and hold nothing that SQLcl would stop at', () => {
    for (const script of scripts) {
      const text = readScript(script);
      // What follows the last slash is for SQLcl alone.
      const rest = text.slice(text.lastIndexOf('\n/') + 2);
      expect({ script, rest: olderSql(rest).trim() }).toEqual({ script, rest: '' });
      // Numbered scripts are run by the program too, which substitutes nothing.
      const forSqlcl = /&|^(?:SET|WHENEVER|PROMPT|UNDEFINE)\b/m.test(text);
      expect({ script, forSqlcl: /^\d/.test(script) && forSqlcl }).toEqual({ script, forSqlcl: false });
      // An empty line ends a statement there, unless it is a program.
      const cut = scriptStatements(text)
        .map((sql) =>
          olderSql(sql)
            .replaceAll(/^--.*$/gm, '')
            .trim(),
        )
        .filter((sql) => !/^(?:DECLARE|BEGIN|CREATE OR REPLACE (?:PACKAGE|FUNCTION|TRIGGER))\b/.test(sql))
        .filter((sql) => /\n\s*\n/.test(sql));
      expect({ script, cut }).toEqual({ script, cut: [] });
    }
  });
});

describe('the grammar can fail', () => {
  it.each([
    ['an alias before AS OF', 'SELECT e.id FROM mem_owner.entity_memory e AS OF SCN :scn'],
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
