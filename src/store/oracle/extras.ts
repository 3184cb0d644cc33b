// What a database may have beside the schema, as capabilities (design N9): looked at once, when a store is opened.

import type { Session } from '../statements/session.ts';
import type { Capabilities } from '../store.ts';
import { canRerank, readModels } from './database_models.ts';

/** The capabilities that depend on what an administrator added. */
export type Extras = Pick<Capabilities, 'approximateVectorIndex' | 'inDatabaseRerank'>;

/** A database to which nothing was added. */
export const noExtras: Extras = { approximateVectorIndex: false, inDatabaseRerank: false };

/** Reads what the session's login can use. */
export async function readExtras(session: Session): Promise<Extras> {
  const models = await readModels(session);
  const indexes = await session.all('vector_indexes');
  return { approximateVectorIndex: indexes.length > 0, inDatabaseRerank: models.some(canRerank) };
}
