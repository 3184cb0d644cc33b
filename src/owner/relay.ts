// stdio as a host starts it: bytes both ways between the host and the owner, whose death the host does not notice.

import type { Readable, Writable } from 'node:stream';
import type { Link } from './connect.ts';
import { createLedger } from './ledger.ts';
import type { Ledger } from './ledger.ts';
import { lineReader } from './lines.ts';
import { frame, frames } from './protocol.ts';

/** What the relay stands between. */
export interface Relaying {
  readonly input: Readable;
  readonly output: Writable;
  readonly errors: Writable;
  /** Aborted when the process shall end. */
  readonly signal: AbortSignal;
  /** Connects to the owner, starting one if there is none. */
  dial(): Promise<Link>;
  /** Tells a person that there is no owner to be had; gives the exit code and what a request is answered. */
  fail(error: unknown): Promise<{ readonly exit: number; readonly message: string; readonly data: object }>;
}

/** How long the owner may take to answer what was asked before the end of input. */
const partingDeadlineMs = 8_000;

/** Longer lines are passed on in pieces: whoever reads them refuses them. */
const longestLineBytes = 33 * 1024 * 1024;

/** Relays until one side ends. Gives the exit code; null when the input ended before anything came. */
export async function relay(relaying: Relaying): Promise<number | null> {
  const { input, output, signal } = relaying;
  let parting: NodeJS.Timeout | undefined;
  const exit = await new Promise<number | null>((resolve) => {
    const line = createLine(relaying, resolve);
    const read = lineReader(longestLineBytes, (bytes) => {
      line.hasHeard = true;
      line.waiting.push(bytes);
    });
    input.on('data', (chunk: Buffer) => {
      if (!read(chunk)) return;
      pump(line);
      if (line.link?.socket.writableNeedDrain === true) input.pause();
    });
    const end = () => {
      if (line.hasEnded) return;
      line.hasEnded = true;
      parting = setTimeout(() => finish(line, 0), partingDeadlineMs);
      pump(line);
    };
    input.on('end', end).on('close', end).on('error', end);
    const stop = () => finish(line, 0);
    output.on('error', stop);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
  });
  clearTimeout(parting);
  return exit;
}

/** The line to the owner: one link after another, and what is owed to the host meanwhile. */
interface Line {
  readonly relaying: Relaying;
  readonly ledger: Ledger;
  /** Messages of the host that no owner has got. */
  readonly waiting: Buffer[];
  readonly onEnd: (exit: number | null) => void;
  link: Link | null;
  isDialing: boolean;
  /** The owner is about to end and takes nothing more. */
  isLeaving: boolean;
  hasHeard: boolean;
  hasEnded: boolean;
  isOver: boolean;
}

function createLine(relaying: Relaying, onEnd: (exit: number | null) => void): Line {
  return {
    relaying,
    ledger: createLedger(),
    waiting: [],
    onEnd,
    link: null,
    isDialing: false,
    isLeaving: false,
    hasHeard: false,
    hasEnded: false,
    isOver: false,
  };
}

/** Moves on what can be moved on, and looks for an owner when one is needed. */
function pump(line: Line): void {
  const { link, waiting, ledger } = line;
  if (line.isOver || line.isLeaving) return;
  if (link !== null) {
    for (const message of waiting.splice(0)) {
      const passed = ledger.toOwner(message);
      if (passed !== null) link.socket.write(frame(frames.input, passed));
    }
    if (line.hasEnded) link.socket.write(frame(frames.inputEnd));
    return;
  }
  if (waiting.length > 0 || ledger.isOwed()) dial(line);
  else if (line.hasEnded) finish(line, line.hasHeard ? 0 : null);
}

function dial(line: Line): void {
  if (line.isDialing) return;
  line.isDialing = true;
  line.relaying
    .dial()
    .then(
      (link) => {
        line.isDialing = false;
        attach(line, link);
      },
      async (error: unknown) => giveUp(line, error),
    )
    .catch(() => finish(line, 1));
}

/** There is no owner to be had: the host is told why, and the session ends. */
async function giveUp(line: Line, error: unknown): Promise<void> {
  const { ledger, waiting, relaying } = line;
  const { exit, message, data } = await relaying.fail(error);
  for (const unsent of waiting.splice(0)) ledger.toOwner(unsent);
  tellHost(line, ledger.refuse(message, data));
  finish(line, exit);
}

function attach(line: Line, link: Link): void {
  const { output, errors, input } = line.relaying;
  const { socket } = link;
  if (line.isOver) return void socket.destroy();
  line.link = link;
  const fromOwner = lineReader(Number.POSITIVE_INFINITY, (bytes) => {
    const passed = line.ledger.toHost(bytes);
    if (passed === null || output.write(passed)) return;
    socket.pause();
    output.once('drain', () => socket.resume());
  });
  socket.on('drain', () => input.resume()).on('close', () => lose(line));
  link.listen((kind, payload) => {
    if (kind === frames.output) fromOwner(payload);
    else if (kind === frames.errors) errors.write(payload);
    else if (kind === frames.leaving) line.isLeaving = true;
    else if (kind === frames.exit) finish(line, Number(payload.toString('utf8')));
  });
  if (socket.destroyed) return lose(line);
  for (const message of line.ledger.replay()) socket.write(frame(frames.input, message));
  pump(line);
}

function lose(line: Line): void {
  line.link = null;
  line.isLeaving = false;
  line.relaying.input.resume();
  if (line.isOver) return;
  tellHost(line, line.ledger.lost());
  pump(line);
}

function tellHost({ relaying }: Line, messages: readonly object[]): void {
  for (const message of messages) relaying.output.write(`${JSON.stringify(message)}\n`);
}

function finish(line: Line, exit: number | null): void {
  if (line.isOver) return;
  line.isOver = true;
  line.link?.socket.destroy();
  line.onEnd(exit);
}
