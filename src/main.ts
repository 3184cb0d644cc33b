#!/usr/bin/env node
// The composition root: reads the command line and the configuration, runs one command, closes what it opened.

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseEnv } from 'node:util';
import { parseArguments, UsageError } from './command/arguments.ts';
import type { Arguments } from './command/arguments.ts';
import type { Command, Context, Parts } from './command/command.ts';
import { commandTable } from './command/command_table.ts';
import type { CommandEntry } from './command/command_table.ts';
import { exitCodes } from './command/exit_codes.ts';
import type { ExitCode } from './command/exit_codes.ts';
import { failureOf, printFailure } from './command/failure.ts';
import { createPrint } from './command/print.ts';
import type { Print } from './command/print.ts';
import type { Environment } from './config.ts';
import { createLog } from './log.ts';
import { MemoryError } from './model/errors.ts';

/** How long a store may take to close after an interruption. */
const closeDeadlineMs = 5000;

const program = 'context-assembly-memory';
const newRequestId = () => `req_${randomBytes(8).toString('hex')}`;

/** What this process has to do with its surroundings. */
interface Surroundings {
  readonly print: Print;
  readonly interruption: AbortController;
  readonly opened: Parts[];
}

function printToStderr(): Print {
  return createPrint({ out: process.stderr, err: process.stderr, environment: process.env });
}

async function main(argv: readonly string[]): Promise<ExitCode> {
  const print = createPrint({ out: process.stdout, err: process.stderr, environment: process.env });
  const around: Surroundings = { print, interruption: new AbortController(), opened: [] };
  watchProcess(around);
  const requestId = newRequestId();
  // The output of stdio belongs to the protocol, whatever stands on the command line.
  const json = argv.includes('--json') && argv[0] !== 'stdio';
  try {
    return await run(argv, around, requestId);
  } catch (error) {
    const interrupted = interruptionExit(around);
    if (interrupted !== null) return interrupted;
    if (error instanceof UsageError) return usageFailure(print, { error, argv, json, requestId });
    const failure = failureOf(error);
    printFailure(print, failure, { json, requestId });
    return failure.exit;
  } finally {
    await closeAll(around);
  }
}

async function run(argv: readonly string[], around: Surroundings, requestId: string): Promise<ExitCode> {
  const [name = '', ...rest] = argv;
  const { print } = around;
  if (['--version', '-V'].includes(name)) {
    print.line(packageVersion());
    return exitCodes.done;
  }
  if (name === '') return programHelp(printToStderr(), [], exitCodes.usage);
  if (['--help', '-h', 'help'].includes(name)) return programHelp(print, rest, exitCodes.done);
  const entry = commandTable.get(name);
  if (entry === undefined) throw new UsageError(unknownCommand(name));
  const command = await entry.load();
  const given = parseArguments(rest, command);
  if (given.flag('help')) return commandHelp(print, { name, entry, command });
  const context = await createContext(given, around, requestId);
  const running = command.run(context);
  return command.endsItself === true ? running : Promise.race([running, interruptedRun(around)]);
}

async function createContext(given: Arguments, around: Surroundings, requestId: string): Promise<Context> {
  const { readConfig } = await import('./config.ts');
  const { compose, directoryState, unlockDirectory } = await import('./compose.ts');
  const environment = environmentOf(given.text('env-file'));
  const config = readConfig(environment);
  const log = createLog({ level: config.logLevel, secrets: config.secrets });
  return {
    arguments: given,
    print: around.print,
    json: given.flag('json'),
    config,
    log,
    environment,
    requestId,
    signal: around.interruption.signal,
    version: packageVersion(),
    invocation: invocation(process.argv[1] ?? ''),
    stdin: process.stdin,
    newRequestId,
    instructions: async () => (await import('./assembly/render/sections.ts')).serverInstructions,
    open: (opening) => {
      const parts = compose(config, log, opening);
      around.opened.push(parts);
      return parts;
    },
    directoryState: async () => directoryState(config),
    unlock: async () => unlockDirectory(config),
  };
}

/** The process's variables over those of a file, which never become variables of the process. */
function environmentOf(file: string | null): Environment {
  if (file === null) return process.env;
  try {
    return { ...parseEnv(readFileSync(file, 'utf8')), ...process.env };
  } catch (error) {
    throw new MemoryError(
      'invalid_configuration',
      `The file ${file} of --env-file cannot be read.`,
      { variable: '--env-file' },
      error,
    );
  }
}

function packageVersion(): string {
  const text = readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8');
  const { version }: { readonly version: string } = JSON.parse(text);
  return version;
}

function invocation(script: string): string {
  const path = relative(process.cwd(), script);
  if (path.endsWith('.ts')) return `npx tsx ${path}`;
  return path.endsWith('.js') && !path.startsWith('..') ? `node ${path}` : program;
}

async function programHelp(print: Print, rest: readonly string[], exit: ExitCode): Promise<ExitCode> {
  const { printProgramHelp } = await import('./command/usage.ts');
  const { variables } = await import('./config.ts');
  const [name] = rest;
  const entry = name === undefined ? undefined : commandTable.get(name);
  if (name !== undefined && entry !== undefined) {
    return commandHelp(print, { name, entry, command: await entry.load() });
  }
  const commands = Object.fromEntries([...commandTable].map(([command, { summary }]) => [command, summary]));
  printProgramHelp(print, { version: packageVersion(), commands, variables });
  return exit;
}

async function commandHelp(
  print: Print,
  told: { readonly name: string; readonly entry: CommandEntry; readonly command: Command },
): Promise<ExitCode> {
  const { printCommandHelp } = await import('./command/usage.ts');
  printCommandHelp(print, { name: told.name, summary: told.entry.summary, command: told.command });
  return exitCodes.done;
}

function unknownCommand(name: string): string {
  if (name.startsWith('-'))
    return `The option ${JSON.stringify(name)} stands before a command; write the command first.`;
  return `There is no command ${JSON.stringify(name)}.`;
}

async function usageFailure(
  print: Print,
  told: {
    readonly error: UsageError;
    readonly argv: readonly string[];
    readonly json: boolean;
    readonly requestId: string;
  },
): Promise<ExitCode> {
  const { error, argv, json, requestId } = told;
  const [name = ''] = argv;
  const entry = commandTable.get(name);
  const { usageLine } = await import('./command/usage.ts');
  const action =
    entry === undefined
      ? `\`${program} --help\` lists the commands: ${[...commandTable.keys()].join(', ')}.`
      : `Usage: ${usageLine(name, await entry.load())}`;
  printFailure(print, { code: 'usage', message: error.message, action, exit: exitCodes.usage }, { json, requestId });
  return exitCodes.usage;
}

function watchProcess({ print, interruption }: Surroundings): void {
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
    printFailure(print, failureOf(error), { json: false, requestId: newRequestId() });
    process.exit(exitCodes.failed);
  });
}

function interruptionExit({ interruption }: Surroundings): ExitCode | null {
  const reason: unknown = interruption.signal.aborted ? interruption.signal.reason : null;
  return reason === 130 || reason === 143 || reason === exitCodes.done ? reason : null;
}

function interruptedRun({ interruption }: Surroundings): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(new MemoryError('cancelled', 'The command was interrupted.'));
    if (interruption.signal.aborted) stop();
    interruption.signal.addEventListener('abort', stop, { once: true });
  });
}

async function closeAll({ opened, interruption }: Surroundings): Promise<void> {
  const closing = Promise.allSettled(opened.map(async (parts) => parts.close()));
  if (!interruption.signal.aborted) {
    await closing;
    return;
  }
  const late = new Promise<void>((resolve) => void setTimeout(resolve, closeDeadlineMs).unref());
  await Promise.race([closing, late]);
}

/** Waits until what was written has left, so that ending the process cuts nothing off. */
async function flushed(stream: NodeJS.WriteStream): Promise<void> {
  if (stream.destroyed || stream.writableEnded) return;
  await new Promise<void>((resolve) => void stream.write('', () => resolve()));
}

const exitCode = await main(process.argv.slice(2));
await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
process.exit(exitCode);
