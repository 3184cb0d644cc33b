// What the retrieval event of a window or tool round keeps, so that it can be decided again without search or reranker
// (design R1): who asked, and how each candidate was measured. It holds no memory text.

import type { AssemblyInput, ToolResultInput } from '../assembly/assembly_input.ts';
import { sha256Hex } from '../assembly/hash.ts';
import type { Candidate } from '../model/candidate.ts';
import type { JsonObject } from '../model/json.ts';
import type { MeasuredRow, ShownRecord } from '../model/replay.ts';
import type { ChatRequest } from '../model/window.ts';
import { replayColumns } from '../store/replay_record.ts';
import type { ReadMemory } from './call_parts.ts';

/** Tells one text of a compression from another under the same id. */
export function compressionTextHash(text: string): string {
  return sha256Hex(text).slice(0, 16);
}

/** The record of a window. `sought`: so many of its candidates were sought, the others came along. */
export function windowReplay(input: AssemblyInput, sought: number): JsonObject {
  return replayColumns({ ...inputRecord(input), sought, shown: null });
}

/** The record of a tool round. */
export function roundReplay(input: ToolResultInput, read: ReadMemory): JsonObject {
  const { order, limit, tiers, moreHint, admittedBy, named, loop } = input;
  const { kind, tokensLeft, roundsLeft, maxToolResultTokens } = loop;
  return replayColumns({
    ...inputRecord(input),
    sought: read.wish.gathered.sought,
    shown: {
      handler: read.handler,
      order,
      limit,
      tiers,
      moreHint,
      admittedBy,
      named,
      shape: input.shape ?? null,
      transcript: transcriptOf(loop.request),
      loop: { kind, tokensLeft, roundsLeft, maxToolResultTokens },
    },
  });
}

function transcriptOf({ messages }: ChatRequest): ShownRecord['transcript'] {
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.tool_calls : []));
  return { hasInitial: messages.some(({ role }) => role === 'user'), calls: calls.map(({ id }) => id) };
}

function inputRecord({ scope, candidates }: AssemblyInput) {
  return { roles: scope.roles, oauthScopes: scope.oauthScopes, rows: candidates.map(measuredRow) };
}

function measuredRow({ memory, slice, measured, origin, linkedFrom, compression }: Candidate): MeasuredRow {
  const { ref } = memory;
  const kept = compression === null ? null : { id: compression.id, textHash: compressionTextHash(compression.text) };
  return { ref, slice, measured, origin, linkedFrom, compression: kept };
}
