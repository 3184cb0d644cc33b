// Index rows of new memories (design D2, Q2, Q3): analysed and embedded before the write, alike for every engine.

import type { Embedder } from '../embed/embedder.ts';
import type { Chunk, Entity, Lifecycle, Memory, Summary, Turn, Workflow } from '../model/memory.ts';
import type { OperatorScope } from '../model/scope.ts';
import { instantFromMicros, type Instant } from '../model/time.ts';
import { indexEntry, indexTexts, type Neighbours, neighbourReach, noNeighbours } from '../retrieval/index_entry.ts';
import type {
  IndexEntry,
  NewDocument,
  NewEntity,
  NewRow,
  NewSummary,
  NewTurn,
  NewWorkflow,
} from '../store/written_rows.ts';

/** A memory with those that stand next to it. */
export interface Placed {
  readonly memory: Memory;
  readonly neighbours: Neighbours;
}

/** How many memories are embedded at once: bounds memory, and lets progress be shown. */
const batchSize = 256;

/** Index entries of placed memories, in order. */
export async function indexEntries(
  embedder: Embedder,
  placed: readonly Placed[],
  onProgress?: (done: number) => void,
): Promise<readonly IndexEntry[]> {
  const entries: IndexEntry[] = [];
  for (let start = 0; start < placed.length; start += batchSize) {
    const batch = placed.slice(start, start + batchSize);
    const texts = batch.map(({ memory, neighbours }) => indexTexts(memory, neighbours));
    const vectors = await embedder.embed(
      texts.flat().map(({ text }) => text),
      { purpose: 'text' },
    );
    let next = 0;
    for (const [place, { memory, neighbours }] of batch.entries()) {
      const found = (texts[place] ?? []).flatMap(({ part }) => {
        const vector = vectors[next];
        next += 1;
        return vector === null || vector === undefined ? [] : [{ part, vector }];
      });
      entries.push(indexEntry(memory, neighbours, found));
    }
    onProgress?.(Math.min(1, (start + batch.length) / placed.length));
  }
  return entries;
}

/** The memories that rows of a batch become, with their neighbours: turns of a thread, chunks of a document. */
export function placedMemories(rows: readonly NewRow[], scope: OperatorScope): readonly Placed[] {
  const turns = new Map<string, Turn[]>();
  const placed: Placed[] = [];
  for (const row of rows) {
    switch (row.type) {
      case 'entity':
        placed.push({ memory: entityMemory(row, scope), neighbours: noNeighbours });
        break;
      case 'workflow':
        placed.push({ memory: workflowMemory(row, scope), neighbours: noNeighbours });
        break;
      case 'summary':
        placed.push({ memory: summaryMemory(row, scope), neighbours: noNeighbours });
        break;
      case 'document':
        placed.push(...inOrder(chunkMemories(row, scope)));
        break;
      case 'conversation': {
        const thread = JSON.stringify([row.userId, row.agentId, row.threadId]);
        turns.set(thread, [...(turns.get(thread) ?? []), turnMemory(row, scope)]);
        break;
      }
      case 'guideline':
      case 'persona':
      case 'toolbox':
        break;
      default:
        throw row satisfies never;
    }
  }
  return [...placed, ...[...turns.values()].flatMap(inOrder)];
}

/** Memories in their order, each with those before and after it. */
export function inOrder(memories: readonly Memory[]): readonly Placed[] {
  const reach = neighbourReach.vector;
  return memories.map((memory, place) => ({
    memory,
    neighbours: {
      before: memories.slice(Math.max(0, place - reach), place),
      after: memories.slice(place + 1, place + 1 + reach),
    },
  }));
}

function common(row: NewRow, scope: OperatorScope): Pick<Memory, 'scope' | 'lifecycle' | 'trust' | 'sourceEventId'> {
  const { userId, agentId, threadId } = row;
  const begin = row.type === 'conversation' ? row.createdAt : row.validFrom;
  // Chunks are found by their day: where the database gives the time, that is today.
  const validFrom: Instant = begin ?? instantFromMicros(Date.now() * 1000);
  const lifecycle: Lifecycle = {
    validFrom,
    validUntil: row.validUntil,
    createdAt: row.createdAt ?? validFrom,
    deletedAt: null,
    supersededBy: null,
    quarantinedAt: null,
  };
  return {
    scope: { tenantId: scope.tenantId, userId, agentId, threadId },
    lifecycle,
    trust: row.trust,
    sourceEventId: row.sourceEventId,
  };
}

function entityMemory(row: NewEntity, scope: OperatorScope): Entity {
  const { subject, predicate, content, conditions, aliases, value, unit, sourceDocumentId, confidence } = row;
  const claim = { subject, predicate, content, conditions, aliases, value, unit, sourceDocumentId, confidence };
  return { ...common(row, scope), type: 'entity', ref: ['entity', row.id, row.version], ...claim };
}

function workflowMemory(row: NewWorkflow, scope: OperatorScope): Workflow {
  const { name, description, steps, expectedOutcome, confidence } = row;
  const way = { name, description, steps, expectedOutcome, confidence };
  return { ...common(row, scope), type: 'workflow', ref: ['workflow', row.id, row.version], ...way };
}

function summaryMemory(row: NewSummary, scope: OperatorScope): Summary {
  const { title, summary, keySteps, outcome, completedAt, confidence } = row;
  const episode = { title, summary, keySteps, outcome, completedAt, confidence };
  return { ...common(row, scope), type: 'summary', ref: ['summary', row.id, 1], ...episode };
}

function turnMemory(row: NewTurn, scope: OperatorScope): Turn {
  return {
    ...common(row, scope),
    type: 'conversation',
    ref: ['conversation', row.id, 1],
    role: row.eventType === 'user_msg' ? 'user' : 'assistant',
    speaker: row.speaker,
    text: row.text,
    turnIndex: 0,
    runId: row.runId,
  };
}

function chunkMemories(row: NewDocument, scope: OperatorScope): readonly Chunk[] {
  return row.chunks.map((chunk, chunkIndex) => ({
    ...common(row, scope),
    type: 'chunk',
    ref: ['chunk', chunk.id, 1],
    documentId: row.id,
    documentVersion: row.version,
    chunkIndex,
    collection: row.collection,
    title: row.title,
    sourceUri: row.sourceUri,
    content: chunk.content,
  }));
}
