// Where rows about memories become values: refs, versions, edges, links, compressions, runs, manifests, transcripts.

import canonicalize from 'canonicalize';
import { z } from 'zod';
import type { CachedTokens, Compression } from '../model/candidate.ts';
import { rowId, runId } from '../model/ids.ts';
import type { JsonObject } from '../model/json.ts';
import type { Manifest } from '../model/manifest.ts';
import { eventTypes, memoryTypes, refKey } from '../model/memory.ts';
import type { KnownVersion, MemoryLink, ProvenanceEdge, Ref, StoredEvent } from '../model/memory.ts';
import type { ChatRequest } from '../model/window.ts';
import { instantOf, lifecycleOf, orNull, scopeOf } from './rows.ts';
import type { StoredRow } from './rows.ts';
import type { Run, StoredManifest, Transcript } from './store.ts';

const text = z.string();
const whole = z.number().int();
const jsonObject = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);
const memoryType = z.enum(memoryTypes);

/** A ref as the statements take it. */
export interface RefColumns {
  readonly type: string;
  readonly id: string;
  readonly version: number;
}

/** Refs as one JSON parameter, each once. */
export function refsParameter(refs: readonly Ref[]): string {
  const distinct = new Map(refs.map((ref) => [refKey(ref), refColumns(ref)]));
  return JSON.stringify([...distinct.values()]);
}

/** The columns of a ref. */
export function refColumns([type, id, version]: Ref): RefColumns {
  return { type, id, version };
}

/** A ref of three columns that begin with the prefix: type, id, version. */
export function refOf(row: StoredRow, prefix = ''): Ref {
  return [
    memoryType.parse(row[`${prefix}type`]),
    rowId(text.parse(row[`${prefix}id`])),
    whole.parse(row[`${prefix}version`]),
  ];
}

const identityColumns = z.object({
  subject: text.nullable(),
  predicate: text.nullable(),
  conditions: jsonObject.nullable(),
});

/** A version without its text. */
export function knownVersion(row: StoredRow): KnownVersion {
  const identity = identityColumns.parse(row);
  return {
    ref: refOf(row),
    scope: scopeOf(row),
    lifecycle: lifecycleOf(row),
    identity:
      identity.subject !== null && identity.predicate !== null
        ? { subject: identity.subject, predicate: identity.predicate, conditions: identity.conditions }
        : null,
  };
}

const provenanceRelation = z.enum(['derived_from', 'mentions', 'supports', 'annotates', 'used_in_window']);

/** One step of provenance. */
export function provenanceEdge(row: StoredRow): ProvenanceEdge {
  return {
    derived: refOf(row, 'derived_'),
    source: refOf(row, 'source_'),
    relation: provenanceRelation.parse(row['relation']),
  };
}

/** The columns of a step of provenance. */
export function provenanceColumns({ derived, source, relation }: ProvenanceEdge): JsonObject {
  return {
    derived_type: derived[0],
    derived_id: derived[1],
    derived_version: derived[2],
    source_type: source[0],
    source_id: source[1],
    source_version: source[2],
    relation,
  };
}

const linkRelation = z.enum(['supersedes', 'refines', 'supports', 'contradicts', 'duplicates']);

/** A typed link. */
export function memoryLink(row: StoredRow): MemoryLink {
  return {
    source: refOf(row, 'source_'),
    target: refOf(row, 'target_'),
    relation: linkRelation.parse(row['relation']),
  };
}

/** The columns of a typed link. */
export function linkColumns({ source, target, relation }: MemoryLink): JsonObject {
  return {
    source_type: source[0],
    source_id: source[1],
    source_version: source[2],
    target_type: target[0],
    target_id: target[1],
    target_version: target[2],
    relation,
  };
}

const compressionRow = z.object({
  id: text,
  source_hash: text,
  text,
  tokens: whole,
  model: text,
  prompt_version: text,
});

/** A stored summary of one source. */
export function compression(row: StoredRow): Compression {
  const columns = compressionRow.parse(row);
  return {
    id: rowId(columns.id),
    source: refOf(row, 'source_'),
    sourceHash: columns.source_hash,
    text: columns.text,
    tokens: columns.tokens,
    model: columns.model,
    promptVersion: columns.prompt_version,
  };
}

/** The columns of a compression. */
export function compressionColumns(value: Compression): JsonObject {
  return {
    id: value.id,
    source_type: value.source[0],
    source_id: value.source[1],
    source_version: value.source[2],
    source_hash: value.sourceHash,
    text: value.text,
    tokens: value.tokens,
    model: value.model,
    prompt_version: value.promptVersion,
  };
}

const tokenCountColumns = z.object({ tier: z.enum(['full', 'summary', 'pointer']), tokens: whole });

/** Token counts by ref, of rows of one tier each. */
export function tokenCounts(rows: readonly StoredRow[]): ReadonlyMap<string, CachedTokens> {
  const counts = new Map<string, CachedTokens>();
  for (const row of rows) {
    const key = refKey(refOf(row));
    const { tier, tokens } = tokenCountColumns.parse(row);
    counts.set(key, { ...counts.get(key), [tier]: tokens });
  }
  return counts;
}

const eventRow = z.object({
  event_id: text,
  event_type: z.enum(eventTypes),
  role: text.nullable(),
  run_id: text.nullable(),
  turn_index: whole.nullable(),
  payload: jsonObject,
  created_at: text,
});

/** An event as stored. */
export function storedEvent(row: StoredRow): StoredEvent {
  const columns = eventRow.parse(row);
  const { userId, agentId, threadId } = scopeOf(row);
  return {
    eventId: rowId(columns.event_id),
    eventType: columns.event_type,
    role: columns.role,
    userId,
    agentId,
    threadId,
    runId: orNull(columns.run_id, runId),
    turnIndex: columns.turn_index,
    payload: columns.payload,
    createdAt: instantOf(columns.created_at),
  };
}

const runRow = z.object({
  run_id: text,
  kind: z.enum(['window', 'implicit']),
  max_rounds: whole,
  rounds_used: whole,
  tool_reserve: whole,
  tokens_left: whole,
  max_tool_result_tokens: whole,
  idle_seconds: whole,
  idle_for: whole,
});

/** A run as stored, with how long ago its last call was. */
export function run(row: StoredRow): Run {
  const columns = runRow.parse(row);
  return {
    runId: runId(columns.run_id),
    kind: columns.kind,
    maxRounds: columns.max_rounds,
    roundsUsed: columns.rounds_used,
    toolReserve: columns.tool_reserve,
    tokensLeft: columns.tokens_left,
    maxToolResultTokens: columns.max_tool_result_tokens,
    idleSeconds: columns.idle_seconds,
    idleFor: columns.idle_for,
  };
}

const manifestPayload = z.looseObject({
  manifest_id: text,
  kind: z.enum(['window', 'tool_result']),
  run_id: text,
  round: whole,
  memories: z.array(z.unknown()),
  excluded: z.array(z.unknown()),
});
const requestPayload = z.looseObject({
  request: z.looseObject({ messages: z.array(z.unknown()), tools: z.array(z.unknown()) }),
});
const callPayload = z.object({ call_id: text, tool: text, arguments: jsonObject });
const resultPayload = z.object({ call_id: text, text });

/** A manifest's event with the payload of its request's event. */
export function storedManifest(row: StoredRow): StoredManifest {
  manifestPayload.parse(row['manifest']);
  return {
    manifest: row['manifest'] as Manifest,
    request: row['request'] === null ? null : requestOf(row['request']),
    createdAt: instantOf(text.parse(row['created_at'])),
  };
}

function requestOf(payload: unknown): ChatRequest {
  return requestPayload.parse(payload).request as unknown as ChatRequest;
}

/**
 * What a run exchanged, from its events in order: the request of its window's manifest, then each recorded call that
 * has a result, its arguments as canonical JSON. Refused and failed calls are no part of it.
 */
export function transcript(rows: readonly StoredRow[]): Transcript {
  const ofType = (type: string) => rows.filter((row) => row['event_type'] === type);
  const windows = new Set(
    ofType('context_manifest')
      .filter(
        (row) => z.object({ manifest: manifestPayload }).safeParse(row['payload']).data?.manifest.kind === 'window',
      )
      .map((row) => row['manifest_id']),
  );
  const initial = ofType('request').find((row) => windows.has(row['manifest_id']));
  const results = new Map(
    ofType('tool_result').flatMap((row) => {
      const payload = resultPayload.safeParse(row['payload']).data;
      return payload === undefined ? [] : [[payload.call_id, payload.text] as const];
    }),
  );
  const calls = ofType('tool_call').flatMap((row) => {
    const call = callPayload.safeParse(row['payload']).data;
    const result = call === undefined ? undefined : results.get(call.call_id);
    if (call === undefined || result === undefined) return [];
    return [{ callId: call.call_id, tool: call.tool, arguments: canonicalize(call.arguments) ?? '{}', result }];
  });
  return { initial: initial === undefined ? null : requestOf(initial['payload']), calls };
}
