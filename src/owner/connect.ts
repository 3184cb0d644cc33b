// How a client comes to the owner of a data directory: it connects, and starts one when nobody answers.

import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { MemoryError } from '../model/errors.ts';
import type { ErrorCode } from '../model/errors.ts';
import { readAddress, realDirectory } from './address.ts';
import { startOwner } from './launch.ts';
import { frame, frames, protocolNumber, readFrames } from './protocol.ts';
import type { Hello, WireFailure } from './protocol.ts';

/** A connection that the owner accepted. */
export interface Link {
  readonly socket: Socket;
  /** Hands over every frame, those that came before too. Called once. */
  listen(onFrame: (kind: string, payload: Buffer) => void): void;
}

/** What a client says of itself; the rest of its greeting is the same for all. */
export type Greeting = Omit<Hello, 'protocol' | 'directory' | 'pid'>;

const welcomeDeadlineMs = 20_000;
const dialDeadlineMs = 30_000;
/** How long to wait for a holder that may be an owner which is starting, or one which is ending. */
const lockedDeadlineMs = 10_000;
const pauseMs = 25;

/**
 * Connects to the owner of the directory; starts one if there is none. Throws MemoryError: what the owner or its start
 * answered, or `store_unavailable` when nobody answers in time.
 */
export async function dialOwner(
  directory: string,
  greeting: Greeting,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Link> {
  const startedMs = performance.now();
  for (;;) {
    const reached = await reachOwner(directory, greeting);
    if (reached !== null && 'socket' in reached) return reached;
    const failure = reached ?? (await startOwner(directory, environment));
    const waitedMs = performance.now() - startedMs;
    if (failure !== null && (!mayPass(failure) || waitedMs > lockedDeadlineMs)) throw errorOf(failure);
    if (waitedMs > dialDeadlineMs) throw errorOf(silence(directory));
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Whom a living process of this machine keeps out may be let in soon: it may be an owner that is ending. */
function mayPass({ code, data, again }: WireFailure): boolean {
  return again === true || (code === 'store_locked' && data['alive'] === true);
}

function silence(directory: string): WireFailure {
  return { code: 'store_unavailable', message: `Nobody who holds ${directory} answers.`, data: { directory } };
}

function errorOf({ code, message, data }: WireFailure): MemoryError {
  return new MemoryError(code as ErrorCode, message, data);
}

/** The owner's answer to a greeting: a link, a refusal, or null where nobody listens. */
export async function reachOwner(directory: string, greeting: Greeting): Promise<Link | WireFailure | null> {
  const address = readAddress(directory);
  if (address === null) return null;
  const socket = connect(address.socket);
  const early: [string, Buffer][] = [];
  let listener: ((kind: string, payload: Buffer) => void) | null = null;
  const link: Link = {
    socket,
    listen(onFrame) {
      listener = onFrame;
      for (const [kind, payload] of early.splice(0)) onFrame(kind, payload);
    },
  };
  return new Promise((resolve) => {
    let settled = false;
    const settle = (answer: Link | WireFailure | null) => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      if (answer !== link) socket.destroy();
      resolve(answer);
    };
    const timer = setTimeout(() => settle(silence(directory)), welcomeDeadlineMs);
    socket.on('error', (error) => settle(problemOf(error)));
    socket.on('close', () => settle({ ...silence(directory), again: true }));
    socket.on('connect', () => {
      const hello: Hello = {
        ...greeting,
        protocol: protocolNumber,
        directory: realDirectory(directory),
        pid: process.pid,
      };
      socket.write(frame(frames.hello, hello));
    });
    readFrames(socket, (kind, payload) => {
      if (settled && listener !== null) return listener(kind, payload);
      if (kind === frames.refused) return settle(JSON.parse(payload.toString('utf8')));
      if (kind === frames.welcome) return settle(link);
      early.push([kind, payload]);
    });
  });
}

/** No such socket, or a socket that nobody holds any more: there is no owner. All else passes, or will be told. */
function problemOf(error: NodeJS.ErrnoException): WireFailure | null {
  const { code = 'unknown' } = error;
  if (code === 'ENOENT' || code === 'ECONNREFUSED') return null;
  const message = `The process that holds the data directory cannot be reached: the system says ${code}.`;
  return { code: 'store_unavailable', message, data: {}, again: true };
}
