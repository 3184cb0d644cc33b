// Where the embedded store lies by default, and what CONTEXT_DATA_DIR means; kept apart because the relay reads it too.

import { homedir, userInfo } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

/** What the defaults are made of. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly userName: string;
}

/** The machine that runs the process. */
export function thisMachine(): Machine {
  return { platform: process.platform, home: homedir(), userName: userName() };
}

// A container may run under a number that has no name; the number is as stable as a name would be.
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user-${process.getuid?.() ?? 'unknown'}`;
  }
}

/** The store that ends with its process. */
export const inMemory = ':memory:';

/** An absolute path, or {@link inMemory}; null when nothing is given and the user has no home folder. */
export function dataFolder(
  given: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
  machine: Machine,
): string | null {
  if (given === inMemory) return given;
  if (given !== undefined && given !== '') return resolve(expandHome(given, machine.home));
  if (machine.home === '') return null;
  return join(userDataFolder(environment, machine), 'context-assembly-memory');
}

// Hosts start servers without a shell, so nobody else would read `~`.
function expandHome(path: string, home: string): string {
  return path === '~' || /^~[/\\]/.test(path) ? join(home, path.slice(1)) : path;
}

function userDataFolder(
  environment: Readonly<Record<string, string | undefined>>,
  { platform, home }: Machine,
): string {
  if (platform === 'win32') return absolute(environment['LOCALAPPDATA']) ?? join(home, 'AppData', 'Local');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  return absolute(environment['XDG_DATA_HOME']) ?? join(home, '.local', 'share');
}

// The XDG specification asks that a relative path be ignored.
function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined;
}
