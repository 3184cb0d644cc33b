// The difference of two manifests (design R2): what entered, left or changed, and what caused it.

import type { JsonObject, JsonValue } from '../model/json.ts';
import type { Manifest, ManifestMemory, PrefixEntry, RefJson } from '../model/manifest.ts';
import { optionalSlices } from '../model/budget.ts';
import type { KnownVersion } from '../model/memory.ts';
import type { Instant } from '../model/time.ts';
import { causeOfAbsence, causeOfChange, sideOf, type Setting, type Side } from './causes.ts';
import type {
  AllocationChange,
  Changed,
  FieldChange,
  ManifestDifference,
  OneSided,
  PrefixDifference,
} from './difference.ts';
import { fieldChanges, sameJson } from './field_changes.ts';
import { keyOf, knownRows, type KnownRows } from './known_rows.ts';

/** A manifest as stored, and when. */
export interface DatedManifest {
  readonly manifest: Manifest;
  readonly createdAt: Instant;
}

/**
 * From one manifest to another. `versions` are the rows of both that the caller may see now, with their successors;
 * what is not among them counts as not visible. Lists are in the order of the windows.
 */
export function diffManifests(
  a: DatedManifest,
  b: DatedManifest,
  versions: readonly KnownVersion[],
): ManifestDifference {
  const from = sideOf(a.manifest, a.createdAt);
  const to = sideOf(b.manifest, b.createdAt);
  const rows = knownRows(versions);
  const question = questionChanges(a.manifest, b.manifest);
  const policy = policyChanges(a.manifest, b.manifest);
  const setting: Setting = {
    rows,
    // A plan differs also where only the memory does; it is another question by its words or its intent.
    question: question.some(({ field }) => field === 'question_hash' || field === 'intent'),
    policy: [...policy.changes, ...(policy.retrieval_ref === null ? [] : [policy.retrieval_ref])],
    intents: [...new Set([a.manifest.intent, b.manifest.intent, 'default', 'fact_check'])],
  };
  const pairs = pairsOf(from, to, rows);
  const paired = new Set(pairs.flatMap((pair) => [keyOf(pair.from.ref), keyOf(pair.to.ref)]));
  const oneSided = (having: Side, missing: Side): readonly OneSided[] =>
    having.manifest.memories
      .filter(({ ref }) => !paired.has(keyOf(ref)))
      .map((memory) => ({ ...shortOf(memory), cause: causeOfAbsence(memory, missing, having, setting) }));
  return {
    from: a.manifest.manifest_id,
    to: b.manifest.manifest_id,
    same_request: a.manifest.request_hash === b.manifest.request_hash,
    evaluation_time: fieldChanges(timeOf(a.manifest), timeOf(b.manifest))[0] ?? null,
    question,
    policy,
    made_by: madeByChanges(a.manifest, b.manifest),
    prefix: prefixDifference(a.manifest, b.manifest),
    allocation: allocationChanges(a.manifest, b.manifest),
    entered: oneSided(to, from),
    left: oneSided(from, to),
    changed: changedOf(pairs, { from, to, setting }),
  };
}

function timeOf({ evaluation_time: time }: Manifest): JsonObject {
  return { evaluation_time: time };
}

function shortOf({ id, ref, status, slice, tier, tokens }: ManifestMemory): Omit<OneSided, 'cause'> {
  return { id, ref, status, slice, tier, tokens };
}

interface Pair {
  readonly from: ManifestMemory;
  readonly to: ManifestMemory;
}

/** The same row in both windows, else another version of the same thing, each at most once. */
function pairsOf(from: Side, to: Side, rows: KnownRows): readonly Pair[] {
  const left = from.manifest.memories.filter(({ ref }) => !to.seated.has(keyOf(ref)));
  const byLineage = new Map(left.map((memory) => [rows.lineage(memory.ref), memory]));
  return to.manifest.memories.flatMap((memory): readonly Pair[] => {
    const same = from.seated.get(keyOf(memory.ref));
    if (same !== undefined) return [{ from: same, to: memory }];
    const lineage = rows.lineage(memory.ref);
    const other = byLineage.get(lineage);
    if (other === undefined) return [];
    byLineage.delete(lineage);
    return [{ from: other, to: memory }];
  });
}

function changedOf(
  pairs: readonly Pair[],
  { from, to, setting }: { readonly from: Side; readonly to: Side; readonly setting: Setting },
): readonly Changed[] {
  const ranks = { from: ranksOf(pairs.map((pair) => pair.from)), to: ranksOf(pairs.map((pair) => pair.to)) };
  return pairs.flatMap((pair): readonly Changed[] => {
    const before = { ...comparable(pair.from), rank: ranks.from.get(pair.from) ?? null };
    const after = { ...comparable(pair.to), rank: ranks.to.get(pair.to) ?? null };
    const changes = fieldChanges(before, after);
    if (changes.length === 0) return [];
    const cause = causeOfChange(pair, changes, { missing: from, having: to, setting });
    return [{ id: pair.to.id, from: pair.from.ref, to: pair.to.ref, slice: pair.to.slice, changes, cause }];
  });
}

/** Places among the memories that both windows have, in each slice from 1: what enters or leaves moves nobody. */
function ranksOf(memories: readonly ManifestMemory[]): ReadonlyMap<ManifestMemory, number> {
  const counts = new Map<string, number>();
  return new Map(
    memories
      .toSorted((a, b) => a.position - b.position)
      .map((memory) => {
        const rank = (counts.get(memory.slice) ?? 0) + 1;
        counts.set(memory.slice, rank);
        return [memory, rank];
      }),
  );
}

/** What counts as a change of a memory; scores alone do not, their effect is rank and tier. */
function comparable(memory: ManifestMemory): JsonObject {
  const refs = (list: readonly RefJson[]): JsonValue => list.map((ref) => [...ref]);
  return {
    version: memory.ref[2],
    slice: memory.slice,
    tier: memory.tier,
    status: memory.status,
    tokens: memory.tokens,
    admitted_by: memory.admitted_by,
    corrections: memory.annotation_refs.map(({ current, source }) => ({
      current: current === null ? null : [...current],
      source: [...source],
    })),
    contradicted_by: refs(memory.contradicted_by),
    compression: memory.compression,
  };
}

function questionChanges(a: Manifest, b: Manifest): readonly FieldChange[] {
  return fieldChanges({ ...a.plan, intent: a.intent }, { ...b.plan, intent: b.intent });
}

function policyChanges(a: Manifest, b: Manifest): ManifestDifference['policy'] {
  const refChange = (field: string, from: RefJson | null, to: RefJson | null): FieldChange | null => {
    const change = { field, from: from === null ? null : [...from], to: to === null ? null : [...to] };
    return sameJson(change.from, change.to) ? null : change;
  };
  return {
    budget_ref: refChange('budget_ref', a.budget_ref, b.budget_ref),
    retrieval_ref: refChange('retrieval_ref', a.retrieval_ref, b.retrieval_ref),
    changes: fieldChanges(a.budget, b.budget),
  };
}

function madeByChanges(a: Manifest, b: Manifest): readonly FieldChange[] {
  const of = (manifest: Manifest): JsonObject => ({
    kind: manifest.kind,
    mode: manifest.mode,
    incarnation: manifest.incarnation,
    renderer_version: manifest.renderer_version,
    selection_version: manifest.selection_version,
    code_hash: manifest.code_hash,
    encoding: manifest.encoding,
    embedder: manifest.embedder,
    reranker: manifest.reranker,
    fallbacks: manifest.fallbacks,
    model: manifest.model,
  });
  return fieldChanges(of(a), of(b));
}

function prefixDifference(a: Manifest, b: Manifest): PrefixDifference {
  const key = (entry: PrefixEntry): string => `${entry.slice} ${keyOf(entry.ref)} ${entry.content_hash}`;
  const before = new Set(a.prefix.map(key));
  const after = new Set(b.prefix.map(key));
  return {
    same: a.prefix_hash === b.prefix_hash,
    entered: b.prefix.filter((entry) => !before.has(key(entry))),
    left: a.prefix.filter((entry) => !after.has(key(entry))),
  };
}

function allocationChanges(a: Manifest, b: Manifest): readonly AllocationChange[] {
  return optionalSlices.flatMap((slice): readonly AllocationChange[] => {
    const from = a.allocation[slice] ?? null;
    const to = b.allocation[slice] ?? null;
    const isSame = JSON.stringify(from) === JSON.stringify(to);
    return isSame ? [] : [{ slice, from, to }];
  });
}
