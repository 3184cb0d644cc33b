// restore: fills a data directory from a backup, after every byte of it was looked at.

import { readFile } from 'node:fs/promises';
import { MemoryError } from '../model/errors.ts';
import { readBackup } from '../store/backup_file.ts';
import type { BackupHeader } from '../store/backup_file.ts';
import { jsonOption } from './arguments.ts';
import { printRows } from './backup.ts';
import type { Command, Context, RestoredDirectory } from './command.ts';
import { confirm } from './confirm.ts';
import { exitCodes } from './exit_codes.ts';
import { refuseServerCopy } from './folder_only.ts';
import { reasonOf } from './shipped_files.ts';
import { plain } from './print.ts';

/** The command. */
export const restore: Command = {
  synopsis: 'FILE',
  details: [
    'Fills CONTEXT_DATA_DIR, which must be empty or not exist, from a FILE of `backup`. The file is examined as a whole ' +
      'before anything is written, and the directory changes in one step at the end. An older schema is brought to this ' +
      "program's; a newer one, and files of another PostgreSQL, are refused.",
    'With --replace, a memory that is there becomes a data directory of its own beside it, named ' +
      '`.before-restore-` and the time; you are asked before. The restored memory is a database of its own: manifests of ' +
      'before keep their content, but their place in the history of the first database cannot be read here.',
  ],
  options: {
    replace: { help: 'move a memory that is there aside' },
    yes: { help: 'do not ask' },
    ...jsonOption,
  },
  positionals: { least: 1, most: 1 },
  // Once it is written, it is written to its end, and either stands or leaves nothing.
  endsItself: true,
  async run(context) {
    refuseServerCopy(context.config);
    const path = context.arguments.positionals[0] ?? '';
    const replace = context.arguments.flag('replace');
    const read = await readBackup(path, await readBytes(path));
    if (replace && !(await mayReplace(context))) {
      tellUnchanged(context);
      return exitCodes.done;
    }
    await context.whenFree();
    context.signal.throwIfAborted();
    printRestored(context, read.header, await context.restore(read, { replace }));
    return exitCodes.done;
  },
};

async function readBytes(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    const message = `The file ${path} cannot be read: ${reasonOf(error)}.`;
    throw new MemoryError('backup_refused', message, { file: path }, error);
  }
}

async function mayReplace(context: Context): Promise<boolean> {
  const { exists } = await context.directoryState();
  if (!exists || context.arguments.flag('yes')) return true;
  return confirm(context, {
    question: `${plain(context.config.dataDirectory)} holds a memory. Type yes to move it aside: `,
    nobody: 'There is nobody to ask: to move the memory that is there aside, add --yes.',
  });
}

function tellUnchanged({ print, config }: Context): void {
  print.line(`${plain(config.dataDirectory)} was left as it is.`);
}

function printRestored(context: Context, header: BackupHeader, restored: RestoredDirectory): void {
  const { print, json, config } = context;
  const { state, rows, movedTo, programEmbedder } = restored;
  const schema = Math.max(0, ...state.applied);
  if (json) {
    print.json({
      data_directory: config.dataDirectory,
      moved_to: movedTo,
      schema,
      embedder: state.embedder,
      incarnation: state.incarnation,
      backup: header,
      rows,
    });
    return;
  }
  print.line(`${plain(config.dataDirectory)} holds the memory of ${header.created_at}.`);
  if (movedTo !== null) print.line(`What was there before is now in ${plain(movedTo)}.`);
  if (schema !== header.schema) print.line(`Its schema went from ${header.schema} to ${schema}.`);
  const { embedder } = state;
  if (embedder !== null && (embedder.id !== programEmbedder.id || embedder.dimensions !== programEmbedder.dimensions)) {
    print.line(
      `Its vectors are those of ${plain(embedder.id)}, and this program is set to ${programEmbedder.id}: set the first ` +
        'one, or run `context-assembly-memory reembed`.',
    );
  }
  printRows(context, rows);
}
