// A file that appears whole or not at all: written beside its place, and moved there when all of it is on the disk.

import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, link, lstat, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A file that is being written. One of `finish` and `discard` is called at the end. */
export interface NewFile {
  write(bytes: Uint8Array): Promise<void>;
  /**
   * The file stands in its place, and on the disk. `lastLook` is asked when all but the move is done; what it rejects
   * with prevents the move.
   */
  finish(lastLook?: () => Promise<void>): Promise<void>;
  /** Nothing of it is left. Safe to call after a failure. */
  discard(): Promise<void>;
}

/** For whoever began the file, and nobody else. */
const forThisUser = 0o600;

/**
 * Begins a file, for this user alone unless other permissions are given. Rejects with the system's `code`; `EEXIST`
 * unless an old one may be replaced.
 */
export async function openNewFile(
  path: string,
  manner: { readonly replace: boolean; readonly mode?: number },
): Promise<NewFile> {
  const { replace, mode = forThisUser } = manner;
  await refusePlace(path, replace);
  const draft = `${path}.${randomBytes(6).toString('hex')}.part`;
  const file = await open(draft, 'wx', forThisUser);
  const discard = async () => {
    await file.close().catch(() => {});
    await rm(draft, { force: true });
  };
  return {
    write: async (bytes) => file.writeFile(bytes),
    async finish(lastLook) {
      try {
        // What the process's mask takes away from new files is given back.
        if (mode !== forThisUser) await file.chmod(mode);
        await file.sync();
        await file.close();
        await lastLook?.();
        await (replace ? rename(draft, path) : moveWhereNothingIs(draft, path));
        await syncFolder(dirname(path));
      } catch (error) {
        await discard();
        throw error;
      }
    },
    discard,
  };
}

async function refusePlace(path: string, replace: boolean): Promise<void> {
  const found = await lstat(path).catch(() => null);
  if (found?.isDirectory() === true) throw failure('EISDIR');
  if (found !== null && !replace) throw failure('EEXIST');
  await access(dirname(path), constants.W_OK);
}

/** A second name is refused where one exists, which a move is not; some file systems have no second names. */
async function moveWhereNothingIs(draft: string, path: string): Promise<void> {
  try {
    await link(draft, path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') throw error;
    await refusePlace(path, false);
    return rename(draft, path);
  }
  return rm(draft, { force: true });
}

/** The new name survives a loss of power too; systems that cannot do so say so, and it is their affair. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => null);
  await folder?.sync().catch(() => {});
  await folder?.close();
}

function failure(code: string): Error {
  return Object.assign(new Error('the file cannot be made'), { code });
}
