// What PostgreSQL itself says of its dialect: the columns of every table and the result of every statement, with types.
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { createQueries, queryNames, readMigrations } from '../../src/store/sql_files.ts';
import type { TypeClass } from './catalogue.ts';

/** A column of a table or a result. */
export interface Shape {
  readonly name: string;
  readonly typeClass: TypeClass;
  readonly required: boolean;
}

/** All of them, by table and by statement. */
export interface PostgresShapes {
  readonly tables: ReadonlyMap<string, readonly Shape[]>;
  readonly results: ReadonlyMap<string, readonly Shape[]>;
}

// By the numbers and names that PostgreSQL gives its types.
const byNumber: ReadonlyMap<number, TypeClass> = new Map([
  [16, 'boolean'],
  [20, 'number'],
  [23, 'number'],
  [25, 'text'],
  [701, 'number'],
  [1184, 'time'],
  [3802, 'json'],
  // Arrays are JSON in the other dialect.
  [1007, 'json'],
  [1009, 'json'],
  [1016, 'json'],
  [1022, 'json'],
]);
// What a function gives that gives nothing.
const voidType = 2278;
const byName: readonly (readonly [RegExp, TypeClass])[] = [
  [/\[\]$/, 'json'],
  [/^text/, 'text'],
  [/^(integer|bigint|double precision|xid8)/, 'number'],
  [/^timestamp/, 'time'],
  [/^jsonb/, 'json'],
  [/^boolean/, 'boolean'],
  [/^(vector|bit)/, 'vector'],
];

/** Reads them from a database in memory with all migrations applied. */
export async function readPostgresShapes(): Promise<PostgresShapes> {
  const database = await PGlite.create({ extensions: { vector } });
  try {
    for (const { sql } of readMigrations('postgres')) {
      await database.exec(`begin; select set_config('memory.embedder_dimensions', '8', true); ${sql}; commit`);
    }
    const columns = await database.query<{ table: string; name: string; type: string; required: boolean }>(
      `select c.relname as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
         a.attnotnull as required
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       where c.relnamespace = 'memory'::regnamespace and c.relkind in ('r', 'v') order by c.relname, a.attnum`,
    );
    const tables = [...new Set(columns.rows.map((row) => row.table))];
    const queries = createQueries('postgres');
    const results = new Map<string, readonly Shape[]>();
    for (const name of queryNames('postgres')) {
      // Rows of a cursor are those of its query.
      const query = queries(name).replace(/^declare \w+ no scroll cursor for$/m, '');
      const { resultFields } = await database.describeQuery(query);
      results.set(
        name,
        resultFields
          .filter(({ dataTypeID }) => dataTypeID !== voidType)
          .map((field) => ({
            name: field.name,
            typeClass: byNumber.get(field.dataTypeID) ?? 'unknown',
            required: false,
          })),
      );
    }
    return {
      tables: new Map(
        tables.map((table) => [
          table,
          columns.rows
            .filter((row) => row.table === table)
            .map(({ name, type, required }) => ({
              name,
              typeClass: byName.find(([pattern]) => pattern.test(type))?.[1] ?? 'unknown',
              required,
            })),
        ]),
      ),
      results,
    };
  } finally {
    await database.close();
  }
}
