// What the store's tests share: rows with defaults, scopes, a small index, and raw statements beside the store.

import { createHash, randomUUID } from 'node:crypto';
import { TestRunner } from 'vitest';
import { rowId, runId, tenantId, threadId, userId, agentId } from '../../src/model/ids.ts';
import type { RowId } from '../../src/model/ids.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { Ref } from '../../src/model/memory.ts';
import type { OperatorScope, Scope } from '../../src/model/scope.ts';
import { instant } from '../../src/model/time.ts';
import type { PerField } from '../../src/store/search_values.ts';
import type { CallOptions, OperatorWriter, SnapshotReader, Store, Writer } from '../../src/store/store.ts';
import type {
  ImportBatch,
  IndexEntry,
  NewDocument,
  NewEntity,
  NewEvent,
  NewGuideline,
  NewPersona,
  NewSummary,
  NewTool,
  NewTurn,
  NewWorkflow,
} from '../../src/store/written_rows.ts';

/** The embedder of the test stores: four dimensions are enough to be near or far. */
export const testEmbedder = { id: 'test-embedder', dimensions: 4 } as const;

/** Statements beside the store, as one of its roles (null: whoever the engine's own login is). */
export interface RawSession {
  query(
    as: { readonly role: 'mem_app' | 'mem_operator' | null; readonly tenant?: string; readonly user?: string },
    sql: string,
    parameters?: readonly (string | number | null)[],
  ): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** Says that what transactions before this one retired may be gone from a tenant's history; '0': nothing is. */
export async function setHistoryHorizon(
  raw: RawSession,
  { tenant, xid }: { readonly tenant: string; readonly xid: string },
): Promise<void> {
  await raw.query(
    { role: null },
    `insert into memory.history_horizon (tenant_id, horizon, pruned_at) values ($1, $2::xid8, clock_timestamp())
     on conflict (tenant_id) do update set horizon = excluded.horizon`,
    [tenant, xid],
  );
}

/** The transaction of this very statement: later than all that was written before it. */
export async function presentTransaction(raw: RawSession): Promise<string> {
  const [row] = await raw.query({ role: null }, 'select pg_current_xact_id()::text as xid');
  return String(row?.['xid']);
}

/** A store to test. `raw` is null where the engine offers no statements beside it. */
export interface OpenedStore {
  readonly store: Store;
  readonly raw: RawSession | null;
  /** Problems that the store told its log. */
  readonly problems: readonly { readonly message: string; readonly detail: JsonObject }[];
  /** How long after a commit listeners of the toolbox are told at the latest. */
  readonly toldWithinMs?: number;
}

/** The statements beside a store; a test that needs them is skipped, with the reason, where the engine offers none. */
export function rawOf({ raw }: OpenedStore): RawSession {
  return raw ?? skipTest('this engine offers no statements beside the store');
}

/** The same for a test of history tables: an engine with flashback has none. */
export function historyOf(opened: OpenedStore): RawSession {
  const { pastReads } = opened.store.capabilities;
  return pastReads === 'history' ? rawOf(opened) : skipTest('the past of this engine stands in no history tables');
}

function skipTest(reason: string): never {
  TestRunner.getCurrentTest()?.context.skip(reason);
  throw new Error(reason);
}

export const options = (): CallOptions => ({ requestId: randomUUID() });

/** A tenant that no other test has. */
export const newTenant = (): string => `tenant-${randomUUID()}`;

export const scope = (
  tenant: string,
  user = 'jane',
  more: { readonly agent?: string | null; readonly thread?: string } = {},
): Scope => ({
  tenantId: tenantId(tenant),
  userId: userId(user),
  agentId: more.agent === null || more.agent === undefined ? null : agentId(more.agent),
  threadId: threadId(more.thread ?? 'main'),
  roles: [],
  oauthScopes: null,
});

export const operator = (tenant: string): OperatorScope => ({ tenantId: tenantId(tenant) });

/** Reads as a user; the evaluation time is the database's clock unless given. */
export const read = <T>(
  store: Store,
  as: Scope,
  use: (reader: SnapshotReader) => Promise<T>,
  at?: string,
): Promise<T> => store.read(as, { ...options(), evaluationTime: at === undefined ? null : instant(at) }, use);

export const write = <T>(store: Store, as: Scope, use: (writer: Writer) => Promise<T>): Promise<T> =>
  store.write(as, options(), use);

export const operate = <T>(store: Store, tenant: string, use: (writer: OperatorWriter) => Promise<T>): Promise<T> =>
  store.operate(operator(tenant), options(), use);

export const importRows = (store: Store, tenant: string, batch: Partial<ImportBatch>) =>
  operate(store, tenant, (writer) =>
    writer.importRows({ rows: [], provenance: [], links: [], index: [], ...batch } satisfies ImportBatch),
  );

let counter = 0;

/** An id that no other row of this process has. */
export const newId = (prefix = 'row'): RowId => rowId(`${prefix}_${process.pid}_${(counter += 1)}`);

const base = () => ({
  id: newId(),
  userId: null,
  agentId: null,
  threadId: null,
  validFrom: instant('2026-01-01T00:00:00Z'),
  validUntil: null,
  createdAt: null,
  writtenBy: 'test',
  trust: 'verified' as const,
  sourceEventId: null,
});
const versioned = { version: 1, supersededBy: null };

export const guideline = (given: Partial<NewGuideline> = {}): NewGuideline => ({
  ...base(),
  ...versioned,
  type: 'guideline',
  key: 'tone',
  value: 'Be brief.',
  ...given,
});

export const persona = (given: Partial<NewPersona> = {}): NewPersona => ({
  ...base(),
  type: 'persona',
  key: 'role',
  value: 'analyst',
  confidence: 0.9,
  ...given,
});

export const tool = (given: Partial<NewTool> = {}): NewTool => ({
  ...base(),
  ...versioned,
  type: 'toolbox',
  name: 'search_memory',
  schema: { type: 'object', title: 'Search' },
  handler: 'search_memory',
  accessPolicy: {},
  usageNotes: 'Searches.',
  ...given,
});

export const entity = (given: Partial<NewEntity> = {}): NewEntity => ({
  ...base(),
  ...versioned,
  type: 'entity',
  subject: 'helios',
  predicate: 'accuracy',
  content: 'Helios reaches 0.92.',
  conditions: null,
  aliases: [],
  value: 0.92,
  unit: null,
  sourceDocumentId: null,
  confidence: 0.8,
  ...given,
});

export const workflow = (given: Partial<NewWorkflow> = {}): NewWorkflow => ({
  ...base(),
  ...versioned,
  type: 'workflow',
  name: 'rotate_logs',
  description: 'Makes room.',
  steps: ['Look.', 'Compress.'],
  preconditions: null,
  expectedOutcome: 'Room.',
  successCount: 0,
  failureCount: 0,
  confidence: null,
  ...given,
});

export const summary = (given: Partial<NewSummary> = {}): NewSummary => ({
  ...base(),
  type: 'summary',
  taskType: 'research',
  title: 'July',
  summary: 'Helios was chosen.',
  keySteps: [],
  outcome: null,
  artifacts: null,
  completedAt: instant('2026-07-01T00:00:00Z'),
  confidence: null,
  ...given,
});

export const turn = (given: Partial<NewTurn> = {}): NewTurn => ({
  ...base(),
  type: 'conversation',
  userId: userId('jane'),
  threadId: threadId('main'),
  createdAt: instant('2026-02-01T00:00:00Z'),
  eventType: 'user_msg',
  speaker: null,
  text: 'Which one is best?',
  runId: null,
  ...given,
});

export const document = (
  given: Partial<NewDocument> = {},
  texts: readonly string[] = ['First passage.'],
): NewDocument => {
  const id = given.id ?? newId('doc');
  return {
    ...base(),
    ...versioned,
    type: 'document',
    collection: 'papers',
    title: 'A paper',
    sourceUri: `https://papers.example/${id}`,
    sourceType: 'paper',
    contentHash: 'h',
    metadata: {},
    chunks: texts.map((content, index) => ({ id: rowId(`${id}_c${index}`), content, metadata: {} })),
    ...given,
    id,
  };
};

export const event = (given: Partial<NewEvent> = {}): NewEvent => ({
  eventId: newId('event'),
  eventType: 'user_msg',
  role: 'user',
  runId: null,
  payload: { text: 'Hello.' },
  tokenCost: null,
  latencyMs: null,
  retentionClass: null,
  ...given,
});

export const hash = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

/** A small index of a text: its words in the body, and what is given beside. */
export const entry = (
  ref: Ref,
  text: string,
  more: {
    readonly title?: string;
    readonly names?: readonly string[];
    readonly vector?: readonly number[];
    readonly contentHash?: string;
  } = {},
): IndexEntry => {
  const words = (value: string) => value.toLowerCase().match(/[\p{L}\p{N}_-]+/gu) ?? [];
  const title = words(more.title ?? '');
  const body = words(text);
  const terms = new Map<string, PerField>();
  for (const term of title) {
    const before = terms.get(term) ?? [0, 0, 0, 0];
    terms.set(term, [before[0] + 1, before[1], before[2], before[3]]);
  }
  for (const term of body) {
    const before = terms.get(term) ?? [0, 0, 0, 0];
    terms.set(term, [before[0], before[1], before[2] + 1, before[3]]);
  }
  return {
    ref,
    contentHash: more.contentHash ?? hash(text),
    analysis: 1,
    terms,
    lengths: [title.length, 0, body.length, 0],
    vectors: more.vector === undefined ? [] : [{ part: 'text', vector: Float32Array.from(more.vector) }],
    names: more.names ?? [],
  };
};

export const run = (id = newId('run')) => ({
  runId: runId(id),
  kind: 'window' as const,
  maxRounds: 3,
  toolReserve: 1000,
  maxToolResultTokens: 500,
  idleSeconds: 300,
});

/** The ids of refs, in order. */
export const ids = (rows: readonly { readonly ref: Ref }[]): readonly string[] => rows.map(({ ref }) => ref[1]);

/** The code of the failure that the database answers with; null: it does not fail. */
export async function sqlState(work: Promise<unknown>): Promise<string | null> {
  try {
    await work;
    return null;
  } catch (error) {
    return String((error as { code?: string }).code);
  }
}
