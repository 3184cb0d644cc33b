// Commands on Oracle, over a scripted server: what is run, in which order, and what a person is told. Where a command
// needs rows, the embedded engine answers for the database.
import { afterEach, describe, expect, it } from 'vitest';
import { staticTableId } from '../../src/embed/static_table.ts';
import { scriptStatements } from '../../src/store/oracle/script.ts';
import { openEngine } from '../../src/store/postgres/pglite.ts';
import { createPostgresStore } from '../../src/store/postgres/store.ts';
import { readMigrations } from '../../src/store/sql_files.ts';
import { run, runJson } from '../command/run_program.ts';
import { embeddedAnswers } from './stub/embedded_answers.ts';
import { emptyAnswer, nameOf, standing } from './stub/scripted_store.ts';
import type { Answers, ScriptedOptions } from './stub/scripted_store.ts';
import { startStub, stubPassword } from './stub/server.ts';
import type { Stub } from './stub/server.ts';

const migrations = readMigrations('oracle');
let stub: Stub | null = null;
afterEach(async () => {
  await stub?.close();
  stub = null;
});

const accountColumns = {
  login: 'text',
  database: 'text',
  version_name: 'text',
  owns_or_administers: 'boolean',
  bypasses: 'boolean',
  reaches_others: 'boolean',
  may_serve: 'boolean',
  may_operate: 'boolean',
} as const;
const accountOf = (login: string, more: object = {}) => ({
  login,
  database: 'FREEPDB1',
  version_name: '23.26.1.0.0',
  owns_or_administers: false,
  bypasses: false,
  reaches_others: login === 'MEMORY_MIGRATION',
  may_serve: login === 'MEM_APP',
  may_operate: login === 'MEM_OPERATOR',
  ...more,
});

/** A server that knows three logins, and the environment that names them. `rows` answers what has no answer of its own. */
async function database(
  answers: Answers = {},
  rows: Pick<ScriptedOptions, 'fallback' | 'ending'> = {},
): Promise<Record<string, string>> {
  const own: Answers = {
    ...standing,
    session_account: ({ login }) => ({ columns: accountColumns, rows: [accountOf(login.user.toUpperCase())] }),
    prerequisites: () => ({
      columns: {
        compatible_release: 'text',
        character_set: 'text',
        vector_memory: 'number',
        undo_seconds: 'number',
        database_zone: 'text',
        session_zone: 'text',
        contexts: 'number',
        text_indexes: 'number',
        archived_tables: 'number',
      },
      rows: [
        {
          compatible_release: '23.6.0',
          character_set: 'AL32UTF8',
          vector_memory: 0,
          undo_seconds: 900,
          database_zone: '+00:00',
          session_zone: 'Europe/Berlin',
          contexts: 1,
          text_indexes: 0,
          archived_tables: 0,
        },
      ],
    }),
    ...answers,
  };
  const { fallback, ...ending } = rows;
  stub = await startStub({
    ...ending,
    async script(call) {
      const name = nameOf(call.sql);
      const first = (await answers[name]?.(call)) ?? (await fallback?.(call));
      return first ?? (await own[name]?.(call)) ?? emptyAnswer(call.sql);
    },
  });
  return {
    CONTEXT_ENGINE: 'oracle',
    CONTEXT_TENANT_ID: 'acme',
    CONTEXT_USER_ID: 'jane',
    DB_DSN: stub.connectString,
    DB_USER: 'mem_app',
    DB_PASSWORD: stubPassword,
    DB_OPERATOR_USER: 'mem_operator',
    DB_OPERATOR_PASSWORD: stubPassword,
    DB_OWNER_USER: 'memory_migration',
    DB_OWNER_PASSWORD: stubPassword,
  };
}

const sent = (): readonly string[] =>
  (stub?.events ?? []).map(({ what, detail }) => (what === 'statement' ? nameOf(detail) : what));

/** Answers of a database whose migrations are recorded as they come; `from`: those that are there already. */
function recording(from: number): Answers {
  const applied = migrations.slice(0, from).map(({ number }) => number);
  return {
    schema_exists: () => ({ columns: { present: 'boolean' }, rows: [{ present: applied.length > 0 }] }),
    applied_migrations: () => ({ columns: { number: 'number' }, rows: applied.map((number) => ({ number })) }),
    record_migration: ({ binds }) => {
      applied.push(Number(binds['migration_number']));
      return { affected: 1 };
    },
  };
}

describe('migrate on Oracle, over a scripted server', () => {
  it('[N6] runs each file statement by statement under the lock, records it last, and lets the lock go', async () => {
    const environment = await database(recording(0));
    const done = await runJson(['migrate'], environment);
    expect({ code: done.code, stderr: done.stderr }).toEqual({ code: 0, stderr: '' });
    expect(done.json).toMatchObject({ applied: migrations.map(({ number }) => number), schema: migrations.length });
    const first = scriptStatements(migrations[0]?.sql ?? '').map((statement) => nameOf(statement));
    const lines = sent();
    const start = lines.indexOf('migration_lock');
    expect(lines.slice(start, start + first.length + 8)).toEqual([
      'migration_lock',
      'schema_exists',
      ...first,
      'record_setting',
      'record_setting',
      'record_migration',
      'commit',
      'migration_unlock',
      'commit',
    ]);
    expect(lines.filter((line) => line === 'migration_lock')).toHaveLength(migrations.length + 1);
    expect(lines.filter((line) => line === 'migration_unlock')).toHaveLength(migrations.length + 1);
    expect(
      lines.filter((line) => line.startsWith('enter_')),
      'it works for no tenant',
    ).toEqual([]);
  });

  it('[N6] what does not compile stops it, is not recorded, and lets the lock go', async () => {
    const last = migrations.length - 1;
    const broken = scriptStatements(migrations[last]?.sql ?? '').at(0) ?? '';
    const environment = await database({ ...recording(last), [nameOf(broken)]: () => ({ warning: true }) });
    const failed = await run(['migrate'], environment);
    expect(failed.code).not.toBe(0);
    expect(sent()).not.toContain('record_migration');
    expect(sent()).toContain('migration_unlock');
  });

  it('[N2] needs a login of its own: another is refused, and nothing is changed', async () => {
    const environment = await database();
    const refused = await run(['migrate'], { ...environment, DB_OWNER_USER: 'mem_app' });
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('DB_OWNER_USER')]);
    const { DB_OWNER_USER: _, DB_OWNER_PASSWORD: __, ...rest } = environment;
    const missing = await run(['migrate'], rest);
    expect([missing.code, missing.stderr]).toEqual([3, expect.stringContaining('DB_OWNER_USER is not set')]);
    expect(sent()).not.toContain('migration_lock');
  });
});

describe('serving on Oracle, over a scripted server', () => {
  const listing =
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}\n' +
    '{"jsonrpc":"2.0","method":"notifications/initialized"}\n{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n';

  it.each([
    ['stdio', 'SYS'],
    ['http', 'SYSTEM'],
  ])('[N2] %s serves nobody as %s, and reads nothing of anybody', async (command, login) => {
    const environment = await database({
      session_account: () => ({ columns: accountColumns, rows: [accountOf(login, { owns_or_administers: true })] }),
    });
    const given = { CONTEXT_PORT: '0', CONTEXT_AUTH: 'none', DB_USER: login.toLowerCase() };
    const { stdout, stderr } = await run([command], { ...environment, ...given }, listing);
    expect(stderr).toContain(`The login ${login} of DB_USER owns the tables or administers the database`);
    expect(stdout).not.toContain('search_memory');
    expect(sent().filter((name) => /enter|commit/.test(name))).toEqual([]);
  });
});

describe('commands on Oracle, over a scripted server that the embedded engine answers (its SQL is not run)', () => {
  it('[N1,N2] init as operator, then a window as an end user: each with its own login, and nothing else with it', async () => {
    const engine = await openEngine(null);
    const embedder = { id: staticTableId, dimensions: 256 };
    const migrated = { engine, embedder, log: () => {}, migrations: readMigrations('postgres') };
    const embedded = createPostgresStore(migrated);
    try {
      await embedded.migrate();
      const rows = embeddedAnswers(engine);
      const environment = await database({}, { fallback: rows.answer, ending: rows.ending });
      expect(await run(['init'], environment)).toMatchObject({ code: 0 });
      const window = await runJson(['assemble', 'Which database do we use?'], environment);
      expect(window.json).toMatchObject({ manifest: { mode: 'oracle', scn: expect.stringMatching(/^\d+$/) } });
      const entered = (stub?.events ?? []).flatMap(({ connection, what, detail }) => {
        const name = what === 'statement' ? nameOf(detail) : '';
        return name.startsWith('enter_') ? [{ connection, name }] : [];
      });
      const logins = new Map(
        (stub?.events ?? []).flatMap(({ connection, what, detail }) =>
          what === 'login' ? [[connection, detail]] : [],
        ),
      );
      const byLogin = new Set(entered.map(({ connection, name }) => `${logins.get(connection)}: ${name}`));
      expect([...byLogin].toSorted()).toEqual([
        'mem_app: enter_read',
        'mem_app: enter_write',
        'mem_operator: enter_operator',
      ]);
    } finally {
      await embedded.close();
    }
  });
});

interface Findings {
  readonly checks: readonly {
    readonly name: string;
    readonly state: string;
    readonly says: string;
    readonly action?: string;
  }[];
}

describe('doctor on Oracle, over a scripted server', () => {
  it('[I3] names each login and database, and what an installation lacks with what to run', async () => {
    const environment = await database();
    const { json, stdout, stderr } = await runJson(['doctor'], environment);
    const { checks } = json as unknown as Findings;
    const of = (name: string) => checks.find((check) => check.name === name);
    expect(of('server')).toMatchObject({
      state: 'ok',
      says: expect.stringMatching(/^Oracle Database 23\.26.*login MEM_APP/),
    });
    expect(of('operator login')).toMatchObject({ state: 'ok' });
    expect(of('owner login')).toMatchObject({ state: 'ok', says: expect.stringContaining('MEMORY_MIGRATION') });
    expect(of('policies')).toMatchObject({ state: 'ok' });
    expect(of('context package')).toMatchObject({ state: 'ok' });
    expect(of('database')).toMatchObject({ state: 'ok', says: 'compatible 23.6.0, character set AL32UTF8' });
    expect(of('undo retention')).toMatchObject({
      state: 'note',
      action: expect.stringContaining('flashback_archive.sql'),
    });
    expect(of('vector memory')).toMatchObject({
      state: 'note',
      action: expect.stringContaining('vector_index_hnsw.sql'),
    });
    expect(of('models')).toMatchObject({ state: 'note', action: expect.stringContaining('models.sql') });
    expect(of('text indexes')).toMatchObject({ state: 'note', action: expect.stringContaining('text_index.sql') });
    expect(of('time zone')).toMatchObject({ says: expect.stringContaining('Europe/Berlin') });
    expect(of('schema')).toMatchObject({ state: 'ok' });
    expect(stdout + stderr).not.toContain(stubPassword);
  });

  it('[N2] a table without a policy and a package that does not compile are wrong', async () => {
    const named = (name: string) => () => ({ columns: { name: 'text' } as const, rows: [{ name }] });
    const environment = await database({
      unguarded_tables: named('CONTEXT_RUN'),
      invalid_programs: named('MEM_SEC.MEM_POLICY'),
    });
    const { json } = await runJson(['doctor'], environment);
    const wrong = (json as unknown as Findings).checks.filter(({ state }) => state === 'wrong').map(({ says }) => says);
    expect(wrong.join(' ')).toMatch(/CONTEXT_RUN.*MEM_SEC\.MEM_POLICY/);
  });

  it('[Q5,Q6,N9] the models and the approximate index that are there are named, and a model that can do nothing', async () => {
    const columns = { name: 'text', purpose: 'text', inputs: 'json', vector_type: 'text' } as const;
    const embedder = {
      name: 'MEM_EMBEDDER',
      purpose: 'EMBEDDING',
      inputs: ['DATA'],
      vector_type: 'VECTOR(384,FLOAT32)',
    };
    const reranker = { name: 'MEM_RERANKER', purpose: 'REGRESSION', inputs: ['DATA1', 'DATA2'], vector_type: null };
    const models = [embedder, reranker, { ...reranker, name: 'ONE_INPUT', inputs: ['DATA1'] }];
    const environment = await database({
      database_models: () => ({ columns, rows: models }),
      vector_indexes: () => ({ columns: { name: 'text' }, rows: [{ name: 'MEMORY_VECTOR_NEAR' }] }),
    });
    const { json } = await runJson(['doctor'], environment);
    const of = (name: string) => (json as unknown as Findings).checks.find((check) => check.name === name);
    expect(of('models')).toMatchObject({
      state: 'wrong',
      says: 'MEM_EMBEDDER embeds in 384 dimensions; MEM_RERANKER reranks, by DATA1 and DATA2; ONE_INPUT can do neither',
    });
    expect(of('vector memory')).toMatchObject({ state: 'ok', says: expect.stringContaining('an approximate index') });
  });

  it('[N2] a serving login that may too much is refused before anything is looked at', async () => {
    const environment = await database();
    const { json } = await runJson(['doctor'], { ...environment, DB_USER: 'memory_migration' });
    const { checks } = json as unknown as Findings;
    expect(checks.find(({ name }) => name === 'server')).toMatchObject({
      state: 'wrong',
      says: expect.stringContaining('privileged_account'),
    });
  });
});
