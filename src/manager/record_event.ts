// The events that every window and every call leaves behind (design M1, L5), and the provenance of what they hold.

import { canonicalJson, sha256Hex } from '../assembly/hash.ts';
import { MemoryError, type ErrorCode } from '../model/errors.ts';
import type {
  CallOutcome,
  ClarificationPayload,
  ManifestPayload,
  RequestPayload,
  ToolCallPayload,
  ToolResultPayload,
} from '../model/event.ts';
import { isCitationId, rowId, type CitationId, type RowId, type RunId } from '../model/ids.ts';
import type { JsonObject } from '../model/json.ts';
import type { Manifest } from '../model/manifest.ts';
import { refKey, type EventType, type ProvenanceEdge, type Ref } from '../model/memory.ts';
import type { ChatRequest } from '../model/window.ts';
import type { Writer } from '../store/store.ts';
import type { NewEvent } from '../store/written_rows.ts';

interface EventOptions {
  readonly eventId: RowId;
  readonly runId: RunId | null;
  readonly role?: NewEvent['role'];
  readonly tokenCost?: number;
  readonly latencyMs?: number;
}

/** An event of this type with this payload. */
export function newEvent(eventType: EventType, payload: object, options: EventOptions): NewEvent {
  return {
    eventId: options.eventId,
    eventType,
    role: options.role ?? null,
    runId: options.runId,
    // Payloads are interfaces of plain JSON values (model/event.ts), which TypeScript will not call an index type.
    payload: payload as JsonObject,
    tokenCost: options.tokenCost ?? null,
    latencyMs: options.latencyMs ?? null,
    retentionClass: null,
  };
}

/**
 * Writes a manifest with its request, after the events that led to it, and names every row that they depend on, so that
 * erasure finds them (D4). Throws `version_conflict` when one of them was erased since the snapshot: no text of it may be
 * stored then (E1).
 */
export async function recordManifest(
  writer: Writer,
  record: {
    readonly manifest: Manifest;
    readonly request: ChatRequest;
    /** What comes before it, in this order. */
    readonly events: readonly NewEvent[];
    /** Those of them that hold words of the same memories. */
    readonly derived: readonly RowId[];
    readonly requestEventId: RowId;
    readonly runId: RunId;
    /** Rows whose words stand in plan or notes, shown as memories or not. */
    readonly consulted: readonly Ref[];
  },
): Promise<void> {
  const { manifest, request, requestEventId, runId, consulted } = record;
  const manifestId = rowId(manifest.manifest_id);
  await writer.requireSources([...readRefs(manifest), ...consulted]);
  await writer.appendEvents([
    ...record.events,
    newEvent('context_manifest', { manifest } satisfies ManifestPayload, {
      eventId: manifestId,
      runId,
      role: 'system',
    }),
    newEvent('request', { manifest_id: manifestId, request } satisfies RequestPayload, {
      eventId: requestEventId,
      runId,
      role: 'system',
    }),
  ]);
  const beside = [...record.derived, requestEventId].map((eventId): ProvenanceEdge => {
    return {
      derived: ['conversation', eventId, 1],
      source: ['conversation', manifestId, 1],
      relation: 'derived_from',
    };
  });
  const thoughtOf = consulted.map(
    (source): ProvenanceEdge => ({ derived: ['conversation', manifestId, 1], source, relation: 'mentions' }),
  );
  await writer.addProvenance([...usedInWindow(manifest), ...thoughtOf, ...beside]);
}

/** What the window was read from. A source event may be another user's, or unknown: its fact goes with it. */
function readRefs(manifest: Manifest): readonly Ref[] {
  return manifest.dependencies.flatMap(({ ref, role }): readonly Ref[] =>
    ref === null || role === 'source_event' ? [] : [[ref[0], rowId(ref[1]), ref[2]]],
  );
}

/** One edge for each row that a manifest depends on. */
function usedInWindow(manifest: Manifest): readonly ProvenanceEdge[] {
  const derived: Ref = ['conversation', rowId(manifest.manifest_id), 1];
  const sources = new Map<string, Ref>();
  for (const { ref } of manifest.dependencies) {
    if (ref === null) continue;
    const source: Ref = [ref[0], rowId(ref[1]), ref[2]];
    sources.set(refKey(source), source);
  }
  return [...sources.values()].map((source) => ({ derived, source, relation: 'used_in_window' }));
}

/** The event of a call: arguments only of a call that was carried out, else their hash and size (L5). */
export function toolCallPayload(call: {
  readonly callId: string | null;
  readonly tool: string;
  readonly args: unknown;
  readonly outcome: CallOutcome;
  readonly code: ErrorCode | null;
  readonly client: ToolCallPayload['client'];
  readonly tokens: number;
  readonly milliseconds: number;
  readonly requestId: string;
}): ToolCallPayload {
  const text = argumentsText(call.args);
  return {
    call_id: call.callId,
    // A name that no row has is the caller's text: kept short and printable.
    tool: call.tool.replace(/[^\x20-\x7e]/g, '?').slice(0, 64),
    arguments: call.outcome === 'ok' ? (call.args as JsonObject) : null,
    arguments_hash: sha256Hex(text),
    arguments_bytes: Buffer.byteLength(text),
    outcome: call.outcome,
    code: call.code,
    client: call.client,
    tokens: call.tokens,
    milliseconds: Math.round(call.milliseconds),
    request_id: call.requestId,
  };
}

function argumentsText(args: unknown): string {
  try {
    return canonicalJson(args ?? null);
  } catch {
    return 'unreadable';
  }
}

/** How a failure stands in the event of its call. */
export function outcomeOf(error: unknown): { readonly outcome: CallOutcome; readonly code: ErrorCode } {
  const code = error instanceof MemoryError ? error.code : 'internal';
  switch (code) {
    case 'tool_denied':
    case 'unknown_tool':
    case 'not_issued':
    case 'not_visible':
      return { outcome: 'denied', code };
    case 'invalid_argument':
    case 'text_refused':
      return { outcome: 'invalid', code };
    case 'cancelled':
      return { outcome: 'cancelled', code };
    case 'deadline_exceeded':
      return { outcome: 'timed_out', code };
    default:
      return { outcome: 'failed', code };
  }
}

/** The text block of a call that returned memory. */
export function toolResultEvent(payload: ToolResultPayload, options: EventOptions): NewEvent {
  return newEvent('tool_result', payload, { ...options, role: 'tool' });
}

/** A question to the user and what came of it; scoped to the thread by the writer's own scope (L4). */
export function clarificationEvent(payload: ClarificationPayload, options: EventOptions): NewEvent {
  return newEvent('clarification', payload, { ...options, role: 'user' });
}

/** The citation ids that an answer cites in square brackets, each once, in order. */
export function citedIds(text: string): readonly CitationId[] {
  const ids = [...text.matchAll(/\bB[0-9a-f]{10}\b/g)].map(([id]) => id).filter(isCitationId);
  return [...new Set(ids)];
}
