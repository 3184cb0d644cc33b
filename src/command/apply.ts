// apply: a file of rows for one tenant, validated as a whole and written by versioned updates.

import { text } from 'node:stream/consumers';
import type { AppliedRow } from '../manager/manager.ts';
import { jsonOption } from './arguments.ts';
import { operatorCall } from './calls.ts';
import type { Command, Context } from './command.ts';
import { exitCodes } from './exit_codes.ts';
import { initialiseIfEmpty } from './init.ts';
import { plain } from './print.ts';
import { parseJsonFile, readNamedFile } from './shipped_files.ts';
import type { JsonFile } from './shipped_files.ts';
import { printTable } from './window_view.ts';

/** The command. */
export const apply: Command = {
  synopsis: 'FILE',
  details: [
    'FILE is JSON (`-` reads stdin); examples/apply_example.json shows each kind of row. Acts as operator of ' +
      'CONTEXT_TENANT_ID. The whole file is validated first; a changed row becomes the next version of its key and the ' +
      'old one stays as history. A tenant that never had a tool gets the default profile of `init` before.',
  ],
  options: jsonOption,
  positionals: { least: 1, most: 1 },
  through: 'owner',
  async run(context) {
    const file = await readInput(context, context.arguments.positionals[0] ?? '');
    const parts = context.open();
    const call = operatorCall(context);
    // A bad file changes nothing, not even a tenant that has no profile yet.
    const operator = await parts.operator();
    await operator.checkFile(call, file.name, file.json);
    await initialiseIfEmpty(context, operator);
    const rows = await operator.apply(call, file.name, file.json);
    if (context.json) context.print.json({ tenant_id: context.config.tenantId, rows });
    else printRows(context, rows);
    return exitCodes.done;
  },
};

async function readInput(context: Context, path: string): Promise<JsonFile> {
  return path === '-' ? parseJsonFile('stdin', await text(context.stdin)) : readNamedFile(context, path);
}

function printRows({ print }: Context, rows: readonly AppliedRow[]): void {
  if (rows.length === 0) {
    print.line('The file holds no rows.');
    return;
  }
  printTable(
    print,
    [['type'], ['key'], ['outcome'], ['version', 'right']],
    rows.map(({ type, key, outcome, version }) => [
      type,
      plain(key),
      print.paint(outcome === 'unchanged' ? 'faint' : 'good', outcome),
      String(version),
    ]),
  );
}
