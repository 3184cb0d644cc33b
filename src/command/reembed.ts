// reembed: the configured embedder takes the place of the one that wrote the store's vectors, while the memory is in use.

import type { Reembedding } from '../manager/manager.ts';
import { jsonOption } from './arguments.ts';
import { operatorCall } from './calls.ts';
import type { Command, Context } from './command.ts';
import { exitCodes } from './exit_codes.ts';
import { plain } from './print.ts';
import { figure } from './table.ts';

/** The command. */
export const reembed: Command = {
  synopsis: '',
  details: [
    'Makes vectors of all memories of CONTEXT_TENANT_ID with the embedder of CONTEXT_EMBEDDER, beside those that are there; ' +
      'acts as its operator. Searches and writes go on with the old ones. When no memory of any tenant lacks a new vector, ' +
      'the store changes over, and the old vectors of the tenant are removed.',
    'It can be interrupted and run again: what is made stays. With more than one tenant, run it for each; whichever is ready ' +
      'last changes over, and a second run removes the old vectors of the others.',
    'Programs that were started before the change must then be started again with the new setting; until then their searches ' +
      'are refused.',
  ],
  options: { 'dry-run': { help: 'only count what is done and what is missing' }, ...jsonOption },
  positionals: { least: 0, most: 0 },
  through: 'owner',
  // A transaction is ended in order, whatever interrupts.
  endsItself: true,
  async run(context) {
    const operator = await context.open({ anyEmbedder: true }).operator();
    const report = await operator.reembed(operatorCall(context), { dryRun: context.arguments.flag('dry-run') });
    if (context.json) context.print.json(jsonOf(context, report));
    else printReport(context, report);
    return exitCodes.done;
  },
};

function jsonOf({ config }: Context, report: Reembedding): object {
  const { outcome, from, to, memories, embedded, leftOver, written, removed } = report;
  return { tenant_id: config.tenantId, outcome, from, to, memories, embedded, left_over: leftOver, written, removed };
}

function printReport({ print, config }: Context, report: Reembedding): void {
  const { outcome, from, to, memories, embedded, leftOver, written, removed } = report;
  const [tenant, former, now] = [config.tenantId, from.id, to.id].map(plain);
  switch (outcome) {
    case 'counted':
      print.line(`Tenant ${tenant}: ${figure(embedded)} of ${figure(memories)} memories have a vector by ${now}.`);
      print.line(`Searches use the vectors by ${former}. Without --dry-run the rest is made.`);
      return;
    case 'current':
      print.line(`The vectors of this store are by ${now} already.`);
      if (removed > 0) print.line(`${figure(removed)} rows of old vectors of tenant ${tenant} were removed.`);
      else if (leftOver > 0)
        print.line(`${figure(leftOver)} old vectors of tenant ${tenant} are left; without --dry-run they are removed.`);
      return;
    case 'waiting':
      print.line(
        `Tenant ${tenant}: ${figure(written)} memories embedded, and none of its own lacks a vector by ${now}.`,
      );
      print.line(
        'Another tenant has memories that lack one: run `reembed` for each tenant. Until then searches use the old ones.',
      );
      return;
    case 'switched':
      print.line(
        `Tenant ${tenant}: ${figure(written)} memories embedded, ${figure(removed)} rows of old vectors removed.`,
      );
      print.line(print.paint('good', `The vectors of this store are by ${now} now.`));
      print.line('Start every other program on this memory again with the same CONTEXT_EMBEDDER.');
      return;
    default:
      throw outcome satisfies never;
  }
}
