// What stands under a path that a person named: regular files in a fixed order, and what was left out and why.

import { lstat, readdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';

/** A file under the path. */
export interface ListedFile {
  /** From the folder that was named, with `/` between names; the file's own name where a file was named. */
  readonly path: string;
  readonly bytes: number;
}

/** Something under the path that is not among the files. */
export interface LeftOut {
  readonly path: string;
  readonly reason: 'symbolic link' | 'no regular file' | 'unreadable';
}

/** A path that was looked into. */
export interface FileListing {
  readonly isFolder: boolean;
  /** The last name of the path, also of one like `.`; empty for the root of the file system. */
  readonly name: string;
  /** By path, compared by code unit. */
  readonly files: readonly ListedFile[];
  readonly leftOut: readonly LeftOut[];
}

/** A folder with more than this is none that a person meant. */
const mostFiles = 1_000_000;

/**
 * Lists a file, or the files of a folder and of the folders in it. Names that begin with a dot and `node_modules` are
 * passed by. No symbolic link below the path is followed: what it leads to is listed already, or is outside of the folder.
 * Rejects with the system's `code` for the path itself.
 */
export async function listFiles(path: string): Promise<FileListing> {
  const found = await stat(path);
  const name = basename(resolve(path));
  const listing = { files: [] as ListedFile[], leftOut: [] as LeftOut[] };
  if (found.isDirectory()) await listFolder(path, '', listing);
  else if (found.isFile()) listing.files.push({ path: name, bytes: found.size });
  else listing.leftOut.push({ path: name, reason: 'no regular file' });
  return {
    isFolder: found.isDirectory(),
    name,
    files: listing.files.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    leftOut: listing.leftOut.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  };
}

async function listFolder(
  root: string,
  first: string,
  listing: { readonly files: ListedFile[]; readonly leftOut: LeftOut[] },
): Promise<void> {
  // No recursion: folders may stand in each other as deep as a path is long.
  const folders = [first];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const name of await namesIn(join(root, folder), folder === first)) {
      if (name === null) listing.leftOut.push({ path: folder, reason: 'unreadable' });
      if (name === null || name.startsWith('.') || name === 'node_modules') continue;
      const path = folder === '' ? name : `${folder}/${name}`;
      const found = await lstat(join(root, path)).catch(() => null);
      if (found === null) listing.leftOut.push({ path, reason: 'unreadable' });
      else if (found.isSymbolicLink()) listing.leftOut.push({ path, reason: 'symbolic link' });
      else if (found.isDirectory()) folders.push(path);
      else if (found.isFile()) listing.files.push({ path, bytes: found.size });
      else listing.leftOut.push({ path, reason: 'no regular file' });
    }
    if (listing.files.length > mostFiles) throw Object.assign(new Error('too many files'), { code: 'E2BIG' });
  }
}

/** The names in a folder; null in their place for one below the root that cannot be read. */
async function namesIn(folder: string, isRoot: boolean): Promise<readonly (string | null)[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isRoot) throw error;
    return [null];
  }
}
