// The store on PostgreSQL, whatever the engine: reads, writes and operator writes, each one bracketed transaction.

import { hkdfSync } from 'node:crypto';
import { z } from 'zod';
import { MemoryError } from '../../model/errors.ts';
import { scn } from '../../model/ids.ts';
import type { Instant } from '../../model/time.ts';
import { requireEmbedder, requireSchema } from '../migrate.ts';
import type { LogProblem } from '../problem.ts';
import { instantOf } from '../rows.ts';
import type { MigrationFile } from '../sql_files.ts';
import type { CallOptions, EmbedderIdentity, OperatorWriter, Position, SchemaState, Store } from '../store.ts';
import { copierOf } from './backup.ts';
import type { Engine } from './connection.ts';
import { erase, retain, retainNext } from './erasure.ts';
import { createOperatorWriter } from './operator.ts';
import { createRecordReader } from './past.ts';
import { createReader } from './reader.ts';
import { migrateSchema, readSchemaState } from './schema.ts';
import type { Session } from './session.ts';
import { countTenantRows, exportedRows } from './tenant_rows.ts';
import { transaction } from './transaction.ts';
import type { TransactionOptions } from './transaction.ts';
import { createWriter } from './writer.ts';

/** What a store is made of. */
export interface PostgresStoreOptions {
  readonly engine: Engine;
  readonly embedder: EmbedderIdentity;
  readonly log: LogProblem;
  readonly migrations: readonly MigrationFile[];
}

// After as many new rows the planner should look again at what the tables hold.
const rowsWorthAnalyzing = 300;

/** A store over an open engine. The schema is looked at before the first use, and again until it is right. */
export function createPostgresStore(options: PostgresStoreOptions): Store {
  const { engine, embedder, log } = options;
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
  const run: Run = async (beginning, call, work) => {
    await requireReady();
    return await transaction({ engine, log, call, beginning }, work);
  };
  return {
    mode: engine.mode,
    capabilities: engine.capabilities,
    async migrate() {
      await migrateSchema(options);
      return await readSchemaState(options);
    },
    schemaState: () => readSchemaState(options),
    read: (scope, { evaluationTime, ...call }, use) =>
      run('read', call, async (session) => {
        const row = await session.one('enter_read', scope.tenantId, scope.userId, scope.agentId ?? '');
        return await use(createReader(session, scope, positionOf(row, engine.mode, evaluationTime)));
      }),
    write: (scope, call, use) =>
      run('write', call, async (session) => {
        await session.one('enter_write', scope.tenantId, scope.userId, scope.agentId ?? '');
        return await use(createWriter(session, scope, embedder));
      }),
    async operate(scope, call, use) {
      let imported = 0;
      const result = await run('operate', call, async (session) => {
        await session.one('enter_write', scope.tenantId, '', '');
        const counting = (count: number): void => void (imported += count);
        return await use(countingImports(createOperatorWriter(session, embedder), counting));
      });
      if (imported >= rowsWorthAnalyzing && !engine.analyzesItself) await analyze(options, call);
      return result;
    },
    ...looksBack(run, engine),
    ...removals({ run, engine, log }),
    watchToolbox: (listener) => engine.onToolboxChange(listener),
    sealingKey: () => run('read', { requestId: 'sealing_key' }, sealingKey),
    copy: copierOf(options),
    close: () => engine.close(),
  };
}

/** Runs one bracketed transaction. */
type Run = <T>(
  beginning: TransactionOptions['beginning'],
  call: CallOptions,
  work: (session: Session) => Promise<T>,
) => Promise<T>;

/** What was recorded, what was, and what there is in all: each from one snapshot. */
function looksBack(run: Run, engine: Engine): Pick<Store, 'readPast' | 'inspect'> {
  return {
    readPast: (scope, call, use) => {
      const own = 'userId' in scope ? scope : null;
      return run(own === null ? 'inspect' : 'read', call, async (session) => {
        const row = await session.one('enter_read', scope.tenantId, own?.userId ?? '', own?.agentId ?? '');
        return await use(createRecordReader(session, own, positionOf(row, engine.mode, null)));
      });
    },
    inspect: (scope, call, use) =>
      run('inspect', call, async (session) => {
        const row = await session.one('enter_read', scope.tenantId, '', '');
        return await use({
          position: positionOf(row, engine.mode, null),
          countRows: () => countTenantRows(session),
          tenantRows: () => exportedRows(session),
        });
      }),
  };
}

/** What ends: by request, or by age. */
function removals(parts: Parameters<typeof erase>[0]): Pick<Store, 'erase' | 'retain' | 'retainNext'> {
  return {
    erase: (scope, { dryRun, ...call }, target) => erase(parts, { scope, call, dryRun }, target),
    retain: (scope, { dryRun, ...call }) => retain(parts, { scope, call, dryRun }),
    retainNext: (call, everySeconds) => retainNext(parts, call, everySeconds),
  };
}

async function checkSchema(options: PostgresStoreOptions): Promise<void> {
  const state: SchemaState = await readSchemaState(options);
  requireSchema(state.applied, state.known);
  requireEmbedder(state.embedder, options.embedder);
}

const secretColumn = z.object({ secret: z.string().min(64) });

/** Derived, so that another use of the secret would have a key of its own. */
async function sealingKey(session: Session): Promise<Uint8Array> {
  const { secret } = secretColumn.parse(await session.one('sealing_secret'));
  return new Uint8Array(hkdfSync('sha256', secret, '', 'context-assembly-memory request state', 32));
}

const positionColumns = z.object({ incarnation: z.string(), scn: z.string(), now: z.string() });

function positionOf(row: unknown, mode: string, evaluationTime: Instant | null): Position {
  const columns = positionColumns.parse(row);
  return {
    mode,
    incarnation: columns.incarnation,
    scn: scn(columns.scn),
    evaluationTime: evaluationTime ?? instantOf(columns.now),
  };
}

function countingImports(writer: OperatorWriter, count: (rows: number) => void): OperatorWriter {
  return {
    ...writer,
    async putTenantRows(rows) {
      await writer.putTenantRows(rows);
      count(rows.rows.length);
    },
    async importRows(batch) {
      const report = await writer.importRows(batch);
      count(report.inserted);
      return report;
    },
  };
}

/** The import is written already: what goes wrong here makes searches slower, and is only logged. */
async function analyze({ engine, log }: PostgresStoreOptions, call: CallOptions): Promise<void> {
  const own = { requestId: call.requestId };
  try {
    await transaction({ engine, log, call: own, beginning: 'migrate' }, (session) => session.all('analyze'));
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error;
  }
}
