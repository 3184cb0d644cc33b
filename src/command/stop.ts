// stop: ends the process that holds the data directory, once what runs in it has come to its end.

import { setTimeout as pause } from 'node:timers/promises';
import { MemoryError } from '../model/errors.ts';
import { jsonOption } from './arguments.ts';
import type { Command } from './command.ts';
import { exitCodes } from './exit_codes.ts';
import { plain } from './print.ts';

const deadlineMs = 20_000;
const lookAgainMs = 20;

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
    const { print, config, json, signal } = context;
    const owner = await context.askOwner('stop');
    const directory = config.dataDirectory;
    if (owner === null) {
      if (json) print.json({ data_directory: directory, stopped: null });
      else print.line(`No process serves ${plain(directory)}.`);
      return exitCodes.done;
    }
    const own = `process ${owner.pid} `;
    const end = performance.now() + deadlineMs;
    while ((await context.directoryState()).holder?.startsWith(own) === true) {
      if (performance.now() > end) {
        throw new MemoryError('deadline_exceeded', `Process ${owner.pid} has not ended in ${deadlineMs / 1000} s.`);
      }
      await pause(lookAgainMs, undefined, { signal });
    }
    if (json) print.json({ data_directory: directory, stopped: owner.pid });
    else print.line(`Process ${owner.pid} has ended; ${plain(directory)} is held by nobody.`);
    return exitCodes.done;
  },
};
