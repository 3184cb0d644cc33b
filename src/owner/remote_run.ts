// A command that runs in the owner: its output appears here, its input and its files are read here.

import { readFile } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { MemoryError } from '../model/errors.ts';
import type { Link } from './connect.ts';
import { frame, frames } from './protocol.ts';

/** This end of the run. */
export interface HereStreams {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Aborted with the exit code that an interruption has. */
  readonly signal: AbortSignal;
}

/** How long the owner may take to end an interrupted run. */
const interruptDeadlineMs = 5_000;

/**
 * Follows a run to its end and gives its exit code. Throws `outcome_unknown` when the owner ends before it. Stdin is
 * taken only when the run reads it: it may be meant for whoever comes after this program.
 */
export async function followRun(link: Link, here: HereStreams): Promise<number> {
  const { socket } = link;
  return new Promise((resolve, reject) => {
    const interrupt = () => {
      const reason = Number(here.signal.reason);
      socket.write(frame(frames.interrupt, String(reason)));
      setTimeout(() => resolve(reason), interruptDeadlineMs).unref();
    };
    const show = (stream: Writable, bytes: Buffer) => {
      if (stream.write(bytes)) return;
      socket.pause();
      stream.once('drain', () => socket.resume());
    };
    socket.on('close', () => reject(gone()));
    link.listen((kind, payload) => {
      if (kind === frames.output) show(here.stdout, payload);
      else if (kind === frames.errors) show(here.stderr, payload);
      else if (kind === frames.inputWanted) passInput(here.stdin, socket);
      else if (kind === frames.file) void sendFile(socket, JSON.parse(payload.toString('utf8')));
      else if (kind === frames.exit) resolve(Number(payload.toString('utf8')));
    });
    if (socket.destroyed) reject(gone());
    if (here.signal.aborted) interrupt();
    else here.signal.addEventListener('abort', interrupt, { once: true });
  });
}

function gone(): MemoryError {
  return new MemoryError(
    'outcome_unknown',
    'The process that holds the memory ended before the command did; whether it took effect is not known.',
  );
}

function passInput(stdin: Readable, socket: Link['socket']): void {
  stdin.on('data', (chunk: Buffer | string) => {
    if (socket.write(frame(frames.input, typeof chunk === 'string' ? Buffer.from(chunk) : chunk))) return;
    stdin.pause();
    socket.once('drain', () => stdin.resume());
  });
  const end = () => void socket.write(frame(frames.inputEnd));
  if (stdin.readableEnded) end();
  else stdin.once('end', end);
}

async function sendFile(socket: Link['socket'], asked: { readonly id: number; readonly path: string }): Promise<void> {
  const { id, path } = asked;
  try {
    socket.write(frame(frames.fileText, { id, text: await readFile(path, 'utf8') }));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    socket.write(frame(frames.fileText, { id, code }));
  }
}
