// owner: holds the data directory in the background and lets all other processes work on it (design N7).

import type { Command } from './command.ts';
import { exitCodes } from './exit_codes.ts';

/** The command. */
export const owner: Command = {
  synopsis: '',
  details: [
    'Nobody needs to start it: whatever works on a data directory starts one when none is there. It serves processes of ' +
      'the same user over a local socket and ends CONTEXT_OWNER_IDLE_SECONDS after the last of them, or with `stop`. In ' +
      'the background it writes to owner.log in the directory.',
  ],
  options: { background: { help: 'log to a file, and report the start on descriptor 3: how others start it' } },
  positionals: { least: 0, most: 0 },
  endsItself: true,
  async run(context) {
    await context.own({ background: context.arguments.flag('background') });
    return exitCodes.done;
  },
};
