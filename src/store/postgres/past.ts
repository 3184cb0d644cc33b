// What was recorded, and the past behind it, on PostgreSQL (design N4): history tables read as of a snapshot.

import { z } from 'zod';
import { rowId } from '../../model/ids.ts';
import type { Memory, Ref, SeatableType } from '../../model/memory.ts';
import type { Scope } from '../../model/scope.ts';
import type { Owner, PastReader, Position, RecordReader } from '../past.ts';
import { manifestRecord, recordedAnswer, recordedCitation, recordedSource, recordedUse } from '../record_rows.ts';
import {
  compression,
  knownVersion,
  memoryLink,
  provenanceEdge,
  refOf,
  refsParameter,
  transcript,
} from '../ref_rows.ts';
import { readRows } from '../read_rows.ts';
import { mappers } from '../rows.ts';
import type { DatabaseRow, Parameter } from './connection.ts';
import { readMemories } from './reader.ts';
import type { Session } from './session.ts';

/** Statements for memories as of a snapshot; the threaded ones take the owner's thread as well. */
const pastMemories = {
  chunk: ['past_chunks', mappers.chunk],
  conversation: ['past_turns', mappers.turn],
  entity: ['past_entities', mappers.entity],
  summary: ['past_summaries', mappers.summary],
  workflow: ['past_workflows', mappers.workflow],
} as const satisfies Record<SeatableType, readonly [string, (row: DatabaseRow) => Memory]>;

/** In the order of the results. */
const seatableTypes = ['chunk', 'conversation', 'entity', 'summary', 'workflow'] as const;

/** Reads rows of one statement; nothing is asked for an empty list of keys. */
type Rows = <Value>(
  name: string,
  keys: readonly unknown[],
  map: (row: DatabaseRow) => Value,
  ...parameters: readonly Parameter[]
) => Promise<Value[]>;

function rowsOf(session: Session): Rows {
  return async (name, keys, map, ...parameters) => {
    if (keys.length === 0) return [];
    return readRows(await session.all(name, ...parameters), map, { ...session, what: name });
  };
}

/** A reader over a session whose snapshot and context are set; `scope` null: an operator, who sees the tenant. */
export function createRecordReader(session: Session, scope: Scope | null, position: Position): RecordReader {
  const rows = rowsOf(session);
  const anyone = scope === null;
  const agent = scope?.agentId ?? null;
  const asked = [null];
  return {
    position,
    async manifestRecord(id) {
      return (await rows('manifest_record', asked, manifestRecord, id, anyone, agent))[0] ?? null;
    },
    manifestIds: ({ since, limit }) => rows('manifest_ids', asked, idOf, anyone, agent, since, limit),
    async transcript(runId, owner) {
      return transcript(await session.all('transcript', runId, owner.userId, owner.agentId));
    },
    versions: (refs) => rows('versions_now', refs, knownVersion, refsParameter(refs), anyone, agent),
    goneRefs: (id) => rows('gone_refs', asked, refOf, id),
    memories: (refs, owner) => readMemories(session, refs, anyone ? null : { ...scope, threadId: owner.threadId }),
    provenance: (refs) => rows('provenance', refs, provenanceEdge, refsParameter(refs)),
    citations: (id) => rows('citations', asked, recordedCitation, id, anyone, agent),
    replacedBy: ({ type, id, version }) => rows('replaced_by', asked, refOf, type, id, version),
    uses: (refs) => rows('uses', refs, recordedUse, refsParameter(refs), anyone, agent),
    answers: (refs, runs) =>
      rows('answers', [...refs, ...runs], recordedAnswer, refsParameter(refs), runs, anyone, agent),
    sources: (refs) => rows('source_heads', refs, recordedSource, refsParameter(refs), anyone, agent),
    asOf: (past, owner) => createPastReader(session, past, owner),
  };
}

function idOf(row: DatabaseRow) {
  return rowId(z.string().parse(row['id']));
}

function createPastReader(session: Session, { scn, evaluationTime }: Position, owner: Owner): PastReader {
  const rows = rowsOf(session);
  const asked = [null];
  const { userId, agentId, threadId } = owner;
  return {
    guidelines: () => rows('past_guidelines', asked, mappers.guideline, scn, userId, agentId, threadId, evaluationTime),
    personas: () => rows('past_personas', asked, mappers.persona, scn, userId, agentId, threadId, evaluationTime),
    tools: () => rows('past_tools', asked, mappers.tool, scn, userId, agentId, evaluationTime),
    async memories(refs) {
      const found: Memory[] = [];
      for (const type of seatableTypes) {
        const wanted: readonly Ref[] = refs.filter((ref) => ref[0] === type);
        const [statement, map] = pastMemories[type];
        const threaded = type === 'entity' || type === 'summary' ? [threadId] : [];
        const parameters = [scn, refsParameter(wanted), userId, agentId, ...threaded];
        found.push(...(await rows<Memory>(statement, wanted, map, ...parameters)));
      }
      return found;
    },
    provenance: (refs) => rows('past_provenance', refs, provenanceEdge, scn, refsParameter(refs), userId),
    versions: (refs) =>
      rows(
        'past_versions',
        refs,
        knownVersion,
        scn,
        refsParameter(refs),
        refs.map(([, id]) => id),
        userId,
        agentId,
      ),
    links: (refs) => rows('past_links', refs, memoryLink, scn, refsParameter(refs), userId),
    compressions: (ids) => rows('past_compressions', ids, compression, ids, userId),
    async isKept() {
      return z.object({ reaches: z.boolean() }).parse(await session.one('history_reaches', scn)).reaches;
    },
  };
}
