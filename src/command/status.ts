// status: which process holds the data directory, whom it serves, and what it costs.

import { jsonOption } from './arguments.ts';
import type { Command, Context } from './command.ts';
import { exitCodes } from './exit_codes.ts';
import { plain } from './print.ts';
import { printTable } from './window_view.ts';

/** The command. */
export const status: Command = {
  synopsis: '',
  details: ['Says who holds the data directory and who works on it; starts nothing.'],
  options: jsonOption,
  positionals: { least: 0, most: 0 },
  async run(context) {
    const { print, config, json } = context;
    const owner = await context.ownerStatus();
    const { holder } = owner === null ? await context.directoryState() : { holder: null };
    if (json) print.json({ data_directory: config.dataDirectory, owner, holder });
    else if (owner === null) {
      const held = holder === null ? 'Nobody holds' : `${plain(holder)}, which serves no others, holds`;
      print.line(`${held} ${plain(config.dataDirectory)}.`);
    } else printOwner(context, owner);
    return exitCodes.done;
  },
};

function printOwner({ print }: Context, owner: NonNullable<Awaited<ReturnType<Context['ownerStatus']>>>): void {
  const rows = [
    ['data directory', owner.directory],
    ['process', `${owner.pid}, version ${owner.version}`],
    ['since', `${owner.since} (${owner.uptime_seconds} s)`],
    ['memory', `${owner.memory_megabytes} MB`],
    ['socket', owner.socket],
    ['log', owner.log_file ?? 'stderr'],
    ['ends', `${owner.idle_seconds} s after its last client`],
  ] as const;
  for (const [name, value] of rows) print.line(`${name.padEnd(16)}${plain(value)}`);
  print.line();
  if (owner.clients.length === 0) {
    print.line('It has no client now.');
    return;
  }
  printTable(
    print,
    [['client'], ['process', 'right'], ['since']],
    owner.clients.map(({ command, pid, since }) => [plain(command), String(pid), since]),
  );
}
