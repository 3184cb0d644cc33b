// From a cited id back to where it came from (design R3): the memory, its sources, the event or document at the end.

import { citationIdOf } from '../assembly/render/citation.ts';
import { lifecycleState } from '../assembly/select/lifecycle.ts';
import { MemoryError } from '../model/errors.ts';
import type { StandingNow, Trace, TraceStep } from '../model/consequences.ts';
import { citationId, rowId, type CitationId, type RowId } from '../model/ids.ts';
import type { Manifest } from '../model/manifest.ts';
import { refKey, type KnownVersion, type Memory, type ProvenanceEdge, type Ref } from '../model/memory.ts';
import { titleOf } from '../model/memory_text.ts';
import type { Instant } from '../model/time.ts';
import type { RecordedSource, RecordReader } from '../store/past.ts';
import { callOptions } from './call_options.ts';
import type { Call, OperatorCall } from './manager.ts';
import { mayBeShown } from './may_be_shown.ts';
import type { ManagerParts } from './parts.ts';

/** More steps than that help nobody; the nearest ones are kept. */
const maxSteps = 200;

/**
 * Follows a citation id, of one manifest or of whatever run issued it to the caller. Throws `invalid_argument` and
 * `not_found`, also for what was never issued to the caller.
 */
export async function trace(
  parts: ManagerParts,
  call: Call | OperatorCall,
  asked: { readonly citation: string; readonly manifestId: RowId | null },
): Promise<Trace> {
  const id = citationId(asked.citation);
  return parts.store.readPast(call.scope, callOptions(call), async (records) => {
    const cited =
      asked.manifestId === null ? await issuedAs(records, id) : await namedIn(records, asked.manifestId, id);
    if (cited === null) throw new MemoryError('not_found', 'This id was not issued.', { memory_id: id });
    const provenance = await records.provenance([cited.ref]);
    const refs = [cited.ref, ...provenance.map(({ source }) => source)];
    const memories = await records.memories(refs, cited.owner);
    const heads = await records.sources([...refs, ...memories.flatMap(sourceEventOf)]);
    const known = await records.versions([...refs, ...heads.map(({ ref }) => ref)]);
    const rows = rowsByKey(memories, known, heads);
    return { citationId: id, steps: stepsFrom(cited.ref, provenance, { rows, now: records.position.evaluationTime }) };
  });
}

type Cited = Awaited<ReturnType<RecordReader['citations']>>[number];

async function issuedAs(records: RecordReader, id: CitationId): Promise<Cited | null> {
  return (await records.citations(id))[0] ?? null;
}

/** The ref that an id stands for in a manifest: a memory of it, or a row that a note of it named. */
async function namedIn(records: RecordReader, manifestId: RowId, id: CitationId): Promise<Cited | null> {
  const stored = await records.manifestRecord(manifestId);
  if (stored === null || stored.kind === 'erased') {
    throw new MemoryError('not_found', 'There is no such manifest.', { manifest_id: manifestId });
  }
  const ref = shownRefs(stored.manifest).find((shown) => citationIdOf(shown) === id);
  return ref === undefined ? null : { ref, owner: stored.owner };
}

function shownRefs({ memories }: Manifest): readonly Ref[] {
  const named = memories.flatMap((memory) => [
    memory.ref,
    ...memory.contradicted_by,
    ...memory.annotation_refs.flatMap(({ current }) => (current === null ? [] : [current])),
  ]);
  return named.map(([type, id, version]) => [type, rowId(id), version]);
}

function sourceEventOf({ sourceEventId }: Memory): readonly Ref[] {
  return sourceEventId === null ? [] : [['conversation', sourceEventId, 1]];
}

interface Rows {
  readonly memories: ReadonlyMap<string, Memory>;
  readonly known: ReadonlyMap<string, KnownVersion>;
  readonly heads: ReadonlyMap<string, RecordedSource>;
  readonly documents: readonly RecordedSource[];
}

function rowsByKey(
  memories: readonly Memory[],
  known: readonly KnownVersion[],
  heads: readonly RecordedSource[],
): Rows {
  return {
    memories: new Map(memories.map((memory) => [refKey(memory.ref), memory])),
    known: new Map(known.map((version) => [refKey(version.ref), version])),
    heads: new Map(heads.map((head) => [refKey(head.ref), head])),
    documents: heads.filter(({ ref }) => ref[0] === 'document'),
  };
}

interface Reached {
  readonly ref: Ref;
  readonly depth: number;
  readonly relation: TraceStep['relation'];
}

/** Depth first, so that what a row came from stands below it; a row that is reached twice stands where it was first. */
function stepsFrom(
  start: Ref,
  provenance: readonly ProvenanceEdge[],
  read: { readonly rows: Rows; readonly now: Instant },
): readonly TraceStep[] {
  const seen = new Set<string>();
  const steps: TraceStep[] = [];
  const pending: Reached[] = [{ ref: start, depth: 0, relation: null }];
  for (let at = pending.pop(); at !== undefined && steps.length < maxSteps; at = pending.pop()) {
    const { ref, depth } = at;
    const key = refKey(ref);
    if (seen.has(key)) continue;
    seen.add(key);
    steps.push(stepOf(at, read));
    const below = [...derivedFrom(ref, provenance), ...parentsOf(read.rows.memories.get(key), read.rows)];
    for (const next of below.toReversed()) pending.push({ ...next, depth: depth + 1 });
  }
  return steps;
}

function derivedFrom(ref: Ref, provenance: readonly ProvenanceEdge[]): readonly Omit<Reached, 'depth'>[] {
  return provenance.flatMap(({ derived, source, relation }) => {
    const leads = refKey(derived) === refKey(ref) && (relation === 'derived_from' || relation === 'mentions');
    return leads ? [{ ref: source, relation }] : [];
  });
}

function parentsOf(memory: Memory | undefined, rows: Rows): readonly Omit<Reached, 'depth'>[] {
  if (memory === undefined) return [];
  const events = sourceEventOf(memory).map((ref) => ({ ref, relation: 'source_event' as const }));
  if (memory.type !== 'chunk') return events;
  const document = rows.documents.find(({ ref }) => ref[1] === memory.documentId);
  return document === undefined ? events : [...events, { ref: document.ref, relation: 'parent_document' as const }];
}

function stepOf(
  { ref, depth, relation }: Reached,
  { rows, now }: { readonly rows: Rows; readonly now: Instant },
): TraceStep {
  const key = refKey(ref);
  const memory = rows.memories.get(key);
  const head = rows.heads.get(key);
  const shown = memory === undefined || !mayBeShown(memory, now) ? null : memory;
  const standing = standingOf(rows.known.get(key), now);
  const headTitle = standing === 'quarantined' ? null : (head?.title ?? null);
  return {
    depth,
    relation,
    ref,
    standing,
    title: shown === null ? headTitle : titleOf(shown),
    uri: head?.uri ?? null,
    eventType: head?.eventType ?? null,
    createdAt: head?.createdAt ?? memory?.lifecycle.createdAt ?? null,
  };
}

function standingOf(known: KnownVersion | undefined, now: Instant): StandingNow {
  if (known === undefined) return 'not_visible';
  return known.lifecycle.quarantinedAt !== null ? 'quarantined' : lifecycleState(known.lifecycle, now);
}
