// Where the owner of a data directory listens: a short path of the user's own, and a record of it in the directory.

import { createHash } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryError } from '../model/errors.ts';

/** What an owner leaves in its directory so that clients find it. */
export interface AddressRecord {
  readonly socket: string;
  /** Real path of the directory when it was written: a copied record is nobody's. */
  readonly directory: string;
  readonly pid: number;
}

// A unix socket's path has room for 104 bytes on some systems, its end mark included.
const longestSocketPath = 99;

const recordOf = (directory: string): string => join(directory, 'owner.json');

/** The path by which every process means the same directory; the path itself while it does not exist. */
export function realDirectory(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    return directory;
  }
}

/** The address that an owner of this directory left, or null. That somebody listens there is not said. */
export function readAddress(directory: string): AddressRecord | null {
  try {
    const record: Partial<AddressRecord> = JSON.parse(readFileSync(recordOf(directory), 'utf8'));
    const { socket, directory: written, pid } = record;
    if (typeof socket !== 'string' || typeof written !== 'string' || typeof pid !== 'number') return null;
    return written === realDirectory(directory) ? { socket, directory: written, pid } : null;
  } catch {
    return null;
  }
}

/** Writes the record whole, or not at all. */
export function writeAddress(directory: string, record: AddressRecord): void {
  const draft = `${recordOf(directory)}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  renameSync(draft, recordOf(directory));
}

/** Removes the record, unless it is another owner's by now. */
export function removeAddress(directory: string): void {
  if (readAddress(directory)?.pid === process.pid) rmSync(recordOf(directory), { force: true });
}

/**
 * Where this process, which holds the directory, may listen. Makes the folder, for this user alone. Throws `store_unavailable`
 * when no folder of the user's own with a path short enough can be made.
 */
export function socketPath(directory: string): string {
  const name = socketName(directory);
  if (process.platform === 'win32') return `\\\\.\\pipe\\context-assembly-memory-${name}-${process.pid}`;
  const own = `context-assembly-memory-${process.getuid?.() ?? 'user'}`;
  const runtime = process.env['XDG_RUNTIME_DIR'] ?? '';
  const folders = [
    ...(runtime === '' ? [] : [join(runtime, 'context-assembly-memory')]),
    join(tmpdir(), own),
    join('/tmp', own),
  ];
  const problems: string[] = [];
  for (const folder of folders) {
    const path = join(folder, `${name}-${process.pid}.sock`);
    const problem = Buffer.byteLength(path) > longestSocketPath ? 'its path is too long' : folderProblem(folder);
    if (problem === null) {
      removeStale(folder, name);
      return path;
    }
    problems.push(`${folder}: ${problem}`);
  }
  throw new MemoryError('store_unavailable', `No socket for other processes can be made (${problems.join('; ')}).`, {
    directory,
  });
}

/** A short name for the directory itself: the same path in another container is another directory. */
function socketName(directory: string): string {
  const real = realDirectory(directory);
  const { dev, ino } = statSync(real);
  return createHash('sha256').update(`${dev}:${ino}:${real}`).digest('hex').slice(0, 24);
}

/** Whoever asks holds the directory, so all other sockets of it are left over. */
function removeStale(folder: string, name: string): void {
  for (const file of readdirSync(folder)) {
    if (file.startsWith(`${name}-`)) rmSync(join(folder, file), { force: true });
  }
}

function folderProblem(folder: string): string | null {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const found = lstatSync(folder);
    // In a folder that everybody may write, somebody else may have been first.
    if (!found.isDirectory() || found.uid !== process.getuid?.()) return 'it belongs to somebody else';
    if ((found.mode & 0o077) !== 0) chmodSync(folder, 0o700);
    return null;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'it cannot be made';
  }
}
