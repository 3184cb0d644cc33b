// Reads a command's arguments: strict, in the command's own words when something is wrong.

import { parseArgs } from 'node:util';
import type { ParseArgsConfig } from 'node:util';

/** An option: a flag, or one that takes a value (`value` is its name in the usage). */
export interface Option {
  readonly help: string;
  readonly value?: string;
  readonly short?: string;
}

/** Options by name without dashes. */
export type Options = Readonly<Record<string, Option>>;

/** What was written on the command line. */
export interface Arguments {
  readonly positionals: readonly string[];
  flag(name: string): boolean;
  /** Null when the option was not given. */
  text(name: string): string | null;
}

/** A command line that cannot be followed. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** Options that every command has; `--json` is each command's own, because stdio has no use for it. */
export const commonOptions = {
  'env-file': { value: 'FILE', help: 'read variables from FILE too; the environment goes first' },
  help: { short: 'h', help: 'show this' },
} as const satisfies Options;

/** The option of commands that can speak to machines. */
export const jsonOption = { json: { help: 'print one JSON value and nothing else' } } as const satisfies Options;

/** Parses what follows the command's name. Throws UsageError. */
export function parseArguments(
  argv: readonly string[],
  takes: { readonly options: Options; readonly positionals: { readonly least: number; readonly most: number } },
): Arguments {
  const { values, positionals } = parse(argv, { ...takes.options, ...commonOptions });
  const given: Readonly<Record<string, unknown>> = values;
  const parsed: Arguments = {
    positionals,
    flag: (name) => given[name] === true,
    text: (name) => {
      const value = given[name];
      return typeof value === 'string' ? value : null;
    },
  };
  if (!parsed.flag('help')) checkCount(positionals, takes.positionals);
  return parsed;
}

function parse(argv: readonly string[], options: Options) {
  try {
    return parseArgs({ args: [...argv], options: parseOptions(options), strict: true, allowPositionals: true });
  } catch (error) {
    throw new UsageError(firstSentence(error instanceof Error ? error.message : String(error)));
  }
}

function parseOptions(options: Options): NonNullable<ParseArgsConfig['options']> {
  return Object.fromEntries(
    Object.entries(options).map(([name, option]) => [
      name,
      {
        type: option.value === undefined ? ('boolean' as const) : ('string' as const),
        ...(option.short === undefined ? {} : { short: option.short }),
      },
    ]),
  );
}

// Node's own advice after the first sentence speaks of its own function, which helps nobody here.
function firstSentence(message: string): string {
  return `${message.split(/\.\s|\n/)[0]?.replace(/\.$/, '') ?? message}.`;
}

function checkCount(positionals: readonly string[], { least, most }: { least: number; most: number }): void {
  if (positionals.length < least) throw new UsageError('An argument is missing.');
  const extra = positionals[most];
  if (extra === undefined) return;
  throw new UsageError(
    most === 0
      ? `The argument ${JSON.stringify(extra)} is one too many.`
      : `The argument ${JSON.stringify(extra)} is one too many; text with spaces belongs in quotes.`,
  );
}
