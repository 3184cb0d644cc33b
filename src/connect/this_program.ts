// What connecting depends on and only this process knows: how it was started, and whose machine it runs on.

import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Launch } from './entry.ts';
import type { HostMachine } from './hosts.ts';

// The same distance from src/connect and from dist/connect.
const packageFolder = join(import.meta.dirname, '..', '..');

/** How this process was started; one that runs from its sources is started by hosts as it was built. */
export function thisLaunch(environment: HostMachine['environment']): Launch {
  const program = join(packageFolder, 'dist', 'main.js');
  return {
    platform: process.platform,
    node: process.execPath,
    program,
    isBuilt: existsSync(program),
    npm: environment['npm_execpath'] ?? null,
  };
}

/** The machine that this process runs on. */
export function thisHostMachine(environment: HostMachine['environment']): HostMachine {
  const { platform } = process;
  const local = environment['LOCALAPPDATA'];
  return {
    platform,
    home: homedir(),
    environment,
    storePackages: platform === 'win32' && local !== undefined ? namesIn(join(local, 'Packages')) : [],
  };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
