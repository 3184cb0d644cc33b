// reindex: makes the index of a tenant anew where it is missing or an earlier version of the program made it.

import type { Reindexing } from '../manager/manager.ts';
import { jsonOption } from './arguments.ts';
import { operatorCall } from './calls.ts';
import type { Command, Context } from './command.ts';
import { exitCodes } from './exit_codes.ts';
import { plain } from './print.ts';
import { figure } from './table.ts';

/** The command. */
export const reindex: Command = {
  synopsis: '',
  details: [
    'Makes terms and names of the memories of CONTEXT_TENANT_ID anew where they are missing or come of an earlier version of ' +
      'the analysis; acts as its operator. Vectors are made where they are missing. Searches go on meanwhile.',
    'With --drop everything that is derived is deleted first, except compressions, and made again from the memories; searches ' +
      'find less until it is done. An interrupted run is gone on with by running it again without --drop.',
  ],
  options: {
    drop: { help: 'delete terms, names, vectors and token counts first, then make all of them' },
    vectors: { help: 'make all vectors and terms anew, in place' },
    'dry-run': { help: 'only count what is missing or old' },
    ...jsonOption,
  },
  positionals: { least: 0, most: 0 },
  through: 'owner',
  // A transaction is ended in order, whatever interrupts.
  endsItself: true,
  async run(context) {
    const flag = (name: string): boolean => context.arguments.flag(name);
    const dryRun = flag('dry-run');
    const operator = await context.open().operator();
    const options = { drop: flag('drop'), vectors: flag('vectors'), dryRun };
    const report = await operator.reindex(operatorCall(context), options);
    if (context.json) context.print.json(jsonOf(context, report, dryRun));
    else printReport(context, report, dryRun);
    return exitCodes.done;
  },
};

function jsonOf({ config }: Context, { leftOver, ...report }: Reindexing, dryRun: boolean): object {
  return { tenant_id: config.tenantId, dry_run: dryRun, ...report, left_over: leftOver };
}

function printReport({ print, config }: Context, report: Reindexing, dryRun: boolean): void {
  const { memories, missing, older, written, dropped, unreadable } = report;
  const tenant = plain(config.tenantId);
  if (dropped > 0) print.line(`Tenant ${tenant}: what was derived of ${figure(dropped)} memories was deleted.`);
  if (!dryRun) print.line(`Tenant ${tenant}: ${figure(written)} of ${figure(memories)} memories indexed anew.`);
  if (unreadable > 0) print.line(`${figure(unreadable)} rows cannot be read and are not indexed; the log names them.`);
  if (missing + older === 0) {
    print.line(print.paint('good', 'Every memory is in the index, by the analysis of this version.'));
    return;
  }
  print.line(`Not in the index: ${figure(missing)}. By an earlier analysis: ${figure(older)}.`);
  print.line(dryRun ? 'Without --dry-run they are indexed anew.' : 'They changed meanwhile: run it again.');
}
