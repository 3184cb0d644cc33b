// A command on a data directory that another process holds, or will hold: it runs there, and shows here.

import type { Writable } from 'node:stream';
import type { Context } from './command/command.ts';
import type { ExitCode } from './command/exit_codes.ts';
import { MemoryError } from './model/errors.ts';
import { readAddress } from './owner/address.ts';
import { dialOwner, reachOwner } from './owner/connect.ts';
import type { Greeting, Link } from './owner/connect.ts';
import { frames } from './owner/protocol.ts';
import type { OwnerStatus, StreamTraits } from './owner/protocol.ts';
import { followRun } from './owner/remote_run.ts';
import { ownVariables, packageVersion } from './stdio_relay.ts';

/** How long an owner may take to end. */
const endDeadlineMs = 20_000;
const lookAgainMs = 20;

type HereOutput = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** The streams that the run's own lead to. */
interface HereTerminal {
  readonly stdin: Context['stdin'];
  readonly stdout: HereOutput;
  readonly stderr: HereOutput;
}

/**
 * Runs the command line in the owner and gives its exit code; null when there is none and none is to be started.
 * Throws what `dialOwner` throws, and `outcome_unknown`.
 */
export async function runThroughOwner(
  argv: readonly string[],
  asked: {
    readonly through: 'owner' | 'running owner';
    readonly context: Context;
    readonly terminal: HereTerminal;
    /** How long the run may take to end after an interruption. */
    readonly interruptionMs: number | undefined;
  },
): Promise<ExitCode | null> {
  const { through, context, terminal, interruptionMs = 5_000 } = asked;
  const { config, environment } = context;
  const greeting: Greeting = {
    version: context.version,
    kind: 'run',
    argv,
    environment: ownVariables(environment, config.dataDirectory),
    out: traitsOf(terminal.stdout),
    err: traitsOf(terminal.stderr),
  };
  const link = await linkTo(through, { greeting, context });
  if (link === null) return null;
  const { stdin, stdout, stderr } = terminal;
  // Only this program's own exit codes come from the owner.
  return (await followRun(link, { stdin, stdout, stderr, signal: context.signal, interruptionMs })) as ExitCode;
}

async function linkTo(
  through: 'owner' | 'running owner',
  { greeting, context }: { readonly greeting: Greeting; readonly context: Context },
): Promise<Link | null> {
  const { dataDirectory } = context.config;
  if (through === 'owner') {
    return Promise.race([dialOwner(dataDirectory, greeting, context.environment), aborted(context.signal)]);
  }
  const reached = await reachOwner(dataDirectory, greeting);
  return reached !== null && 'socket' in reached ? reached : null;
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(new Error('interrupted'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
  });
}

function traitsOf(stream: HereOutput): StreamTraits {
  return { isTTY: stream.isTTY === true, columns: stream.columns ?? null };
}

/** What the owner says of itself, whatever its version; null where nobody answers. */
export async function askOwner(directory: string, kind: 'status' | 'stop' | 'yield'): Promise<OwnerStatus | null> {
  const nothing = { isTTY: false, columns: null };
  const greeting = { version: packageVersion(), kind, argv: [], environment: {}, out: nothing, err: nothing };
  const link = await reachOwner(directory, greeting);
  if (link === null || !('socket' in link)) return null;
  return new Promise((resolve) => {
    link.socket.on('close', () => resolve(null));
    link.listen((frameKind, payload) => {
      if (frameKind === frames.status) resolve(JSON.parse(payload.toString('utf8')));
    });
  });
}

/** Ends the owner and waits until the directory is free. Gives its process, or null where there was none. */
export async function stopOwner(directory: string): Promise<number | null> {
  const owner = await askOwner(directory, 'stop');
  // One that is ending listens no more, but holds the directory still.
  const pid = owner?.pid ?? readAddress(directory)?.pid ?? null;
  if (pid === null) return null;
  const isHolder = await heldBy(directory, pid);
  if (owner === null && !isHolder) return null;
  if (await freed(directory, pid)) return pid;
  throw new MemoryError('deadline_exceeded', `Process ${pid} has not ended within ${endDeadlineMs / 1000} seconds.`);
}

/** For whoever wants the directory alone: an owner that serves nobody ends, and its end is awaited. */
export async function yieldedDirectory(directory: string): Promise<void> {
  const owner = await askOwner(directory, 'yield');
  const pid = owner?.pid ?? readAddress(directory)?.pid ?? null;
  if (pid !== null && (owner?.clients.length ?? 0) === 0) await freed(directory, pid);
}

async function heldBy(directory: string, pid: number): Promise<boolean> {
  const { directoryState } = await import('./store/postgres/data_directory.ts');
  const { alive, holder } = directoryState(directory);
  return alive && holder?.startsWith(`process ${pid} `) === true;
}

/** Waits until that process holds the directory no more; false when it takes too long. */
async function freed(directory: string, pid: number): Promise<boolean> {
  const end = performance.now() + endDeadlineMs;
  while (await heldBy(directory, pid)) {
    if (performance.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, lookAgainMs));
  }
  return true;
}
