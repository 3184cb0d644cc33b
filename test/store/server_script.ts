// Runs scripts/postgres_server.mjs for tests.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const script = join(import.meta.dirname, '..', '..', 'scripts', 'postgres_server.mjs');

/** Runs a command of the script on a cluster's folder and gives what it prints. Throws with its words. */
export function serverScript(
  command: 'start' | 'stop' | 'restart',
  folder: string,
  mode: 'fast' | 'immediate' = 'fast',
): Readonly<Record<string, string>> {
  const args = [script, command, '--folder', folder, '--json', '--mode', mode];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr.trim() || `the script ended with ${status}`);
  return stdout === '' ? {} : JSON.parse(stdout);
}
