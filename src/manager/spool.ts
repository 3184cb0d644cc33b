// A file for what is too much to be held at once: no other program can open it, and nothing is left of it.

import { close, mkdtempSync, openSync, read, rmSync, write } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MemoryError } from '../model/errors.ts';

/** Bytes that are written once and read as often as needed. */
export interface Spool {
  /** Its bytes so far, in all. */
  readonly size: number;
  add(bytes: Uint8Array | string): Promise<void>;
  /** Forgets what was written. */
  clear(): void;
  /** All bytes from the first on. */
  read(): AsyncGenerator<Buffer>;
  /** Safe to call after a failure, and again. */
  close(): Promise<void>;
}

const heldBytes = 512 * 1024;
const readBytes = 256 * 1024;

const [writeFile, readFile, closeFile] = [promisify(write), promisify(read), promisify(close)];

/** Opens an empty spool in the folder for temporary files. Throws `backup_refused` where that is full or not there. */
export async function openSpool(): Promise<Spool> {
  const { folder, file } = await inFolder(async () => openUnnamed());
  let isClosed = false;
  let held: Uint8Array[] = [];
  let heldSize = 0;
  let written = 0;
  const flush = async (): Promise<void> => {
    if (heldSize === 0) return;
    const bytes = Buffer.concat(held);
    held = [];
    heldSize = 0;
    for (let from = 0; from < bytes.length; ) {
      const { bytesWritten } = await inFolder(() => writeFile(file, bytes, from, bytes.length - from, written));
      from += bytesWritten;
      written += bytesWritten;
    }
  };
  return {
    get size() {
      return written + heldSize;
    },
    async add(bytes) {
      const added = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
      held.push(added);
      heldSize += added.length;
      if (heldSize >= heldBytes) await flush();
    },
    clear() {
      held = [];
      heldSize = 0;
      written = 0;
    },
    async *read() {
      await flush();
      for (let position = 0; position < written; ) {
        const wanted = Math.min(readBytes, written - position);
        const { bytesRead, buffer } = await readFile(file, Buffer.allocUnsafe(wanted), 0, wanted, position);
        if (bytesRead === 0) throw new Error('the spool is shorter than what was written');
        position += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    },
    async close() {
      // A number that is closed is given to the next file that somebody opens.
      if (isClosed) return;
      isClosed = true;
      await closeFile(file).catch(() => {});
      removeFolder(folder);
    },
  };
}

/**
 * An open file needs no name, and what has none is not left behind by a process that is killed: so nothing else runs
 * between the two. Where a system keeps the name of an open file, closing removes it.
 */
function openUnnamed(): { readonly folder: string; readonly file: number } {
  const folder = mkdtempSync(join(tmpdir(), 'context-assembly-memory-'));
  try {
    return { folder, file: openSync(join(folder, 'spool'), 'wx+', 0o600) };
  } finally {
    removeFolder(folder);
  }
}

function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // A file that is open may have to keep its name for now.
  }
}

async function inFolder<Value>(doing: () => Promise<Value>): Promise<Value> {
  try {
    return await doing();
  } catch (error) {
    const message = `The folder for temporary files, ${tmpdir()}, cannot be written: it is full, or this user may not.`;
    throw new MemoryError('backup_refused', message, { folder: tmpdir() }, error);
  }
}
