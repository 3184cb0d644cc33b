// The embedded engine's statements are read once for a connection and run by name: the database keeps them, and their
// plans where a plan for any value is as good as one for these. Row security stays the role's own, since PostgreSQL makes
// a kept statement anew for another role.

import type { PGlite, protocol } from '@electric-sql/pglite';
import type { DatabaseRow, Parameter } from '../statements/session.ts';

type Serialize = typeof protocol.serialize;
type Messages = typeof protocol.messages;
type Message = Awaited<ReturnType<PGlite['execProtocolStream']>>[number];

/** A statement that the connection holds. */
interface Prepared {
  readonly name: string;
  /** How each parameter becomes text. */
  readonly writers: readonly ((value: Parameter) => string)[];
}

/** The statements of one connection. */
export interface PreparedStatements {
  /** Runs a statement, which is read when it is first run. Throws the database's own error. */
  run(sql: string, parameters: readonly Parameter[]): Promise<readonly DatabaseRow[]>;
  /** Drops all of them: what a statement gives may not be what it gave when it was read. */
  forget(): Promise<void>;
}

/** Statements over an open database. */
export function preparedStatements(database: PGlite, serialize: Serialize): PreparedStatements {
  const known = new Map<string, Prepared>();
  let named = 0;
  // Each message ends with a sync, so that a failure leaves nothing behind that the next one would have to clear.
  const send = (...parts: readonly Uint8Array[]): Promise<readonly Message[]> =>
    database.execProtocolStream(Buffer.concat([...parts, serialize.sync()]), { syncToFs: false });

  const prepare = async (sql: string): Promise<Prepared> => {
    named += 1;
    const name = `kept_${named}`;
    const answer = await send(serialize.parse({ name, text: sql }), serialize.describe({ type: 'S', name }));
    const prepared = { name, writers: parameterTypes(answer).map((type) => writerOf(database, type)) };
    known.set(sql, prepared);
    return prepared;
  };

  return {
    run: (sql, parameters) =>
      database.runExclusive(async () => {
        const { name, writers } = known.get(sql) ?? (await prepare(sql));
        const values = parameters.map((value, place) => (value === null ? null : (writers[place] ?? String)(value)));
        const answer = await send(
          serialize.bind({ statement: name, values }),
          serialize.describe({ type: 'P' }),
          serialize.execute(),
        );
        return rowsOf(database, answer);
      }),
    async forget() {
      if (known.size === 0) return;
      await database.exec('DEALLOCATE ALL');
      known.clear();
    },
  };
}

function parameterTypes(messages: readonly Message[]): readonly number[] {
  const described = messages.find((message) => message.name === 'parameterDescription');
  return (described as InstanceType<Messages['ParameterDescriptionMessage']> | undefined)?.dataTypeIDs ?? [];
}

function writerOf(database: PGlite, type: number): (value: Parameter) => string {
  const write = database.serializers[type];
  return write === undefined ? String : (value) => write(value);
}

/** The rows of one statement's answer. */
function rowsOf(database: PGlite, messages: readonly Message[]): readonly DatabaseRow[] {
  const rows: DatabaseRow[] = [];
  let columns: readonly { readonly name: string; readonly read: (text: string) => unknown }[] = [];
  for (const message of messages) {
    if (message.name === 'rowDescription') {
      const { fields } = message as InstanceType<Messages['RowDescriptionMessage']>;
      columns = fields.map(({ name, dataTypeID }) => ({ name, read: readerOf(database, dataTypeID) }));
    } else if (message.name === 'dataRow') {
      const { fields } = message as InstanceType<Messages['DataRowMessage']>;
      const row: Record<string, unknown> = {};
      for (const [place, { name, read }] of columns.entries()) {
        const text = fields[place] ?? null;
        row[name] = text === null ? null : read(text);
      }
      rows.push(row);
    }
  }
  return rows;
}

function readerOf(database: PGlite, type: number): (text: string) => unknown {
  const read = database.parsers[type];
  return read === undefined ? (text) => text : (text) => read(text, type);
}
