// The embedded engine's statements are read once for a connection and run by name: the database keeps them, and their
// plans where a plan for any value is as good as one for these. Row security stays the role's own, since PostgreSQL makes
// a kept statement anew for another role.

import type { PGlite, protocol } from '@electric-sql/pglite';
import type { DatabaseRow, Parameter } from '../statements/session.ts';
import { rowsOfAnswer } from './answer_rows.ts';

type Protocol = typeof protocol;

/** A statement that the connection holds. */
interface Prepared {
  readonly name: string;
  /** How each parameter becomes text. */
  readonly writers: readonly ((value: Parameter) => string)[];
  /** The run of the connection from which on it is read anew. */
  readonly readAnewAt: number;
}

/** The statements of one connection. */
export interface PreparedStatements {
  /** Runs a statement, which is read when it is first run. Throws the database's own error. */
  run(sql: string, parameters: readonly Parameter[]): Promise<readonly DatabaseRow[]>;
  /** Drops all of them: what a statement gives may not be what it gave when it was read. */
  forget(): Promise<void>;
}

/**
 * A statement is read anew after so many runs of the connection, then after twice as many, and so on, at the latest after
 * so many more: its plan is made for tables of the size that they had, and those of events grow with every call. A call
 * makes some twenty-five runs, and those of one call are read anew in as many calls: plans take their time.
 */
const firstRuns = 500;
const mostRuns = 10_000;
const runsOfCall = 25;

/** Statements over an open database, by the engine's own words of the wire protocol. */
export function preparedStatements(database: PGlite, { serialize, Parser }: Protocol): PreparedStatements {
  const known = new Map<string, Prepared>();
  let [named, runs] = [0, 0];
  // Each message ends with a sync, so that a failure leaves nothing behind that the next one would have to clear.
  const message = (...parts: readonly Uint8Array[]) => Buffer.concat([...parts, serialize.sync()]);

  const prepare = async (sql: string, before: Prepared | undefined): Promise<Prepared> => {
    known.delete(sql);
    named += 1;
    const name = `kept_${named}`;
    const closing = before === undefined ? [] : [serialize.close({ type: 'S', name: before.name })];
    const answer = await database.execProtocolStream(
      message(...closing, serialize.parse({ name, text: sql }), serialize.describe({ type: 'S', name })),
      { syncToFs: false },
    );
    const described = answer.find((part) => part.name === 'parameterDescription');
    const types = (described as InstanceType<Protocol['messages']['ParameterDescriptionMessage']>).dataTypeIDs;
    const own = runsOfCall * (named % runsOfCall);
    const readAnewAt = runs + Math.min(Math.max(firstRuns, runs), mostRuns) + own;
    const prepared = { name, writers: types.map((type) => database.serializers[type] ?? String), readAnewAt };
    known.set(sql, prepared);
    return prepared;
  };

  const forget = async (): Promise<void> => {
    if (known.size === 0) return;
    await database.exec('DEALLOCATE ALL');
    known.clear();
  };

  return {
    async run(sql, parameters) {
      runs += 1;
      return await database.runExclusive(async () => {
        const held = known.get(sql);
        const isFresh = held !== undefined && runs < held.readAnewAt;
        const { name, writers } = isFresh ? held : await prepare(sql, held);
        const values = parameters.map((value, place) => (value === null ? null : (writers[place] ?? String)(value)));
        const parts: Uint8Array[] = [];
        await database.execProtocolRawStream(
          message(serialize.bind({ statement: name, values }), serialize.describe({ type: 'P' }), serialize.execute()),
          // The bytes lie in the engine's memory, which it writes on.
          { syncToFs: false, onRawData: (bytes) => void parts.push(bytes.slice()) },
        );
        const answer = Buffer.concat(parts);
        const rows = rowsOfAnswer(answer, database.parsers);
        if (rows === null) throw failureIn(answer, new Parser());
        return rows;
      });
    },
    forget,
  };
}

/** The first failure of an answer, as the engine's reader gives it. */
function failureIn(answer: Buffer, reader: InstanceType<Protocol['Parser']>): unknown {
  let failure: unknown = null;
  reader.parse(answer, (part) => {
    if (part.name === 'error') failure ??= part;
  });
  return failure;
}
