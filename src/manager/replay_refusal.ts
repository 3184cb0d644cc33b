// Who may look at a past window (design R1): every row that it names must be there and visible now, whatever it was then.

import { admission } from '../auth/access_policy.ts';
import { rowId, type RowId } from '../model/ids.ts';
import type { Manifest, RefJson } from '../model/manifest.ts';
import { refKey, type Ref, type Tool } from '../model/memory.ts';
import type { UnavailableReason } from '../model/replay.ts';
import type { Scope } from '../model/scope.ts';
import type { RecordReader } from '../store/past.ts';

/** Why a window may not be looked at again. */
export interface Refusal {
  readonly reason: UnavailableReason;
  readonly ref: RefJson | null;
}

/**
 * The first row that stands against a replay, or null: one that the reader may not see any more goes before one that is
 * deleted. Of the event that a memory was made from nothing was shown, so it need not be visible, but it must be there.
 * Compressions are left out: whether one is missed is seen when the window is built again.
 */
export async function presentRefusal(records: RecordReader, manifest: Manifest): Promise<Refusal | null> {
  const refs = refsOf(manifest);
  const known = new Map((await records.versions(refs)).map((version) => [refKey(version.ref), version]));
  const absent = refs.filter((ref) => !known.has(refKey(ref)));
  const gone = absent.length === 0 ? new Set() : await goneKeys(records, rowId(manifest.manifest_id));
  const unseen = unseenKeys(manifest);
  const hidden = absent.find((ref) => !gone.has(refKey(ref)) && !unseen.has(refKey(ref)));
  if (hidden !== undefined) return { reason: 'not_authorized', ref: hidden };
  const deletedBefore = new Set(excludedAsDeleted(manifest).map(refKey));
  const deleted = refs.find((ref) => {
    const key = refKey(ref);
    const version = known.get(key);
    if (version === undefined) return gone.has(key);
    return version.lifecycle.deletedAt !== null && !deletedBefore.has(key);
  });
  return deleted === undefined ? null : { reason: 'deleted', ref: deleted };
}

/** A tool whose row denies the reader now is one that the reader could not list: so is the window that listed it. */
export function toolRefusal(tools: readonly Tool[], reader: Scope): Refusal | null {
  const denied = tools.find((tool) => admission(tool.accessPolicy, reader).kind === 'denied');
  return denied === undefined ? null : { reason: 'not_authorized', ref: denied.ref };
}

async function goneKeys(records: RecordReader, manifestId: RowId): Promise<ReadonlySet<string>> {
  return new Set((await records.goneRefs(manifestId)).map((ref) => refKey(toRef(ref))));
}

/** What a manifest names: its dependencies, its memories, what it left out, its policies; each once, in this order. */
function refsOf(manifest: Manifest): readonly Ref[] {
  const named: readonly (RefJson | null)[] = [
    ...manifest.dependencies.map(({ ref }) => ref),
    ...manifest.memories.map(({ ref }) => ref),
    ...manifest.excluded.map(({ ref }) => ref),
    manifest.budget_ref,
    manifest.retrieval_ref,
  ];
  const refs = named.flatMap((ref) => (ref === null || ref[0] === 'compression' ? [] : [toRef(ref)]));
  return [...new Map(refs.map((ref) => [refKey(ref), ref])).values()];
}

/** Events that memories were made from and that are nothing else in the window. */
function unseenKeys(manifest: Manifest): ReadonlySet<string> {
  const { dependencies, memories, excluded } = manifest;
  const shown = dependencies.filter(({ role }) => role !== 'source_event').map(({ ref }) => ref);
  const seen = new Set([...shown, ...memories.map(({ ref }) => ref), ...excluded.map(({ ref }) => ref)].map(String));
  const events = dependencies.flatMap(({ ref, role }) => (ref !== null && role === 'source_event' ? [ref] : []));
  return new Set(events.filter((ref) => !seen.has(String(ref))).map((ref) => refKey(toRef(ref))));
}

/** What was deleted already when the window left it out for that. */
function excludedAsDeleted(manifest: Manifest): readonly Ref[] {
  return manifest.excluded
    .filter(({ rule, detail }) => rule === 'lifecycle' && detail['state'] === 'deleted')
    .map(({ ref }) => toRef(ref));
}

function toRef([type, id, version]: RefJson): Ref {
  return [type, rowId(id), version];
}
