// manifest: what a stored window held and why, or which windows there are.

import { rowId } from '../model/ids.ts';
import type { StoredManifest } from '../store/store.ts';
import { jsonOption } from './arguments.ts';
import { launchCall } from './calls.ts';
import type { Command, Context } from './command.ts';
import { exitCodes } from './exit_codes.ts';
import { figure } from './table.ts';
import {
  printAllocation,
  printExclusions,
  printHeading,
  printMemories,
  printRecord,
  printTable,
} from './window_view.ts';

const listedManifests = 20;
const listedExclusions = 60;

/** The command. */
export const manifest: Command = {
  synopsis: '[ID]',
  details: [
    'A manifest says what was prepared for a model: which memory, at which size, by which rule, and what was left out. ' +
      'It holds no text of a memory. Only manifests of the user of the configuration can be seen. ' +
      'With --json it prints { manifest, created_at }, or { manifests } as a list of those.',
  ],
  options: jsonOption,
  positionals: { least: 0, most: 1 },
  through: 'owner',
  async run(context) {
    const [id] = context.arguments.positionals;
    const call = launchCall(context);
    const wanted = id === undefined ? null : rowId(id);
    const manager = await context.open().manager();
    if (wanted === null) printList(context, await manager.recentManifests(call, listedManifests));
    else printOne(context, await manager.manifest(call, wanted));
    return exitCodes.done;
  },
};

function shape({ manifest: stored, createdAt }: StoredManifest) {
  return { manifest: stored, created_at: createdAt };
}

function printOne({ print, json }: Context, stored: StoredManifest): void {
  if (json) {
    print.json(shape(stored));
    return;
  }
  print.line(`${stored.manifest.kind} of ${stored.createdAt}`);
  if (stored.manifest.kind === 'window') printAllocation(print, stored.manifest);
  printMemories(print, stored.manifest);
  printExclusions(print, stored.manifest, listedExclusions);
  printRecord(print, stored.manifest);
}

function printList({ print, json }: Context, manifests: readonly StoredManifest[]): void {
  if (json) {
    print.json({ manifests: manifests.map(shape) });
    return;
  }
  if (manifests.length === 0) {
    print.line('No manifests yet: `context-assembly-memory assemble QUESTION` makes one.');
    return;
  }
  printHeading(print, 'Newest manifests');
  printTable(
    print,
    [
      ['manifest'],
      ['written'],
      ['kind'],
      ['intent'],
      ['round', 'right'],
      ['in', 'right'],
      ['out', 'right'],
      ['tokens', 'right'],
    ],
    manifests.map(({ manifest: stored, createdAt }) => [
      print.paint('id', stored.manifest_id),
      createdAt,
      stored.kind,
      stored.intent,
      String(stored.round),
      figure(stored.memories.length),
      figure(stored.excluded.length),
      figure(stored.totals.request),
    ]),
  );
}
