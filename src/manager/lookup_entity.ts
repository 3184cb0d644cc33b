// lookup_entity (design T4): the current version of one claim, and its history labelled as such.

import { canonicalJson } from '../assembly/hash.ts';
import { compareStanding } from '../assembly/select/claim_identity.ts';
import { lifecycleState } from '../assembly/select/lifecycle.ts';
import { MemoryError } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import type { Entity } from '../model/memory.ts';
import type { EvaluationTime } from '../model/time.ts';
import { nameForms } from '../retrieval/names.ts';
import type { SnapshotReader } from '../store/store.ts';
import { gather, type GatheredRow } from './gather.ts';
import { mayBeShown } from './may_be_shown.ts';
import { planOf } from './read_window.ts';
import { textArgument } from './text_argument.ts';
import type { HandlerCall, HandlerWish } from './call_parts.ts';

/** At most so many sets of conditions are listed, and so many versions shown. */
const maxListed = 10;

/** Versions of a claim, the current one first; with several conditions and none asked for, each one's current version. */
export async function gatherLookup(reader: SnapshotReader, made: HandlerCall): Promise<HandlerWish> {
  const subject = textArgument(made.args, 'subject');
  const predicate = textArgument(made.args, 'predicate');
  const conditions = conditionsOf(made.args['conditions']);
  const at = reader.position.evaluationTime;
  // What may not be shown may not be counted or hinted at either.
  const versions = (await versionsOf(reader, { subject, predicate })).filter((row) => mayBeShown(row, at));
  const byConditions = groupByConditions(versions, at);
  const asked = conditions === undefined ? undefined : canonicalJson(conditions);
  const groups = [...byConditions].filter(([key]) => asked === undefined || key === asked);
  const several = groups.length > 1;
  const shown = groups
    .flatMap(([, group]) => (several ? group.filter((row) => isCurrent(row, at)) : group))
    .slice(0, maxListed);
  const rows = shown.map((memory): GatheredRow => ({ memory, slice: null, fused: 1, linkedFrom: null }));
  const question = `${subject} ${predicate}`;
  const { plan, consulted } = await planOf(reader, question, 'fact_check');
  return {
    gathered: await gather(reader, [], { read: rows, companions: 'durable_facts', hops: 0 }),
    plan,
    // The notes list conditions of versions that are not shown.
    consulted: [...consulted, ...versions.map(({ ref }) => ref)],
    question,
    retrieval: { lookup: { found: versions.length, conditions: byConditions.size } },
    show: {
      order: 'given',
      limit: maxListed,
      tiers: ['full', 'summary', 'pointer'],
      notes: notesOf({ versions, groups: [...byConditions.keys()], several, matched: groups.length > 0, at, shown }),
      moreHint: 'More versions exist than fit. Use expand with an id shown here, or ask again with conditions.',
      admittedBy: 'requested',
      named: shown.filter((row) => !isCurrent(row, at)).map(({ ref }) => ref),
    },
  };
}

function notesOf(found: {
  readonly versions: readonly Entity[];
  readonly groups: readonly string[];
  readonly several: boolean;
  readonly matched: boolean;
  readonly at: EvaluationTime;
  readonly shown: readonly Entity[];
}): readonly string[] {
  if (found.versions.length === 0) return ['No fact is stored under this subject and predicate for you.'];
  const listed = found.groups.slice(0, maxListed).join(' ; ');
  if (!found.matched) return [`No version has these conditions. Known conditions: ${listed}`];
  if (found.several) {
    return [`The fact holds under several conditions and none was chosen for you. Ask again with one of: ${listed}`];
  }
  const current = found.shown.some((row) => isCurrent(row, found.at));
  return current ? [] : ['No version of this fact is current now; what is shown is history.'];
}

/** The subject as written, else any subject that has it as a name (an alias, another spelling). */
async function versionsOf(
  reader: SnapshotReader,
  claim: { readonly subject: string; readonly predicate: string },
): Promise<readonly Entity[]> {
  const exact = await reader.claimVersions([claim.subject], claim.predicate);
  if (exact.length > 0) return exact;
  const named = await reader.subjectsNamed(nameForms(claim.subject));
  return reader.claimVersions(
    named.map(({ subject }) => subject),
    claim.predicate,
  );
}

/** Within each set of conditions as {@link compareVersions}; sets in code-unit order of their JSON. */
function groupByConditions(versions: readonly Entity[], at: EvaluationTime): ReadonlyMap<string, readonly Entity[]> {
  const groups = new Map<string, Entity[]>();
  for (const row of versions) {
    const key = canonicalJson(row.conditions);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  const sorted = [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return new Map(sorted.map(([key, rows]) => [key, rows.toSorted((a, b) => compareVersions(a, b, at))]));
}

/** Current before history (design T5); of several current ones the narrowest first, as S3 decides; newest version first. */
function compareVersions(a: Entity, b: Entity, at: EvaluationTime): number {
  const standing = Number(isCurrent(b, at)) - Number(isCurrent(a, at));
  if (standing !== 0) return standing;
  if (isCurrent(a, at)) return compareStanding(a, b);
  if (a.ref[2] !== b.ref[2]) return b.ref[2] - a.ref[2];
  return a.ref[1] < b.ref[1] ? -1 : 1;
}

function isCurrent(row: Entity, at: EvaluationTime): boolean {
  return lifecycleState(row.lifecycle, at) === 'current';
}

/** Undefined: not asked for; null or an object: exactly these. */
function conditionsOf(value: unknown): JsonObject | null | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new MemoryError('invalid_argument', 'The argument "conditions" must be an object.', { field: 'conditions' });
  }
  const conditions = value as JsonObject;
  return Object.keys(conditions).length === 0 ? undefined : conditions;
}
