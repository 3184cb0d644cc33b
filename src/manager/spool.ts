// A file for what is too much to be held at once: no other program can open it, and nothing is left of it.

import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  /** Safe to call after a failure. */
  close(): Promise<void>;
}

const heldBytes = 512 * 1024;
const readBytes = 256 * 1024;

/** Opens an empty spool in the folder for temporary files. Throws `backup_refused` where that is full or not there. */
export async function openSpool(): Promise<Spool> {
  const folder = await inFolder(mkdtemp(join(tmpdir(), 'context-assembly-memory-')));
  const file = await inFolder(open(join(folder, 'spool'), 'wx+', 0o600));
  const removeFolder = async (): Promise<void> => rm(folder, { recursive: true, force: true });
  // An open file needs no name, and what has none is not left behind by a process that is killed; where a system keeps
  // the name of an open file, closing removes it.
  await removeFolder().catch(() => {});
  let held: Uint8Array[] = [];
  let heldSize = 0;
  let written = 0;
  const flush = async (): Promise<void> => {
    if (heldSize === 0) return;
    const bytes = Buffer.concat(held);
    held = [];
    heldSize = 0;
    for (let from = 0; from < bytes.length; ) {
      const { bytesWritten } = await inFolder(file.write(bytes, from, bytes.length - from, written));
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
        const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(wanted), 0, wanted, position);
        if (bytesRead === 0) throw new Error('the spool is shorter than what was written');
        position += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    },
    async close() {
      await file.close().catch(() => {});
      await removeFolder().catch(() => {});
    },
  };
}

async function inFolder<Value>(doing: Promise<Value>): Promise<Value> {
  try {
    return await doing;
  } catch (error) {
    const message = `The folder for temporary files, ${tmpdir()}, cannot be written: it is full, or this user may not.`;
    throw new MemoryError('backup_refused', message, { folder: tmpdir() }, error);
  }
}
