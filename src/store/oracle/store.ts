// The store on Oracle: the port's calls over bracketed connections, reads AS OF the SCN that they entered with.

import { requireEmbedder, requireSchema } from '../migrate.ts';
import type { Run } from '../statements/entrance.ts';
import { storeCalls } from '../statements/store_calls.ts';
import type { Store } from '../store.ts';
import { noExtras } from './extras.ts';
import type { Extras } from './extras.ts';
import { createDatabaseModels } from './measured_texts.ts';
import { migrateSchema, readSchemaState } from './schema.ts';
import type { SchemaParts } from './schema.ts';
import { createToolboxWatch } from './toolbox_watch.ts';
import { transaction } from './transaction.ts';

/** What a store is made of. `extras` is what the database had when it was opened beside the schema; nothing if unsaid. */
export interface OracleStoreParts extends SchemaParts {
  readonly extras?: Extras;
}

/** A store over an open engine. The schema is looked at before the first use, and again until it is right. */
export function createOracleStore(parts: OracleStoreParts): Store {
  const { engine, embedder, extras = noExtras } = parts;
  const { approximateVectorIndex: hasVectorIndex } = extras;
  let ready: Promise<void> | null = null;
  const requireReady = async (): Promise<void> => {
    ready ??= checkSchema(parts);
    try {
      await ready;
    } catch (error) {
      ready = null;
      throw error;
    }
  };
  const run: Run = async (entrance, call, work) => {
    await requireReady();
    return await transaction(engine, { beginning: entrance, call }, work);
  };
  const watch = createToolboxWatch(
    (after) =>
      transaction(engine, { beginning: { as: 'look' }, call: { requestId: 'toolbox_watch' } }, (session) =>
        session.all('toolbox_changes', after),
      ),
    parts.toolboxEveryMs,
  );
  let closing: Promise<void> | null = null;
  return {
    mode: 'oracle',
    capabilities: { pastReads: 'flashback', soleWriter: false, ...extras },
    models: createDatabaseModels(engine),
    async migrate() {
      await migrateSchema(parts);
      return await readSchemaState(parts);
    },
    schemaState: () => readSchemaState(parts),
    // Erased rows leave the tables; the files are the database's own, and so is its undo.
    ...storeCalls({ run, mode: 'oracle', embedder, hasVectorIndex, residents: null, rewriteFiles: null }),
    watchToolbox: (listener) => watch.add(listener),
    close() {
      watch.close();
      return (closing ??= engine.pool.close());
    },
  };
}

async function checkSchema(parts: SchemaParts): Promise<void> {
  const state = await readSchemaState(parts);
  requireSchema(state.applied, state.known);
  if (parts.anyEmbedder !== true) requireEmbedder(state.embedder, parts.embedder);
}
