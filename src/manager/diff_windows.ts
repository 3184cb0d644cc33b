// Two manifests of one principal compared (design R2), with titles for people, as far as the caller may see the rows now.

import type { ManifestDifference } from '../diff/difference.ts';
import { refOf } from '../diff/known_rows.ts';
import { diffManifests } from '../diff/manifest_diff.ts';
import { MemoryError } from '../model/errors.ts';
import type { RowId } from '../model/ids.ts';
import type { Manifest, RefJson } from '../model/manifest.ts';
import { refKey, type KnownVersion, type Ref } from '../model/memory.ts';
import { titleOf } from '../model/memory_text.ts';
import type { SnapshotReader } from '../store/store.ts';
import { callOptions } from './call_options.ts';
import type { Call, WindowDifference } from './manager.ts';
import type { ManagerParts } from './parts.ts';

/** Successors are followed so often; a row that was changed oftener between two windows counts as another one. */
const maxSuccessors = 20;

/** Compares two stored manifests. Throws `not_found`, also for another principal's. */
export async function diffWindows(
  parts: ManagerParts,
  call: Call,
  asked: { readonly from: RowId; readonly to: RowId },
): Promise<WindowDifference> {
  return parts.store.read(call.scope, { ...callOptions(call), evaluationTime: null }, async (reader) => {
    const from = await storedManifest(reader, asked.from);
    const to = await storedManifest(reader, asked.to);
    const versions = await versionsOf(reader, [...refsOf(from.manifest), ...refsOf(to.manifest)]);
    const difference = diffManifests(from, to, versions);
    return { difference, titles: await titlesOf(reader, difference) };
  });
}

async function storedManifest(reader: SnapshotReader, manifestId: RowId) {
  const found = await reader.manifest(manifestId);
  if (found === null) throw new MemoryError('not_found', 'There is no such manifest.', { manifest_id: manifestId });
  return found;
}

function refsOf({ memories, excluded }: Manifest): readonly Ref[] {
  return [...memories, ...excluded].map(({ ref }) => refOf(ref));
}

/** The versions of these refs, and the ones that replaced them since. */
async function versionsOf(reader: SnapshotReader, refs: readonly Ref[]): Promise<readonly KnownVersion[]> {
  const found = new Map<string, KnownVersion>();
  let wanted = refs;
  for (let step = 0; step < maxSuccessors && wanted.length > 0; step += 1) {
    const versions = await reader.versions(wanted);
    for (const version of versions) found.set(refKey(version.ref), version);
    wanted = versions.flatMap(({ ref, lifecycle }): readonly Ref[] => {
      const next: Ref | null = lifecycle.supersededBy === null ? null : [ref[0], lifecycle.supersededBy, ref[2] + 1];
      return next === null || found.has(refKey(next)) ? [] : [next];
    });
  }
  return [...found.values()];
}

/** Titles of the memories that the difference speaks of. */
async function titlesOf(
  reader: SnapshotReader,
  { entered, left, changed }: ManifestDifference,
): Promise<WindowDifference['titles']> {
  const named: readonly (RefJson | null)[] = [
    ...[...entered, ...left].flatMap(({ ref, cause }) => [ref, cause.ref, ...cause.pushed_by]),
    ...changed.flatMap(({ from, to, cause }) => [from, to, cause.ref, ...cause.pushed_by]),
  ];
  const refs = new Map(named.flatMap((ref) => (ref === null ? [] : [[refKey(refOf(ref)), refOf(ref)] as const])));
  const rows = await reader.memories([...refs.values()]);
  return rows.map((row) => ({ ref: row.ref, title: titleOf(row) }));
}
