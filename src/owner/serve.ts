// The owner's side: accepts clients, runs the program for each, and ends a while after the last one has gone.

import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { chmodSync } from 'node:fs';
import { realDirectory, socketPath, writeAddress } from './address.ts';
import { frame, frames, protocolNumber, readFrames } from './protocol.ts';
import type { Hello, OwnerStatus, WireFailure } from './protocol.ts';
import { openSession } from './session.ts';
import type { OpenSession, Session } from './session.ts';

/** What an owner serves with. It holds the directory already. */
export interface Serving {
  readonly directory: string;
  readonly version: string;
  readonly logFile: string | null;
  readonly idleSeconds: number;
  /** Aborted when the owner shall end. */
  readonly signal: AbortSignal;
  /** Called once clients can connect. */
  onListening(): void;
  /** Runs the program for a client and gives its exit code; never rejects. */
  run(session: Session): Promise<number>;
}

interface Client extends OpenSession {
  readonly socket: Socket;
  readonly since: string;
  readonly ended: Promise<void>;
}

interface State {
  readonly serving: Serving;
  readonly socket: string;
  readonly since: Date;
  readonly clients: Set<Client>;
  /** Aborted when no client is welcome any more. */
  readonly ending: AbortController;
  /** Looks whether anybody is left, now that somebody came or went. */
  count(): void;
}

const helloDeadlineMs = 10_000;
/** Whoever started an owner needs a moment to come, however short it is to stay after its last client. */
const firstClientSeconds = 10;
/** How long what runs may take to come to its end when the owner is stopped. */
const drainDeadlineMs = 10_000;
const abortDeadlineMs = 2_000;
const stoppedExit = 143;

/** Serves until nobody is left, or the signal, or a client's `stop`. Rejects when it cannot listen. */
export async function serveClients(serving: Serving): Promise<void> {
  const path = socketPath(serving.directory);
  const server = createServer();
  await listen(server, path);
  const state = createState(serving, path);
  const ended = new Promise<void>((resolve) => {
    state.ending.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  server.on('connection', (socket) => greet(state, socket));
  serving.signal.addEventListener('abort', () => state.ending.abort(), { once: true });
  if (serving.signal.aborted) state.ending.abort();
  writeAddress(serving.directory, { socket: path, directory: realDirectory(serving.directory), pid: process.pid });
  state.count();
  serving.onListening();
  await ended;
  // Whoever comes now finds nobody, and waits for the directory to become free. The address stays until it is.
  server.close();
  await drain(state);
}

function createState(serving: Serving, socket: string): State {
  const clients = new Set<Client>();
  const ending = new AbortController();
  let idle: NodeJS.Timeout | undefined;
  let hasServed = false;
  return {
    serving,
    socket,
    since: new Date(),
    clients,
    ending,
    count() {
      clearTimeout(idle);
      hasServed ||= clients.size > 0;
      if (clients.size > 0) return;
      const seconds = hasServed ? serving.idleSeconds : Math.max(serving.idleSeconds, firstClientSeconds);
      idle = setTimeout(() => ending.abort(), seconds * 1000);
    },
  };
}

async function listen(server: Server, path: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      resolve();
    });
  });
  if (process.platform !== 'win32') chmodSync(path, 0o600);
}

function greet(state: State, socket: Socket): void {
  let client: Client | null = null;
  const late = setTimeout(() => socket.destroy(), helloDeadlineMs);
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    clearTimeout(late);
    client?.lose();
  });
  readFrames(socket, (kind, payload) => {
    if (client !== null) return client.receive(kind, payload);
    clearTimeout(late);
    if (kind !== frames.hello) return void socket.destroy();
    client = answerHello(state, socket, JSON.parse(payload.toString('utf8')));
  });
}

/** Lets a client in; null for whoever only asks, and for whoever is refused. */
function answerHello(state: State, socket: Socket, hello: Hello): Client | null {
  const { kind } = hello;
  if (kind !== 'run') {
    socket.write(frame(frames.welcome));
    socket.end(frame(frames.status, statusOf(state)));
    if (kind === 'stop' || (kind === 'yield' && state.clients.size === 0))
      socket.once('close', () => state.ending.abort());
    return null;
  }
  const refusal = refusalOf(state, hello);
  if (refusal !== null) {
    socket.end(frame(frames.refused, refusal));
    return null;
  }
  socket.write(frame(frames.welcome));
  return admit(state, socket, hello);
}

function refusalOf({ serving, ending, clients }: State, hello: Hello): WireFailure | null {
  const { directory, version } = serving;
  if (ending.signal.aborted) {
    return {
      code: 'store_unavailable',
      message: 'The process that holds the memory is ending.',
      data: {},
      again: true,
    };
  }
  if (hello.directory !== realDirectory(directory)) {
    const message = `The process that answers holds ${directory}, not ${hello.directory}.`;
    return { code: 'store_unavailable', message, data: {} };
  }
  if (hello.version === version && hello.protocol === protocolNumber) return null;
  const others = clients.size;
  const message =
    `${directory} is held by process ${process.pid}, which is version ${version} of this program and serves ` +
    `${others} other ${others === 1 ? 'client' : 'clients'}; this is version ${hello.version}. Close those, or run ` +
    '`context-assembly-memory stop`; nothing was changed.';
  // With nobody to serve, the older program makes room.
  if (others === 0) ending.abort();
  return { code: 'store_locked', message, data: { directory, pid: process.pid, version }, again: others === 0 };
}

function admit(state: State, socket: Socket, hello: Hello): Client {
  const opened = openSession(socket, hello);
  const client: Client = { ...opened, socket, since: new Date().toISOString(), ended: run() };
  async function run(): Promise<void> {
    // Until the client is in the set, nobody may count.
    await Promise.resolve();
    const code = await state.serving.run(opened.session);
    // A host's session that ended only because the owner leaves goes on with the next one.
    if (opened.isLeft() && hello.argv[0] === 'stdio') socket.destroy();
    else await opened.exit(code);
    state.clients.delete(client);
    state.count();
  }
  state.clients.add(client);
  state.count();
  return client;
}

function statusOf({ serving, socket, since, clients }: State): OwnerStatus {
  return {
    pid: process.pid,
    version: serving.version,
    directory: serving.directory,
    socket,
    log_file: serving.logFile,
    since: since.toISOString(),
    uptime_seconds: Math.round((Date.now() - since.getTime()) / 1000),
    memory_megabytes: Math.round(process.memoryUsage.rss() / 2 ** 20),
    idle_seconds: serving.idleSeconds,
    clients: [...clients].map(({ session, since: from }) => ({
      pid: session.hello.pid,
      command: session.hello.argv[0] ?? '',
      since: from,
    })),
  };
}

/** Lets what runs come to its end, then interrupts it. */
async function drain({ clients }: State): Promise<void> {
  const allEnded = async (withinMs: number) => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => (timer = setTimeout(resolve, withinMs)));
    await Promise.race([late, Promise.all([...clients].map(async ({ ended }) => ended))]);
    clearTimeout(timer);
  };
  for (const client of clients) client.leave();
  await allEnded(drainDeadlineMs);
  for (const { session } of clients) session.interruption.abort(stoppedExit);
  await allEnded(abortDeadlineMs);
  for (const { socket } of clients) socket.destroy();
}
