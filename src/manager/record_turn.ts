// Keeps a turn of the conversation (design D5, S3): indexed with the write, its citations becoming provenance.

import { MemoryError } from '../model/errors.ts';
import type { TurnPayload } from '../model/event.ts';
import type { RowId } from '../model/ids.ts';
import type { Ref, Turn } from '../model/memory.ts';
import { neighbourReach } from '../retrieval/index_entry.ts';
import type { IndexEntry } from '../store/written_rows.ts';
import { callOptions } from './call_options.ts';
import { compactInTime } from './compact.ts';
import { indexEntries, inOrder } from './index_rows.ts';
import type { Call, TurnToRecord } from './manager.ts';
import type { ManagerParts } from './parts.ts';
import { citedIds, newEvent } from './record_event.ts';
import { refuseSecrets } from './secrets.ts';
import { newTokenCounts } from './token_counts.ts';

const maxTurnChars = 1_000_000;
const reach = neighbourReach.vector;

/**
 * Throws `secret_refused`, `text_refused` and `invalid_argument`, and `version_conflict` when a cited memory or the turn
 * before was erased meanwhile; nothing is written then.
 */
export async function recordTurn(
  parts: ManagerParts,
  call: Call,
  turn: TurnToRecord,
): Promise<{ readonly eventId: RowId; readonly turnIndex: number }> {
  const text = turn.text.toWellFormed();
  if (text.trim() === '' || text.length > maxTurnChars) {
    throw new MemoryError('invalid_argument', `A turn has 1 to ${maxTurnChars} characters.`, { field: 'text' });
  }
  await refuseSecrets([{ where: 'The turn', text }]);
  const eventId = parts.newId('turn');
  const read = await parts.store.read(call.scope, { ...callOptions(call), evaluationTime: null }, async (reader) => ({
    before: (await reader.tail(2 * reach)).filter(({ lifecycle }) => lifecycle.deletedAt === null).toReversed(),
    at: reader.position.evaluationTime,
    cited: await citedRefs(turn, async (id) => (turn.runId === null ? null : reader.issuedIn(turn.runId, id))),
  }));
  const memory = newTurn(call, { eventId, turn, text, at: read.at });
  // Those that the turn is a neighbour of are indexed anew, each with all of its own neighbours: what the index says
  // then follows from the turns alone, and can be made again from them (design D3).
  const placed = inOrder([...read.before, memory]);
  const entries = await indexEntries(await parts.embedder(), placed.slice(-1 - reach));
  const counts = newTokenCounts([memory], await parts.tokenizer());
  const payload: TurnPayload = { text, speaker: null, cites: turn.role === 'assistant' ? citedIds(text) : [] };
  const appended = await parts.store.write(call.scope, callOptions(call), async (writer) => {
    const event = await writer.appendEvent(
      newEvent(turn.role === 'user' ? 'user_msg' : 'model_msg', payload, {
        eventId,
        runId: turn.runId,
        role: turn.role,
      }),
    );
    await writer.putIndex(entries satisfies readonly IndexEntry[]);
    await writer.putTokenCounts(counts);
    const derived: Ref = ['conversation', eventId, 1];
    // Erased since it was read: the answer was written from it, or is indexed with its words.
    await writer.requireSources([...read.cited, ...read.before.map(({ ref }) => ref)]);
    await writer.addProvenance(read.cited.map((source) => ({ derived, source, relation: 'mentions' })));
    return event;
  });
  if (appended.turnIndex === null) throw new MemoryError('internal', 'The turn got no place in its thread.', {});
  await compactInTime(parts, call, appended.turnIndex);
  return { eventId, turnIndex: appended.turnIndex };
}

/** An answer mentions what it cites: ids of its own run only, so that no text can claim another's provenance. */
async function citedRefs(
  turn: TurnToRecord,
  issued: (id: ReturnType<typeof citedIds>[number]) => Promise<Ref | null>,
): Promise<readonly Ref[]> {
  if (turn.role !== 'assistant') return [];
  const refs: Ref[] = [];
  for (const id of citedIds(turn.text)) {
    const ref = await issued(id);
    if (ref !== null) refs.push(ref);
  }
  return refs;
}

function newTurn(
  call: Call,
  made: {
    readonly eventId: RowId;
    readonly turn: TurnToRecord;
    readonly text: string;
    readonly at: Turn['lifecycle']['validFrom'];
  },
): Turn {
  const { tenantId, userId, agentId, threadId } = call.scope;
  return {
    type: 'conversation',
    ref: ['conversation', made.eventId, 1],
    scope: { tenantId, userId, agentId, threadId },
    lifecycle: {
      validFrom: made.at,
      validUntil: null,
      createdAt: made.at,
      deletedAt: null,
      supersededBy: null,
      quarantinedAt: null,
    },
    trust: 'stated',
    sourceEventId: null,
    role: made.turn.role,
    speaker: null,
    text: made.text,
    turnIndex: 0,
    runId: made.turn.runId,
  };
}
