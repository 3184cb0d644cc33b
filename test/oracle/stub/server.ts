// A scripted server for the wire protocol of Oracle: the real driver logs in, runs statements and gets answers. It
// proves what the adapter does with the driver; what a statement means, it cannot say.

import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { createLobs } from './lobs.ts';
import type { Lobs } from './lobs.ts';
import { createLogin } from './login.ts';
import type { Login } from './login.ts';
import {
  dataTypes,
  describeColumns,
  endOfCall,
  needsDefine,
  protocolInfo,
  resultOfBlock,
  rowsOfQuery,
  status,
} from './messages.ts';
import type { Rows } from './messages.ts';
import { speak } from './packets.ts';
import type { PacketHandler, PacketSender } from './packets.ts';
import { parse, readBinds, readExecution, readPiggybacks } from './requests.ts';
import type { Cursor, Tags } from './requests.ts';
import type { Ending, Script, StubEvent, StubReply } from './script.ts';
import { WireReader } from './wire.ts';

/** The password of every user of the server. */
export const stubPassword = 'a-password-of-the-stub';

/** How the server behaves. */
export interface StubOptions {
  /** Asked for every statement; the driver's own question for the time zone is answered before. */
  readonly script: Script;
  /** What ends a transaction is answered by this; without it, by success. */
  readonly ending?: (connection: number, ending: Ending) => StubReply | Promise<StubReply>;
  /** False: an interrupt stays without an answer, as from a server that hangs. */
  readonly answersBreaks?: () => boolean;
}

/** A running server. */
export interface Stub {
  readonly connectString: string;
  readonly events: readonly StubEvent[];
  /** Sockets that stand. */
  openSockets(): number;
  /** Ends a connection's socket without a word. */
  kill(connection: number): void;
  close(): Promise<void>;
}

/** Starts a server on a free port of this machine. */
export async function startStub(options: StubOptions): Promise<Stub> {
  const events: StubEvent[] = [];
  const sockets = new Map<number, Socket>();
  let count = 0;
  const server = createServer((socket) => {
    const connection = (count += 1);
    sockets.set(connection, socket);
    const note = (what: StubEvent['what'], detail = ''): void => void events.push({ connection, what, detail });
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(connection);
      note('closed');
    });
    speak(socket, (sender) => converse({ connection, socket, sender, note, options }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    connectString: `127.0.0.1:${port}/STUB`,
    events,
    openSockets: () => sockets.size,
    kill: (connection) => void sockets.get(connection)?.destroy(),
    async close() {
      for (const socket of sockets.values()) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

interface Conversation {
  readonly connection: number;
  readonly socket: Socket;
  readonly sender: PacketSender;
  readonly note: (what: StubEvent['what'], detail?: string) => void;
  readonly options: StubOptions;
}

interface SessionState {
  login: Login | null;
  inTransaction: boolean;
  isWaiting: boolean;
  readonly tags: Tags;
  readonly lobs: Lobs;
  lastCursor: number;
  readonly cursors: Map<number, Cursor>;
  /** Rows that wait for the client to fetch them. */
  readonly held: Map<number, Rows>;
}

const functions = {
  reexecute: 4,
  fetch: 5,
  logoff: 9,
  commit: 14,
  rollback: 15,
  reexecuteAndFetch: 78,
  execute: 94,
  lob: 96,
  proof: 115,
  hello: 118,
  ping: 147,
} as const;

function converse(given: Conversation): PacketHandler {
  const { socket, sender, note, options } = given;
  const exchange = createLogin(stubPassword);
  const state: SessionState = {
    login: null,
    inTransaction: false,
    isWaiting: false,
    tags: {},
    lobs: createLobs(),
    lastCursor: 0,
    cursors: new Map(),
    held: new Map(),
  };
  const answer = (reader: WireReader): Buffer | null | Promise<Buffer | null> => {
    const kind = readPiggybacks(reader, state.tags);
    if (kind === 1) return protocolInfo();
    if (kind === 2) return dataTypes();
    const what = reader.byte();
    reader.byte();
    if (what === functions.hello) return Buffer.concat([exchange.challenge(), status(false)]);
    if (what === functions.proof) {
      const verified = exchange.verify(reader);
      if (verified === null) return endOfCall({ inTransaction: false, error: [1017, 'ORA-01017: logon denied'] });
      state.login = verified.login;
      note('login', verified.login.user);
      return Buffer.concat([verified.answer, status(false)]);
    }
    return answerCall(given, state, { what, reader });
  };
  const respond = async (bytes: Buffer): Promise<void> => {
    try {
      const reply = await answer(new WireReader(bytes));
      if (reply !== null) sender.message(reply);
    } catch (error) {
      note('fault', String(error));
      socket.destroy();
    }
  };
  return {
    connect: () => sender.accept(),
    message: (bytes) => void respond(bytes),
    marker(kind) {
      if (kind === 3) {
        note('break');
        if (options.answersBreaks?.() !== false) sender.marker(1);
      } else if (kind === 2) {
        sender.marker(2);
        if (!state.isWaiting) return;
        state.isWaiting = false;
        sender.message(
          endOfCall({
            inTransaction: state.inTransaction,
            error: [1013, 'ORA-01013: User requested cancel of current operation.'],
          }),
        );
      }
    },
    endOfFile: () => socket.end(),
  };
}

/** An answer, or null: none is given. */
async function answerCall(
  given: Conversation,
  state: SessionState,
  { what, reader }: { readonly what: number; readonly reader: WireReader },
): Promise<Buffer | null> {
  const { note } = given;
  switch (what) {
    case functions.commit:
    case functions.rollback:
      return answerEnding(given, state, what === functions.commit ? 'commit' : 'rollback');
    case functions.ping:
      note('ping');
      return status(state.inTransaction);
    case functions.logoff:
      note('logoff');
      return status(false);
    case functions.fetch: {
      const cursor = reader.integer();
      const rows = state.held.get(cursor);
      state.held.delete(cursor);
      if (rows === undefined) throw new Error('rows were fetched that nobody holds');
      return rowsOfQuery(rows, { inTransaction: state.inTransaction, cursor });
    }
    case functions.reexecute:
    case functions.reexecuteAndFetch: {
      const number = reader.integer();
      reader.integers(3);
      const cursor = state.cursors.get(number);
      if (cursor === undefined) throw new Error('a cursor was executed that nobody opened');
      const reply = await ask(given, state, cursor, readBinds(reader, cursor, { isAgain: true, lobs: state.lobs }));
      return reply === null ? null : finish(state, { number, cursor }, reply, false);
    }
    case functions.lob:
      return state.lobs.operate(reader, status(state.inTransaction));
    case functions.execute:
      return answerExecution(given, state, reader);
    default:
      throw new Error(`the function ${what} was called, which nobody here has`);
  }
}

async function answerEnding(given: Conversation, state: SessionState, ending: Ending): Promise<Buffer | null> {
  given.note(ending);
  const reply = settle(given, state, (await given.options.ending?.(given.connection, ending)) ?? { affected: 0 });
  if (reply === null) return null;
  if ('error' in reply) return endOfCall({ inTransaction: state.inTransaction, error: reply.error });
  state.inTransaction = false;
  return status(false);
}

async function answerExecution(given: Conversation, state: SessionState, reader: WireReader): Promise<Buffer | null> {
  const execution = readExecution(reader);
  if (execution.isDefine) return endOfCall({ inTransaction: state.inTransaction, cursor: execution.cursor });
  const isNew = execution.sql !== null;
  const number = isNew ? (state.lastCursor += 1) : execution.cursor;
  const cursor = isNew ? parse(execution.sql) : state.cursors.get(number);
  if (cursor === undefined) throw new Error('a cursor was executed that nobody opened');
  state.cursors.set(number, cursor);
  if (execution.bindTypes.length > 0) cursor.types = execution.bindTypes;
  const reply = await ask(given, state, cursor, readBinds(reader, cursor, { isAgain: false, lobs: state.lobs }));
  return reply === null ? null : finish(state, { number, cursor }, reply, isNew);
}

/** What the script says to a statement; null: the client gets no answer. */
async function ask(
  given: Conversation,
  state: SessionState,
  { sql }: Cursor,
  binds: Readonly<Record<string, unknown>>,
): Promise<Exclude<StubReply, string> | null> {
  const { connection, note, options } = given;
  // Asked by the driver itself, once for a connection.
  if (sql === 'SELECT DBTIMEZONE FROM DUAL')
    return { columns: { dbtimezone: 'text' }, rows: [{ dbtimezone: '+00:00' }] };
  note('statement', sql);
  const { login } = state;
  if (login === null) throw new Error('a statement came before a login');
  return settle(given, state, await options.script({ connection, login, sql, binds, tags: { ...state.tags } }));
}

function settle({ socket }: Conversation, state: SessionState, reply: StubReply): Exclude<StubReply, string> | null {
  if (reply === 'hang') state.isWaiting = true;
  if (reply === 'kill') socket.destroy();
  return typeof reply === 'string' ? null : reply;
}

function finish(
  state: SessionState,
  { number, cursor }: { readonly number: number; readonly cursor: Cursor },
  reply: Exclude<StubReply, string>,
  isFirst: boolean,
): Buffer {
  // A script that has no rows does not know their columns: the statement is to be parsed again next time.
  const isVague = 'rows' in reply && reply.rows.length === 0;
  const end = { inTransaction: state.inTransaction, cursor: isVague ? 0 : number };
  if ('error' in reply) return endOfCall({ ...end, error: reply.error });
  if ('warning' in reply) return endOfCall({ ...end, warning: true });
  if ('rows' in reply) {
    const description = isFirst ? [describeColumns(reply)] : [];
    if (!needsDefine(reply)) return Buffer.concat([...description, rowsOfQuery(reply, end)]);
    state.held.set(number, reply);
    return Buffer.concat([...description, endOfCall(end)]);
  }
  if ('result' in reply) return resultOfBlock(cursor.names, reply.result, end);
  // A block that changes nothing begins no transaction.
  state.inTransaction ||= reply.affected > 0;
  return endOfCall({ ...end, inTransaction: state.inTransaction, affected: reply.affected });
}
