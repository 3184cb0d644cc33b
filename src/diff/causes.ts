// Why a memory is in one window and not in the other, or not the same in both (design R2).

import type { Exclusion, ExclusionRule, Manifest, ManifestMemory, RefJson } from '../model/manifest.ts';
import type { Instant } from '../model/time.ts';
import type { Cause, FieldChange } from './difference.ts';
import { keyOf, type KnownRows } from './known_rows.ts';

/** A manifest, when it was written, and what it left out by key. */
export interface Side {
  readonly manifest: Manifest;
  readonly writtenAt: Instant;
  readonly seated: ReadonlyMap<string, ManifestMemory>;
  readonly excluded: ReadonlyMap<string, Exclusion>;
}

/** A side of a difference. */
export function sideOf(manifest: Manifest, writtenAt: Instant): Side {
  return {
    manifest,
    writtenAt,
    seated: new Map(manifest.memories.map((memory) => [keyOf(memory.ref), memory])),
    excluded: new Map(manifest.excluded.map((exclusion) => [keyOf(exclusion.ref), exclusion])),
  };
}

/** What differs between the windows as wholes. */
export interface Setting {
  readonly rows: KnownRows;
  readonly question: boolean;
  readonly policy: readonly FieldChange[];
  readonly intents: readonly string[];
}

const noCause: Cause = {
  kind: 'fit',
  rule: null,
  detail: {},
  ref: null,
  question: false,
  policy: [],
  pushed_by: [],
};

/** Keys of the policy that bear on what a rule leaves out; `weights` decide the order in which memories are tried. */
const keysOfRules: Readonly<Record<ExclusionRule | 'fit' | 'not_found', readonly string[]>> = {
  lifecycle: [],
  quarantine: [],
  dedup: [],
  conflict: ['required_corrections'],
  per_document: ['evidence.max_per_document', 'weights', 'recency_days'],
  near_duplicate: ['evidence.near_duplicate', 'weights', 'recency_days'],
  candidate_cap: ['candidate_caps', 'weights', 'recency_days'],
  id_collision: [],
  tail_cut: ['usable_context', 'reserve', 'shares', 'overflow_order', 'candidate_caps.volatile_tail'],
  slice_budget: ['usable_context', 'reserve', 'shares', 'overflow_order', 'weights', 'recency_days', 'compress'],
  request_budget: ['usable_context', 'reserve', 'overflow_order'],
  fit: ['usable_context', 'reserve', 'shares', 'overflow_order', 'weights', 'recency_days', 'compress'],
  not_found: ['retrieval_ref', 'candidate_caps'],
};

/** Keys that belong to this rule and changed; shares only those of the intents at work. */
function policyOf(rule: keyof typeof keysOfRules, setting: Setting): readonly string[] {
  return setting.policy
    .map(({ field }) => field)
    .filter((field) =>
      keysOfRules[rule].some((key) => field === key || field.startsWith(`${key}.`) || isReserve(field, key)),
    )
    .filter(
      (field) =>
        !field.startsWith('shares.') || setting.intents.some((intent) => `${field}.`.startsWith(`shares.${intent}.`)),
    );
}

function isReserve(field: string, key: string): boolean {
  return key === 'reserve' && /^(?:output|tool|request_overhead)_reserve$/.test(field);
}

/** Why the window `missing` does not have a memory that `having` has. */
export function causeOfAbsence(memory: ManifestMemory, missing: Side, having: Side, setting: Setting): Cause {
  const exclusion = missing.excluded.get(keyOf(memory.ref));
  if (exclusion !== undefined) return causeOfExclusion(memory, exclusion, { missing, having, setting });
  const row = setting.rows.version(memory.ref);
  if (row === null) return { ...noCause, kind: 'not_visible' };
  const { validFrom, validUntil, createdAt, deletedAt, supersededBy, quarantinedAt } = row.lifecycle;
  const at = missing.manifest.evaluation_time;
  const isOver = validUntil !== null && validUntil <= at;
  if (deletedAt !== null && deletedAt <= missing.writtenAt) return { ...noCause, kind: 'deleted' };
  if (validFrom > at || createdAt > missing.writtenAt)
    return { ...noCause, kind: 'not_there_yet', detail: { valid_from: validFrom } };
  if (isOver && supersededBy !== null) {
    return { ...noCause, kind: 'new_version', ref: otherVersion(memory.ref, missing, setting) };
  }
  if (isOver) return { ...noCause, kind: 'expired', detail: { valid_until: validUntil } };
  if (quarantinedAt !== null && quarantinedAt <= missing.writtenAt) return { ...noCause, kind: 'quarantined' };
  return { ...noCause, kind: 'not_found', ...explained('not_found', memory, { missing, having, setting }) };
}

interface Sides {
  readonly missing: Side;
  readonly having: Side;
  readonly setting: Setting;
}

function causeOfExclusion(memory: ManifestMemory, { rule, detail }: Exclusion, sides: Sides): Cause {
  const ref = detail['state'] === 'superseded' ? otherVersion(memory.ref, sides.missing, sides.setting) : null;
  return { ...noCause, kind: 'rule', rule, detail, ref, ...explained(rule, memory, sides) };
}

/** The version of the same thing that the window has. */
function otherVersion(ref: RefJson, side: Side, { rows }: Setting): RefJson | null {
  const lineage = rows.lineage(ref);
  const found = side.manifest.memories.find(
    (other) => rows.lineage(other.ref) === lineage && keyOf(other.ref) !== keyOf(ref),
  );
  return found?.ref ?? null;
}

/** Rules that a new question or other candidates can turn; lifecycle and quarantine speak of the row alone. */
const ofTheRowAlone: readonly string[] = ['lifecycle', 'quarantine', 'id_collision'];

function explained(
  rule: ExclusionRule | 'not_found',
  memory: ManifestMemory,
  { missing, having, setting }: Sides,
): Pick<Cause, 'question' | 'policy' | 'pushed_by'> {
  if (ofTheRowAlone.includes(rule)) return { question: false, policy: [], pushed_by: [] };
  return {
    question: setting.question,
    policy: policyOf(rule, setting),
    pushed_by: onlyIn(missing, having, memory.slice),
  };
}

/** Memories of a slice that one window has and the other does not, in the window's order. */
function onlyIn(side: Side, other: Side, slice: ManifestMemory['slice']): readonly RefJson[] {
  return side.manifest.memories
    .filter((memory) => memory.slice === slice && !other.seated.has(keyOf(memory.ref)))
    .map(({ ref }) => ref);
}

/** Why a memory that both windows have is not the same in both. */
export function causeOfChange(
  pair: { readonly from: ManifestMemory; readonly to: ManifestMemory },
  changes: readonly FieldChange[],
  { missing: from, having: to, setting }: Sides,
): Cause {
  if (keyOf(pair.from.ref) !== keyOf(pair.to.ref)) return { ...noCause, kind: 'new_version', ref: pair.to.ref };
  if (changes.some(({ field }) => field === 'corrections')) {
    const known = new Set(pair.from.annotation_refs.map(({ current }) => (current === null ? '' : keyOf(current))));
    const added = pair.to.annotation_refs.find(({ current }) => current !== null && !known.has(keyOf(current)));
    return { ...noCause, kind: 'correction', ref: added?.current ?? null };
  }
  return {
    ...noCause,
    question: setting.question,
    policy: policyOf('fit', setting),
    pushed_by: onlyIn(to, from, pair.to.slice),
  };
}
