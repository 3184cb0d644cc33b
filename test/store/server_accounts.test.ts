// Who may use a server (design N2), and how it is migrated (design N6): logins, roles, and what an administrator is told.

import { beforeAll, expect, it } from 'vitest';
import { operatorScope } from '../../src/auth/make_scope.ts';
import { openServerStore } from '../../src/store/postgres/server.ts';
import type { Purpose } from '../../src/store/postgres/server_account.ts';
import { readMigrations } from '../../src/store/sql_files.ts';
import { run, runJson } from '../command/run_program.ts';
import { newTenant, operate, options, read, scope, testEmbedder } from './harness.ts';
import { administer, makeDatabase, migrateDatabase, openApp, openOperator, testLimits } from './server_session.ts';
import type { TestDatabase } from './server_session.ts';
import { describeOnServer } from './server_tests.ts';

const silent = { warn: () => {}, error: () => {} };
const all = readMigrations('postgres').map(({ number }) => number);

const open = async (url: string, purpose: Purpose, grantTo?: { serve: string | null; operate: string | null }) =>
  openServerStore({
    url,
    purpose,
    embedder: testEmbedder,
    log: silent,
    limits: testLimits,
    ...(grantTo === undefined ? {} : { grantTo }),
  });

const loginIn = (url: string): string => new URL(url).username;

describeOnServer('logins of a PostgreSQL server', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await makeDatabase();
    await migrateDatabase(database);
  });

  /** A database whose serving login has one more right. */
  const withRight = async (grant: (login: string) => string): Promise<TestDatabase> => {
    const own = await makeDatabase();
    await migrateDatabase(own);
    await administer(own.administrator, grant(loginIn(own.app)));
    return own;
  };

  it.each([
    ['a superuser', (login: string) => `alter role ${login} superuser`],
    ['BYPASSRLS', (login: string) => `alter role ${login} bypassrls`],
    ['SET ROLE to the owner', (login: string) => `grant mem_owner to ${login} with inherit false, set true`],
    [
      'the owner’s rights without SET ROLE',
      (login: string) => `grant mem_owner to ${login} with inherit true, set false`,
    ],
    [
      'the power to grant itself the owner',
      (login: string) => `grant mem_owner to ${login} with admin true, inherit false, set false`,
    ],
    ['SET ROLE to the operator', (login: string) => `grant mem_operator to ${login} with inherit false, set true`],
    [
      'SET ROLE to a role that bypasses',
      (login: string) => `create role over_${login} bypassrls; grant over_${login} to ${login}`,
    ],
    ['ownership of a table', (login: string) => `alter table memory.thread owner to ${login}`],
  ])('[N2] a serving login with %s is refused, and the refusal names the variable', async (_, grant) => {
    const own = await withRight(grant);
    await expect(open(own.app, 'serve')).rejects.toMatchObject({
      code: 'privileged_account',
      message: expect.stringMatching(/DATABASE_URL.*mem_app/),
      data: { variable: 'DATABASE_URL' },
    });
  });

  it('[N2] the logins of other purposes are refused for serving, and the owner’s for operating', async () => {
    await expect(open(database.owner, 'serve')).rejects.toMatchObject({ code: 'privileged_account' });
    await expect(open(database.operator, 'serve')).rejects.toMatchObject({ code: 'privileged_account' });
    await expect(open(database.owner, 'operate')).rejects.toMatchObject({ code: 'privileged_account' });
    await expect(open(database.administrator, 'operate')).rejects.toMatchObject({ code: 'privileged_account' });
  });

  it('[N2] a serving store cannot operate, and a serving or operating one cannot migrate', async () => {
    const [app, operator] = [await openApp(database), await openOperator(database)];
    try {
      await expect(operate(app, newTenant(), (writer) => writer.hasToolbox())).rejects.toThrow();
      const counting = app.inspect(operatorScope(newTenant()), options(), (reader) => reader.countRows());
      await expect(counting).rejects.toThrow();
      for (const store of [app, operator]) {
        await expect(store.migrate()).rejects.toMatchObject({
          code: 'invalid_configuration',
          data: { variable: 'DATABASE_OWNER_URL' },
        });
      }
    } finally {
      await Promise.all([app.close(), operator.close()]);
    }
  });

  it('[N2] a login that nobody granted its role is told who grants it', async () => {
    const own = await makeDatabase();
    await migrateDatabase({ ...own, app: own.operator });
    await expect(open(own.app, 'serve')).rejects.toMatchObject({
      code: 'invalid_configuration',
      message: expect.stringContaining('context-assembly-memory migrate'),
    });
  });

  it('[N8] a server that is not there, a wrong password and a missing database are coded and tell no secret', async () => {
    const password = new URL(database.app).password;
    const wrong = [
      [database.app.replace(/:\d+\//, ':1/'), 'cannot be reached'],
      [database.app.replace(password, 'not-the-password'), 'refused the login'],
      [database.app.replace(database.name, 'no_such_database'), 'no database of this name'],
    ] as const;
    for (const [url, reason] of wrong) {
      const failure: unknown = await open(url, 'serve').catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: 'store_unavailable', message: expect.stringContaining(reason) });
      expect(String(failure)).not.toMatch(/not-the|no_such|127/);
    }
  });
});

describeOnServer('migrations of a PostgreSQL server', () => {
  it('[N6] a start without a schema migrates nothing and names migrate', async () => {
    const database = await makeDatabase();
    // Another database of the server may have made the roles: then the first use is what finds no schema.
    await administer(database.administrator, `grant mem_app to ${loginIn(database.app)}`);
    const started = async () => {
      const store = await openApp(database);
      try {
        await read(store, scope(newTenant()), (reader) => reader.tools());
      } finally {
        await store.close();
      }
    };
    await expect(started()).rejects.toMatchObject({
      code: 'schema_missing',
      message: expect.stringContaining('context-assembly-memory migrate'),
    });
    const found = await administer(database.administrator, `select from pg_namespace where nspname = 'memory'`);
    expect(found).toEqual([]);
  });

  it('[N6] two processes at once apply everything once, and a third finds nothing to do', async () => {
    const database = await makeDatabase();
    const environment = {
      CONTEXT_ENGINE: 'postgres',
      DATABASE_OWNER_URL: database.owner,
      DATABASE_URL: database.app,
      DATABASE_OPERATOR_URL: database.operator,
    };
    const both = await Promise.all([runJson(['migrate'], environment), runJson(['migrate'], environment)]);
    const outcomes = both.map(({ code, stderr }) => ({ code, stderr }));
    expect(outcomes).toEqual([0, 0].map((code) => ({ code, stderr: '' })));
    const third = await runJson(['migrate'], environment);
    expect(third.json).toMatchObject({ applied: [], schema: all.length });
    const rows = await administer(database.administrator, 'select number from memory.schema_version order by number');
    expect(rows.map(({ number }) => number)).toEqual(all);
  });

  it('[N6] a schema of a newer program is refused', async () => {
    const database = await makeDatabase();
    await migrateDatabase(database);
    await administer(
      database.administrator,
      `insert into memory.schema_version (number, name) values (${all.length + 1}, 'later')`,
    );
    const store = await openApp(database);
    await expect(read(store, scope(newTenant()), (reader) => reader.tools())).rejects.toMatchObject({
      code: 'schema_newer',
    });
    await store.close();
  });

  it.each([
    ['may not make roles', 'nocreaterole'],
    ['may make roles, but not give away those that others made', 'createrole'],
  ])('[N6] where the login %s, what an administrator has to run is printed, and then migrate works', async (_, may) => {
    const database = await makeDatabase();
    await administer(
      database.administrator,
      `revoke mem_owner, mem_app, mem_operator from ${loginIn(database.owner)}`,
      `alter role ${loginIn(database.owner)} ${may}`,
    );
    const environment = {
      CONTEXT_ENGINE: 'postgres',
      DATABASE_OWNER_URL: database.owner,
      DATABASE_URL: database.app,
      DATABASE_OPERATOR_URL: database.operator,
    };
    const refused = await run(['migrate'], environment);
    expect(refused.code).toBe(3);
    const lines = refused.stderr.split('\n').filter((line) => /^(?:create|grant) .*;$/.test(line.trim()));
    expect(lines.length).toBeGreaterThanOrEqual(3);
    await administer(database.administrator, ...lines);
    const done = await run(['migrate'], environment);
    expect({ code: done.code, stderr: done.stderr }).toMatchObject({ code: 0 });
    const served = await run(['doctor'], { ...environment, CONTEXT_TENANT_ID: 'acme', CONTEXT_USER_ID: 'jane' });
    expect({ code: served.code, stderr: served.stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('[N6] a server without pgvector is named as such', async () => {
    const database = await makeDatabase({ template: 'template0' });
    const environment = { CONTEXT_ENGINE: 'postgres', DATABASE_OWNER_URL: database.owner };
    const refused = await run(['migrate'], environment);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain('create extension vector;');
  });

  it('[N6] stdio on an empty tenant names init and writes nothing; after init it serves', async () => {
    const database = await makeDatabase();
    const environment = {
      CONTEXT_ENGINE: 'postgres',
      DATABASE_OWNER_URL: database.owner,
      DATABASE_URL: database.app,
      DATABASE_OPERATOR_URL: database.operator,
      CONTEXT_TENANT_ID: 'acme',
      CONTEXT_USER_ID: 'jane',
    };
    expect((await run(['migrate'], environment)).code).toBe(0);
    const list =
      '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}\n' +
      '{"jsonrpc":"2.0","method":"notifications/initialized"}\n{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n';
    const empty = await run(['stdio'], environment, list);
    expect(empty.stderr).toContain('tenant_not_initialised');
    expect(empty.stderr).toContain('context-assembly-memory init');
    expect(await administer(database.administrator, 'select from memory.toolbox_memory')).toEqual([]);
    expect((await run(['init'], environment)).code).toBe(0);
    const served = await run(['stdio'], environment, list);
    expect(served.stdout).toContain('search_memory');
    expect(served.code).toBe(0);
    const doctor = await runJson(['doctor'], environment);
    expect(doctor.json.ok).toBe(true);
    expect(doctor.stdout + doctor.stderr).not.toContain(new URL(database.app).password);
  });

  it('[I3] without tenant or user stdio stops and names the variable', async () => {
    const environment = { CONTEXT_ENGINE: 'postgres', DATABASE_URL: 'postgres://a@127.0.0.1:1/b' };
    const noTenant = await run(['stdio'], environment);
    expect([noTenant.code, noTenant.stderr]).toEqual([3, expect.stringContaining('CONTEXT_TENANT_ID')]);
    const noUser = await run(['stdio'], { ...environment, CONTEXT_TENANT_ID: 'acme' });
    expect([noUser.code, noUser.stderr]).toEqual([3, expect.stringContaining('CONTEXT_USER_ID')]);
  });
});
