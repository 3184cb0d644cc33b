// Every script and statement of the Oracle dialect, each with the name that a test calls it by.
import { readdirSync } from 'node:fs';
import { scriptStatements } from '../../src/store/oracle/script.ts';
import { createQueries, queryNames, sqlFolder } from '../../src/store/sql_files.ts';
import { readScript } from './catalogue.ts';

/** File names of the scripts, sorted: numbered ones and those that a person runs. */
export const scripts: readonly string[] = readdirSync(sqlFolder('oracle'))
  .filter((name) => name.endsWith('.sql'))
  .toSorted();

/** The statements of the scripts by file and place, and the statements of the store by file. */
export function everyStatement(): readonly (readonly [name: string, sql: string])[] {
  const queries = createQueries('oracle');
  return [
    ...scripts.flatMap((script) =>
      scriptStatements(readScript(script)).map((sql, index) => [`${script} ${index + 1}`, sql] as const),
    ),
    ...queryNames('oracle').map((name) => [`queries/${name}.sql`, queries(name)] as const),
  ];
}

/** What the grammar cannot read though Oracle can, by name, with the reason. */
export const unparsed: Readonly<Record<string, string>> = {
  'models.sql 5': 'the grammar takes no owner before the name of a model in GRANT',
  'models.sql 6': 'the grammar takes no owner before the name of a model in GRANT',
};
