// The adapter over the scripted server: statements are told apart by name, and a script answers those that it cares for.

import { openOracleEngine } from '../../../src/store/oracle/server.ts';
import { createOracleStore } from '../../../src/store/oracle/store.ts';
import type { OracleEngine } from '../../../src/store/oracle/transaction.ts';
import type { StoreProblem } from '../../../src/store/problem.ts';
import { createQueries, queryNames, readMigrations } from '../../../src/store/sql_files.ts';
import type { EmbedderIdentity, Store } from '../../../src/store/store.ts';
import { testEmbedder } from '../../store/harness.ts';
import type { StubCall, StubReply } from './script.ts';
import { startStub, stubPassword } from './server.ts';
import type { Stub, StubOptions } from './server.ts';

/** Answers by the statement's name; what is not there, or is undefined, gets an empty answer of its kind. */
export type Answers = Readonly<Record<string, (call: StubCall) => StubReply | undefined | Promise<StubReply>>>;

/** A store over a scripted server. */
export interface ScriptedStore {
  readonly store: Store;
  readonly engine: OracleEngine;
  readonly stub: Stub;
  readonly problems: readonly StoreProblem[];
  /** What the server saw since `forget`, a line each, with the connection's number: `1 enter_read`, `1 rollback`. */
  seen(): readonly string[];
  forget(): void;
  close(): Promise<void>;
}

const queries = createQueries('oracle');
const nameByText = new Map(queryNames('oracle').map((name) => [queries(name).trim(), name]));

/** The name of a statement's file, or the beginning of a statement that has none. */
export function nameOf(sql: string): string {
  return nameByText.get(sql) ?? sql.slice(0, 60);
}

/** Where every snapshot of a script stands. */
const scriptedPosition = {
  incarnation: 'stub/1/1/1.1',
  scn: '4711',
  now: '2026-09-28T12:00:00.000000Z',
} as const;

const migrations = readMigrations('oracle');

/** What a database with the schema says of login and schema; every snapshot stands at one place. */
export const standing: Answers = {
  session_account: () => ({
    columns: {
      login: 'text',
      database: 'text',
      version_name: 'text',
      owns_or_administers: 'boolean',
      bypasses: 'boolean',
      reaches_others: 'boolean',
      may_serve: 'boolean',
      may_operate: 'boolean',
    },
    rows: [
      {
        login: 'MEM_APP',
        database: 'STUB',
        version_name: '23.26.1.0.0',
        owns_or_administers: false,
        bypasses: false,
        reaches_others: false,
        may_serve: true,
        may_operate: false,
      },
    ],
  }),
  schema_exists: () => ({ columns: { present: 'boolean' }, rows: [{ present: true }] }),
  applied_migrations: () => ({
    columns: { number: 'number' },
    rows: migrations.map(({ number }) => ({ number })),
  }),
  store_settings: () => ({
    columns: { incarnation: 'text', embedder_id: 'text', embedder_dimensions: 'number' },
    rows: [{ incarnation: scriptedPosition.incarnation, embedder_id: null, embedder_dimensions: null }],
  }),
  enter_read: () => ({ result: [scriptedPosition] }),
  enter_operator_read: () => ({ result: [scriptedPosition] }),
};

/** What a statement without a script of its own gives. */
export function emptyAnswer(sql: string): StubReply {
  if (/:result\b/.test(sql)) return { result: null };
  return /^\s*(?:--.*\n)*\s*(?:SELECT|WITH)\b/i.test(sql)
    ? { columns: { nothing: 'text' }, rows: [] }
    : { affected: 0 };
}

/** How the adapter and its server are made. */
export interface ScriptedOptions extends Omit<StubOptions, 'script'> {
  /** Connections of the adapter. */
  readonly most?: number;
  readonly statementMs?: number;
  readonly waitMs?: number;
  readonly embedder?: EmbedderIdentity;
  /** Asked for what `answers` does not hold, before what always stands; null: no answer of its own. */
  readonly fallback?: (call: StubCall) => Promise<StubReply | null>;
}

/** Opens the adapter over a new server. */
export async function openScripted(answers: Answers = {}, given: ScriptedOptions = {}): Promise<ScriptedStore> {
  const { most = 2, statementMs = 5000, waitMs = 5000, embedder = testEmbedder, fallback, ...options } = given;
  const stub = await startStub({
    ...options,
    async script(call) {
      const name = nameOf(call.sql);
      const own = await answers[name]?.(call);
      return own ?? (await fallback?.(call)) ?? (await standing[name]?.(call)) ?? emptyAnswer(call.sql);
    },
  });
  const problems: StoreProblem[] = [];
  const login = {
    user: 'mem_app',
    password: stubPassword,
    connectString: stub.connectString,
    walletFolder: null,
    walletPassword: null,
  };
  const limits = { pool: { most, longestLine: 100, waitMs }, statementMs };
  const engine = await openOracleEngine({ login, limits, purpose: 'serve' }, (problem) => void problems.push(problem));
  const store = createOracleStore({ engine, embedder, migrations, toolboxEveryMs: 10 });
  let from = 0;
  return {
    store,
    engine,
    stub,
    problems,
    seen: () =>
      stub.events
        .slice(from)
        .map(({ connection, what, detail }) => `${connection} ${what === 'statement' ? nameOf(detail) : what}`),
    forget: () => void (from = stub.events.length),
    async close() {
      await store.close();
      await stub.close();
    },
  };
}
