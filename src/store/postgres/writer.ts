// Writes under an end user's scope: row security lets them touch only rows of their own user id (design N2, N3).

import { z } from 'zod';
import { MemoryError } from '../../model/errors.ts';
import { rowId } from '../../model/ids.ts';
import type { Scope } from '../../model/scope.ts';
import { refColumns, run } from '../ref_rows.ts';
import { instantOf } from '../rows.ts';
import type { EmbedderIdentity, Writer } from '../store.ts';
import type { AppendedEvent, NewEvent } from '../written_rows.ts';
import { wellFormed } from '../well_formed.ts';
import { requireSources, writeCompressions, writeProvenance, writeTokenCounts } from './derived_writer.ts';
import { writeDigest } from './digest_writer.ts';
import { writeIndex } from './index_writer.ts';
import type { Session } from './session.ts';
import { writeVersion } from './version_writer.ts';

/** A writer over a session whose context is set. */
export function createWriter(session: Session, scope: Scope, embedder: EmbedderIdentity): Writer {
  return {
    appendEvent: (event) => appendEvent(session, scope, event),
    ...runWrites(session, scope),
    requireSources: (refs) => requireSources(session, refs),
    addProvenance: (edges) => writeProvenance(session, edges),
    putIndex: (entries) => writeIndex(session, entries, { embedder, freshness: 'existing' }),
    putCompressions: (compressions) => writeCompressions(session, compressions),
    putTokenCounts: (counts) => writeTokenCounts(session, counts),
    async putThreadDigest(digest) {
      const { userId, agentId, threadId } = digest.row;
      if (userId !== scope.userId || agentId !== scope.agentId || threadId !== scope.threadId) {
        throw new MemoryError('scope_violation', 'A digest belongs to the thread that it is made of.', {});
      }
      return await writeDigest(session, scope, digest, embedder);
    },
    async putVersion(row, expectedVersion, index) {
      if (row.userId !== scope.userId) {
        throw new MemoryError('scope_violation', 'A user can write only rows of their own.', { id: row.id });
      }
      if (row.sourceEventId !== null) await requireSources(session, [['conversation', row.sourceEventId, 1]]);
      return await writeVersion(session, { row, expectedVersion, index }, embedder);
    },
  };
}

const appendedColumns = z.object({
  event_id: z.string(),
  turn_index: z.number().int().nullable(),
  created_at: z.string(),
});

const turnRoles: Readonly<Partial<Record<NewEvent['eventType'], NewEvent['role']>>> = {
  user_msg: 'user',
  model_msg: 'assistant',
};

async function appendEvent(session: Session, { agentId, threadId }: Scope, given: NewEvent): Promise<AppendedEvent> {
  const event = wellFormed(given, '');
  const turnRole = turnRoles[event.eventType];
  const row = appendedColumns.parse(
    await session.one(
      turnRole === undefined ? 'append_event' : 'append_turn',
      event.eventId,
      agentId,
      threadId,
      event.runId,
      event.eventType,
      turnRole ?? event.role,
      JSON.stringify(event.payload),
      event.tokenCost,
      event.latencyMs,
      event.retentionClass,
    ),
  );
  return { eventId: rowId(row.event_id), turnIndex: row.turn_index, createdAt: instantOf(row.created_at) };
}

function runWrites(
  session: Session,
  { agentId, threadId }: Scope,
): Pick<Writer, 'lockRun' | 'openRun' | 'spendRound' | 'issue'> {
  return {
    async lockRun() {
      await session.all('lock_thread', agentId, threadId);
      const row = (await session.all('lock_run', agentId, threadId))[0];
      return row === undefined ? null : run(row);
    },
    async openRun(opened) {
      await session.all(
        'open_run',
        opened.runId,
        agentId,
        threadId,
        opened.kind,
        opened.maxRounds,
        opened.toolReserve,
        opened.maxToolResultTokens,
        opened.idleSeconds,
      );
    },
    async spendRound(runId, { tokens, roundsUsedBefore }) {
      const spent = await session.all('spend_round', runId, tokens, roundsUsedBefore);
      if (spent.length === 0) throw new MemoryError('version_conflict', 'Another call of this loop came first.');
    },
    async issue(runId, issued) {
      const rows = issued.map(({ citationId, ref }) => ({ citation_id: citationId, ...refColumns(ref) }));
      if (rows.length > 0) await session.all('issue', runId, JSON.stringify(rows));
    },
  };
}
