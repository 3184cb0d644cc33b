// import: a file of `export` becomes the rows of an empty tenant, after all of it was looked at.

import type { Readable } from 'node:stream';
import type { TenantImport } from '../manager/manager.ts';
import { MemoryError } from '../model/errors.ts';
import { jsonOption } from './arguments.ts';
import { printRows } from './backup.ts';
import { operatorCall } from './calls.ts';
import type { Command, Context } from './command.ts';
import { exitCodes } from './exit_codes.ts';
import { plain } from './print.ts';
import { reasonOf } from './shipped_files.ts';
import { figure } from './table.ts';

/** The command. */
export const importCommand: Command = {
  synopsis: 'FILE',
  details: [
    'Writes the rows of a FILE of `export` (`-` reads stdin) into CONTEXT_TENANT_ID; acts as its operator. The whole ' +
      'file is examined before anything is written, and the rows are written in one transaction: all of them or none. ' +
      'The tenant must be empty, or hold these rows already, which changes nothing.',
    'Manifests keep their ids and content; their place in the history of the first database cannot be read here.',
  ],
  options: {
    'as-tenant': { help: 'take the rows of another tenant as rows of CONTEXT_TENANT_ID' },
    'allow-secrets': { help: 'take texts that look like credentials too' },
    ...jsonOption,
  },
  positionals: { least: 1, most: 1 },
  through: 'owner',
  // The transaction is ended in order, whatever interrupts.
  endsItself: true,
  async run(context) {
    const path = context.arguments.positionals[0] ?? '';
    const call = operatorCall(context);
    const operator = await context.open().operator();
    const imported = await operator.importTenant(call, {
      name: path === '-' ? 'stdin' : path,
      source: path === '-' ? interruptible(context, context.stdin) : readNamed(context, path),
      asTenant: context.arguments.flag('as-tenant'),
      allowSecrets: context.arguments.flag('allow-secrets'),
    });
    printImport(context, imported);
    return exitCodes.done;
  },
};

/** An interruption ends the wait for a stream that says nothing. */
function interruptible({ signal }: Context, stream: Readable): AsyncIterable<Uint8Array> {
  const stop = () => stream.destroy(new Error('interrupted'));
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  return stream as AsyncIterable<Uint8Array>;
}

async function* readNamed(context: Context, path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* interruptible(context, context.openFile(path));
  } catch (error) {
    const message = `The file ${path} cannot be read: ${reasonOf(error)}.`;
    throw new MemoryError('backup_refused', message, { file: path }, error);
  }
}

function printImport(context: Context, { inserted, unchanged, header, embedder }: TenantImport): void {
  const { print, config } = context;
  const { tenant_id: from, program, created_at: at, embedder: former, counts } = header;
  const isOther = former !== null && former.id !== embedder?.id;
  if (context.json) {
    const told = { tenant_id: config.tenantId, inserted, unchanged, rows: counts };
    return print.json({ ...told, from: { tenant_id: from, program, created_at: at, embedder: former } });
  }
  const tenant = plain(config.tenantId);
  if (inserted === 0)
    print.line(`Tenant ${tenant} holds these ${figure(unchanged)} rows already; nothing was changed.`);
  else print.line(`Tenant ${tenant}: ${figure(inserted)} rows of ${plain(at)}, written by version ${plain(program)}.`);
  if (isOther) {
    print.line(
      `Their vectors were of ${plain(former.id)}, and are of ${embedder?.id ?? 'none'} now: searches may differ.`,
    );
  }
  if (inserted > 0) printRows(context, counts);
}
