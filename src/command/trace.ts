// trace: from an id that an answer cites back to where it came from.

import type { Trace, TraceStep } from '../model/consequences.ts';
import { rowId } from '../model/ids.ts';
import type { JsonObject } from '../model/json.ts';
import { jsonOption } from './arguments.ts';
import type { Command, Context } from './command.ts';
import { exitCodes } from './exit_codes.ts';
import { plain } from './print.ts';
import { recordsOf, tenantOption } from './record_calls.ts';
import { cut } from './table.ts';
import { printTable, refText } from './window_view.ts';

const widestTitle = 48;

/** The command. */
export const trace: Command = {
  synopsis: 'CITATION',
  details: [
    'CITATION is an id as answers cite it, e.g. B331ec01f36, without the brackets. Prints the memory with its title, its ' +
      'version and where it stands now, then what it was derived from, to the event or document behind it. What the ' +
      'reader may not see any more is named by its row alone.',
    'With --json it prints { citation_id, steps }.',
  ],
  options: {
    manifest: { value: 'ID', help: 'the id as it stands in this manifest; else in whatever run issued it' },
    ...tenantOption,
    ...jsonOption,
  },
  positionals: { least: 1, most: 1 },
  through: 'owner',
  async run(context) {
    const manifest = context.arguments.text('manifest');
    const records = await recordsOf(context);
    const found = await records.trace({
      citation: context.arguments.positionals[0] ?? '',
      manifestId: manifest === null ? null : rowId(manifest),
    });
    if (context.json) context.print.json({ citation_id: found.citationId, steps: found.steps.map(shape) });
    else printTrace(context, found);
    return exitCodes.done;
  },
};

function shape({ eventType, createdAt, ...step }: TraceStep): JsonObject {
  return { ...step, event_type: eventType, created_at: createdAt };
}

function printTrace({ print }: Context, { citationId, steps }: Trace): void {
  print.line(print.paint('id', citationId));
  printTable(
    print,
    [['row'], ['now'], ['how'], ['title'], ['where from']],
    steps.map((step) => [
      `${'  '.repeat(step.depth)}${refText(step.ref)}`,
      step.standing,
      step.relation ?? '',
      plain(cut(step.title ?? '', widestTitle)),
      plain(step.uri ?? (step.eventType === null ? '' : `${step.eventType} of ${step.createdAt}`)),
    ]),
  );
}
