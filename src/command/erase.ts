// erase: what a person, a thread, an event, a document or a whole tenant left behind, and all that came of it.

import { agentId, rowId, threadId, userId } from '../model/ids.ts';
import type { ErasureReport, ErasureTarget } from '../store/erasure.ts';
import { rowsIn } from '../store/erasure.ts';
import { jsonOption, UsageError } from './arguments.ts';
import type { Arguments } from './arguments.ts';
import { operatorCall } from './calls.ts';
import type { Command, Context } from './command.ts';
import { printTables, tablesWithRows } from './erased_tables.ts';
import { exitCodes } from './exit_codes.ts';

/** The command. */
export const erase: Command = {
  synopsis: '',
  details: [
    'Counts what would go, by table; with --yes it goes, for good. Acts as operator of CONTEXT_TENANT_ID. Name one of: ' +
      '--user; --thread with its --user, and --agent where only the thread with that agent is meant; --event; ' +
      '--document, in all its versions; or --whole-tenant with the id of the tenant once more.',
    'With what is named goes all that came of it, however far and whose ever: facts, summaries, compressions, the windows ' +
      'that showed it with their requests, and every old version. An erased window leaves its id and the word that it ' +
      'was erased. Ids that nothing has are no failure: nothing was found, so nothing is left to erase.',
    'Copies outside the database are yours: backups, exports, replicas. docs/erasure.md says what is where.',
  ],
  options: {
    user: { value: 'ID', help: 'all that belongs to this user; with --thread, whose thread it is' },
    thread: { value: 'ID', help: 'this thread of the user' },
    agent: { value: 'ID', help: 'only the thread with this agent' },
    event: { value: 'ID', help: 'this event: a turn, a call, a manifest' },
    document: { value: 'ID', help: 'this document with its passages' },
    'whole-tenant': { value: 'TENANT', help: 'everything of the tenant, whose id is CONTEXT_TENANT_ID' },
    yes: { help: 'erase; without it nothing is changed' },
    ...jsonOption,
  },
  positionals: { least: 0, most: 0 },
  through: 'owner',
  async run(context) {
    const target = targetOf(context.arguments, context.config.tenantId);
    const dryRun = !context.arguments.flag('yes');
    const operator = await context.open().operator();
    const report = await operator.erase(operatorCall(context), target, { dryRun });
    if (context.json) printJson(context, { target, dryRun, report });
    else printReport(context, dryRun, report);
    return exitCodes.done;
  },
};

/** The one thing that the command line names. Throws UsageError, and `invalid_argument` for an id that cannot be. */
function targetOf(given: Arguments, tenant: string): ErasureTarget {
  const [user, thread, agent] = [given.text('user'), given.text('thread'), given.text('agent')];
  const [event, document, whole] = [given.text('event'), given.text('document'), given.text('whole-tenant')];
  if ([thread ?? user, event, document, whole].filter((name) => name !== null).length !== 1) {
    throw new UsageError(
      'Name one thing to erase: --user, --thread with --user, --event, --document or --whole-tenant.',
    );
  }
  if (agent !== null && thread === null) throw new UsageError('--agent says which --thread is meant; name one.');
  if (thread !== null) {
    if (user === null) throw new UsageError('--thread needs --user: a thread belongs to a user.');
    const narrowed = agent === null ? null : agentId(agent);
    return { kind: 'thread', userId: userId(user), threadId: threadId(thread), agentId: narrowed };
  }
  if (user !== null) return { kind: 'user', userId: userId(user) };
  if (event !== null) return { kind: 'event', id: rowId(event) };
  if (document !== null) return { kind: 'document', id: rowId(document) };
  if (whole !== tenant)
    throw new UsageError('--whole-tenant must repeat CONTEXT_TENANT_ID, the tenant that is erased.');
  return { kind: 'tenant' };
}

function printJson(
  { print, config }: Context,
  {
    target,
    dryRun,
    report,
  }: { readonly target: ErasureTarget; readonly dryRun: boolean; readonly report: ErasureReport },
): void {
  print.json({
    tenant_id: config.tenantId,
    target: target.kind,
    dry_run: dryRun,
    rows: rowsIn(report.tables),
    tables: tablesWithRows(report.tables),
    tombstones: report.tombstones,
    neighbours: report.neighbours,
    owners_forgotten: report.ownersForgotten,
    files_rewritten: report.filesRewritten,
  });
}

function printReport(context: Context, dryRun: boolean, report: ErasureReport): void {
  const { print, config } = context;
  if (rowsIn(report.tables) + report.ownersForgotten === 0) {
    print.line('Nothing was found: there is nothing to erase.');
    return;
  }
  printTables(context, report.tables);
  print.line();
  if (report.tombstones > 0) print.line(`${report.tombstones} of them leave their id, without content.`);
  if (dryRun) {
    print.line('Nothing was changed. With --yes it is erased, and nothing brings it back.');
    return;
  }
  print.line(print.paint('good', 'Erased.'));
  if (report.filesRewritten) print.line("The database's files were written anew and hold nothing of it.");
  else if (config.server !== null)
    print.line('The files of the server keep deleted rows until it cleans up: see docs/erasure.md.');
  else
    print.line('The files of the database could not be written anew: the log says why. The next erasure writes them.');
}
