// What the retrieval benchmark searches: public conversations and the demo corpus, as rows with their index entries.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StaticTable } from '../src/embed/static_table.ts';
import { agentId, rowId, tenantId, threadId, userId } from '../src/model/ids.ts';
import type { Chunk, Lifecycle, Memory, Turn } from '../src/model/memory.ts';
import type { Scope } from '../src/model/scope.ts';
import { type Instant, instant, instantFromMicros, microsOf } from '../src/model/time.ts';
import { indexEntry, indexTexts, type Neighbours, type IndexVector } from '../src/retrieval/index_entry.ts';
import type { IndexEntry, NewDocument, NewRow, NewTurn } from '../src/store/store.ts';

/** A question with the ids of the rows that answer it; none: nothing does. */
export interface LabelledQuestion {
  readonly question: string;
  readonly kind: string;
  readonly gold: readonly string[];
}

/** One tenant to search, with its questions. */
export interface BenchTenant {
  readonly scope: Scope;
  readonly slice: 'recalled_history' | 'evidence';
  readonly rows: readonly NewRow[];
  readonly index: readonly IndexEntry[];
  readonly questions: readonly LabelledQuestion[];
}

/** Later than everything in the data: recency is the same for all, so that retrieval alone is measured. */
export const benchTime: Instant = instant('2030-01-01T00:00:00Z');

interface Conversation {
  readonly sample_id: string;
  readonly conversation: Readonly<Record<string, unknown>>;
  readonly qa: readonly { readonly question: string; readonly evidence: readonly string[]; readonly category: number }[];
}

interface RawTurn {
  readonly speaker: string;
  readonly dia_id: string;
  readonly text: string;
}

/** Category 5 asks for what was never said: it has no recall. */
const adversarial = 5;

/** Each LoCoMo conversation as a tenant, each session as a thread, each turn as a memory. */
export function locomoTenants(path: string, table: StaticTable): readonly BenchTenant[] {
  const conversations: readonly Conversation[] = JSON.parse(readFileSync(path, 'utf8'));
  return conversations.map((conversation, index) => locomoTenant(conversation, `locomo-${index}`, table));
}

function locomoTenant(conversation: Conversation, tenant: string, table: StaticTable): BenchTenant {
  const scope = benchScope(tenant);
  const sessions = sessionsOf(conversation);
  const turns = sessions.map(({ turns: raw, start, number }) =>
    raw.map((turn, index) => turnMemory(turn, { scope, thread: `session-${number}`, index, start })),
  );
  const known = new Set(turns.flat().map((turn) => String(turn.ref[1])));
  const questions = conversation.qa
    .filter(({ category }) => category !== adversarial)
    .map(({ question, evidence, category }) => ({
      question,
      kind: `category ${category}`,
      gold: [...new Set(evidence.flatMap((ids) => ids.split(/[;,\s]+/)))].filter((id) => known.has(id)),
    }))
    .filter(({ gold }) => gold.length > 0);
  return { scope, slice: 'recalled_history', rows: turns.flat().map(turnRow), index: indexAll(turns, table), questions };
}

function sessionsOf({ conversation }: Conversation) {
  return Object.keys(conversation)
    .flatMap((key) => /^session_(\d+)$/.exec(key)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => a - b)
    .map((number) => ({
      number,
      start: sessionStart(String(conversation[`session_${number}_date_time`])),
      turns: conversation[`session_${number}`] as readonly RawTurn[],
    }));
}

const months = 'january february march april may june july august september october november december'.split(' ');

/** Reads `1:56 pm on 8 May, 2023`; the data names no zone, UTC is taken. */
function sessionStart(text: string): Instant {
  const parts = /^(\d+):(\d+) (am|pm) on (\d+) (\w+), (\d+)$/i.exec(text.trim());
  if (parts === null) throw new Error(`not a session's time: ${text}`);
  const [, hour, minute, half, day, month, year] = parts;
  const pad = (value: number) => String(value).padStart(2, '0');
  const hours = (Number(hour) % 12) + (half?.toLowerCase() === 'pm' ? 12 : 0);
  return instant(
    `${year}-${pad(months.indexOf(String(month).toLowerCase()) + 1)}-${pad(Number(day))}T${pad(hours)}:${minute}:00Z`,
  );
}

function turnMemory(
  raw: RawTurn,
  at: { readonly scope: Scope; readonly thread: string; readonly index: number; readonly start: Instant },
): Turn {
  const created = instantFromMicros(microsOf(at.start) + at.index * 1_000_000);
  return {
    type: 'conversation',
    ref: ['conversation', rowId(raw.dia_id), 1],
    scope: { ...at.scope, threadId: threadId(at.thread) },
    lifecycle: lifecycle(created),
    trust: 'imported',
    sourceEventId: null,
    role: at.index % 2 === 0 ? 'user' : 'assistant',
    speaker: raw.speaker,
    text: raw.text,
    turnIndex: at.index + 1,
    runId: null,
  };
}

function turnRow(turn: Turn): NewTurn {
  return {
    type: 'conversation',
    id: turn.ref[1],
    userId: turn.scope.userId,
    agentId: turn.scope.agentId,
    threadId: turn.scope.threadId,
    validFrom: turn.lifecycle.validFrom,
    validUntil: null,
    createdAt: turn.lifecycle.createdAt,
    writtenBy: 'bench',
    trust: 'imported',
    sourceEventId: null,
    eventType: turn.role === 'user' ? 'user_msg' : 'model_msg',
    speaker: turn.speaker,
    text: turn.text,
    runId: null,
  };
}

interface RawDocument {
  readonly id: string;
  readonly collection: string;
  readonly title: string;
  readonly source_uri: string;
  readonly source_type: string;
  readonly valid_from: string;
  readonly chunks: readonly { readonly id: string; readonly content: string }[];
}

/** The demo's corpus with its labelled questions, as one tenant. */
export function corpusTenant(folder: string, table: StaticTable): BenchTenant {
  const scope = benchScope('corpus');
  const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
  const files = (prefix: string) =>
    readdirSync(folder)
      .filter((name) => name.startsWith(prefix) && name.endsWith('.json'))
      .toSorted();
  const documents: readonly RawDocument[] = files('corpus_').flatMap((name) => read(name).documents);
  const questions: readonly { question: string; kind: string; chunks: readonly string[] }[] = files(
    'questions_',
  ).flatMap((name) => read(name).questions);
  return {
    scope,
    slice: 'evidence',
    rows: documents.map(documentRow),
    index: indexAll(
      documents.map((document) => chunksOf(document, scope)),
      table,
    ),
    questions: questions.map(({ question, kind, chunks }) => ({ question, kind, gold: [...new Set(chunks)] })),
  };
}

function chunksOf(document: RawDocument, scope: Scope): readonly Chunk[] {
  return document.chunks.map((chunk, index) => ({
    type: 'chunk',
    ref: ['chunk', rowId(chunk.id), 1],
    scope: { tenantId: scope.tenantId, userId: null, agentId: null, threadId: null },
    lifecycle: lifecycle(instant(document.valid_from)),
    trust: 'imported',
    sourceEventId: null,
    documentId: rowId(document.id),
    documentVersion: 1,
    chunkIndex: index,
    collection: document.collection,
    title: document.title,
    sourceUri: document.source_uri,
    content: chunk.content,
  }));
}

function documentRow(document: RawDocument): NewDocument {
  return {
    type: 'document',
    id: rowId(document.id),
    userId: null,
    agentId: null,
    threadId: null,
    validFrom: instant(document.valid_from),
    validUntil: null,
    createdAt: null,
    writtenBy: 'bench',
    trust: 'imported',
    sourceEventId: null,
    version: 1,
    supersededBy: null,
    collection: document.collection,
    title: document.title,
    sourceUri: document.source_uri,
    sourceType: document.source_type,
    contentHash: createHash('sha256').update(JSON.stringify(document.chunks)).digest('hex'),
    metadata: {},
    chunks: document.chunks.map(({ id, content }) => ({ id: rowId(id), content, metadata: {} })),
  };
}

function benchScope(tenant: string): Scope {
  return {
    tenantId: tenantId(tenant),
    userId: userId('reader'),
    agentId: agentId('bench'),
    threadId: threadId('now'),
    roles: [],
    oauthScopes: null,
  };
}

function lifecycle(from: Instant): Lifecycle {
  return { validFrom: from, validUntil: null, createdAt: from, deletedAt: null, supersededBy: null, quarantinedAt: null };
}

/** Index entries of runs of memories that stand next to each other. */
function indexAll(runs: readonly (readonly Memory[])[], table: StaticTable): readonly IndexEntry[] {
  return runs.flatMap((run) =>
    run.map((memory, index) => {
      const neighbours: Neighbours = { before: run.slice(0, index), after: run.slice(index + 1) };
      const texts = indexTexts(memory, neighbours);
      const vectors = table.embedNow(texts.map(({ text }) => text));
      const known = texts.flatMap(({ part }, at): readonly IndexVector[] => {
        const vector = vectors[at];
        return vector == null ? [] : [{ part, vector }];
      });
      return indexEntry(memory, neighbours, known);
    }),
  );
}
