// Rows for the scripted server from the embedded engine: each statement of the Oracle dialect is answered by the one of
// the same name on PostgreSQL, in a transaction that is entered, kept and left when the adapter does it. So the adapter
// can be used for whole windows and tools: its brackets, binds and rows are proved, and the meaning of Oracle's own
// statements is not.

import { beginnings } from '../../../src/store/postgres/transaction.ts';
import type { Connection, Engine } from '../../../src/store/postgres/connection.ts';
import { createQueries, queryNames } from '../../../src/store/sql_files.ts';
import { readStatementHead } from '../../../src/store/statement_head.ts';
import type { DatabaseRow, Parameter } from '../../../src/store/statements/session.ts';
import { options } from '../../store/harness.ts';
import type { Ending, StubCall, StubReply } from './script.ts';
import { emptyAnswer, nameOf } from './scripted_store.ts';
import { asParameter, asReply, postgresError } from './translate.ts';

/** Answers for a scripted server, from one engine. */
export interface EmbeddedAnswers {
  /** Null: not a statement that the engine answers. */
  readonly answer: (call: StubCall) => Promise<StubReply | null>;
  readonly ending: (connection: number, ending: Ending) => Promise<StubReply>;
}

interface Held {
  readonly connection: Connection;
  /** Ends the transaction and gives the engine back. */
  end(how: 'COMMIT' | 'ROLLBACK'): Promise<void>;
}

const entrances: Readonly<Record<string, { readonly beginning: keyof typeof beginnings; readonly enter: string }>> = {
  enter_read: { beginning: 'read', enter: 'enter_read' },
  enter_write: { beginning: 'write', enter: 'enter_write' },
  enter_operator: { beginning: 'operate', enter: 'enter_write' },
  enter_operator_read: { beginning: 'inspect', enter: 'enter_read' },
  enter_erasure: { beginning: 'operate', enter: 'enter_erasure' },
};

const firstScn = 1_000_000_000_000;

// Statements of the login, of the schema and of what only Oracle may have, have answers of their own.
const notOfTheEngine = new Set([
  'session_account',
  'schema_exists',
  'applied_migrations',
  'database_models',
  'vector_indexes',
]);

const oracle = createQueries('oracle');
const postgres = createQueries('postgres');
const postgresNames = new Set(queryNames('postgres'));

/** Answers from an engine whose schema is there. */
export function embeddedAnswers(engine: Engine): EmbeddedAnswers {
  const held = new Map<number, Held>();
  // An SCN is a number, later than every transaction's; what PostgreSQL calls a position is none.
  const positions: string[] = [];
  const changes = new Map<string, number>();
  let lastChange = 0;
  engine.onToolboxChange((tenant) => {
    if (tenant !== null) changes.set(tenant, (lastChange += 1));
  });

  const leave = async (connection: number, how: 'COMMIT' | 'ROLLBACK'): Promise<void> => {
    const transaction = held.get(connection);
    held.delete(connection);
    await transaction?.end(how);
  };
  const enter = async (call: StubCall, name: string): Promise<StubReply> => {
    const { connection, binds } = call;
    await leave(connection, 'ROLLBACK');
    const { beginning, enter: statement } = entrances[name] ?? entranceMissing(name);
    const transaction = await begin(engine, beginning);
    held.set(connection, transaction);
    const names = readStatementHead(postgres(statement)).binds.map((bind) => bind.name);
    const parameters = names.map((bind) => (typeof binds[bind] === 'string' ? binds[bind] : ''));
    const [row = {}] = await transaction.connection.query(postgres(statement), parameters);
    if (typeof row['scn'] !== 'string') return asReply(call.sql, [row]);
    positions.push(row['scn']);
    return { result: [{ ...row, scn: String(firstScn + positions.length - 1) }] };
  };
  const run = async (call: StubCall, name: string): Promise<StubReply> => {
    // A server's own login has no context, and its transaction begins with its first statement.
    const transaction = held.get(call.connection) ?? (await begin(engine, 'write'));
    held.set(call.connection, transaction);
    const statement = postgresNames.has(name) ? name : name.replace(/_now$/, '');
    const sql = postgres(statement);
    const types = new Map(readStatementHead(oracle(name)).binds.map((bind) => [bind.name, bind.type]));
    const parameters = readStatementHead(sql).binds.map((bind, index) => {
      const value =
        bind.name === 'at_snapshot' ? positions[Number(call.binds[bind.name]) - firstScn] : call.binds[bind.name];
      return asParameter(
        statement,
        { ...bind, type: types.get(bind.name) ?? 'text' },
        { sql, place: index + 1, value },
      );
    });
    try {
      return asReply(call.sql, await rowsOf(transaction.connection, { statement, sql, parameters }));
    } catch (error) {
      return { error: postgresError(error) };
    }
  };
  return {
    async answer(call) {
      const name = nameOf(call.sql);
      if (notOfTheEngine.has(name)) return null;
      if (name === 'leave' || name === 'leave_operator') {
        await leave(call.connection, 'ROLLBACK');
        return emptyAnswer(call.sql);
      }
      if (name === 'toolbox_changes') {
        const after = Number(call.binds['after_number']);
        const rows = [...changes].flatMap(([tenant, number]) =>
          number > after ? [{ tenant_id: tenant, change_number: number }] : [],
        );
        return { columns: { tenant_id: 'text', change_number: 'number' }, rows };
      }
      return name in entrances ? await enter(call, name) : await run(call, name);
    },
    async ending(connection, ending) {
      await leave(connection, ending === 'commit' ? 'COMMIT' : 'ROLLBACK');
      return { affected: 0 };
    },
  };
}

function entranceMissing(name: string): never {
  throw new Error(`${name} is no entrance`);
}

/** Holds the engine in a transaction until it is ended. */
function begin(engine: Engine, beginning: keyof typeof beginnings): Promise<Held> {
  return new Promise((resolve, reject) => {
    let release: () => void = () => {};
    const released = new Promise<void>((done) => (release = done));
    const used = engine.use(options(), async (connection) => {
      const { begin: statement, stepDown } = beginnings[beginning];
      await connection.execute(`${statement}; ${stepDown}`);
      resolve({
        connection,
        async end(how) {
          await connection.execute(how).finally(release);
          await used;
        },
      });
      await released;
    });
    used.catch(reject);
  });
}

/** All rows of a statement; those of an export stand behind a cursor. */
async function rowsOf(
  connection: Connection,
  given: { readonly statement: string; readonly sql: string; readonly parameters: readonly Parameter[] },
): Promise<readonly DatabaseRow[]> {
  const rows = await connection.query(given.sql, given.parameters);
  if (!given.statement.startsWith('export_')) return rows;
  const all: DatabaseRow[] = [];
  for (;;) {
    const page = await connection.query(postgres('fetch_exported'), []);
    if (page.length === 0) break;
    all.push(...page);
  }
  await connection.query(postgres('close_exported'), []);
  return all;
}
