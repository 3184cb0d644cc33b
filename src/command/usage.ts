// Help texts: of the program and of each command, from the same tables that the parser reads.

import { commonOptions } from './arguments.ts';
import type { Options } from './arguments.ts';
import type { Command } from './command.ts';
import { exitCodeMeanings } from './exit_codes.ts';
import type { Print } from './print.ts';
import { tableLines, wrapped } from './table.ts';

const program = 'context-assembly-memory';

/** One line: how the command is written. */
export function usageLine(name: string, command: Command): string {
  const all: Options = { ...command.options, ...commonOptions };
  const options = Object.entries(all)
    .filter(([option]) => option !== 'help')
    .map(([option, { value }]) => `[--${option}${value === undefined ? '' : ` ${value}`}]`);
  return [program, name, command.synopsis, ...options].filter((part) => part !== '').join(' ');
}

/** What `--help` says of one command. */
export function printCommandHelp(
  print: Print,
  told: { readonly name: string; readonly summary: string; readonly command: Command },
): void {
  const { name, summary, command } = told;
  print.line(`${program} ${name}: ${summary}`);
  print.line();
  print.line(print.paint('heading', 'Usage'));
  print.line(`  ${usageLine(name, command)}`);
  for (const paragraph of command.details) {
    print.line();
    for (const line of wrapped(paragraph, Math.min(print.columns, 90))) print.line(line);
  }
  print.line();
  print.line(print.paint('heading', 'Options'));
  for (const line of optionLines({ ...command.options, ...commonOptions })) print.line(line);
  print.line();
  print.line('Exit codes and variables: context-assembly-memory --help');
}

/** What `--help` says of the program. */
export function printProgramHelp(
  print: Print,
  told: {
    readonly version: string;
    readonly commands: Readonly<Record<string, string>>;
    readonly variables: readonly { readonly name: string; readonly default: string; readonly meaning: string }[];
  },
): void {
  print.line(`${program} ${told.version}: memory for agents, assembled inside a token budget and recorded.`);
  print.line();
  print.line(print.paint('heading', 'Usage'));
  print.line(`  ${program} COMMAND [arguments] [options]`);
  print.line(`  ${program} COMMAND --help`);
  print.line();
  print.line(print.paint('heading', 'Commands'));
  for (const line of indented(Object.entries(told.commands))) print.line(line);
  print.line();
  print.line(print.paint('heading', 'Options'));
  for (const line of optionLines({ version: { help: 'print the version' }, ...commonOptions })) print.line(line);
  print.line();
  print.line(print.paint('heading', 'Variables'));
  for (const { name, default: value, meaning } of told.variables) {
    print.line(`  ${name}${value === '' ? '' : ` (${value})`}`);
    for (const line of wrapped(meaning, 80)) print.line(`      ${line}`);
  }
  print.line();
  print.line(print.paint('heading', 'Exit codes'));
  for (const line of indented(exitCodeMeanings.map(([code, meaning]) => [String(code), meaning]))) print.line(line);
}

function optionLines(options: Options): readonly string[] {
  return indented(
    Object.entries(options).map(([name, { value, short, help }]) => [
      `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`,
      help,
    ]),
  );
}

function indented(rows: readonly (readonly string[])[]): readonly string[] {
  return tableLines([{ heading: '' }, { heading: '' }], rows)
    .slice(1)
    .map((line) => `  ${line}`);
}
