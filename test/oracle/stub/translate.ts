// Between the two dialects, for answers from the embedded engine: binds become PostgreSQL's parameters, its rows and
// failures become Oracle's.

import { z } from 'zod';
import { instant } from '../../../src/model/time.ts';
import type { Bind } from '../../../src/store/statement_head.ts';
import type { DatabaseRow, Parameter } from '../../../src/store/statements/session.ts';
import type { StubReply } from './script.ts';
import { emptyAnswer } from './scripted_store.ts';
import type { ColumnType } from './values.ts';

/** A bind of Oracle's as the parameter of PostgreSQL's statement of the same name. */
export function asParameter(
  statement: string,
  { name, type }: Bind,
  { sql, place, value }: { readonly sql: string; readonly place: number; readonly value: unknown },
): Parameter {
  // Oracle holds an empty text as NULL, and here a name after which all others come.
  if (value === null || value === undefined) return name.startsWith('after_') ? '' : null;
  switch (type) {
    case 'flag':
      return value === 1;
    case 'vector':
      return `[${[...(value as Iterable<number>)].join(',')}]`;
    case 'json': {
      // JSON that travelled as text, because its numbers are longer than the program's.
      if (typeof value === 'string') return value;
      const cast = new RegExp(`\\$${place}::(\\w+(?:\\[\\])?)`).exec(sql)?.[1] ?? '';
      const isList = Array.isArray(value) && value.every((item) => typeof item !== 'object');
      return isList && !cast.startsWith('json') ? value : JSON.stringify(unshaped(statement, name, value));
    }
    case 'text':
    case 'number':
      return value as string | number;
    default:
      throw type satisfies never;
  }
}

const termRows = z.array(
  z.looseObject({
    title_length: z.number(),
    date_length: z.number(),
    body_length: z.number(),
    context_length: z.number(),
    terms: z.array(
      z.object({
        term: z.string(),
        title_count: z.number(),
        date_count: z.number(),
        body_count: z.number(),
        context_count: z.number(),
      }),
    ),
  }),
);

/** Index rows in the shape of the other dialect's tables. */
function unshaped(statement: string, bind: string, value: unknown): unknown {
  if (statement !== 'insert_terms' || bind !== 'entries') return value;
  return termRows.parse(value).map((entry) => ({
    ...entry,
    lengths: [entry.title_length, entry.date_length, entry.body_length, entry.context_length],
    terms: Object.fromEntries(
      entry.terms.map((term) => [term.term, [term.title_count, term.date_count, term.body_count, term.context_count]]),
    ),
  }));
}

const postgresTime = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?\+00$/;

function asOracleValue(value: unknown): unknown {
  return typeof value === 'string' && postgresTime.test(value) ? instant(value, 'time') : value;
}

/** Rows as a reply to a statement of the Oracle dialect: a block's JSON, a query's columns, or nothing. */
export function asReply(sql: string, given: readonly DatabaseRow[]): StubReply {
  const rows = given.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, asOracleValue(value)])),
  );
  const empty = emptyAnswer(sql);
  if (typeof empty === 'object' && 'result' in empty) return rows.length === 0 ? empty : { result: rows };
  if (rows.length === 0 || typeof empty !== 'object' || !('rows' in empty)) return empty;
  const names = Object.keys(rows[0] ?? {});
  return {
    rows,
    columns: Object.fromEntries(
      names.map((name) => [
        name,
        columnType(
          name,
          rows.map((row) => row[name]),
        ),
      ]),
    ),
  };
}

/** Columns whose type the values of one row do not tell; a database describes them alike each time, and so do we. */
const typesByName = new Map<string, ColumnType>([
  ...named(
    'json',
    'access_policy artifacts average_lengths conditions content_json frequencies guideline_value key_steps lengths ' +
      'manifest metadata names owner payload persona_value refs replay request retrieval steps terms tool_schema',
  ),
  ...named(
    'clob',
    'content description expected_outcome outcome preconditions row summary text usage_notes quarantine_reason',
  ),
  ...named('double', 'confidence cosine latency_ms'),
  ...named('number', 'cited_version embedder_dimensions token_cost turn_index version'),
]);

function named(type: ColumnType, names: string): readonly (readonly [string, ColumnType])[] {
  return names.split(' ').map((name) => [name, type] as const);
}

/** Throws for a value that its column could not hold: the table above lacks the column then. */
function columnType(name: string, values: readonly unknown[]): ColumnType {
  const kinds = new Set(values.filter((value) => value !== null && value !== undefined).map((value) => typeof value));
  const known = typesByName.get(name);
  if (known !== undefined) return known;
  if (kinds.has('object') || kinds.size > 1) throw new Error(`of what type is the column ${name}?`);
  if (kinds.has('boolean')) return 'boolean';
  return kinds.has('number') ? 'number' : 'text';
}

const oracleErrors: Readonly<Record<string, number>> = {
  '23505': 1,
  '42501': 28115,
  '40001': 8177,
  '40P01': 60,
};

/** What Oracle would call a failure of PostgreSQL; 600 where it has no such one. */
export function postgresError(error: unknown): readonly [number, string] {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  const number = oracleErrors[String(code)] ?? 6512;
  const [table, key] = ['table', 'constraint'].map((name) => String(Reflect.get(Object(error), name)).toUpperCase());
  const words =
    number === 1
      ? `unique constraint (MEM_OWNER.${key}) violated on table MEM_OWNER.${table} columns (TENANT_ID)`
      : String(error);
  return [number, `ORA-${String(number).padStart(5, '0')}: ${words}`];
}
