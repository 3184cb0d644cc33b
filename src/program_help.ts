// Help and usage of the command line: what there is, and how a command is written.

import type { UsageError } from './command/arguments.ts';
import type { Command } from './command/command.ts';
import { commandTable } from './command/command_table.ts';
import type { CommandEntry } from './command/command_table.ts';
import { exitCodes } from './command/exit_codes.ts';
import type { ExitCode } from './command/exit_codes.ts';
import { printFailure } from './command/failure.ts';
import type { Print } from './command/print.ts';
import { packageVersion } from './stdio_relay.ts';

/** How the program is called. */
export const program = 'context-assembly-memory';

/** The help of the program, or of the command that follows `help`. */
export async function programHelp(print: Print, rest: readonly string[], exit: ExitCode): Promise<ExitCode> {
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

/** The help of one command. */
export async function commandHelp(
  print: Print,
  told: { readonly name: string; readonly entry: CommandEntry; readonly command: Command },
): Promise<ExitCode> {
  const { printCommandHelp } = await import('./command/usage.ts');
  printCommandHelp(print, { name: told.name, summary: told.entry.summary, command: told.command });
  return exitCodes.done;
}

/** What is said of a name that no command has. */
export function unknownCommand(name: string): string {
  if (name.startsWith('-'))
    return `The option ${JSON.stringify(name)} stands before a command; write the command first.`;
  return `There is no command ${JSON.stringify(name)}.`;
}

/** Tells of a wrong command line, and how a right one looks. */
export async function usageFailure(
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
