// Files that a person named to be written: what the system says of one becomes a sentence with its name.

import { MemoryError } from '../model/errors.ts';

/** Waits for a step of writing a file. Throws `backup_refused` with what the file system said and the file's name. */
export async function named<Value>(path: string, doing: Promise<Value>): Promise<Value> {
  try {
    return await doing;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    const reasons: Readonly<Record<string, string>> = {
      EEXIST: 'it exists; name another file, or add --force to replace it',
      EISDIR: 'it is a folder',
      ENOENT: 'its folder does not exist',
      ENOTDIR: 'a part of its path is a file',
      EACCES: 'this user may not write there',
      EPERM: 'this user may not write there',
      EROFS: 'its folder can only be read',
      ENOSPC: 'the disk is full',
      EDQUOT: 'the disk is full',
    };
    const reason = reasons[code] ?? `the system says ${code}`;
    throw new MemoryError('backup_refused', `The file ${path} cannot be written: ${reason}.`, { file: path }, error);
  }
}
