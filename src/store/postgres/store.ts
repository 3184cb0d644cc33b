// The store on PostgreSQL, whatever the engine: every call enters its transaction by a role and a trusted context.

import { MemoryError } from '../../model/errors.ts';
import { requireEmbedder, requireSchema } from '../migrate.ts';
import type { LogProblem } from '../problem.ts';
import { createResidents } from '../resident/residents.ts';
import type { SharedResidents } from '../resident/residents.ts';
import type { MigrationFile } from '../sql_files.ts';
import type { Entrance, Run } from '../statements/entrance.ts';
import type { DatabaseRow, Session } from '../statements/session.ts';
import { storeCalls } from '../statements/store_calls.ts';
import type { CallOptions, EmbedderIdentity, OperatorWriter, SchemaState, Store, Writer } from '../store.ts';
import type { IndexEntry } from '../written_rows.ts';
import { copierOf } from './backup.ts';
import type { Engine } from './connection.ts';
import { rewriterOf } from './file_rewrite.ts';
import { migrateSchema, readSchemaState } from './schema.ts';
import { transaction } from './transaction.ts';
import type { TransactionOptions } from './transaction.ts';

/** What a store is made of. */
export interface PostgresStoreOptions {
  readonly engine: Engine;
  readonly embedder: EmbedderIdentity;
  readonly log: LogProblem;
  readonly migrations: readonly MigrationFile[];
  /** True: it opens also where the vectors are by another embedder, which is to be changed. */
  readonly anyEmbedder?: boolean;
  /**
   * What searches read of memory, where the engine is the only writer: shared by all stores over it, and closed with the
   * first of them. Its own if unsaid; null: nothing.
   */
  readonly residents?: SharedResidents | null;
}

// After as many new rows the planner looks again at what the tables hold, and then after twice as many each time.
const rowsWorthAnalyzing = 300;

/** A store over an open engine. The schema is looked at before the first use, and again until it is right. */
export function createPostgresStore(options: PostgresStoreOptions): Store {
  const { engine, embedder, log, residents: kept = createResidents() } = options;
  let ready: Promise<void> | null = null;
  const requireReady = async (): Promise<void> => {
    ready ??= checkSchema(options);
    try {
      await ready;
    } catch (error) {
      ready = null;
      throw error;
    }
  };
  const run: Run = async (entrance, call, work) => {
    await requireReady();
    return await transaction({ engine, log, call, beginning: beginnings[entrance.as] }, async (session) =>
      work(session, await enter(session, entrance)),
    );
  };
  const hasVectorIndex = engine.capabilities.approximateVectorIndex;
  const rewriteFiles = rewriterOf(engine, log);
  const shared = engine.capabilities.soleWriter ? kept : null;
  const residents = shared?.of({ run, embedder }) ?? null;
  const calls = storeCalls({ run, mode: engine.mode, embedder, hasVectorIndex, residents, rewriteFiles });
  let [unseen, worthAnalyzing] = [0, rowsWorthAnalyzing];
  const grown = async (rows: number, call: CallOptions): Promise<void> => {
    unseen += rows;
    if (engine.analyzesItself || unseen < worthAnalyzing) return;
    unseen = 0;
    worthAnalyzing *= 2;
    await analyze(options, call);
  };
  return {
    mode: engine.mode,
    capabilities: engine.capabilities,
    async migrate() {
      await migrateSchema(options);
      return await readSchemaState(options);
    },
    schemaState: () => readSchemaState(options),
    ...calls,
    async write(scope, call, use) {
      let rows = 0;
      const result = await calls.write(scope, call, (writer) => {
        rows = 0;
        return use(countingIndex(writer, (count) => void (rows += count)));
      });
      await grown(rows, call);
      return result;
    },
    async operate(scope, call, use) {
      let rows = 0;
      const result = await calls.operate(scope, call, (writer) => {
        rows = 0;
        return use(countingImports(writer, (count) => void (rows += count)));
      });
      await grown(rows, call);
      return result;
    },
    watchToolbox: (listener) => engine.onToolboxChange(listener),
    copy: copierOf(options),
    async close() {
      await shared?.close();
      await engine.close();
    },
  };
}

const beginnings = {
  read: 'read',
  write: 'write',
  inspect: 'inspect',
  operate: 'operate',
  erase: 'operate',
  nobody: 'write',
} as const satisfies Record<Entrance['as'], TransactionOptions['beginning']>;

function enter(session: Session, entrance: Entrance): DatabaseRow | Promise<DatabaseRow> {
  switch (entrance.as) {
    case 'read':
    case 'write': {
      const { tenantId, userId, agentId } = entrance.scope;
      return session.one(`enter_${entrance.as}`, tenantId, userId, agentId ?? '');
    }
    case 'inspect':
      return session.one('enter_read', entrance.scope.tenantId, '', '');
    case 'operate':
      return session.one('enter_write', entrance.scope.tenantId, '', '');
    case 'erase':
      return session.one('enter_erasure', entrance.scope.tenantId);
    case 'nobody':
      return {};
    default:
      throw entrance satisfies never;
  }
}

async function checkSchema(options: PostgresStoreOptions): Promise<void> {
  const state: SchemaState = await readSchemaState(options);
  requireSchema(state.applied, state.known);
  if (options.anyEmbedder !== true) requireEmbedder(state.embedder, options.embedder);
}

/** What is indexed is what searches read. */
function countingIndex<Counted extends Pick<Writer, 'putIndex'>>(
  writer: Counted,
  count: (rows: number) => void,
): Counted {
  return {
    ...writer,
    async putIndex(entries: readonly IndexEntry[]) {
      await writer.putIndex(entries);
      count(entries.length);
    },
  };
}

function countingImports(given: OperatorWriter, count: (rows: number) => void): OperatorWriter {
  const writer = countingIndex(given, count);
  return {
    ...writer,
    async putVersion(row, before, index) {
      const ref = await writer.putVersion(row, before, index);
      count(Math.max(1, index.length));
      return ref;
    },
    async putTenantRows(rows) {
      await writer.putTenantRows(rows);
      count(rows.rows.length);
    },
    async importRows(batch) {
      const report = await writer.importRows(batch);
      count(Math.max(report.inserted, batch.index.length));
      return report;
    },
  };
}

/** What was written is written: what goes wrong here makes searches slower, and is only logged. */
async function analyze({ engine, log }: PostgresStoreOptions, call: CallOptions): Promise<void> {
  const own = { requestId: call.requestId };
  try {
    await transaction({ engine, log, call: own, beginning: 'migrate' }, (session) => session.all('analyze'));
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error;
  }
}
