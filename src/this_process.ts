// A run of the program in a process of its own: its streams, its signals, and its last words.

import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { exitCodes } from './command/exit_codes.ts';
import type { ExitCode } from './command/exit_codes.ts';
import { failureOf, printFailure } from './command/failure.ts';
import { createPrint } from './command/print.ts';
import { createLog } from './log.ts';
import { openNewFile } from './owner/new_file.ts';
import { newRequestId, runProgram } from './program.ts';

const program = 'context-assembly-memory';

/** Runs a command line on this process's streams and gives the exit code. */
export async function runHere(argv: readonly string[]): Promise<ExitCode> {
  const interruption = new AbortController();
  watchProcess(interruption);
  return runProgram(argv, {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    environment: process.env,
    interruption,
    invocation: invocation(process.argv[1] ?? ''),
    readFile: async (path) => readFile(path, 'utf8'),
    listFiles: async (path) => (await import('./owner/listed_files.ts')).listFiles(path),
    openFile: (path) => createReadStream(path),
    createFile: openNewFile,
    shared: null,
  });
}

function invocation(script: string): string {
  const path = relative(process.cwd(), script);
  if (path.endsWith('.ts')) return `npx tsx ${path}`;
  return path.endsWith('.js') && !path.startsWith('..') ? `node ${path}` : program;
}

function watchProcess(interruption: AbortController): void {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.on(signal, () => {
      // Whoever asks twice does not want to wait for the store.
      if (interruption.signal.aborted) process.exit(code);
      interruption.abort(code);
    });
  }
  // Whoever read the output has gone, as `| head` does: there is nothing left to say.
  process.stdout.on('error', () => interruption.abort(exitCodes.done));
  process.on('uncaughtException', (error) => {
    createLog({ level: 'error' }).error({ error }, 'nobody caught an error');
    const print = createPrint({ out: process.stdout, err: process.stderr, environment: process.env });
    printFailure(print, failureOf(error), { json: false, requestId: newRequestId() });
    process.exit(exitCodes.failed);
  });
}
