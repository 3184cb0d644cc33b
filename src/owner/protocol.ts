// What is said on an owner's socket: a greeting, then frames that carry one program run's streams in both directions.
//
// A frame is one byte that names its kind, four bytes of length, and that many bytes. The first frame of a connection
// is the client's greeting; its form and all kinds but `run` hold for every version of the program.

import type { Socket } from 'node:net';
import type { JsonObject } from '../model/json.ts';

/** Changes with the meaning of frames; programs of another number do not run anything for each other. */
export const protocolNumber = 4;

/** Kinds of frames by name. */
export const frames = {
  hello: 'h',
  welcome: 'w',
  refused: 'r',
  /** Bytes of the client's stdin or of a file that it reads instead, and their end: with the reason, where it failed. */
  input: 'i',
  inputEnd: 'f',
  /**
   * The run reads its stdin, or the file that is named: until then nobody takes it from whoever else may want it. One is
   * read to its end before the next.
   */
  inputWanted: 'n',
  output: 'o',
  errors: 'e',
  /** The run ended; nothing follows. */
  exit: 'x',
  interrupt: 's',
  /** A file that only the client may be able to read, or a path that it lists; and the text, or the list as JSON. */
  file: 'q',
  list: 'l',
  fileText: 'd',
  /** A file that the client is to write: where, its bytes, and its end; the client answers each of the three. */
  save: 'v',
  saveBytes: 'y',
  saveEnd: 'z',
  saved: 'a',
  /** The owner is about to end: what has not been sent yet is for the next one. */
  leaving: 'b',
  status: 't',
} as const;

/** One of {@link frames}. */
export type FrameKind = (typeof frames)[keyof typeof frames];

/** What a client knows of one of its output streams. */
export interface StreamTraits {
  readonly isTTY: boolean;
  readonly columns: number | null;
}

/** A client's first frame. */
export interface Hello {
  readonly protocol: number;
  readonly version: string;
  /** `yield`: like `stop`, if it has no client. */
  readonly kind: 'run' | 'status' | 'stop' | 'yield';
  /** The real path of the data directory: an address that was copied with a directory leads to another one. */
  readonly directory: string;
  readonly pid: number;
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly out: StreamTraits;
  readonly err: StreamTraits;
}

/** A failure as it travels. */
export interface WireFailure {
  readonly code: string;
  readonly message: string;
  readonly data: JsonObject;
  /** True: the owner leaves to make room, so asking again soon helps. */
  readonly again?: boolean;
}

/** A client of an owner. */
export interface ClientStatus {
  readonly pid: number;
  readonly command: string;
  readonly since: string;
}

/** What an owner says of itself. */
export interface OwnerStatus {
  readonly pid: number;
  readonly version: string;
  readonly directory: string;
  readonly socket: string;
  readonly log_file: string | null;
  readonly since: string;
  readonly uptime_seconds: number;
  readonly memory_megabytes: number;
  readonly idle_seconds: number;
  readonly clients: readonly ClientStatus[];
}

const headerBytes = 5;
/** More than the largest message; whoever claims more is not one of ours. */
const longestFrame = 256 * 1024 * 1024;

/** A frame as bytes. */
export function frame(kind: FrameKind, payload: Uint8Array | string | object = ''): Buffer {
  const body =
    payload instanceof Uint8Array
      ? payload
      : Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload));
  const bytes = Buffer.allocUnsafe(headerBytes + body.length);
  bytes.write(kind, 0, 'latin1');
  bytes.writeUInt32BE(body.length, 1);
  bytes.set(body, headerBytes);
  return bytes;
}

/** Cuts a stream of bytes into frames; a stream that is none of ours throws. */
export function frameReader(onFrame: (kind: string, payload: Buffer) => void): (chunk: Buffer) => void {
  let chunks: Buffer[] = [];
  let held = 0;
  let wanted = headerBytes;
  return (chunk) => {
    chunks.push(chunk);
    held += chunk.length;
    if (held < wanted) return;
    let bytes = chunks.length === 1 ? chunk : Buffer.concat(chunks);
    for (;;) {
      if (bytes.length < headerBytes) {
        wanted = headerBytes;
        break;
      }
      const length = bytes.readUInt32BE(1);
      if (length > longestFrame) throw new RangeError('a frame is longer than any can be');
      wanted = headerBytes + length;
      if (bytes.length < wanted) break;
      const [kind, payload] = [bytes.toString('latin1', 0, 1), bytes.subarray(headerBytes, wanted)];
      bytes = bytes.subarray(wanted);
      onFrame(kind, payload);
    }
    chunks = bytes.length === 0 ? [] : [bytes];
    held = bytes.length;
  };
}

/** Calls back with each frame of a socket; one that sends anything else is closed. */
export function readFrames(socket: Socket, onFrame: (kind: string, payload: Buffer) => void): void {
  const read = frameReader(onFrame);
  socket.on('data', (chunk: Buffer) => {
    try {
      read(chunk);
    } catch (error) {
      socket.destroy(error instanceof Error ? error : undefined);
    }
  });
}
