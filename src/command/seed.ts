// seed: files of rows for whole tenants, by default those of the demo; seeding twice changes nothing.

import { jsonOption } from './arguments.ts';
import { progressOf } from './calls.ts';
import type { Command } from './command.ts';
import { exitCodes } from './exit_codes.ts';
import { demoSeeds, readNamedFile, shippedSeed } from './shipped_files.ts';
import { figure } from './table.ts';
import { printTable } from './window_view.ts';

/** The command. */
export const seed: Command = {
  synopsis: '[FILE…]',
  details: [
    'Acts as operator of the tenants that the files name. All files are validated before anything is written; the rows ' +
      'of a tenant go in one transaction, and rows that exist already are left as they are.',
  ],
  options: jsonOption,
  positionals: { least: 0, most: 1000 },
  through: 'owner',
  async run(context) {
    const paths = context.arguments.positionals;
    const files = await Promise.all(
      paths.length === 0
        ? demoSeeds.map(async (name) => shippedSeed(name))
        : paths.map(async (path) => readNamedFile(context, path)),
    );
    const operator = await context.open().operator();
    const { requestId, signal } = context;
    const reports = [...(await operator.seed(files, { requestId, signal, onProgress: progressOf(context) }))];
    if (context.json) {
      context.print.json({ tenants: reports.map(([tenant, report]) => ({ tenant_id: tenant, ...report })) });
      return exitCodes.done;
    }
    printTable(
      context.print,
      [['tenant'], ['inserted', 'right'], ['unchanged', 'right']],
      reports.map(([tenant, { inserted, unchanged }]) => [tenant, figure(inserted), figure(unchanged)]),
    );
    return exitCodes.done;
  },
};
