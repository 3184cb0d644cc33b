// What a past window or tool round was asked, from the events of its run (design R1, M1): its question, and for a tool
// round the call, its notes and the transcript before it.

import type { ToolResultInput } from '../assembly/assembly_input.ts';
import { runId } from '../model/ids.ts';
import type { JsonObject } from '../model/json.ts';
import type { Manifest } from '../model/manifest.ts';
import { refKey, type Memory } from '../model/memory.ts';
import { titleOf } from '../model/memory_text.ts';
import type { ReplayRecord, ShownRecord } from '../model/replay.ts';
import type { ChatRequest } from '../model/window.ts';
import type { ManifestRecord, RecordReader, Transcript } from '../store/past.ts';
import { callIdOfRound } from './loop.ts';

/** A window's question, or all that a tool round was asked and continued. */
export type Round =
  | { readonly kind: 'window'; readonly question: string }
  | {
      readonly kind: 'tool_result';
      readonly question: string;
      readonly shown: ShownRecord;
      readonly call: ToolResultInput['call'];
      readonly notes: readonly string[];
      /** The run before this call. */
      readonly transcript: Transcript;
    };

/** Null: an event that it takes is gone. */
export async function readRound(
  records: RecordReader,
  stored: ManifestRecord,
  made: { readonly record: ReplayRecord; readonly memories: ReadonlyMap<string, Memory> },
): Promise<Round | null> {
  const { manifest, owner, request } = stored;
  const { shown } = made.record;
  if (shown === null) {
    const question = request === null ? null : questionIn(request);
    return question === null ? null : { kind: 'window', question };
  }
  const kept = await records.transcript(runId(manifest.run_id), owner);
  const before = transcriptThen(kept, shown);
  const call = kept.calls.find(({ callId }) => callId === callIdOfRound(manifest.round));
  if (before === null || call === undefined) return null;
  return {
    kind: 'tool_result',
    question: roundQuestion(made, { shown, args: JSON.parse(call.arguments) }),
    shown,
    call: { id: call.callId, tool: call.tool, arguments: call.arguments },
    notes: shown.shape === null ? handlerNotes(manifest, JSON.parse(call.result)) : [],
    transcript: before,
  };
}

/** What of the run stood before the call, even if less than there had been; null: some of that is gone since. */
function transcriptThen(kept: Transcript, { transcript }: ShownRecord): Transcript | null {
  const calls = transcript.calls.flatMap((id) => kept.calls.find(({ callId }) => callId === id) ?? []);
  const isWhole = calls.length === transcript.calls.length && (kept.initial !== null || !transcript.hasInitial);
  return isWhole ? { initial: transcript.hasInitial ? kept.initial : null, calls } : null;
}

/** What stands after the memory block of the user message: no memory can hold its closing tag (design A3). */
function questionIn(request: ChatRequest): string | null {
  const content = request.messages.find(({ role }) => role === 'user')?.content ?? '';
  const end = '</memory_context>\n\n';
  const at = content.indexOf(end);
  return at === -1 ? null : content.slice(at + end.length);
}

/** The handlers that take what they are asked as it stands. */
const queryHandlers: ReadonlySet<string> = new Set(['search_memory', 'search_history', 'search']);

/** What the handler took as its question; see the handlers' own files. */
function roundQuestion(
  made: { readonly record: ReplayRecord; readonly memories: ReadonlyMap<string, Memory> },
  called: { readonly shown: ShownRecord; readonly args: JsonObject },
): string {
  const { args, shown } = called;
  // As text_argument.ts reads them.
  const text = (name: string) => {
    const value = args[name];
    return typeof value === 'string' ? value.trim() : '';
  };
  if (queryHandlers.has(shown.handler)) return text('query');
  if (shown.handler === 'lookup_entity') return `${text('subject')} ${text('predicate')}`;
  const first = made.record.rows[0];
  const memory = first === undefined ? undefined : made.memories.get(refKey(first.ref));
  return memory === undefined ? '' : titleOf(memory);
}

/** The handler's own notes: where nothing fitted, the assembly added one of its own at the end. */
function handlerNotes(manifest: Manifest, content: { readonly notes?: readonly string[] }): readonly string[] {
  const notes = content.notes ?? [];
  const unfit = manifest.memories.length === 0 && manifest.excluded.some(({ rule }) => rule === 'slice_budget');
  return unfit ? notes.slice(0, -1) : notes;
}
