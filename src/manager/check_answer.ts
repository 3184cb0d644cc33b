// An answer against what its window and the calls after it showed (design K1), and feedback that keeps the two together.

import { citationIdOf } from '../assembly/render/citation.ts';
import { canonicalJson } from '../assembly/hash.ts';
import { checkAnswer } from '../check/check_answer.ts';
import type { CheckReport } from '../check/report.ts';
import type { ShownClaim, ShownCorrection, ShownMemory, ShownWindow } from '../check/shown_memory.ts';
import { shownElements, type ShownElement } from '../check/shown_request.ts';
import { MemoryError } from '../model/errors.ts';
import type { FeedbackPayload } from '../model/event.ts';
import { rowId, type RowId, runId } from '../model/ids.ts';
import type { JsonObject } from '../model/json.ts';
import type { Manifest, RefJson } from '../model/manifest.ts';
import { refKey, type Memory, type ProvenanceEdge, type Ref } from '../model/memory.ts';
import { fullText, titleOf } from '../model/memory_text.ts';
import type { SnapshotReader, StoredManifest } from '../store/store.ts';
import { callOptions } from './call_options.ts';
import type { AnswerCheck, AnswerToCheck, Call, FeedbackToRecord, StoredFeedback } from './manager.ts';
import type { ManagerParts } from './parts.ts';
import { newEvent } from './record_event.ts';
import { refuseSecrets } from './secrets.ts';

const maxAnswerChars = 1_000_000;

/** Checks an answer; nothing is written. Throws `not_found`, also for another principal's, and `invalid_argument`. */
export async function checkedAnswer(parts: ManagerParts, call: Call, asked: AnswerToCheck): Promise<AnswerCheck> {
  return (await checkOf(parts, call, asked)).check;
}

/** Checks an answer and keeps it with the report. Throws as {@link checkedAnswer} does, `secret_refused` and `text_refused`. */
export async function recordFeedback(
  parts: ManagerParts,
  call: Call,
  given: FeedbackToRecord,
): Promise<AnswerCheck & { readonly eventId: RowId }> {
  const { check, manifests, answer } = await checkOf(parts, call, given);
  await refuseSecrets([{ where: 'The answer', text: answer }]);
  const eventId = parts.newId('event');
  const payload: FeedbackPayload = {
    manifest_id: check.manifestId,
    answer,
    verdict: given.verdict,
    report: check.report as CheckReport & JsonObject,
  };
  await parts.store.write(call.scope, callOptions(call), async (writer) => {
    await writer.appendEvent(newEvent('feedback', payload, { eventId, runId: check.runId, role: 'user' }));
    await writer.addProvenance(feedbackSources(eventId, manifests, check.report));
  });
  return { ...check, eventId };
}

/** What was recorded on a manifest, newest first. Throws `not_found`, also for another principal's. */
export async function feedbackOn(
  parts: ManagerParts,
  call: Call,
  manifestId: RowId,
): Promise<readonly StoredFeedback[]> {
  return parts.store.read(call.scope, { ...callOptions(call), evaluationTime: null }, async (reader) => {
    if ((await reader.manifest(manifestId)) === null) throw noManifest(manifestId);
    return (await reader.feedbackOn(manifestId)).map(({ eventId, payload, createdAt }) => {
      const { answer, verdict, report } = payload as JsonObject & FeedbackPayload;
      return { eventId, manifestId, answer, verdict, report: report as unknown as CheckReport, createdAt };
    });
  });
}

function noManifest(manifestId: RowId): MemoryError {
  return new MemoryError('not_found', 'There is no such manifest.', { manifest_id: manifestId });
}

interface Checked {
  readonly check: AnswerCheck;
  /** The manifests whose text the answer was held against. */
  readonly manifests: readonly Manifest[];
  readonly answer: string;
}

async function checkOf(parts: ManagerParts, call: Call, asked: AnswerToCheck): Promise<Checked> {
  const answer = asked.answer.toWellFormed();
  if (answer.trim() === '' || answer.length > maxAnswerChars) {
    throw new MemoryError('invalid_argument', `An answer has 1 to ${maxAnswerChars} characters.`, { field: 'answer' });
  }
  const { window, manifests } = await parts.store.read(
    call.scope,
    { ...callOptions(call), evaluationTime: null },
    (reader) => shownWindow(reader, asked.manifestId),
  );
  const run = runId(manifests[0]?.run_id ?? '');
  return {
    check: { manifestId: asked.manifestId, runId: run, report: checkAnswer(answer, window) },
    manifests,
    answer,
  };
}

/** All that the run had shown: by a window's manifest with every call after it, by a call's manifest up to that call. */
async function shownWindow(
  reader: SnapshotReader,
  manifestId: RowId,
): Promise<{ readonly window: ShownWindow; readonly manifests: readonly Manifest[] }> {
  const asked = await reader.manifest(manifestId);
  if (asked === null) throw noManifest(manifestId);
  const ofRun = await reader.manifestsOfRun(runId(asked.manifest.run_id));
  const { kind, round } = asked.manifest;
  const stored = ofRun.filter(({ manifest }) => kind === 'window' || manifest.round <= round);
  const manifests = stored.map(({ manifest }) => manifest);
  const elements = shownElements(lastRequest(stored, manifestId));
  const rows = await rowsOf(reader, manifests);
  const shown = new Map<string, ShownElement[]>();
  for (const element of elements) shown.set(element.id, [...(shown.get(element.id) ?? []), element]);
  const memories = [...shown].map(([id, ofId]) => shownMemory(id, ofId, { manifests, rows }));
  const subjects: unknown = asked.manifest.plan['subjects'];
  return { window: { memories, subjects: Array.isArray(subjects) ? subjects.map(String) : [] }, manifests };
}

/** Each request repeats the ones before it, so that the last one holds all that was shown. */
function lastRequest(stored: readonly StoredManifest[], manifestId: RowId) {
  const request = stored.at(-1)?.request ?? null;
  if (request === null) {
    throw new MemoryError('not_found', 'The request of this manifest is not stored any more.', {
      manifest_id: manifestId,
    });
  }
  return request;
}

type Rows = ReadonlyMap<string, Memory>;

/** The rows shown and the versions that they relied on, as far as the caller may still see them. */
async function rowsOf(reader: SnapshotReader, manifests: readonly Manifest[]): Promise<Rows> {
  const refs = manifests.flatMap(({ memories }) =>
    memories.flatMap(({ ref, annotation_refs: notes }) => [ref, ...notes.map(({ source }) => source)]),
  );
  const distinct = new Map(refs.map(refOf).map((ref) => [refKey(ref), ref]));
  return new Map((await reader.memories([...distinct.values()])).map((row) => [refKey(row.ref), row]));
}

function refOf([type, id, version]: RefJson): Ref {
  return [type, rowId(id), version];
}

/** One memory from all the places that showed it: its texts together, its status as shown last. */
function shownMemory(
  id: string,
  elements: readonly ShownElement[],
  known: { readonly manifests: readonly Manifest[]; readonly rows: Rows },
): ShownMemory {
  const entries = known.manifests.flatMap(({ memories }) => memories.filter((memory) => memory.id === id));
  const ref = entries[0]?.ref;
  const row = ref === undefined ? undefined : known.rows.get(refKey(refOf(ref)));
  const last = elements.at(-1);
  const notes = entries.flatMap(({ annotation_refs: refs }) => refs);
  const corrections = new Map(
    elements.flatMap((element) => element.corrections).map((one) => [`${one.currentId ?? ''} ${one.text}`, one]),
  );
  return {
    id,
    type: last?.type ?? '',
    status: last?.status ?? 'unverified',
    text: [...new Set(elements.map(({ text }) => text))].join('\n\n'),
    names: row === undefined ? [] : namesOf(row),
    claim: row === undefined ? null : claimOf(row),
    corrections: [...corrections.values()].flatMap((correction) => correctionsOf(correction, notes, known.rows)),
  };
}

function namesOf(row: Memory): readonly string[] {
  return row.type === 'entity' ? row.aliases : [titleOf(row)];
}

function claimOf(row: Memory): ShownClaim | null {
  if (row.type !== 'entity') return null;
  const { subject, predicate, conditions, value } = row;
  return { subject, predicate, conditions: canonicalJson(conditions), value };
}

/** A correction once for each version that it corrects, so that each one's values are known. */
function correctionsOf(
  { currentId, text }: ShownElement['corrections'][number],
  notes: Manifest['memories'][number]['annotation_refs'],
  rows: Rows,
): readonly ShownCorrection[] {
  const current = currentId === null ? null : text;
  const corrected = notes
    .filter((note) => (note.current === null ? null : citationIdOf(refOf(note.current))) === currentId)
    .map(({ source }) => rows.get(refKey(refOf(source))));
  const formers = corrected.map((row) => (row === undefined ? null : fullText(row)));
  return [...new Set(formers.length === 0 ? [null] : formers)].map((former) => ({ former, current, currentId }));
}

/** Feedback rests on the manifests it was held against and mentions what it cites, so that erasure finds it (D4). */
function feedbackSources(
  eventId: RowId,
  manifests: readonly Manifest[],
  report: CheckReport,
): readonly ProvenanceEdge[] {
  const derived: Ref = ['conversation', eventId, 1];
  const citedIds = new Set(report.sentences.flatMap(({ citations }) => citations.map(({ id }) => id)));
  const mentioned = new Map(
    manifests.flatMap(({ memories }) =>
      memories.filter(({ id }) => citedIds.has(id)).map(({ ref }) => [refKey(refOf(ref)), refOf(ref)] as const),
    ),
  );
  return [
    ...manifests.map(
      ({ manifest_id: id }): ProvenanceEdge => ({
        derived,
        source: ['conversation', rowId(id), 1],
        relation: 'derived_from',
      }),
    ),
    ...[...mentioned.values()].map((source): ProvenanceEdge => ({ derived, source, relation: 'mentions' })),
  ];
}
