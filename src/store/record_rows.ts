// Where rows of recorded windows become values: manifests with what stands beside them, uses, answers, citations, sources.

import { z } from 'zod';
import { agentId, rowId, runId, tenantId, threadId, userId } from '../model/ids.ts';
import { eventTypes, memoryTypes } from '../model/memory.ts';
import type { Ref } from '../model/memory.ts';
import type { ManifestRecord, Owner, RecordedAnswer, RecordedCitation, RecordedSource, RecordedUse } from './past.ts';
import { refOf, storedManifest } from './ref_rows.ts';
import { replayRecordOf } from './replay_record.ts';
import { instantOf, orNull, scopeOf } from './rows.ts';
import type { StoredRow } from './rows.ts';

const text = z.string();
const refJson = z
  .tuple([z.enum(memoryTypes), text, z.number().int()])
  .transform(([type, id, version]): Ref => [type, rowId(id), version]);

const ownerRow = z.object({ tenant_id: text, user_id: text, agent_id: text.nullable(), thread_id: text });

/** Whose a row is; throws for one that is nobody's. */
function ownerOf(row: StoredRow): Owner {
  const columns = ownerRow.parse(row);
  return {
    tenantId: tenantId(columns.tenant_id),
    userId: userId(columns.user_id),
    agentId: orNull(columns.agent_id, agentId),
    threadId: threadId(columns.thread_id),
  };
}

/** A manifest with all that stands beside it, or the tombstone of one; a deleted one is as good as erased. */
export function manifestRecord(row: StoredRow): ManifestRecord | { readonly kind: 'erased' } {
  if (row['event_type'] === 'tombstone' || row['deleted_at'] !== null) return { kind: 'erased' };
  const { manifest, request, createdAt } = storedManifest(row);
  return {
    kind: 'stored',
    manifest,
    owner: ownerOf(row),
    request,
    replay: replayRecordOf(row['retrieval']),
    createdAt,
  };
}

const entryRow = z.object({
  slice: text,
  status: text,
  annotation_refs: z.array(z.object({ source: refJson })),
});
const useRow = z.object({
  event_id: text,
  kind: z.enum(['window', 'tool_result']),
  run_id: text.nullable(),
  created_at: text,
  entry: entryRow,
  as_correction: z.boolean(),
});

/** One memory of one manifest that leads back to what was asked about. */
export function recordedUse(row: StoredRow): RecordedUse {
  const columns = useRow.parse(row);
  return {
    manifestId: rowId(columns.event_id),
    kind: columns.kind,
    owner: scopeOf(row),
    runId: orNull(columns.run_id, runId),
    createdAt: instantOf(columns.created_at),
    root: refOf(row, 'root_'),
    via: refOf(row, 'via_'),
    slice: columns.entry.slice,
    status: columns.entry.status,
    asCorrection: columns.as_correction,
    notedSources: columns.entry.annotation_refs.map(({ source }) => source),
  };
}

const answerRow = z.object({
  event_id: text,
  run_id: text.nullable(),
  created_at: text,
  cites: refJson.nullable(),
});

/** One answer. */
export function recordedAnswer(row: StoredRow): RecordedAnswer {
  const columns = answerRow.parse(row);
  return {
    eventId: rowId(columns.event_id),
    owner: scopeOf(row),
    runId: orNull(columns.run_id, runId),
    createdAt: instantOf(columns.created_at),
    cites: columns.cites,
  };
}

/** What a citation id was issued for. */
export function recordedCitation(row: StoredRow): RecordedCitation {
  return { ref: refOf(row), owner: ownerOf(row) };
}

const sourceRow = z.object({
  event_type: z.enum(eventTypes).nullable(),
  title: text.nullable(),
  uri: text.nullable(),
  created_at: text,
});

/** The head of an event or document. */
export function recordedSource(row: StoredRow): RecordedSource {
  const { event_type, title, uri, created_at } = sourceRow.parse(row);
  return { ref: refOf(row), eventType: event_type, title, uri, createdAt: instantOf(created_at) };
}
