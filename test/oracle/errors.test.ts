// What the database and its driver refuse, as a caller is told it and as the log is; and what is tried again.
import { afterEach, describe, expect, it } from 'vitest';
import { tenantId } from '../../src/model/ids.ts';
import type { ErrorCode } from '../../src/model/errors.ts';
import { bindsOf } from '../../src/store/oracle/binds.ts';
import { lostItsConnection, toMemoryError, wasGivenUp } from '../../src/store/oracle/database_error.ts';
import { cutConnection } from '../../src/store/oracle/discard.ts';
import { loadDriver } from '../../src/store/oracle/driver.ts';
import { signBits } from '../../src/store/oracle/sign_bits.ts';
import { createStatements } from '../../src/store/oracle/statements.ts';
import { openOracleStore } from '../../src/store/oracle/server.ts';
import { event, options, scope, testEmbedder } from '../store/harness.ts';
import { emptyAnswer, nameOf, openScripted } from './stub/scripted_store.ts';
import type { Answers, ScriptedStore } from './stub/scripted_store.ts';
import { startStub, stubPassword } from './stub/server.ts';

let opened: ScriptedStore | null = null;
afterEach(async () => {
  await opened?.close();
  opened = null;
});

const jane = scope('acme');

/** Fails a read's or a write's statement with an error of the database, always. */
async function failing(error: readonly [number, string], more: Answers = {}): Promise<ScriptedStore> {
  opened = await openScripted({ collections: () => ({ error }), append_turn: () => ({ error }), ...more });
  return opened;
}
const read = ({ store }: ScriptedStore) =>
  store.read(jane, { ...options(), evaluationTime: null }, (reader) => reader.collections());
const write = ({ store }: ScriptedStore) =>
  store.write(jane, options(), (writer) => writer.appendEvent(event({ eventType: 'user_msg' })));

const secret = 'the words of a memory';
const cases: readonly (readonly [error: number, code: ErrorCode, reads: number, writes: number])[] = [
  [1, 'version_conflict', 1, 1],
  [54, 'deadline_exceeded', 1, 1],
  [60, 'version_conflict', 5, 5],
  [8177, 'version_conflict', 5, 5],
  [4068, 'internal', 5, 5],
  [1013, 'deadline_exceeded', 1, 1],
  [1031, 'scope_violation', 1, 1],
  [28115, 'scope_violation', 1, 1],
  [28112, 'internal', 1, 1],
  [28113, 'internal', 1, 1],
  [28110, 'internal', 1, 1],
  [42801, 'internal', 1, 1],
  // No search here is Oracle Text's; a query of it that is none would not be tried again.
  [29902, 'internal', 1, 1],
  [1017, 'store_unavailable', 1, 1],
  [28267, 'internal', 1, 1],
  [942, 'schema_missing', 1, 1],
  [12899, 'text_refused', 1, 1],
  [1400, 'text_refused', 1, 1],
  // A snapshot of now, which is taken anew once; what a recorded one is told as stands in windows.test.ts.
  [1555, 'store_unavailable', 2, 1],
  [1466, 'store_unavailable', 2, 1],
  [8180, 'store_unavailable', 2, 1],
  [8181, 'store_unavailable', 2, 1],
  [51815, 'store_unavailable', 2, 1],
  // The driver ends the connection after these by itself.
  [3113, 'store_unavailable', 5, 1],
  [3114, 'store_unavailable', 5, 1],
  [3135, 'store_unavailable', 5, 1],
  [28, 'store_unavailable', 5, 1],
  [1012, 'store_unavailable', 5, 1],
  [7445, 'internal', 1, 1],
];

describe('failures of Oracle, over a scripted server', () => {
  it.each(cases)(
    '[N8] ORA-%s is %s, tried %s times when reading and %s when writing',
    async (error, code, reads, writes) => {
      const number = String(error).padStart(5, '0');
      const given = await failing([
        error,
        `ORA-${number}: value '${secret}' in table "MEM_OWNER"\nORA-06512: ${secret}`,
      ]);
      for (const [call, statement, times] of [
        [read, 'collections', reads],
        [write, 'append_turn', writes],
      ] as const) {
        const failure: unknown = await call(given).catch((thrown: unknown) => thrown);
        expect(failure).toMatchObject({ code });
        expect((failure as Error).message).not.toMatch(/ORA-|MEM_OWNER|memory\b.*words/);
        expect(given.seen().filter((line) => line.endsWith(statement))).toHaveLength(times);
      }
      expect(JSON.stringify(given.problems)).not.toContain(secret);
      expect(given.problems.at(-1)?.detail['database_code']).toMatch(new RegExp(`^(ORA-${number}|NJS-500)$`));
      expect(given.engine.pool.counts().lent).toBe(0);
    },
  );

  it('[N8] a deadlock that does not meet its opponent again ends well, and only its last work stands', async () => {
    let left = 2;
    const given = await failing([60, 'ORA-00060: deadlock detected while waiting for resource'], {
      append_turn: () =>
        (left -= 1) >= 0
          ? { error: [60, 'ORA-00060: deadlock detected while waiting for resource'] }
          : { result: [{ event_id: 'e1', turn_index: 3, created_at: '2026-09-28T12:00:00.000000Z' }] },
    });
    expect((await write(given)).turnIndex).toBe(3);
    expect(given.seen().filter((line) => line.endsWith('commit'))).toHaveLength(1);
    expect(new Set(given.seen().map((line) => line[0]))).toEqual(new Set(['1']));
  });

  it.each([
    // The driver's own: whether a read is tried again says what became of the connection.
    ['NJS-500', 'store_unavailable', true],
    ['NJS-501', 'store_unavailable', true],
    ['NJS-503', 'store_unavailable', true],
    ['NJS-510', 'store_unavailable', true],
    ['NJS-518', 'store_unavailable', true],
    ['NJS-521', 'store_unavailable', true],
    ['NJS-040', 'store_unavailable', false],
    ['NJS-076', 'store_unavailable', false],
    ['NJS-123', 'deadline_exceeded', false],
    ['ORA-00439', 'store_unavailable', false],
    ['ORA-40284', 'store_unavailable', false],
  ] as const)('[N8] %s is %s, and its connection %s lost', (code, expected, isLost) => {
    const error = toMemoryError(Object.assign(new Error(`${code}: told`), { code }), 'request', () => {});
    expect([error.code, lostItsConnection(error), wasGivenUp(error)]).toEqual([expected, isLost, false]);
    expect(error.message).not.toContain('told');
  });

  it('[N6] a block that names what is not there means that the schema is missing', async () => {
    const lines = "ORA-06550: line 4, column 3:\nPLS-00201: identifier 'MEM_SEC.MEM_CTX' must be declared";
    const given = await failing([1, 'unused'], { enter_read: () => ({ error: [6550, lines] }) });
    await expect(read(given)).rejects.toMatchObject({ code: 'schema_missing' });
  });
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

/** Opens a store as a server's account says that it may. */
async function openAs(account: object, purpose: 'serve' | 'operate' | 'migrate' = 'serve', password = stubPassword) {
  const usual = { login: 'MEM_APP', database: 'FREE', version_name: '23.26.1.0.0', owns_or_administers: false };
  const rights = { bypasses: false, reaches_others: false, may_serve: true, may_operate: false };
  const stub = await startStub({
    script: ({ sql }) =>
      nameOf(sql) === 'session_account'
        ? { columns: accountColumns, rows: [{ ...usual, ...rights, ...account }] }
        : emptyAnswer(sql),
  });
  const login = {
    user: 'mem_app',
    password,
    connectString: stub.connectString,
    walletFolder: null,
    walletPassword: null,
  };
  const limits = { pool: { most: 1, longestLine: 1, waitMs: 2000 }, statementMs: 2000 };
  const log = { warn: () => {}, error: () => {} };
  try {
    const store = await openOracleStore({ login, purpose, embedder: testEmbedder, log, limits });
    await store.close();
    return store.account;
  } finally {
    await stub.close();
  }
}

describe('logins of Oracle', () => {
  it('[N2] the login of serving is let in, and says what it is', async () => {
    expect(await openAs({})).toMatchObject({ login: 'MEM_APP', database: 'FREE', version_name: '23.26.1.0.0' });
  });

  it.each([
    ['SYS or an owner', { login: 'MEM_OWNER', owns_or_administers: true }],
    ['one that is exempt from policies', { bypasses: true }],
    ['a DBA', { reaches_others: true }],
    ['one that may become the operator', { may_operate: true }],
  ])('[N2] %s is refused', async (_, account) => {
    await expect(openAs(account)).rejects.toMatchObject({ code: 'privileged_account', data: { variable: 'DB_USER' } });
  });

  it('[N2,N6] so are a database without a schema, an old one, and a login of other work', async () => {
    await expect(openAs({ may_serve: false })).rejects.toMatchObject({ code: 'schema_missing' });
    await expect(openAs({ version_name: '19.22.0.0.0' })).rejects.toMatchObject({ code: 'invalid_configuration' });
    await expect(openAs({}, 'operate')).rejects.toMatchObject({ data: { variable: 'DB_OPERATOR_USER' } });
    await expect(openAs({}, 'migrate')).rejects.toMatchObject({ data: { variable: 'DB_OWNER_USER' } });
    const system = { login: 'SYSTEM', reaches_others: true, owns_or_administers: true };
    await expect(openAs(system, 'migrate')).rejects.toThrow('neither SYS nor SYSTEM');
  });

  it('[N8] a wrong password and a server that is away are told apart, without an address', async () => {
    await expect(openAs({}, 'serve', 'another')).rejects.toThrow('refused the login');
    const stub = await startStub({ script: () => ({ affected: 0 }) });
    await stub.close();
    const login = {
      user: 'a',
      password: 'b',
      connectString: stub.connectString,
      walletFolder: null,
      walletPassword: null,
    };
    const limits = { pool: { most: 1, longestLine: 1, waitMs: 500 }, statementMs: 500 };
    const log = { warn: () => {}, error: () => {} };
    const failure: unknown = await openOracleStore({
      login,
      purpose: 'serve',
      embedder: testEmbedder,
      log,
      limits,
    }).catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({ code: 'store_unavailable' });
    expect(String(failure)).not.toContain('127.0.0.1');
  });
});

describe('the driver', () => {
  it('[N1] still has the one way to end a connection that its pool respects', async () => {
    const given = await failing([1, 'ORA-00001: unused']);
    const { default: oracledb } = await import('oracledb');
    const connection = await oracledb.getConnection({
      user: 'mem_app',
      password: stubPassword,
      connectString: given.stub.connectString,
    });
    expect(cutConnection(connection)).toBe(true);
    await connection.close();
    expect(cutConnection({})).toBe(false);
    expect(oracledb.fetchAsString, 'settings of the whole process are left alone').toEqual([]);
    expect(oracledb.autoCommit).toBe(false);
  });

  it('[N2] is given tenant, user and SCN by the session alone, and never a null JSON', async () => {
    const driver = await loadDriver();
    const statement = createStatements().seenBy('entities_of', 'snapshot');
    const trusted = { tenantId: tenantId('acme'), userId: 'jane', scn: '9007199254740991' };
    const given = bindsOf(driver, statement, [['a'], null, null, 'main', '2026-09-28T12:00:00.000000Z'], trusted);
    expect(given).toMatchObject({
      subjects: { val: ['a'], type: driver.DB_TYPE_JSON },
      predicates: { val: null, type: driver.DB_TYPE_VARCHAR },
      tenant_id: { val: 'acme' },
      user_id: { val: 'jane' },
      scn: { val: 9_007_199_254_740_991 },
    });
    expect(() => bindsOf(driver, statement, [], trusted)).toThrow('other values');
    expect(() => bindsOf(driver, statement, [['a'], null, null, null, ''], { ...trusted, scn: null })).toThrow(
      'snapshot',
    );
    expect(() => bindsOf(driver, statement, [['a'], null, null, null, ''], { ...trusted, tenantId: null })).toThrow(
      'nobody',
    );
  });

  it('[Q3] gets the signs of a vector eight to a byte, positive ones as 1', () => {
    expect([...signBits(Float32Array.from([1, -1, 0, 0.5, -0.5, 2, 3, -4, 1]))]).toEqual([0b1001_0110, 0b1000_0000]);
  });

  it('[D2] writes terms and signs as this dialect’s tables hold them', async () => {
    const driver = await loadDriver();
    const trusted = { tenantId: 'acme', userId: 'jane', scn: null };
    const ref = { type: 'entity', id: 'e1', version: 1 };
    const terms = JSON.stringify([{ ...ref, content_hash: 'h', lengths: [1, 0, 3, 0], terms: { beir: [1, 0, 2, 0] } }]);
    const statements = createStatements();
    expect(bindsOf(driver, statements.named('insert_terms'), [terms], trusted)).toMatchObject({
      entries: {
        val: [
          {
            ...ref,
            title_length: 1,
            body_length: 3,
            terms: [{ term: 'beir', title_count: 1, date_count: 0, body_count: 2, context_count: 0 }],
          },
        ],
      },
    });
    const vectors = JSON.stringify([{ ...ref, part: 'text', content_hash: 'h', vector: '[0.6,-0.8,0,0]' }]);
    expect(bindsOf(driver, statements.named('insert_vectors'), [vectors, 'test-embedder'], trusted)).toMatchObject({
      entries: { val: [{ ...ref, vector: '[0.6,-0.8,0,0]', bits: '[128]' }] },
      embedder: { val: 'test-embedder' },
    });
  });
});
