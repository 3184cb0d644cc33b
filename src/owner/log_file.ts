// The log of an owner: a file in the data directory that never grows beyond its limit, and one older file.

import { appendFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

const longestBytes = 1024 * 1024;

/** Where the log of a directory's owner is. */
export const logPath = (directory: string): string => join(directory, 'owner.log');

/** Appends lines; a full file becomes the older one. A disk that takes nothing more stops no work. */
export function openLogFile(path: string, limitBytes = longestBytes): (line: string) => void {
  let size = sizeOf(path);
  return (line) => {
    const bytes = Buffer.byteLength(line);
    try {
      if (size > 0 && size + bytes > limitBytes) {
        renameSync(path, `${path}.1`);
        size = 0;
      }
      appendFileSync(path, line, { mode: 0o600 });
      size += bytes;
    } catch {
      // There is no other place to say so.
    }
  };
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}
