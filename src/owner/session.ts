// One client of an owner, seen from the owner: streams that lead to the client's own, its files, and its interruption.

import type { Socket } from 'node:net';
import { Readable, Writable } from 'node:stream';
import type { FileListing } from './listed_files.ts';
import type { NewFile } from './new_file.ts';
import { frame, frames } from './protocol.ts';
import type { FrameKind, Hello, StreamTraits } from './protocol.ts';

/** A stream of the client. */
export type RemoteOutput = Writable & { readonly isTTY: boolean; readonly columns: number };

/** A program run for a client. */
export interface Session {
  readonly hello: Hello;
  readonly stdin: Readable;
  readonly stdout: RemoteOutput;
  readonly stderr: RemoteOutput;
  /** Aborted with an exit code: by the client's signals, and when the client is gone. */
  readonly interruption: AbortController;
  /** Reads a file as the client would. Rejects with the system's `code`. */
  readFile(path: string): Promise<string>;
  /** Lists what stands under a path of the client's. Rejects with the system's `code`. */
  listFiles(path: string): Promise<FileListing>;
  /**
   * Reads a file in its place as it comes; instead of stdin, and one after the other: the last one must have ended. Fails
   * with the system's `code`.
   */
  openFile(path: string): Readable;
  /** Begins a file as the client would; one at a time. All of its parts reject with the system's `code`. */
  createFile(path: string, manner: { readonly replace: boolean }): Promise<NewFile>;
}

/** A session and what moves it. */
export interface OpenSession {
  readonly session: Session;
  receive(kind: string, payload: Buffer): void;
  /** The client is gone. */
  lose(): void;
  /** Ends its input for the owner's own reasons: what was asked is still answered. */
  leave(): void;
  readonly isLeft: () => boolean;
  /** Sends what is left of the output, then the exit code. */
  exit(code: number): Promise<void>;
}

/** Something that the client has not answered. */
interface Wanted {
  resolve(text: string): void;
  reject(error: Error): void;
}

/** What the file that a client writes is known by: there is never a second one. */
const savedId = 0;
const longestPart = 1024 * 1024;
/** As a shell counts SIGTERM. */
const stoppedExit = 143;

/** Makes the streams of a client that was welcomed. */
export function openSession(socket: Socket, hello: Hello): OpenSession {
  const interruption = new AbortController();
  const input = remoteInput(socket);
  const wanted = new Map<number, Wanted>();
  let lastFile = 0;
  const ask = async (kind: FrameKind, payload: Uint8Array | object, id: number): Promise<string> =>
    new Promise((resolve, reject) => {
      wanted.set(id, { resolve, reject });
      // Nobody answers any more, so nobody is waited for.
      if (socket.destroyed) answerFile(wanted, { id, code: 'unknown' });
      else socket.write(frame(kind, payload));
    });
  let left = false;
  const session: Session = {
    hello,
    stdin: input.stdin,
    stdout: remoteOutput(socket, frames.output, hello.out),
    stderr: remoteOutput(socket, frames.errors, hello.err),
    interruption,
    readFile(path) {
      const id = (lastFile += 1);
      return ask(frames.file, { id, path }, id);
    },
    async listFiles(path) {
      const id = (lastFile += 1);
      return JSON.parse(await ask(frames.list, { id, path }, id));
    },
    openFile: (path) => input.openFile(path),
    async createFile(path, { replace }) {
      const end = async (keep: boolean) => void (await ask(frames.saveEnd, { keep }, savedId));
      await ask(frames.save, { path, replace }, savedId);
      return {
        async write(bytes) {
          for (let from = 0; from < bytes.length; from += longestPart)
            await ask(frames.saveBytes, bytes.subarray(from, from + longestPart), savedId);
        },
        finish: async () => end(true),
        discard: async () => end(false),
      };
    },
  };
  return {
    session,
    receive(kind, payload) {
      if (kind === frames.input) input.take(payload);
      else if (kind === frames.inputEnd) input.end(payload);
      else if (kind === frames.interrupt) interruption.abort(Number(payload.toString('utf8')));
      else if (kind === frames.saved) answerFile(wanted, { id: savedId, ...JSON.parse(payload.toString('utf8')) });
      else if (kind === frames.fileText) answerFile(wanted, JSON.parse(payload.toString('utf8')));
    },
    lose() {
      interruption.abort(0);
      input.lose();
      for (const [id] of wanted) answerFile(wanted, { id, code: 'unknown' });
    },
    leave() {
      left = true;
      socket.write(frame(frames.leaving));
      if (hello.argv[0] === 'stdio') input.lose();
      // A server would never come to its end by itself.
      if (hello.argv[0] === 'http') interruption.abort(stoppedExit);
    },
    isLeft: () => left,
    async exit(code) {
      const { stdout, stderr } = session;
      await Promise.all([stdout, stderr].map(async (stream) => new Promise<void>((resolve) => stream.end(resolve))));
      socket.end(frame(frames.exit, String(code)));
    },
  };
}

/** What the client reads for the run: its stdin, or files instead. */
function remoteInput(socket: Socket) {
  const stdin = wantedInput(socket, '');
  let reading = stdin;
  let hasEnded = false;
  let isLost = false;
  const end = (payload: Buffer = Buffer.alloc(0)): void => {
    if (hasEnded) return;
    hasEnded = true;
    if (payload.length === 0) reading.push(null);
    else reading.destroy(Object.assign(new Error('the client could not read the file'), JSON.parse(String(payload))));
  };
  return {
    stdin,
    openFile(path: string) {
      reading = wantedInput(socket, { path });
      hasEnded = isLost;
      if (isLost) reading.push(null);
      return reading;
    },
    take(payload: Buffer) {
      if (!hasEnded && !reading.push(payload)) socket.pause();
    },
    end,
    /** Nothing more comes, of whatever is read. */
    lose() {
      isLost = true;
      end();
    },
  };
}

/** A stream that the client is asked for when it is first read. */
function wantedInput(socket: Socket, what: string | object): Readable {
  let asked = false;
  return new Readable({
    read() {
      if (!asked) socket.write(frame(frames.inputWanted, what));
      asked = true;
      socket.resume();
    },
  });
}

function remoteOutput(socket: Socket, kind: FrameKind, traits: StreamTraits): RemoteOutput {
  const pass = (bytes: Buffer, done: () => void) => {
    // Whoever is gone misses nothing: the run is being ended.
    if (socket.destroyed || socket.writableEnded) done();
    else socket.write(frame(kind, bytes), () => done());
  };
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => pass(chunk, done),
    writev: (chunks, done) => pass(Buffer.concat(chunks.map(({ chunk }) => chunk as Buffer)), done),
  });
  return Object.assign(stream, { isTTY: traits.isTTY, columns: traits.columns ?? 0 });
}

function answerFile(
  wanted: Map<number, Wanted>,
  answer: { readonly id: number; readonly text?: string; readonly code?: string },
): void {
  const { id, text, code = 'unknown' } = answer;
  const waiting = wanted.get(id);
  wanted.delete(id);
  if (text !== undefined) waiting?.resolve(text);
  else waiting?.reject(Object.assign(new Error('the client could not read or write the file'), { code }));
}
