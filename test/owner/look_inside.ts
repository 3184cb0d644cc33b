// What a database itself says of a data directory that nobody holds.
import { join } from 'node:path';
import { openEngine } from '../../src/store/postgres/pglite.ts';
import { rawSession } from '../store/pglite_session.ts';

type Row = Readonly<Record<string, unknown>>;

/** Rows of each statement, in order. */
export async function lookInside(
  directory: string,
  ...statements: readonly string[]
): Promise<readonly (readonly Row[])[]> {
  const engine = await openEngine(join(directory, 'postgres'));
  const found: (readonly Row[])[] = [];
  try {
    for (const sql of statements) found.push(await rawSession(engine).query({ role: null }, sql));
  } finally {
    await engine.close();
  }
  return found;
}
