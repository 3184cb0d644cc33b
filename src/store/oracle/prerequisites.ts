// What an installation on Oracle needs or may have beside the schema, each looked at with what to run where it is missing.

import { z } from 'zod';
import type { Session } from '../statements/session.ts';

/** One thing that was looked at. A note is no fault: what it speaks of is optional. */
export interface Prerequisite {
  readonly name: string;
  readonly state: 'ok' | 'note' | 'wrong';
  readonly says: string;
  readonly action?: string;
}

const names = z.array(z.object({ name: z.string() }));
const columns = z.object({
  vector_memory: z.number().nullable(),
  undo_seconds: z.number().nullable(),
  database_zone: z.string(),
  session_zone: z.string(),
  contexts: z.number(),
  models: z.number(),
  text_indexes: z.number(),
  vector_indexes: z.number(),
  archived_tables: z.number(),
});

type Found = z.output<typeof columns>;

/** Looks with an administrator's login, which alone sees all of it. */
export async function readPrerequisites(session: Session): Promise<readonly Prerequisite[]> {
  const unguarded = names.parse(await session.all('unguarded_tables')).map(({ name }) => name);
  const invalid = names.parse(await session.all('invalid_programs')).map(({ name }) => name);
  const found = columns.parse(await session.one('prerequisites'));
  return [
    none('policies', unguarded, 'Every table has its policies.', 'Tables without a policy'),
    none('programs', invalid, 'Packages, triggers and views compile.', 'They do not compile'),
    contextCheck(found),
    undoCheck(found),
    vectorCheck(found),
    optional('models', found.models === 2, 'embedder and reranker are in the database', 'models.sql'),
    optional('text indexes', found.text_indexes === 4, 'four, for SQL of your own', 'text_index.sql'),
    {
      name: 'time zone',
      state: 'ok',
      says: `database ${found.database_zone}, session ${found.session_zone}; times are kept in UTC whatever these say`,
    },
  ];
}

function none(name: string, found: readonly string[], fine: string, trouble: string): Prerequisite {
  if (found.length === 0) return { name, state: 'ok', says: fine };
  return {
    name,
    state: 'wrong',
    says: `${trouble}: ${found.join(', ')}.`,
    action: 'Run `context-assembly-memory migrate` with a version of the program that knows this schema.',
  };
}

function contextCheck({ contexts }: Found): Prerequisite {
  const name = 'context package';
  if (contexts > 0) return { name, state: 'ok', says: 'MEMORY_CTX is set by its package alone.' };
  return {
    name,
    state: 'wrong',
    says: 'The context MEMORY_CTX does not exist: nobody would see a row.',
    action: 'Run `context-assembly-memory migrate`.',
  };
}

const oneDay = 86_400;

function undoCheck({ undo_seconds: seconds, archived_tables: archived }: Found): Prerequisite {
  const name = 'undo retention';
  const says = `${seconds ?? 'unknown'} seconds, ${archived} tables in a flashback archive`;
  if (archived > 0 || (seconds ?? 0) >= oneDay) return { name, state: 'ok', says };
  return {
    name,
    state: 'note',
    says: `${says}: windows can be replayed for about that long.`,
    action: 'An administrator can raise undo_retention, or run schema/oracle/flashback_archive.sql.',
  };
}

function vectorCheck({ vector_memory: bytes, vector_indexes: indexes }: Found): Prerequisite {
  const name = 'vector memory';
  const says = `${Math.round((bytes ?? 0) / 2 ** 20)} MB, ${indexes === 0 ? 'no' : 'an'} approximate index`;
  if ((bytes ?? 0) > 0) return { name, state: 'ok', says };
  return {
    name,
    state: 'note',
    says: `${says}: searches compare every visible vector, or sign bits first.`,
    action: 'Only SQL of your own needs more: schema/oracle/vector_index_hnsw.sql says what to set.',
  };
}

function optional(name: string, isThere: boolean, fine: string, script: string): Prerequisite {
  if (isThere) return { name, state: 'ok', says: fine };
  return {
    name,
    state: 'note',
    says: 'Not all are there; the program does without them.',
    action: `An administrator can run schema/oracle/${script}.`,
  };
}
