// The reads of one window over one snapshot (design N3): statements by name, rows mapped, bad rows left out.

import { z } from 'zod';
import { threadId as toThreadId } from '../../model/ids.ts';
import type { Memory, Ref, SeatableType } from '../../model/memory.ts';
import type { Scope } from '../../model/scope.ts';
import { conditionsHash } from '../content_hash.ts';
import { threadDigest } from '../digest_rows.ts';
import { readRows } from '../read_rows.ts';
import {
  compression,
  knownVersion,
  memoryLink,
  provenanceEdge,
  refOf,
  refsParameter,
  run,
  storedEvent,
  storedManifest,
  tokenCounts,
  transcript,
} from '../ref_rows.ts';
import { mappers } from '../rows.ts';
import type { Position, SnapshotReader } from '../store.ts';
import type { StoreParts } from './entrance.ts';
import { searchLexical, searchVector } from './search.ts';
import type { DatabaseRow, Session } from './session.ts';

const statements = {
  entity: ['entities_by_ref', mappers.entity],
  workflow: ['workflows_by_ref', mappers.workflow],
  summary: ['summaries_by_ref', mappers.summary],
  conversation: ['turns_by_ref', mappers.turn],
  chunk: ['chunks_by_ref', mappers.chunk],
} as const satisfies Record<SeatableType, readonly [string, (row: DatabaseRow) => Memory]>;

/** The types that {@link readMemories} knows, in the order of its results. */
const seatableTypes = ['chunk', 'conversation', 'entity', 'summary', 'workflow'] as const;

/**
 * Memories by ref, ordered by type and id. `scope` null: whatever row security shows, for a writer that checks the
 * source of a derived row.
 */
export async function readMemories(session: Session, refs: readonly Ref[], scope: Scope | null): Promise<Memory[]> {
  const found: Memory[] = [];
  for (const type of seatableTypes) {
    const wanted = refs.filter((ref) => ref[0] === type);
    if (wanted.length === 0) continue;
    const [statement, map] = statements[type];
    const parameters = [refsParameter(wanted), scope === null, scope?.agentId ?? null] as const;
    const threaded = type === 'entity' || type === 'summary' ? [scope?.threadId ?? null] : [];
    const rows = await session.all(statement, ...parameters, ...threaded);
    found.push(...readRows<DatabaseRow, Memory>(rows, map, { ...session, what: type }));
  }
  return found;
}

/** A reader over a session whose snapshot and context are set. */
export function createReader(
  session: Session,
  scope: Scope,
  {
    position,
    hasVectorIndex,
    embedder,
    residents,
  }: { readonly position: Position } & Pick<StoreParts, 'hasVectorIndex' | 'embedder' | 'residents'>,
): SnapshotReader {
  const searched = { scope, at: position.evaluationTime, embedder };
  const resident = residents?.searches(session, searched);
  return {
    position,
    ...prefixReads(session, scope, position),
    ...memoryReads(session, scope, position),
    ...derivedReads(session, scope),
    ...digestReads(session, scope, position),
    ...runReads(session, scope),
    searchLexical: async (terms, filter) =>
      (await resident?.searchLexical(terms, filter)) ?? (await searchLexical(session, searched, terms, filter)),
    searchVector: async (vector, part, filter) =>
      (await resident?.searchVector(vector, part, filter)) ??
      (await searchVector(session, { ...searched, hasVectorIndex }, { vector, part }, filter)),
  };
}

type Reads<Names extends keyof SnapshotReader> = Pick<SnapshotReader, Names>;

function prefixReads(
  session: Session,
  { agentId, threadId }: Scope,
  { evaluationTime }: Position,
): Reads<'guidelines' | 'personas' | 'tools'> {
  return {
    async guidelines() {
      const rows = await session.all('guidelines', agentId, threadId, evaluationTime);
      return readRows(rows, mappers.guideline, { ...session, what: 'guideline' });
    },
    async personas() {
      const rows = await session.all('personas', agentId, threadId, evaluationTime);
      return readRows(rows, mappers.persona, { ...session, what: 'persona' });
    },
    async tools() {
      const rows = await session.all('tools', agentId, evaluationTime);
      return readRows(rows, mappers.tool, { ...session, what: 'toolbox' });
    },
  };
}

const collectionColumns = z.object({ collection: z.string() });
const subjectColumns = z.object({ subject: z.string(), names: z.array(z.string()) });

function memoryReads(
  session: Session,
  scope: Scope,
  { evaluationTime }: Position,
): Reads<'subjectsNamed' | 'collections' | 'memories' | 'entitiesOf' | 'claimVersions' | 'entityVersions' | 'tail'> {
  const { agentId, threadId } = scope;
  return {
    async subjectsNamed(names) {
      if (names.length === 0) return [];
      const rows = await session.all('subjects_named', names, agentId, threadId, evaluationTime);
      return rows.map((row) => subjectColumns.parse(row));
    },
    async collections() {
      const rows = await session.all('collections', agentId, evaluationTime);
      return rows.map((row) => collectionColumns.parse(row).collection);
    },
    memories: (refs) => readMemories(session, refs, scope),
    async entitiesOf(subjects, predicates) {
      if (subjects.length === 0) return [];
      const rows = await session.all('entities_of', subjects, predicates, agentId, threadId, evaluationTime);
      return readRows(rows, mappers.entity, { ...session, what: 'entity' });
    },
    async claimVersions(subjects, predicate) {
      if (subjects.length === 0) return [];
      const rows = await session.all('claim_versions', subjects, predicate, agentId, threadId);
      return readRows(rows, mappers.entity, { ...session, what: 'entity' });
    },
    async entityVersions(identities) {
      if (identities.length === 0) return [];
      const keys = identities.map(({ subject, predicate, conditions }) =>
        JSON.stringify({ subject, predicate, conditions_hash: conditionsHash(conditions) }),
      );
      const rows = await session.all('entity_versions', `[${[...new Set(keys)].join(',')}]`, agentId, threadId);
      return readRows(rows, mappers.entity, { ...session, what: 'entity' });
    },
    async tail(limit) {
      if (limit <= 0) return [];
      const rows = await session.all('tail', agentId, threadId, evaluationTime, limit);
      return readRows(rows, mappers.turn, { ...session, what: 'conversation' });
    },
  };
}

function derivedReads(
  session: Session,
  { agentId }: Scope,
): Reads<'provenance' | 'links' | 'compressions' | 'tokenCounts' | 'versions'> {
  const byRefs = async <Value>(
    name: string,
    refs: readonly Ref[],
    map: (row: DatabaseRow) => Value,
    ...more: readonly (string | null)[]
  ): Promise<Value[]> => {
    if (refs.length === 0) return [];
    return readRows(await session.all(name, refsParameter(refs), ...more), map, { ...session, what: name });
  };
  return {
    provenance: (refs) => byRefs('provenance', refs, provenanceEdge),
    links: (refs) => byRefs('links', refs, memoryLink),
    compressions: (refs) => byRefs('compressions', refs, compression),
    versions: (refs) => byRefs('versions', refs, knownVersion, agentId),
    async tokenCounts(refs, { rendererVersion, encoding }) {
      if (refs.length === 0) return new Map();
      return tokenCounts(await session.all('token_counts', refsParameter(refs), rendererVersion, encoding));
    },
  };
}

const threadColumns = z.object({ thread_id: z.string(), turns: z.number().int() });

function digestReads(
  session: Session,
  { agentId, threadId }: Scope,
  { evaluationTime }: Position,
): Reads<'threadDigest' | 'ownThreads' | 'longMemories'> {
  return {
    async threadDigest() {
      const rows = await session.all('thread_digest', agentId, threadId, evaluationTime);
      return readRows(rows, threadDigest, { ...session, what: 'summary' })[0] ?? null;
    },
    async ownThreads(after, limit) {
      const rows = await session.all('own_threads', agentId, after, limit);
      return rows.map((row) => {
        const columns = threadColumns.parse(row);
        return { threadId: toThreadId(columns.thread_id), turns: columns.turns };
      });
    },
    async longMemories(limits, { after, limit, rendererVersion, encoding }) {
      const [kind, id, version] = after ?? ['', '', 0];
      const [kinds, most] = [[...limits.keys()], [...limits.values()]];
      const rows = await session.all('long_memories', kinds, most, rendererVersion, encoding, kind, id, version, limit);
      return rows.map((row) => refOf(row));
    },
  };
}

function runReads(
  session: Session,
  { userId, agentId, threadId }: Scope,
): Reads<
  | 'currentRun'
  | 'issuedIn'
  | 'transcript'
  | 'manifest'
  | 'manifestsOfRun'
  | 'recentEvents'
  | 'feedbackOn'
  | 'recentManifests'
> {
  const manifests = (rows: readonly DatabaseRow[]) =>
    readRows(rows, storedManifest, { ...session, what: 'context_manifest' });
  return {
    async currentRun() {
      const row = (await session.all('current_run', agentId, threadId))[0];
      return row === undefined ? null : run(row);
    },
    async issuedIn(runId, id) {
      const row = (await session.all('issued', runId, id, agentId))[0];
      return row === undefined ? null : refOf(row);
    },
    async transcript(runId) {
      return transcript(await session.all('transcript', runId, userId, agentId));
    },
    async manifest(manifestId) {
      return manifests(await session.all('manifest', manifestId, agentId))[0] ?? null;
    },
    async manifestsOfRun(runId) {
      return manifests(await session.all('manifests_of_run', runId, agentId));
    },
    async recentEvents(types, limit) {
      if (types.length === 0 || limit <= 0) return [];
      const rows = await session.all('recent_events', types, agentId, threadId, limit);
      return readRows(rows, storedEvent, { ...session, what: 'conversation' });
    },
    async feedbackOn(manifestId) {
      const rows = await session.all('feedback_on_manifest', manifestId, agentId);
      return readRows(rows, storedEvent, { ...session, what: 'conversation' });
    },
    async recentManifests(limit) {
      return limit <= 0 ? [] : manifests(await session.all('recent_manifests', limit, agentId));
    },
  };
}
