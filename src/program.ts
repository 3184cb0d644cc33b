// A run of the program: reads the command line and the configuration, runs one command, closes what it opened.

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { parseEnv } from 'node:util';
import { parseArguments, UsageError } from './command/arguments.ts';
import type { Arguments } from './command/arguments.ts';
import type { Command, Context, Input, Parts } from './command/command.ts';
import { commandTable } from './command/command_table.ts';
import { exitCodes } from './command/exit_codes.ts';
import type { ExitCode } from './command/exit_codes.ts';
import { failureOf, printFailure } from './command/failure.ts';
import { createPrint } from './command/print.ts';
import type { Output, Print } from './command/print.ts';
import type { Config, Environment } from './config.ts';
import { inMemory } from './data_folder.ts';
import { createLog } from './log.ts';
import type { Log } from './log.ts';
import { MemoryError } from './model/errors.ts';
import type { SharedRun } from './own_directory.ts';
import { commandHelp, program, programHelp, unknownCommand, usageFailure } from './program_help.ts';
import { packageVersion } from './stdio_relay.ts';

/** How long a store may take to close after an interruption. */
const closeDeadlineMs = 5000;

/** Names a run of a command, or a request, in the log and in an error. */
export const newRequestId = () => `req_${randomBytes(8).toString('hex')}`;

/** Where a run takes place: a process of its own, or a client's connection to the owner. */
export interface Terminal {
  readonly stdin: Input;
  readonly stdout: Writable & Output;
  readonly stderr: Writable & Output;
  readonly environment: Environment;
  /** Aborted with the exit code that the interruption has. */
  readonly interruption: AbortController;
  /** How this program was started, as a person would type it. */
  readonly invocation: string;
  readFile(path: string): Promise<string>;
  listFiles: Context['listFiles'];
  openFile: Context['openFile'];
  createFile: Context['createFile'];
  /** What the owner shares; null in a process of its own. */
  readonly shared: SharedRun | null;
}

/** What a run has to do with its surroundings. */
interface Surroundings {
  readonly terminal: Terminal;
  readonly print: Print;
  readonly opened: Parts[];
}

function printToStderr({ stderr, environment }: Terminal): Print {
  return createPrint({ out: stderr, err: stderr, environment });
}

/** Runs a command line and gives its exit code; failures are told on the terminal. */
export async function runProgram(argv: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const { stdout: out, stderr: err, environment } = terminal;
  const print = createPrint({ out, err, environment });
  const around: Surroundings = { terminal, print, opened: [] };
  const requestId = newRequestId();
  // The output of stdio belongs to the protocol, whatever stands on the command line.
  const json = argv.includes('--json') && argv[0] !== 'stdio';
  try {
    return await run(argv, around, requestId);
  } catch (error) {
    const interrupted = interruptionExit(terminal);
    if (interrupted !== null) return interrupted;
    if (error instanceof UsageError) return await usageFailure(print, { error, argv, json, requestId });
    const failure = failureOf(error);
    printFailure(print, failure, { json, requestId });
    return failure.exit;
  } finally {
    await closeAll(around);
  }
}

async function run(argv: readonly string[], around: Surroundings, requestId: string): Promise<ExitCode> {
  const [name = '', ...rest] = argv;
  const { print, terminal } = around;
  if (['--version', '-V'].includes(name)) {
    print.line(packageVersion());
    return exitCodes.done;
  }
  if (name === '') return programHelp(printToStderr(terminal), [], exitCodes.usage);
  if (['--help', '-h', 'help'].includes(name)) return programHelp(print, rest, exitCodes.done);
  const entry = commandTable.get(name);
  if (entry === undefined) throw new UsageError(unknownCommand(name));
  const command = await entry.load();
  const given = parseArguments(rest, command);
  if (given.flag('help')) return commandHelp(print, { name, entry, command });
  const context = await createContext(given, around, { requestId, command });
  const elsewhere = await runInOwner(argv, { command, context, terminal });
  if (elsewhere !== null) return elsewhere;
  const running = command.run(context);
  return command.endsItself === true ? running : Promise.race([running, interruptedRun(terminal)]);
}

/** Runs a command where the data directory is held; null when it is to run here. */
async function runInOwner(
  argv: readonly string[],
  asked: { readonly command: Command; readonly context: Context; readonly terminal: Terminal },
): Promise<ExitCode | null> {
  const { command, context, terminal } = asked;
  const { dataDirectory, isShared } = context.config;
  if (terminal.shared !== null || command.through === undefined) return null;
  if (dataDirectory === inMemory || !isShared) return null;
  const { runThroughOwner } = await import('./remote_command.ts');
  const { through, interruptionMs } = command;
  return runThroughOwner(argv, { through, context, terminal, interruptionMs });
}

async function createContext(
  given: Arguments,
  around: Surroundings,
  { requestId, command }: { readonly requestId: string; readonly command: Command },
): Promise<Context> {
  const { readConfig } = await import('./config.ts');
  const { compose, unlockDirectory } = await import('./compose.ts');
  const { terminal } = around;
  const environment = environmentOf(given.text('env-file'), terminal);
  const config = readConfig(environment);
  const usual = (environment['CONTEXT_LOG_LEVEL'] ?? '') === '' ? command.logLevel : undefined;
  const log = logOf(usual === undefined ? config : { ...config, logLevel: usual }, terminal);
  return {
    arguments: given,
    print: around.print,
    json: given.flag('json'),
    config,
    log,
    environment,
    requestId,
    signal: terminal.interruption.signal,
    version: packageVersion(),
    invocation: terminal.invocation,
    stdin: terminal.stdin,
    stdout: terminal.stdout,
    readFile: async (path) => terminal.readFile(path),
    listFiles: async (path) => terminal.listFiles(path),
    openFile: (path) => terminal.openFile(path),
    createFile: async (path, manner) => terminal.createFile(path, manner),
    newRequestId,
    instructions: async () => (await import('./assembly/render/sections.ts')).serverInstructions,
    open: (opening) => {
      const parts = compose(config, log, opening, terminal.shared?.store ?? null);
      around.opened.push(parts);
      return parts;
    },
    directoryState: async () => stateOf(config, terminal),
    ownerPid: terminal.shared === null ? null : process.pid,
    unlock: async () => unlockDirectory(config),
    own: async ({ background }) => ownFor(config, { background, signal: terminal.interruption.signal }),
    ownerStatus: async () => (await import('./remote_command.ts')).askOwner(config.dataDirectory, 'status'),
    whenFree: async () => (await import('./remote_command.ts')).yieldedDirectory(config.dataDirectory),
    restore: async (backup, how) => (await import('./compose.ts')).restoreStore(config, log, { ...how, backup }),
    stopOwner: async () => (await import('./remote_command.ts')).stopOwner(config.dataDirectory),
  };
}

/** In the owner, the directory is as if nobody held it: that is what its clients see of each other. */
async function stateOf(config: Config, { shared }: Terminal): ReturnType<Context['directoryState']> {
  const { directoryState } = await import('./compose.ts');
  const state = await directoryState(config);
  return shared === null ? state : { ...state, holder: null, alive: false };
}

function logOf({ logLevel: level, secrets }: Config, { shared, stderr }: Terminal): Log {
  if (shared === null) return createLog({ level, secrets });
  return createLog({
    level,
    secrets,
    write(line) {
      stderr.write(line);
      shared.writeLog?.(line);
    },
  });
}

async function ownFor(
  config: Config,
  manner: { readonly background: boolean; readonly signal: AbortSignal },
): Promise<void> {
  const { ownDirectory } = await import('./own_directory.ts');
  await ownDirectory({
    config,
    version: packageVersion(),
    ...manner,
    run: async (session, store, writeLog) => {
      const { hello, stdin, stdout, stderr, interruption } = session;
      const { environment, argv } = hello;
      const readFile = async (path: string) => session.readFile(path);
      const listFiles: Context['listFiles'] = async (path) => session.listFiles(path);
      const openFile: Context['openFile'] = (path) => session.openFile(path);
      const createFile: Context['createFile'] = async (path, how) => session.createFile(path, how);
      const shared = { store, writeLog };
      return runProgram(argv, {
        stdin,
        stdout,
        stderr,
        environment,
        interruption,
        invocation: program,
        readFile,
        listFiles,
        openFile,
        createFile,
        shared,
      });
    },
  });
}

/** The process's variables over those of a file, which never become variables of the process. */
function environmentOf(file: string | null, { environment, shared }: Terminal): Environment {
  // A client has read its file itself.
  if (file === null || shared !== null) return environment;
  try {
    return { ...parseEnv(readFileSync(file, 'utf8')), ...environment };
  } catch (error) {
    throw new MemoryError(
      'invalid_configuration',
      `The file ${file} of --env-file cannot be read.`,
      { variable: '--env-file' },
      error,
    );
  }
}

function interruptionExit({ interruption }: Terminal): ExitCode | null {
  const reason: unknown = interruption.signal.aborted ? interruption.signal.reason : null;
  return reason === 130 || reason === 143 || reason === exitCodes.done ? reason : null;
}

function interruptedRun({ interruption }: Terminal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(new MemoryError('cancelled', 'The command was interrupted.'));
    if (interruption.signal.aborted) stop();
    interruption.signal.addEventListener('abort', stop, { once: true });
  });
}

async function closeAll({ opened, terminal }: Surroundings): Promise<void> {
  const closing = Promise.allSettled(opened.map(async (parts) => parts.close()));
  if (!terminal.interruption.signal.aborted) {
    await closing;
    return;
  }
  const late = new Promise<void>((resolve) => void setTimeout(resolve, closeDeadlineMs).unref());
  await Promise.race([closing, late]);
}
