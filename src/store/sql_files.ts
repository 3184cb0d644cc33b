// Where the SQL lives: schema/<dialect>/NNN_name.sql are migrations, schema/<dialect>/queries/*.sql one statement a file.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A numbered migration; numbers count from 1 without a gap. */
export interface MigrationFile {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
}

// src/store and dist/store stand equally deep below the package's root.
const schemaFolder = fileURLToPath(new URL('../../schema/', import.meta.url));

/** The folder of a dialect's SQL, absolute. */
export function sqlFolder(dialect: string): string {
  return join(schemaFolder, dialect);
}

/** All migrations of a dialect in order. Throws on a gap or a doubled number: the package is broken then. */
export function readMigrations(dialect: string): readonly MigrationFile[] {
  const files = readdirSync(sqlFolder(dialect))
    .filter((name) => /^\d{3}_[a-z0-9_]+\.sql$/.test(name))
    .toSorted()
    .map((name) => ({
      number: Number(name.slice(0, 3)),
      name: name.slice(0, -'.sql'.length),
      sql: readFileSync(join(sqlFolder(dialect), name), 'utf8'),
    }));
  files.forEach((file, index) => {
    if (file.number !== index + 1) throw new Error(`Migration ${file.name} should have number ${index + 1}.`);
  });
  return files;
}

/** Names of all statements of a dialect, sorted. */
export function queryNames(dialect: string): readonly string[] {
  return readdirSync(join(sqlFolder(dialect), 'queries'))
    .filter((name) => name.endsWith('.sql'))
    .map((name) => name.slice(0, -'.sql'.length))
    .toSorted();
}

/** Gives a statement's text by its name, each file read once, when first asked. */
export function createQueries(dialect: string): (name: string) => string {
  const texts = new Map<string, string>();
  return (name) => {
    let text = texts.get(name);
    if (text === undefined) {
      text = readFileSync(join(sqlFolder(dialect), 'queries', `${name}.sql`), 'utf8');
      texts.set(name, text);
    }
    return text;
  };
}
