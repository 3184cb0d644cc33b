// What an installation on Oracle needs or may have beside the schema, each looked at with what to run where it is missing.

import { z } from 'zod';
import type { Session } from '../statements/session.ts';
import { canEmbed, canRerank, readModels } from './database_models.ts';
import type { DatabaseModel } from './database_models.ts';

/** One thing that was looked at. A note is no fault: what it speaks of is optional. */
export interface Prerequisite {
  readonly name: string;
  readonly state: 'ok' | 'note' | 'wrong';
  readonly says: string;
  readonly action?: string;
}

const names = z.array(z.object({ name: z.string() }));
const columns = z.object({
  compatible_release: z.string().nullable(),
  character_set: z.string().nullable(),
  vector_memory: z.number().nullable(),
  undo_seconds: z.number().nullable(),
  database_zone: z.string(),
  session_zone: z.string(),
  contexts: z.number(),
  text_indexes: z.number(),
  archived_tables: z.number(),
});

type Found = z.output<typeof columns>;

/** Looks with an administrator's login, which alone sees all of it. */
export async function readPrerequisites(session: Session): Promise<readonly Prerequisite[]> {
  const unguarded = names.parse(await session.all('unguarded_tables')).map(({ name }) => name);
  const invalid = names.parse(await session.all('invalid_programs')).map(({ name }) => name);
  const found = columns.parse(await session.one('prerequisites'));
  const models = await readModels(session);
  const indexes = await session.all('vector_indexes');
  return [
    none('policies', unguarded, 'Every table has its policies.', 'Tables without a policy'),
    none('programs', invalid, 'Packages, triggers and views compile.', 'They do not compile'),
    contextCheck(found),
    databaseCheck(found),
    undoCheck(found),
    vectorCheck(found, indexes.length > 0),
    modelCheck(models),
    textCheck(found),
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

/** What types and text of the schema need of the database as a whole. */
function databaseCheck({ compatible_release: release, character_set: characters }: Found): Prerequisite {
  const name = 'database';
  const [major = 0, minor = 0] = (release ?? '').split('.').map(Number);
  const isNew = major > 23 || (major === 23 && minor >= 6);
  const says = `compatible ${release ?? 'unknown'}, character set ${characters ?? 'unknown'}`;
  if (isNew && characters === 'AL32UTF8') return { name, state: 'ok', says };
  return {
    name,
    state: 'wrong',
    says: `${says}: 23.6.0 or higher and AL32UTF8 are needed.`,
    action: isNew
      ? 'Make the pluggable database anew with AL32UTF8: other character sets lose text.'
      : 'As SYSDBA: ALTER SYSTEM SET compatible = "23.6.0" SCOPE = SPFILE, and a restart. It cannot be lowered again.',
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

function vectorCheck({ vector_memory: bytes }: Found, hasIndex: boolean): Prerequisite {
  const name = 'vector memory';
  const says = `${Math.round((bytes ?? 0) / 2 ** 20)} MB, ${hasIndex ? 'an' : 'no'} approximate index`;
  if ((bytes ?? 0) > 0 || hasIndex) return { name, state: 'ok', says };
  return {
    name,
    state: 'note',
    says: `${says}: searches compare every visible vector, or sign bits first.`,
    action: 'For a user who sees some hundred thousand: schema/oracle/vector_index_hnsw.sql says what to set.',
  };
}

/** Any number of models is right, and none; one that can do neither work was loaded with other names of inputs. */
function modelCheck(models: readonly DatabaseModel[]): Prerequisite {
  const name = 'models';
  if (models.length === 0) {
    return {
      name,
      state: 'note',
      says: 'None is there; embedder and reranker work outside the database.',
      action: 'An administrator can run schema/oracle/models.sql.',
    };
  }
  const unfit = models.filter((model) => !canEmbed(model) && !canRerank(model));
  const says = models.map(described).join('; ');
  if (unfit.length === 0) return { name, state: 'ok', says };
  return {
    name,
    state: 'wrong',
    says,
    action: 'An embedder takes one input and a reranker two, named as schema/oracle/models.sql names them.',
  };
}

function described(model: DatabaseModel): string {
  const { name, dimensions, inputs } = model;
  if (canEmbed(model)) return `${name} embeds${dimensions === null ? '' : ` in ${dimensions} dimensions`}`;
  return canRerank(model) ? `${name} reranks, by ${inputs.join(' and ')}` : `${name} can do neither`;
}

function textCheck({ text_indexes: indexes }: Found): Prerequisite {
  const name = 'text indexes';
  if (indexes === 4) return { name, state: 'ok', says: 'four, for SQL of your own' };
  return {
    name,
    state: 'note',
    says: `${indexes} of 4 that are for SQL of your own; the program searches without them.`,
    action: 'An administrator can run schema/oracle/text_index.sql.',
  };
}
