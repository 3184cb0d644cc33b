// A command that runs in the owner: its output appears here, its input and its files are read here.

import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { MemoryError } from '../model/errors.ts';
import type { Link } from './connect.ts';
import { openNewFile } from './new_file.ts';
import type { NewFile } from './new_file.ts';
import { frame, frames } from './protocol.ts';

/** This end of the run. */
export interface HereStreams {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Aborted with the exit code that an interruption has. */
  readonly signal: AbortSignal;
  /** How long the owner may take to end an interrupted run. */
  readonly interruptionMs: number;
}

/**
 * Follows a run to its end and gives its exit code. Throws `outcome_unknown` when the owner ends before it. Stdin is
 * taken only when the run reads it: it may be meant for whoever comes after this program.
 */
export async function followRun(link: Link, here: HereStreams): Promise<number> {
  const saving = saveFiles(link.socket);
  try {
    return await exitOf(link, here, saving);
  } finally {
    await saving.abandon();
  }
}

function exitOf(link: Link, here: HereStreams, saving: Saving): Promise<number> {
  const { socket } = link;
  return new Promise((resolve, reject) => {
    const interrupt = () => {
      const reason = Number(here.signal.reason);
      socket.write(frame(frames.interrupt, String(reason)));
      setTimeout(() => resolve(reason), here.interruptionMs).unref();
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
      else if (kind === frames.inputWanted) passInput(wantedStream(here, payload), socket);
      else if (kind === frames.file) void sendText(socket, payload, async (path) => readFile(path, 'utf8'));
      else if (kind === frames.list) void sendText(socket, payload, listedAsJson);
      else if (saving.receive(kind, payload)) return;
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
  stdin.once('error', (error) => socket.write(frame(frames.inputEnd, { code: codeOf(error) })));
}

/** The stdin of this end, or the file that the run named. */
function wantedStream(here: HereStreams, payload: Buffer): Readable {
  if (payload.length === 0) return here.stdin;
  const { path }: { readonly path: string } = JSON.parse(payload.toString('utf8'));
  return createReadStream(path);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}

async function listedAsJson(path: string): Promise<string> {
  const { listFiles } = await import('./listed_files.ts');
  return JSON.stringify(await listFiles(path));
}

/** Answers with what was made of the path that was asked for. */
async function sendText(
  socket: Link['socket'],
  payload: Buffer,
  made: (path: string) => Promise<string>,
): Promise<void> {
  const { id, path }: { readonly id: number; readonly path: string } = JSON.parse(payload.toString('utf8'));
  try {
    socket.write(frame(frames.fileText, { id, text: await made(path) }));
  } catch (error) {
    socket.write(frame(frames.fileText, { id, code: codeOf(error) }));
  }
}

/** Writes the files that the run makes. */
interface Saving {
  /** True: the frame was about a file. */
  receive(kind: string, payload: Buffer): boolean;
  /** Removes what was begun and not ended. */
  abandon(): Promise<void>;
}

function saveFiles(socket: Link['socket']): Saving {
  let file: NewFile | null = null;
  let last = Promise.resolve();
  const takeFile = (): NewFile | null => {
    const taken = file;
    file = null;
    return taken;
  };
  const steps: Readonly<Record<string, (payload: Buffer) => Promise<void>>> = {
    async [frames.save](payload) {
      const { path, replace }: { readonly path: string; readonly replace: boolean } = JSON.parse(payload.toString());
      file = await openNewFile(path, { replace });
    },
    [frames.saveBytes]: async (payload) => file?.write(payload),
    async [frames.saveEnd](payload) {
      const { keep }: { readonly keep: boolean } = JSON.parse(payload.toString());
      const ending = takeFile();
      await (keep ? ending?.finish() : ending?.discard());
    },
  };
  const answer = async (step: Promise<void>) => {
    const code = await step.then(
      () => null,
      (error: unknown) => codeOf(error),
    );
    socket.write(frame(frames.saved, code === null ? { text: '' } : { code }));
  };
  return {
    receive(kind, payload) {
      const step = steps[kind];
      if (step === undefined) return false;
      last = answer(step(payload));
      return true;
    },
    async abandon() {
      await last;
      await takeFile()?.discard();
    },
  };
}
