// backup: a copy of the whole memory in one file, taken while others go on working.

import { MemoryError } from '../model/errors.ts';
import { packBackup } from '../store/backup_file.ts';
import type { BackupHeader } from '../store/backup_file.ts';
import type { StoreCopy } from '../store/store.ts';
import { jsonOption } from './arguments.ts';
import type { Command, Context } from './command.ts';
import { exitCodes } from './exit_codes.ts';
import { refuseServerCopy, serverCopyRefusal } from './folder_only.ts';
import { named } from './named_file.ts';
import { plain } from './print.ts';
import { figure } from './table.ts';
import { printTable } from './window_view.ts';

const inMemory = ':memory:';

/** The command. */
export const backup: Command = {
  synopsis: 'FILE',
  details: [
    'Copies the memory of all tenants between two calls: hosts and commands that use it wait a moment and go on. FILE ' +
      'appears whole or not at all and can be read by this user alone. It holds everything that was remembered, so it is ' +
      'to be kept as safe as the memory. `restore` reads it.',
    'A memory on a database server is copied by what the server brings along, such as pg_dump.',
  ],
  options: { force: { help: 'replace FILE if it exists' }, ...jsonOption },
  positionals: { least: 1, most: 1 },
  through: 'running owner',
  // An interruption must not leave a part of a file.
  endsItself: true,
  async run(context) {
    const path = context.arguments.positionals[0] ?? '';
    const copy = await openCopier(context);
    // What is in the way of the file is found before everybody waits for the copy.
    const file = await named(path, context.createFile(path, { replace: context.arguments.flag('force') }));
    try {
      const { header, parts } = await pack(context, await copy());
      for (const part of parts) {
        context.signal.throwIfAborted();
        await named(path, file.write(part));
      }
      context.signal.throwIfAborted();
      await named(path, file.finish());
      printBackup(context, path, header);
    } catch (error) {
      await file.discard().catch(() => {});
      throw error;
    }
    return exitCodes.done;
  },
};

async function openCopier(context: Context): Promise<() => Promise<StoreCopy>> {
  refuseServerCopy(context.config);
  const { dataDirectory } = context.config;
  if (dataDirectory === inMemory) {
    throw new MemoryError('backup_refused', 'CONTEXT_DATA_DIR is :memory:, which holds nothing to copy.');
  }
  if (!(await context.directoryState()).exists) {
    throw new MemoryError('backup_refused', `${dataDirectory} holds no memory yet: there is nothing to copy.`);
  }
  if (context.ownerPid === null) await context.whenFree();
  const store = await context.open({ migrate: false }).store();
  const { copy } = store;
  if (copy === undefined) throw serverCopyRefusal();
  const { requestId, signal } = context;
  return async () => copy({ requestId, signal });
}

async function pack({ version }: Context, { state, rows, postgresMajor, tar }: StoreCopy) {
  return packBackup(tar, {
    program: version,
    created_at: new Date().toISOString(),
    schema: Math.max(0, ...state.applied),
    postgres_major: postgresMajor,
    embedder: state.embedder,
    incarnation: state.incarnation,
    rows,
  });
}

function printBackup(context: Context, path: string, header: BackupHeader): void {
  const { print } = context;
  if (context.json) return print.json({ file: path, ...header });
  print.line(`${plain(path)}: ${figure(header.bytes)} bytes, schema ${header.schema}, SHA-256 ${header.sha256}`);
  printRows(context, header.rows);
}

/** How many rows of each table a copy holds, the empty ones left out. */
export function printRows({ print }: Context, rows: BackupHeader['rows']): void {
  const counts = Object.entries(rows ?? {}).filter(([, count]) => count > 0);
  if (counts.length === 0) return;
  print.line();
  printTable(
    print,
    [['table'], ['rows', 'right']],
    counts.map(([table, count]) => [table, figure(count)]),
  );
}
