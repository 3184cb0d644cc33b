// stop: ends the process that holds the data directory, once what runs in it has come to its end.

import { jsonOption } from './arguments.ts';
import type { Command } from './command.ts';
import { exitCodes } from './exit_codes.ts';
import { plain } from './print.ts';

/** The command. */
export const stop: Command = {
  synopsis: '',
  details: [
    'What is being answered is answered first. A host that stays open starts a new process with its next request. ' +
      'Afterwards the directory is held by nobody, so it can be copied.',
  ],
  options: jsonOption,
  positionals: { least: 0, most: 0 },
  async run(context) {
    const { print, config, json } = context;
    const stopped = await context.stopOwner();
    const directory = config.dataDirectory;
    if (json) print.json({ data_directory: directory, stopped });
    else if (stopped === null) print.line(`No process serves ${plain(directory)}.`);
    else print.line(`Process ${stopped} has ended; ${plain(directory)} is held by nobody.`);
    return exitCodes.done;
  },
};
