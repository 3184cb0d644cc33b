// retention: erases what is older than the tenant's policy says, and prunes old versions.

import { rowsIn } from '../store/erasure.ts';
import type { RetentionReport } from '../store/erasure.ts';
import { jsonOption } from './arguments.ts';
import { operatorCall } from './calls.ts';
import type { Command, Context } from './command.ts';
import { printTables, tablesWithRows } from './erased_tables.ts';
import { exitCodes } from './exit_codes.ts';

/** The command. */
export const retention: Command = {
  synopsis: '',
  details: [
    'Counts what guideline `context_retention` lets go, by table; with --yes it goes, with all that came of it, as `erase` ' +
      'does it. Acts as operator of CONTEXT_TENANT_ID. A tenant without such a guideline keeps everything.',
    'Old versions are counted from marks that each run leaves, so the first ones go that many days after the first run.',
  ],
  options: { yes: { help: 'erase; without it nothing is changed' }, ...jsonOption },
  positionals: { least: 0, most: 0 },
  through: 'owner',
  async run(context) {
    const dryRun = !context.arguments.flag('yes');
    const operator = await context.open().operator();
    const report = await operator.retain(operatorCall(context), { dryRun });
    if (context.json) {
      context.print.json({
        tenant_id: context.config.tenantId,
        dry_run: dryRun,
        policy: report !== null,
        expired: tablesWithRows(report?.expired.tables ?? {}),
        tombstones: report?.expired.tombstones ?? 0,
        pruned: tablesWithRows(report?.pruned ?? {}),
      });
    } else printReport(context, dryRun, report);
    return exitCodes.done;
  },
};

function printReport(context: Context, dryRun: boolean, report: RetentionReport | null): void {
  const { print, config } = context;
  if (report === null) {
    print.line(`Tenant ${config.tenantId} has no guideline context_retention: everything is kept.`);
    return;
  }
  const [expired, pruned] = [rowsIn(report.expired.tables), rowsIn(report.pruned)];
  if (expired + pruned === 0) {
    print.line('Nothing is old enough.');
    return;
  }
  if (expired > 0) {
    print.line('Expired, with all that came of it:');
    printTables(context, report.expired.tables);
  }
  if (pruned > 0) {
    print.line('Old versions:');
    printTables(context, report.pruned);
  }
  print.line();
  print.line(dryRun ? 'Nothing was changed. With --yes it is erased.' : print.paint('good', 'Erased.'));
}
