// After an erasure on PostgreSQL (design E1): where the files are the engine's own, they are written anew.

import { z } from 'zod';
import type { LogProblem } from '../problem.ts';
import { createQueries } from '../sql_files.ts';
import type { StoreParts } from '../statements/entrance.ts';
import type { CallOptions } from '../store.ts';
import type { Connection, Engine } from './connection.ts';
import { toMemoryError } from './database_error.ts';

const queries = createQueries('postgres');

/**
 * The way to write the files anew, null where they are not the engine's own. Deleted rows stay in them until then:
 * tables, what the planner noted of their values, and the write-ahead log. False where it failed, which is logged: the
 * rows are erased already.
 */
export function rewriterOf(engine: Engine, log: LogProblem): StoreParts['rewriteFiles'] {
  return engine.copyFiles === undefined ? null : (call) => rewriteFiles(engine, log, call);
}

async function rewriteFiles(engine: Engine, log: LogProblem, call: CallOptions): Promise<boolean> {
  try {
    // What was erased is erased: a caller that goes away now does not stop this.
    await engine.use({ requestId: call.requestId }, async (connection) => {
      for (const name of ['forget_statistics', 'rewrite_tables', 'rewrite_statistics']) await query(connection, name);
      await renewWriteAheadLog(connection);
    });
    return true;
  } catch (error) {
    toMemoryError(error, call.requestId, log);
    return false;
  }
}

/** Every segment there is, also one that was kept to be used again, gets its turn and is removed. */
async function renewWriteAheadLog(connection: Connection): Promise<void> {
  const [row] = await query(connection, 'count_segments');
  const { segments } = z.object({ segments: z.number().int() }).parse(row);
  for (let turn = 0; turn <= segments; turn += 1) {
    await query(connection, 'checkpoint');
    await query(connection, 'switch_segment');
  }
  await query(connection, 'checkpoint');
}

function query(connection: Connection, name: string): ReturnType<Connection['query']> {
  return connection.query(queries(name), []);
}
