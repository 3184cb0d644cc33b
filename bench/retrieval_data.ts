// What the retrieval benchmark searches: public conversations and the demo corpus, as rows of tenants.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentId, rowId, tenantId, threadId, userId } from '../src/model/ids.ts';
import type { Scope } from '../src/model/scope.ts';
import { type Instant, instant, instantFromMicros, microsOf } from '../src/model/time.ts';
import type { NewDocument, NewRow, NewTurn } from '../src/store/written_rows.ts';

/** A question with what a complete answer needs. */
export interface LabelledQuestion {
  readonly question: string;
  readonly kind: string;
  /** For each part of the answer the ids of the rows that give it, any of which will do; no part: nothing answers. */
  readonly parts: readonly (readonly string[])[];
}

/** One tenant to search, with its questions. */
export interface BenchTenant {
  readonly scope: Scope;
  readonly slice: 'recalled_history' | 'evidence';
  readonly rows: readonly NewRow[];
  readonly questions: readonly LabelledQuestion[];
}

/** Later than everything in the data: recency is the same for all, so that retrieval alone is measured. */
export const benchTime: Instant = instant('2030-01-01T00:00:00Z');

interface Conversation {
  readonly sample_id: string;
  /** `session_1`, `session_1_date_time` and so on; other keys are not read. */
  readonly conversation: Readonly<Record<string, string | readonly RawTurn[] | undefined>>;
  readonly qa: readonly {
    readonly question: string;
    readonly evidence: readonly string[];
    readonly category: number;
  }[];
}

interface RawTurn {
  readonly speaker: string;
  readonly dia_id: string;
  readonly text: string;
}

/** Category 5 asks for what was never said: it has no recall. */
const adversarial = 5;

/** Each LoCoMo conversation as a tenant, each session as a thread, each turn as a memory. */
export function locomoTenants(path: string): readonly BenchTenant[] {
  const conversations: readonly Conversation[] = JSON.parse(readFileSync(path, 'utf8'));
  return conversations.map((conversation, index) => locomoTenant(conversation, `locomo-${index}`));
}

function locomoTenant(conversation: Conversation, tenant: string): BenchTenant {
  const scope = benchScope(tenant);
  const rows = sessionsOf(conversation).flatMap(({ turns, start, number }) =>
    turns.map((turn, index) => turnRow(turn, { scope, thread: `session-${number}`, index, start })),
  );
  const known = new Set(rows.map(({ id }) => String(id)));
  const questions = conversation.qa
    .filter(({ category }) => category !== adversarial)
    .map(({ question, evidence, category }) => ({
      question,
      kind: `category ${category}`,
      // Every turn of the evidence is a part of its own: the data does not say which could stand for another.
      parts: [...new Set(evidence.flatMap((ids) => ids.split(/[;,\s]+/)))]
        .filter((id) => known.has(id))
        .map((id) => [id]),
    }))
    .filter(({ parts }) => parts.length > 0);
  return { scope, slice: 'recalled_history', rows, questions };
}

function sessionsOf({ conversation }: Conversation) {
  return Object.keys(conversation)
    .flatMap((key) => /^session_(\d+)$/.exec(key)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => a - b)
    .map((number) => ({
      number,
      start: sessionStart(conversation[`session_${number}_date_time`]),
      turns: turnsOf(conversation[`session_${number}`]),
    }));
}

function turnsOf(session: string | readonly RawTurn[] | undefined): readonly RawTurn[] {
  return session === undefined || typeof session === 'string' ? [] : session;
}

const months = 'january february march april may june july august september october november december'.split(' ');

function pad(value: number): string {
  return String(value).padStart(2, '0');
}

/** Reads `1:56 pm on 8 May, 2023`; the data names no zone, UTC is taken. */
function sessionStart(text: string | readonly RawTurn[] | undefined): Instant {
  const parts = typeof text === 'string' ? /^(\d+):(\d+) (am|pm) on (\d+) (\w+), (\d+)$/i.exec(text.trim()) : null;
  if (parts === null) throw new Error('a session has no time like 1:56 pm on 8 May, 2023');
  const [, hour, minute, half, day, month, year] = parts;
  const hours = (Number(hour) % 12) + (half?.toLowerCase() === 'pm' ? 12 : 0);
  return instant(
    `${year}-${pad(months.indexOf(String(month).toLowerCase()) + 1)}-${pad(Number(day))}T${pad(hours)}:${minute}:00Z`,
  );
}

function turnRow(
  raw: RawTurn,
  at: { readonly scope: Scope; readonly thread: string; readonly index: number; readonly start: Instant },
): NewTurn {
  const created = instantFromMicros(microsOf(at.start) + at.index * 1_000_000);
  return {
    type: 'conversation',
    id: rowId(raw.dia_id),
    userId: at.scope.userId,
    agentId: at.scope.agentId,
    threadId: threadId(at.thread),
    validFrom: created,
    validUntil: null,
    createdAt: created,
    writtenBy: 'bench',
    trust: 'imported',
    sourceEventId: null,
    eventType: at.index % 2 === 0 ? 'user_msg' : 'model_msg',
    speaker: raw.speaker,
    text: raw.text,
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

/** Questions about other things than the corpus: nothing in it is even near. */
const offTopic = [
  'How do I bake sourdough bread?',
  'Who won the football world cup in 1998?',
  'What is the capital of Mongolia?',
  'Which plants grow well in shade?',
  'How do I change a bicycle tyre?',
  'When does the museum open on Sundays?',
  'What is the boiling point of ethanol?',
  'Recommend a novel about the sea.',
  'How tall is Mount Kilimanjaro?',
  'Is the train to Lyon late today?',
  'What is a good substitute for eggs?',
  'How many strings does a cello have?',
  'Where can I rent a kayak?',
  'What did the dentist say about my wisdom tooth?',
  'How do bees find their way home?',
  'Which shoes are best for running in winter?',
  'Translate good morning into Finnish.',
  'How long should a roast chicken rest?',
  'What causes thunder?',
  'Who painted the girl with a pearl earring?',
];

/** The demo's corpus with its labelled questions and some that have nothing to do with it, as one tenant. */
export function corpusTenant(folder: string): BenchTenant {
  const scope = benchScope('corpus');
  const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
  const files = (prefix: string) =>
    readdirSync(folder)
      .filter((name) => name.startsWith(prefix) && name.endsWith('.json'))
      .toSorted();
  const documents: readonly RawDocument[] = files('corpus_').flatMap((name) => read(name).documents);
  const questions: readonly LabelledQuestion[] = files('questions_').flatMap((name) => read(name).questions);
  return {
    scope,
    slice: 'evidence',
    rows: documents.map(documentRow),
    questions: [
      ...questions.map(({ question, kind, parts }) => ({ question, kind, parts })),
      ...offTopic.map((question) => ({ question, kind: 'off_topic', parts: [] })),
    ],
  };
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
