// Replay (design R1): may the window be looked at now, what was it made of, and does it come out the same again?

import { codeHash } from '../assembly/code_hash.ts';
import { requestHash } from '../assembly/render/request.ts';
import { MemoryError } from '../model/errors.ts';
import { scn, type RowId } from '../model/ids.ts';
import type { JsonValue } from '../model/json.ts';
import type { Manifest } from '../model/manifest.ts';
import type { Difference, Replayed, ReplayOutcome, ReplayRecord, UnavailableReason } from '../model/replay.ts';
import type { Scope } from '../model/scope.ts';
import { instant } from '../model/time.ts';
import type { ChatRequest, CountTokens } from '../model/window.ts';
import { isHistoryGone } from '../store/history_gone.ts';
import type { ManifestRecord, RecordReader } from '../store/past.ts';
import { callOptions } from './call_options.ts';
import { firstDifference, partingOf } from './difference.ts';
import type { Call, OperatorCall } from './manager.ts';
import type { ManagerLog, ManagerParts } from './parts.ts';
import { readPastRows, rebuild, type PastRows } from './replay_rebuild.ts';
import { presentRefusal, toolRefusal } from './replay_refusal.ts';
import { readRound, type Round } from './replay_round.ts';

/** Rebuilds a recorded window or tool result and compares. Throws `not_found`, also for another principal's. */
export async function replay(parts: ManagerParts, call: Call | OperatorCall, manifestId: RowId): Promise<Replayed> {
  const countTokens = await parts.tokenizer();
  const reader = 'userId' in call.scope ? call.scope : null;
  const found = await parts.store.readPast(call.scope, callOptions(call), (records) =>
    readForReplay(records, manifestId, { reader, log: parts.log }),
  );
  const result = 'result' in found ? found.result : compared(found, countTokens);
  if (found.stored === null) return { manifestId, kind: null, sameCode: null, result };
  const { kind, code_hash } = found.stored.manifest;
  return { manifestId, kind, sameCode: code_hash === codeHash, result };
}

/** What is needed to rebuild. */
interface Readable {
  readonly stored: ManifestRecord;
  readonly record: ReplayRecord;
  readonly rows: PastRows;
  readonly round: Round;
}

type Answered = { readonly stored: ManifestRecord | null; readonly result: ReplayOutcome };

/** Everything that the database must say, in one snapshot; the checks come in the design's order. */
async function readForReplay(
  records: RecordReader,
  manifestId: RowId,
  asked: { readonly reader: Scope | null; readonly log: ManagerLog },
): Promise<Answered | Readable> {
  const stored = await records.manifestRecord(manifestId);
  if (stored === null) {
    throw new MemoryError('not_found', 'There is no such manifest.', { manifest_id: manifestId });
  }
  if (stored.kind === 'erased') return { stored: null, result: unavailable('deleted') };
  const { manifest, owner, replay: record } = stored;
  const refuse = (reason: UnavailableReason, ref: Manifest['budget_ref'] | null = null): Answered => {
    return { stored, result: unavailable(reason, ref) };
  };
  if (manifest.incarnation !== records.position.incarnation) return refuse('other_database');
  const refusal = await presentRefusal(records, manifest);
  if (refusal !== null) return refuse(refusal.reason, refusal.ref);
  // A manifest of before anything was kept for replay was written by other code, too.
  if (record === null) return refuse(manifest.code_hash === codeHash ? 'transcript_missing' : 'code_changed');
  const { mode, incarnation } = manifest;
  const position = { mode, incarnation, scn: scn(manifest.scn), evaluationTime: instant(manifest.evaluation_time) };
  const made = { record, owner, manifest, log: asked.log };
  const rows = await readPastRows(records.asOf(position, owner), made).catch(nullWhenGone);
  if (rows === null) return refuse('history_gone');
  const denied = asked.reader === null ? null : toolRefusal(rows.tools, asked.reader);
  if (denied !== null) return refuse(denied.reason, denied.ref);
  const round = await readRound(records, stored, { record, memories: rows.memories });
  return round === null ? refuse('transcript_missing') : { stored, record, rows, round };
}

function nullWhenGone(error: unknown): null {
  if (isHistoryGone(error)) return null;
  throw error;
}

function unavailable(reason: UnavailableReason, ref: Manifest['budget_ref'] | null = null): ReplayOutcome {
  return { outcome: 'unavailable', reason, ref };
}

/** A difference is told by what explains it, if anything does; what is lacking and changes nothing is no matter. */
function compared(read: Readable, countTokens: CountTokens): ReplayOutcome {
  const { stored, rows } = read;
  const difference = differenceOf(stored, () => rebuild(stored, read.record, { ...read, countTokens }));
  if (difference === null) return { outcome: 'matched' };
  if (!rows.isKept) return unavailable('history_gone');
  if (rows.lacksCompression) return unavailable('compression_missing');
  if (stored.manifest.code_hash !== codeHash) return unavailable('code_changed');
  return { outcome: 'mismatched', difference };
}

type Rebuilt = ReturnType<typeof rebuild>;

function differenceOf(stored: ManifestRecord, make: () => Rebuilt): Difference | null {
  let rebuilt: Rebuilt;
  try {
    rebuilt = make();
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error;
    return { where: 'rebuild', path: '$', offset: null, recorded: null, rebuilt: error.code };
  }
  return (
    requestDifference(stored, rebuilt.request) ??
    manifestDifference(withoutCode(stored.manifest), withoutCode(rebuilt.manifest))
  );
}

/** Texts of a request are memory: their places are told, never what stands there. */
function requestDifference({ manifest, request }: ManifestRecord, rebuilt: ChatRequest): Difference | null {
  if (requestHash(rebuilt) === manifest.request_hash) return null;
  const found = request === null ? null : firstDifference(asJson(request), asJson(rebuilt));
  const { path, recorded: a = null, rebuilt: b = null } = found ?? { path: '$' };
  const offset = typeof a === 'string' && typeof b === 'string' ? partingOf(a, b) : null;
  return { where: 'request', path, offset, recorded: null, rebuilt: null };
}

function manifestDifference(recorded: JsonValue, rebuilt: JsonValue): Difference | null {
  const found = firstDifference(recorded, rebuilt);
  return found === null ? null : { where: 'manifest', offset: null, ...found };
}

/** The manifest without what names the code: whether that changed is told apart. */
function withoutCode(manifest: Manifest): JsonValue {
  const { code_hash: _code, renderer_version: _renderer, selection_version: _selection, ...rest } = manifest;
  return asJson(rest);
}

function asJson(value: object): JsonValue {
  return JSON.parse(JSON.stringify(value));
}
