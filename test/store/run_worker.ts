// Starts processes that work on one store.

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { WorkerTask } from './server_worker.ts';

const worker = join(import.meta.dirname, 'server_worker.ts');

/** Runs a task in a process of its own and gives what it found. */
export async function runWorker(task: WorkerTask): Promise<unknown> {
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), worker, JSON.stringify(task)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  if (code !== 0) throw new Error(`the process ended with ${code}: ${err}`);
  return JSON.parse(out);
}
