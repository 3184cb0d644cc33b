// Consequences of a correction (design R3): which windows, tool results and answers used a version before it was
// corrected, and how it came into them.

import { lifecycleState } from '../assembly/select/lifecycle.ts';
import { identityKey } from '../assembly/select/claim_identity.ts';
import { MemoryError } from '../model/errors.ts';
import type { Affected, AffectedUse, Corrected, Entered } from '../model/consequences.ts';
import { isCitationId, rowId, type RunId } from '../model/ids.ts';
import { memoryTypes, refKey, type KnownVersion, type Ref } from '../model/memory.ts';
import type { Instant } from '../model/time.ts';
import type { RecordedAnswer, RecordedUse, RecordReader } from '../store/past.ts';
import { callOptions } from './call_options.ts';
import type { Call, OperatorCall } from './manager.ts';
import type { ManagerParts } from './parts.ts';

/**
 * `ref` is `type:id` (the row and all that it replaced), `type:id:version` or a citation id (that version alone).
 * Throws `invalid_argument` for other text, and `not_found`, also for what the caller may not see.
 */
export async function affected(parts: ManagerParts, call: Call | OperatorCall, ref: string): Promise<Affected> {
  return parts.store.readPast(call.scope, callOptions(call), async (records) => {
    const versions = await versionsAsked(records, ref);
    if (versions.length === 0) throw new MemoryError('not_found', 'There is no such memory.', { ref });
    const now = records.position.evaluationTime;
    const corrected = (await records.versions(versions)).flatMap((known) => correctionOf(known, now));
    if (corrected.length === 0) return { versions, corrected, uses: [] };
    return { versions, corrected, uses: await usesBefore(records, corrected) };
  });
}

async function versionsAsked(records: RecordReader, text: string): Promise<readonly Ref[]> {
  if (isCitationId(text)) {
    const [issued] = await records.citations(text);
    return issued === undefined ? [] : [issued.ref];
  }
  const [, type = '', rest = ''] = /^([a-z]+):(.+)$/.exec(text) ?? [];
  const known = memoryTypes.find((name) => name === type);
  if (known === undefined || !/^[A-Za-z0-9_.:-]{1,140}$/.test(rest)) {
    throw new MemoryError('invalid_argument', 'A ref is type:id, type:id:version or a citation id.', { field: 'ref' });
  }
  // An id may hold colons and end in digits itself.
  const [, id = '', version = ''] = /^(.+):(\d{1,9})$/.exec(rest) ?? [];
  if (id !== '') {
    const [exact] = await records.replacedBy({ type: known, id: rowId(id), version: Number(version) });
    if (exact !== undefined) return [exact];
  }
  return records.replacedBy({ type: known, id: rowId(rest), version: null });
}

function correctionOf({ ref, lifecycle }: KnownVersion, now: Instant): readonly Corrected[] {
  const state = lifecycleState(lifecycle, now);
  if (state === 'current' || state === 'not_yet_effective') return [];
  const at = state === 'deleted' ? lifecycle.deletedAt : lifecycle.validUntil;
  if (at === null) return [];
  // A chunk ends with its document, and it is a document that takes the document's place.
  const type = ref[0] === 'chunk' ? 'document' : ref[0];
  const by = lifecycle.supersededBy === null ? null : { type, id: lifecycle.supersededBy };
  return [{ version: ref, state, at, by }];
}

async function usesBefore(records: RecordReader, corrected: readonly Corrected[]): Promise<readonly AffectedUse[]> {
  const refs = corrected.map(({ version: [type, id, version] }): Ref => [type, rowId(id), version]);
  const recorded = await records.uses(refs);
  const claimOf = await claims(records, [...refs, ...recorded.flatMap(({ notedSources }) => notedSources)]);
  const shown = new Set(recorded.filter((use) => !use.asCorrection).map(placeOf));
  // A fact that a note quoted usually stands in the window itself as well: that says it.
  const uses = recorded.filter((use) => wasNotKnown(use, claimOf) && !(use.asCorrection && shown.has(placeOf(use))));
  const runs = new Map<RunId, RecordedUse>();
  for (const use of uses) if (use.runId !== null) runs.set(use.runId, use);
  const answers = await records.answers(refs, [...runs.keys()]);
  const times = new Map(corrected.map(({ version, at }) => [refKey([version[0], rowId(version[1]), version[2]]), at]));
  const all = [...uses.map(useOf), ...answers.flatMap((answer) => answerOf(answer, runs, times))];
  const distinct = new Map(
    all.map((use) => [JSON.stringify([use.kind, use.id, use.entered, use.version, use.via]), use]),
  );
  return [...distinct.values()].toSorted((a, b) => compareUses(a, b));
}

const placeOf = ({ manifestId, via }: RecordedUse): string => `${manifestId} ${refKey(via)}`;

/** The claim of each version, as text: notes speak of one version of a claim and mean the claim. */
async function claims(records: RecordReader, refs: readonly Ref[]): Promise<(ref: Ref) => string> {
  const known = new Map((await records.versions(refs)).map((version) => [refKey(version.ref), version]));
  return (ref) => {
    const identity = known.get(refKey(ref))?.identity ?? null;
    return identity === null ? refKey(ref) : identityKey(identity);
  };
}

/** A window that showed the version as history, or with a note on its claim, knew of the correction already. */
function wasNotKnown(use: RecordedUse, claimOf: (ref: Ref) => string): boolean {
  if (use.asCorrection) return true;
  if (refKey(use.via) === refKey(use.root)) return use.status !== 'historical';
  return !use.notedSources.some((source) => claimOf(source) === claimOf(use.root));
}

function useOf(use: RecordedUse): AffectedUse {
  const { manifestId: id, kind, owner, createdAt: at, root: version, via } = use;
  return { kind, id, owner, at, entered: enteredOf(use), version, via: refKey(via) === refKey(version) ? null : via };
}

function enteredOf({ asCorrection, slice, status }: RecordedUse): Entered {
  if (asCorrection) return 'correction';
  if (slice === 'volatile_tail') return 'tail';
  if (status === 'evidence') return 'evidence';
  return status === 'current' ? 'current' : 'history';
}

/** An answer cites the version, and did so before the correction or in a run that did not know of it; or it was given
 * in such a run. */
function answerOf(
  answer: RecordedAnswer,
  runs: ReadonlyMap<RunId, RecordedUse>,
  times: ReadonlyMap<string, Instant>,
): readonly AffectedUse[] {
  const { eventId: id, owner, createdAt: at, runId, cites } = answer;
  const use = runId === null ? undefined : runs.get(runId);
  if (cites === null) {
    return use === undefined ? [] : [{ kind: 'answer', id, owner, at, entered: 'run', version: use.root, via: null }];
  }
  const correctedAt = times.get(refKey(cites));
  const before = use !== undefined || (correctedAt !== undefined && at < correctedAt);
  return before ? [{ kind: 'answer', id, owner, at, entered: 'cited', version: cites, via: null }] : [];
}

function compareUses(a: AffectedUse, b: AffectedUse): number {
  if (a.at !== b.at) return a.at > b.at ? -1 : 1;
  const [left, right] = [JSON.stringify([a.id, a.entered, a.version]), JSON.stringify([b.id, b.entered, b.version])];
  return left < right ? -1 : Number(left > right);
}
