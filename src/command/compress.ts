// compress: which derived texts of the user's memory are missing or stale, and making them anew.

import type { RebuiltText } from '../manager/manager.ts';
import { threadId } from '../model/ids.ts';
import { jsonOption, UsageError } from './arguments.ts';
import { launchCall, progressOf } from './calls.ts';
import type { Command, Context } from './command.ts';
import { exitCodes } from './exit_codes.ts';
import { plain } from './print.ts';
import { printTable } from './window_view.ts';

/** The command. */
export const compress: Command = {
  synopsis: '',
  details: [
    'Lists the compressions of long memories and the digests of long threads that are missing, were made of other text, ' +
      'or by another summariser. With --rebuild it makes them. Acts as the tenant, user and agent of the configuration.',
    'It can be interrupted and run again: what is made stays. Two runs at once do not harm each other.',
  ],
  options: {
    rebuild: { help: 'make what is missing or stale; without it, only list it' },
    thread: { value: 'ID', help: 'only the digest of this thread' },
    ...jsonOption,
  },
  positionals: { least: 0, most: 0 },
  through: 'owner',
  async run(context) {
    const thread = context.arguments.text('thread');
    const rebuild = context.arguments.flag('rebuild');
    if (thread === '') throw new UsageError('The name of the thread is empty.');
    const call = { ...launchCall(context), onProgress: progressOf(context) };
    const scope = thread === null ? call.scope : { ...call.scope, threadId: threadId(thread) };
    const manager = await context.open().manager();
    const texts = await manager.compress({ ...call, scope }, { thread: thread !== null, rebuild });
    if (context.json) context.print.json({ texts: texts.map(textJson) });
    else printTexts(context, texts, rebuild);
    return exitCodes.done;
  },
};

function textJson(text: RebuiltText): object {
  const { kind, ref, thread, state, outcome, tokens, model, failure } = text;
  return { kind, ref, thread, state, outcome, tokens, model, failure };
}

function printTexts({ print }: Context, texts: readonly RebuiltText[], rebuild: boolean): void {
  if (texts.length === 0) {
    print.line('Every long memory and thread has a text that is as it should be.');
    return;
  }
  printTable(
    print,
    [['what'], ['of'], ['state'], ['outcome'], ['tokens', 'right'], ['made by']],
    texts.map(({ kind, ref, thread, state, outcome, tokens, model }) => [
      kind,
      plain(ref === null ? `thread ${thread ?? ''}` : `${ref[0]} ${ref[1]}`),
      state,
      print.paint(outcome === 'made' ? 'good' : 'faint', outcome),
      tokens === 0 ? '' : String(tokens),
      plain(model ?? ''),
    ]),
  );
  const failures = new Set(texts.flatMap(({ failure }) => (failure === null ? [] : [failure])));
  for (const failure of failures) {
    print.note(`${print.paintNote('warning', 'the configured summariser failed:')} ${plain(failure)}`);
  }
  if (failures.size > 0)
    print.note('The built-in summariser stood in; run the command again when the service answers.');
  if (!rebuild) print.line('Run it with --rebuild to make them.');
}
