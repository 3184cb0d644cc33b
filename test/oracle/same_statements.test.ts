// The same statements in both dialects: names, binds and result columns; PostgreSQL's results are what it says itself.
import { beforeAll, describe, expect, it } from 'vitest';
import { createQueries, queryNames } from '../../src/store/sql_files.ts';
import { readStatementHead } from '../../src/store/statement_head.ts';
import { readCatalogue } from './catalogue.ts';
import { oracleOnly, postgresOnly, withoutRows } from './dialects.ts';
import { readPostgresShapes } from './postgres_shapes.ts';
import type { PostgresShapes } from './postgres_shapes.ts';
import { readUsage } from './used_names.ts';

const postgresNames = queryNames('postgres');
const oracleNames = queryNames('oracle');
const shared = oracleNames.filter((name) => postgresNames.includes(name));
const postgresQueries = createQueries('postgres');
const oracleQueries = createQueries('oracle');
const { relations, programs } = readCatalogue();

describe('statements of both dialects', () => {
  let postgres: PostgresShapes;
  beforeAll(async () => {
    postgres = await readPostgresShapes();
  });

  it('[N10] are the same, but for those with a reason', () => {
    expect(postgresNames.filter((name) => !shared.includes(name))).toEqual(Object.keys(postgresOnly).toSorted());
    expect(oracleNames.filter((name) => !shared.includes(name))).toEqual(Object.keys(oracleOnly).toSorted());
  });

  it.each(postgresNames)('[N10] %s numbers the binds that its head names', (name) => {
    const { binds } = readStatementHead(postgresQueries(name));
    const numbers = new Set([...postgresQueries(name).matchAll(/\$(\d+)/g)].map((match) => Number(match[1])));
    expect([...numbers].toSorted((a, b) => a - b)).toEqual(binds.map((_, index) => index + 1));
  });

  it.each(shared)('[N10] %s takes the same binds in the same order', (name) => {
    const bindsOf = (sql: string) => readStatementHead(sql).binds.map((bind) => bind.name);
    expect(bindsOf(oracleQueries(name))).toEqual(bindsOf(postgresQueries(name)));
  });

  it.each(shared)('[N10] %s gives the same columns', (name) => {
    const expected = postgres.results.get(name)!.filter((column) => column.name !== 'xid');
    const { result } = readUsage(oracleQueries(name), relations, programs);
    if (withoutRows[name] !== undefined) {
      expect(result).toEqual([]);
      expect(expected).not.toEqual([]);
      return;
    }
    expect(result.map((column) => column.name)).toEqual(expected.map((column) => column.name));
    for (const [index, { typeClass }] of result.entries()) {
      // Times travel as text; of an expression the kind does not show.
      const wanted = expected[index]!.typeClass === 'time' ? 'text' : expected[index]!.typeClass;
      if (typeClass !== 'unknown')
        expect({ column: result[index]!.name, typeClass }).toEqual({ column: result[index]!.name, typeClass: wanted });
    }
  });

  it('[N10] and those that read for a write are those that read the past, without the past', () => {
    const present = (sql: string): string =>
      sql
        .replaceAll(/^--.*\n/gm, '')
        .replaceAll(' AS OF SCN :scn', '')
        .replaceAll(/ AND \(\w\.user_id IS NULL OR \w\.user_id = :user_id(?: OR :user_id IS NULL)?\)/g, '');
    const pairs = Object.keys(oracleOnly).filter((name) => name.endsWith('_now'));
    for (const name of pairs)
      expect(present(oracleQueries(name))).toBe(present(oracleQueries(name.replace(/_now$/, ''))));
    expect(pairs.length).toBe(6);
  });

  it('[N4] and those that read the past of somebody read it as the present is read', () => {
    const statement = (name: string): string =>
      oracleQueries(name)
        .replaceAll(/^--.*\n/gm, '')
        .replaceAll(' AS OF SCN TO_NUMBER(:at_snapshot)', ' AS OF SCN :scn')
        .replaceAll(' AS OF SCN v_scn', ' AS OF SCN :scn')
        .replace(/ v_scn NUMBER := TO_NUMBER\(:at_snapshot\);/, '')
        // Which ids are meant stands beside the refs; whoever looks as operator sees every user's.
        .replace(/ WHERE r\.id IN \(SELECT x\.id FROM JSON_TABLE\(:ids,.*\) x\)/, '')
        .replaceAll(' OR :user_id IS NULL', '')
        .replaceAll(':anyone = 1 OR ', '')
        .replaceAll(/\s+/g, ' ');
    const names = ['guidelines', 'personas', 'tools', 'links', 'provenance', 'versions'];
    for (const name of names) expect(statement(`past_${name}`)).toBe(statement(name));
    expect(statement('versions_now')).toBe(statement('versions'));
  });
});
