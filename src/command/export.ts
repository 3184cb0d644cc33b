// export: the rows of one tenant in a file of text, for another store of whatever engine.

import type { Writable } from 'node:stream';
import type { TenantExport } from '../manager/manager.ts';
import { jsonOption, UsageError } from './arguments.ts';
import { printRows } from './backup.ts';
import { operatorCall } from './calls.ts';
import type { Command, Context } from './command.ts';
import { exitCodes } from './exit_codes.ts';
import { named } from './named_file.ts';
import { plain } from './print.ts';
import { figure } from './table.ts';

/** The command. */
export const exportCommand: Command = {
  synopsis: 'FILE',
  details: [
    'Writes the rows of CONTEXT_TENANT_ID, of all its users, as lines of JSON (`-` writes to stdout); acts as its ' +
      'operator. All rows are of one moment. FILE appears whole or not at all and can be read by this user alone: keep ' +
      'it as safe as the memory. `import` reads it, on the embedded engine and on a server.',
    'Vectors, search terms and token counts are made anew by `import`. Runs in progress stay behind.',
  ],
  options: { force: { help: 'replace FILE if it exists' }, ...jsonOption },
  positionals: { least: 1, most: 1 },
  through: 'owner',
  // An interruption must not leave a part of a file.
  endsItself: true,
  async run(context) {
    const path = context.arguments.positionals[0] ?? '';
    if (path === '-') {
      if (context.json) throw new UsageError('With - the rows go to stdout, so --json has no place there.');
      const written = await exportTo(context, async (bytes) => writeTo(context.stdout, bytes));
      context.print.note(`${plain(context.config.tenantId)}: ${toldOf(written)}`);
      return exitCodes.done;
    }
    // What is in the way of the file is found before the rows are read.
    const file = await named(path, context.createFile(path, { replace: context.arguments.flag('force') }));
    try {
      const written = await exportTo(context, async (bytes) => named(path, file.write(bytes)));
      context.signal.throwIfAborted();
      await named(path, file.finish());
      printExport(context, path, written);
    } catch (error) {
      await file.discard().catch(() => {});
      throw error;
    }
    return exitCodes.done;
  },
};

async function exportTo(context: Context, write: (bytes: Uint8Array) => Promise<void>): Promise<TenantExport> {
  const call = operatorCall(context);
  const operator = await context.open().operator();
  return operator.exportTenant(call, { program: context.version, write });
}

async function writeTo(stream: Writable, bytes: Uint8Array): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    stream.write(bytes, (error) => {
      if (error === null || error === undefined) resolve();
      else reject(error);
    });
  });
}

function toldOf({ bytes, sha256, counts }: TenantExport): string {
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return `${figure(rows)} rows, ${figure(bytes)} bytes, SHA-256 ${sha256}`;
}

function printExport(context: Context, path: string, written: TenantExport): void {
  const { print, config } = context;
  const { bytes, sha256, counts, leftOut, createdAt } = written;
  if (context.json) {
    const told = { file: path, tenant_id: config.tenantId, created_at: createdAt, bytes, sha256, rows: counts };
    return print.json({ ...told, left_out: leftOut });
  }
  print.line(`${plain(path)}: ${toldOf(written)}`);
  if (leftOut > 0) print.line(`Left out: ${figure(leftOut)} links, sources and compressions that lead nowhere.`);
  printRows(context, counts);
}
