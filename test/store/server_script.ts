// Runs scripts/postgres_server.mjs for tests.

import { spawn } from 'node:child_process';
import { join } from 'node:path';

const script = join(import.meta.dirname, '..', '..', 'scripts', 'postgres_server.mjs');

/** Runs a command of the script on a cluster's folder and gives what it prints. Throws with its words. */
export async function serverScript(
  command: 'start' | 'stop' | 'restart',
  folder: string,
  mode: 'fast' | 'immediate' = 'fast',
): Promise<Readonly<Record<string, string>>> {
  const args = [script, command, '--folder', folder, '--json', '--mode', mode];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  if (code !== 0) throw new Error(stderr.trim() || `the script ended with ${code}`);
  return stdout === '' ? {} : JSON.parse(stdout);
}
