// stdio as a host starts it: bytes to and from the owner of the data directory, which is found or started (design N7).

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { dataFolder, inMemory, thisMachine } from './data_folder.ts';
import { dialOwner } from './owner/connect.ts';
import { relay } from './owner/relay.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const noTerminal = { isTTY: false, columns: null } as const;

/**
 * Relays and gives the exit code. Null when this process has to run the command itself: it is another command or
 * wrongly written, the engine is not one that shares a directory, it is not to be shared, the store is to be in memory, or the input ended
 * before anything came.
 */
export async function relayStdio(
  argv: readonly string[],
  isShared: (engine: string) => boolean,
): Promise<number | null> {
  const environment = environmentOf(argv);
  if (environment === null || !isShared(environment['CONTEXT_ENGINE'] ?? '')) return null;
  // What is not 1 is 0, or wrong and for the program to refuse.
  if (!['', '1'].includes(environment['CONTEXT_SHARED'] ?? '')) return null;
  const directory = dataFolder(environment['CONTEXT_DATA_DIR'], environment, thisMachine());
  if (directory === null || directory === inMemory) return null;
  const interruption = new AbortController();
  const stop = () => interruption.abort();
  process.on('SIGINT', stop).on('SIGTERM', stop);
  const greeting = {
    version: packageVersion(),
    kind: 'run' as const,
    argv: ['stdio'],
    environment: ownVariables(environment, directory),
    out: noTerminal,
    err: noTerminal,
  };
  const exit = await relay({
    input: process.stdin,
    output: process.stdout,
    errors: process.stderr,
    signal: interruption.signal,
    dial: async () => dialOwner(directory, greeting, environment),
    async fail(error) {
      // Loaded only when it is needed: it is what explains failures to people.
      const { failureOf, printFailure } = await import('./command/failure.ts');
      const { createPrint } = await import('./command/print.ts');
      const failure = failureOf(error);
      const print = createPrint({ out: process.stderr, err: process.stderr, environment: process.env });
      const requestId = `req_${process.pid}`;
      printFailure(print, failure, { json: false, requestId });
      const { code, message, action } = failure;
      return { exit: failure.exit, message, data: { error: { code, message, action, request_id: requestId } } };
    },
  });
  process.off('SIGINT', stop).off('SIGTERM', stop);
  return exit;
}

/** The variables of a plain `stdio`, its file among them; null for any other command line. */
function environmentOf(argv: readonly string[]): Environment | null {
  const [name, ...options] = argv;
  if (name !== 'stdio') return null;
  if (options.length === 0) return process.env;
  const [option = '', file = option.slice('--env-file='.length)] = options;
  const isFile = options.length === 2 ? option === '--env-file' : option.startsWith('--env-file=');
  if (!isFile || options.length > 2) return null;
  try {
    return { ...parseEnv(readFileSync(file, 'utf8')), ...process.env };
  } catch {
    return null;
  }
}

/** What the owner has to know of a client's variables; the directory is named as every process finds it. */
export function ownVariables(environment: Environment, directory: string): Record<string, string> {
  const own = Object.entries(environment).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (entry[0].startsWith('CONTEXT_') || ['NO_COLOR', 'TERM'].includes(entry[0])),
  );
  return { ...Object.fromEntries(own), CONTEXT_DATA_DIR: directory };
}

/** The version in package.json. */
export function packageVersion(): string {
  const text = readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8');
  const { version }: { readonly version: string } = JSON.parse(text);
  return version;
}
