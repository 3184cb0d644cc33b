// assemble: an assembled window with its manifest, for a person to read or for a host to send.

import { instant } from '../model/time.ts';
import { intents } from '../model/plan.ts';
import type { Intent } from '../model/plan.ts';
import type { WindowResult } from '../manager/manager.ts';
import { jsonOption, UsageError } from './arguments.ts';
import { launchCall } from './calls.ts';
import type { Command, Context } from './command.ts';
import { exitCodes } from './exit_codes.ts';
import { printMemoryBlock } from './memory_block.ts';
import { printAllocation, printExclusions, printMemories, printRecord } from './window_view.ts';

const listedExclusions = 20;

/** The command. */
export const assemble: Command = {
  synopsis: 'QUESTION',
  details: [
    'Acts as the tenant, user, agent and thread of the configuration, opens a run and stores the manifest. ' +
      'With --json it prints { messages, tools, manifest } in Chat Completions shape.',
  ],
  options: {
    intent: { value: 'INTENT', help: `in place of the intent that the rules find: ${intents.join(', ')}` },
    at: { value: 'TIME', help: 'judge memory at this time, e.g. 2026-09-28T12:00:00Z; else now' },
    ...jsonOption,
  },
  positionals: { least: 1, most: 1 },
  through: 'owner',
  async run(context) {
    const question = context.arguments.positionals[0] ?? '';
    if (question.trim() === '') throw new UsageError('The question is empty.');
    const at = context.arguments.text('at');
    const asked = {
      question,
      intent: intentOf(context.arguments.text('intent')),
      at: at === null ? null : instant(at, '--at'),
      model: context.config.model,
    };
    const manager = await context.open().manager();
    const window = await manager.assembleWindow(launchCall(context), asked);
    if (context.json) context.print.json({ ...window.request, manifest: window.manifest });
    else printWindow(context, window);
    return exitCodes.done;
  },
};

function intentOf(text: string | null): Intent | null {
  if (text === null) return null;
  const found = intents.find((intent) => intent === text);
  if (found === undefined) throw new UsageError(`The intent must be one of ${intents.join(', ')}.`);
  return found;
}

function printWindow({ print }: Context, { request, manifest }: WindowResult): void {
  printAllocation(print, manifest);
  printMemories(print, manifest);
  printMemoryBlock(print, request);
  printExclusions(print, manifest, listedExclusions);
  printRecord(print, manifest);
}
