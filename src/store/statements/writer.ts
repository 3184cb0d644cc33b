// Writes under an end user's scope: row security lets them touch only rows of their own user id (design N2, N3).

import { z } from 'zod';
import { MemoryError } from '../../model/errors.ts';
import { rowId } from '../../model/ids.ts';
import type { Scope } from '../../model/scope.ts';
import { refColumns, run } from '../ref_rows.ts';
import { instantOf } from '../rows.ts';
import type { EmbedderIdentity, Writer } from '../store.ts';
import { wellFormed } from '../well_formed.ts';
import type { AppendedEvent, NewEvent } from '../written_rows.ts';
import { requireSources, writeCompressions, writeProvenance, writeTokenCounts } from './derived_writer.ts';
import { writeDigest } from './digest_writer.ts';
import { writeIndex } from './index_writer.ts';
import type { DatabaseRow, Session } from './session.ts';
import { writeVersion } from './version_writer.ts';

/** A writer over a session whose context is set. */
export function createWriter(session: Session, scope: Scope, embedder: EmbedderIdentity): Writer {
  return {
    appendEvent: (event) => appendEvent(session, scope, event),
    async appendEvents(events) {
      await appendEvents(session, scope, events);
    },
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

async function appendEvent(session: Session, scope: Scope, given: NewEvent): Promise<AppendedEvent> {
  const turnRole = turnRoles[given.eventType];
  const row =
    turnRole === undefined
      ? (await appendEvents(session, scope, [given]))[0]
      : await appendTurn(session, scope, { ...given, role: turnRole });
  const { event_id, turn_index, created_at } = appendedColumns.parse(row);
  return { eventId: rowId(event_id), turnIndex: turn_index, createdAt: instantOf(created_at) };
}

function appendTurn(session: Session, { agentId, threadId }: Scope, given: NewEvent): Promise<DatabaseRow> {
  const event = wellFormed(given, '');
  return session.one(
    'append_turn',
    event.eventId,
    agentId,
    threadId,
    event.runId,
    event.eventType,
    event.role,
    JSON.stringify(event.payload),
    event.tokenCost,
    event.latencyMs,
    event.retentionClass,
  );
}

async function appendEvents(
  session: Session,
  { agentId, threadId }: Scope,
  given: readonly NewEvent[],
): Promise<readonly DatabaseRow[]> {
  if (given.length === 0) return [];
  const rows = given.map((each) => {
    if (turnRoles[each.eventType] !== undefined) throw new RangeError('a turn is appended by itself');
    const event = wellFormed(each, '');
    return {
      event_id: event.eventId,
      run_id: event.runId,
      event_type: event.eventType,
      role: event.role,
      payload: event.payload,
      token_cost: event.tokenCost,
      latency_ms: event.latencyMs,
      retention_class: event.retentionClass,
    };
  });
  return await session.all('append_events', agentId, threadId, JSON.stringify(rows));
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
    async openRun(opened, spent) {
      await session.all(
        'open_run',
        opened.runId,
        agentId,
        threadId,
        opened.kind,
        opened.maxRounds,
        spent === undefined ? 0 : 1,
        opened.toolReserve,
        opened.toolReserve - (spent ?? 0),
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
