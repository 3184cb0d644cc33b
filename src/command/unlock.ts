// unlock: takes the lock of a data directory away, after a person said that its holder is gone.

import { jsonOption } from './arguments.ts';
import type { Command, Context } from './command.ts';
import { confirm } from './confirm.ts';
import { exitCodes } from './exit_codes.ts';
import { plain } from './print.ts';

const question = {
  question: 'Is that process gone for certain? Type yes to remove its lock: ',
  nobody: 'There is nobody to ask: if the holder is gone for certain, add --yes.',
};

/** The command. */
export const unlock: Command = {
  synopsis: '',
  details: [
    'A holder that died on this machine is recognised by the next start, which takes over by itself. This command is for ' +
      'what a machine cannot tell: a folder that was copied or is mounted from another host or container. Two processes ' +
      'that write one folder at once destroy it, so it asks first; without a terminal it needs --yes.',
  ],
  options: { yes: { help: 'do not ask' }, ...jsonOption },
  positionals: { least: 0, most: 0 },
  async run(context) {
    const { print, config } = context;
    const { holder, alive } = await context.directoryState();
    if (holder === null) return tell(context, false, `Nobody holds ${config.dataDirectory}.`);
    if (!context.json) {
      print.note(`${plain(config.dataDirectory)} is held by ${plain(holder)}.`);
      if (alive) print.note(print.paintNote('bad', 'That process seems to be alive: close it instead.'));
    }
    if (!context.arguments.flag('yes') && !(await confirm(context, question))) {
      return tell(context, false, 'The lock was left as it is.');
    }
    await context.unlock();
    return tell(context, true, `The lock of ${config.dataDirectory} is removed.`);
  },
};

function tell({ print, json, config }: Context, unlocked: boolean, sentence: string) {
  if (json) print.json({ data_directory: config.dataDirectory, unlocked });
  else print.line(plain(sentence));
  return exitCodes.done;
}
