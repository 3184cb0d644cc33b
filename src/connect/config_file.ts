// A host's file on the disk: read with its marks, copied, and replaced as a whole or not at all.

import { access, constants, lstat, mkdir, readFile, readlink, realpath, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { MemoryError } from '../model/errors.ts';
import { openNewFile } from '../owner/new_file.ts';
import { refusedFile } from './refusal.ts';
import type { NamedText } from './refusal.ts';

/** A file as it was found; a missing one has no bytes. */
export interface FoundFile extends NamedText {
  /** Where the bytes are: behind links, if the file is one. */
  readonly target: string;
  readonly bytes: Buffer | null;
  /** Permissions of the file that is there. */
  readonly mode: number;
}

/** Permissions of a new file: hosts keep keys in theirs. */
const forThisUser = 0o600;

/** Reads a file. Throws `host_file_refused` for what is no text file of this user's. */
export async function findFile(file: string): Promise<FoundFile> {
  const target = await told(file, targetOf(file));
  const bytes = await told(file, bytesOf(target));
  if (bytes === null) return { file, text: '', target, bytes, mode: forThisUser };
  const { mode } = await told(file, stat(target));
  return { file, text: textOf(file, bytes), target, bytes, mode: mode & 0o777 };
}

/**
 * Replaces a file by one with this text, and gives the path of the copy of the former one, null where there was none.
 * Makes its folder where that is missing. Throws `host_file_refused` when the file is not as it was found any more, and
 * for all that the system refuses; the file is then as it was.
 */
export async function replaceFile(found: FoundFile, text: string): Promise<string | null> {
  const { file, target, bytes, mode } = found;
  if (bytes === null) {
    await told(file, mkdir(dirname(target), { recursive: true, mode: 0o700 }));
    await told(file, written(target, { bytes: Buffer.from(text), mode, replace: false }));
    return null;
  }
  // The move would replace a file that may not be written, too.
  if ((mode & 0o222) === 0) throw refusedFile(file, 'it may only be read');
  await told(file, access(target, constants.W_OK));
  const copy = await told(file, writtenCopy(target, { bytes, mode }));
  try {
    const lastLook = async () => look(found);
    await told(file, written(target, { bytes: Buffer.from(text), mode, replace: true, lastLook }));
  } catch (error) {
    // A copy of what is still there helps nobody.
    await rm(copy, { force: true }).catch(() => {});
    throw error;
  }
  return copy;
}

/** Throws when a file has changed since it was found. Between this and the move is a moment that no system closes. */
async function look({ file, target, bytes }: FoundFile): Promise<void> {
  const now = await bytesOf(target);
  if (now === null || bytes === null || !now.equals(bytes)) {
    throw refusedFile(file, 'it changed in the meantime; run this again');
  }
}

/** The file that a path leads to, also where that is missing: a link is followed, never replaced. */
async function targetOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    const found = await lstat(path).catch(() => null);
    if (found?.isSymbolicLink() !== true) return path;
    return targetOf(resolve(dirname(path), await readlink(path)));
  }
}

async function bytesOf(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

function textOf(file: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw refusedFile(file, 'it is no text in UTF-8', error);
  }
}

/** A copy beside the file, under a name that was free; its path. */
async function writtenCopy(
  target: string,
  { bytes, mode }: { readonly bytes: Buffer; readonly mode: number },
): Promise<string> {
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  for (let count = 1; ; count += 1) {
    const copy = `${target}.before-connect-${time}${count === 1 ? '' : `-${count}`}`;
    try {
      await written(copy, { bytes, mode, replace: false });
      return copy;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }
}

async function written(
  path: string,
  content: {
    readonly bytes: Buffer;
    readonly mode: number;
    readonly replace: boolean;
    readonly lastLook?: () => Promise<void>;
  },
): Promise<void> {
  const { bytes, mode, replace, lastLook } = content;
  const file = await openNewFile(path, { replace, mode });
  try {
    await file.write(bytes);
    await file.finish(lastLook);
  } catch (error) {
    await file.discard();
    throw error;
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this user may not read or write it',
  EPERM: 'this user may not read or write it',
  EROFS: 'its folder can only be read',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is a file',
  ELOOP: 'its links lead in a circle',
  EEXIST: 'it was made in the meantime; run this again',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
};

/** What the system said, as a refusal with the file's name. */
async function told<Value>(file: string, doing: Promise<Value>): Promise<Value> {
  try {
    return await doing;
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined || error instanceof MemoryError) throw error;
    throw refusedFile(file, reasons[code] ?? `the system says ${code}`, error);
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
