// One seeded store with its manager: what tests of the manager, the protocol and the goldens stand on.

import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { launchScope, operatorScope } from '../src/auth/make_scope.ts';
import { openStaticTable } from '../src/embed/static_table.ts';
import { createManager } from '../src/manager/create_manager.ts';
import type { Call, MemoryManager, OperatorCall, OperatorManager } from '../src/manager/manager.ts';
import { createOperatorManager } from '../src/manager/operator.ts';
import type { ManagerLog, ManagerParts } from '../src/manager/parts.ts';
import { rowId } from '../src/model/ids.ts';
import type { Scope } from '../src/model/scope.ts';
import { instant, type EvaluationTime } from '../src/model/time.ts';
import { lateInteraction } from '../src/rerank/late_interaction.ts';
import { openEmbeddedStore } from '../src/store/postgres/pglite.ts';
import type { EmbedderIdentity, Store } from '../src/store/store.ts';
import { builtInSummariser } from '../src/summarise/built_in.ts';
import { loadTokenizer } from '../src/tokens/tokenizer.ts';
import { keptCopy } from './store/kept_copy.ts';

const root = new URL('../', import.meta.url);

/** The shipped demo seeds. */
const demoSeeds = [
  'acme_policy.json',
  'acme_memory.json',
  'acme_sam_twins.json',
  'corpus_research.json',
  'corpus_platform.json',
  'globex.json',
] as const;

/** A JSON file of the project. */
export async function projectJson(path: string): Promise<unknown> {
  return JSON.parse(await readFile(new URL(path, root), 'utf8'));
}

/** The story of the demo: Jane's scope, her question, and the questions around it. */
export interface Story {
  readonly evaluationTime: EvaluationTime;
  readonly question: string;
  readonly comparisonQuestion: string;
  readonly retentionQuestion: string;
  readonly japaneseQuestion: string;
}

/** Reads seeds/story.json. */
export async function readStory(): Promise<Story> {
  const story = (await projectJson('seeds/story.json')) as Readonly<Record<string, string>>;
  const text = (key: string) => {
    const value = story[key];
    if (typeof value !== 'string') throw new Error(`seeds/story.json lacks ${key}`);
    return value;
  };
  return {
    evaluationTime: instant(text('evaluation_time')),
    question: text('question'),
    comparisonQuestion: text('comparison_question'),
    retentionQuestion: text('retention_question'),
    japaneseQuestion: text('japanese_question'),
  };
}

/** Log lines kept for a test to look at. */
export interface KeptLog extends ManagerLog {
  readonly lines: readonly { readonly level: string; readonly detail: unknown; readonly message: string }[];
}

/** A log that keeps its lines. */
export function keptLog(): KeptLog {
  const lines: { level: string; detail: unknown; message: string }[] = [];
  const keep = (level: string) => (detail: unknown, message: string) => {
    lines.push({ level, detail, message });
  };
  return { lines, info: keep('info'), warn: keep('warn'), error: keep('error') };
}

/** A seeded store with its managers. */
export interface Fixture {
  readonly store: Store;
  readonly manager: MemoryManager;
  readonly operator: OperatorManager;
  readonly parts: ManagerParts;
  readonly log: KeptLog;
  close(): Promise<void>;
}

/** Jane's scope of the demo, or another principal's. */
export function scopeOf(principal: {
  readonly tenant?: string;
  readonly user?: string;
  readonly agent?: string | null;
  readonly thread?: string | null;
  readonly roles?: readonly string[];
}): Scope {
  return launchScope({
    tenantId: principal.tenant ?? 'acme',
    userId: principal.user ?? 'jane',
    agentId: principal.agent === undefined ? 'research-assistant' : principal.agent,
    threadId: principal.thread === undefined ? 'jane-helios' : principal.thread,
    roles: principal.roles ?? ['researcher'],
  });
}

/** Jane's scope of the demo. */
export const jane: Scope = scopeOf({});

/** A call under a scope. */
export function callAs(scope: Scope, more: Partial<Call> = {}): Call {
  return { scope, requestId: randomUUID(), client: { name: 'test', version: '1' }, ...more };
}

/** A call of an operator. */
export function operatorCall(tenant: string): OperatorCall {
  return { scope: operatorScope(tenant), requestId: randomUUID() };
}

/** Opens a store for an embedder; by default one in memory. */
export type OpenStore = (made: { readonly embedder: EmbedderIdentity; readonly log: ManagerLog }) => Promise<Store>;

const openInMemory: OpenStore = (made) => openEmbeddedStore({ directory: ':memory:', migrate: true, ...made });

/** Opens a store, seeds it (the demo's files by default) and puts a manager on it. */
export async function openFixture(
  options: { readonly seeds?: readonly string[]; readonly isSeeded?: true; readonly openStore?: OpenStore } = {},
): Promise<Fixture> {
  const log = keptLog();
  const table = openStaticTable(fileURLToPath(new URL('models/potion-base-8m', root)));
  const reranker = lateInteraction(table);
  const seeds = options.isSeeded === true ? [] : (options.seeds ?? demoSeeds);
  const made = { embedder: { id: table.id, dimensions: table.dimensions }, log };
  const kept = options.openStore === undefined && seeds.length > 0 ? keptCopy(seeds) : null;
  const copied = await kept?.open(made);
  const store = copied ?? (await (options.openStore ?? openInMemory)(made));
  const parts: ManagerParts = {
    store,
    embedder: async () => table,
    reranker: async () => reranker,
    tokenizer: async () => loadTokenizer(),
    summariser: async () => builtInSummariser,
    log,
    newId: (prefix) => rowId(`${prefix}_${randomUUID().replaceAll('-', '')}`),
    providerCount: null,
    documentUrl: null,
    clockMs: () => performance.now(),
  };
  const operator = createOperatorManager(parts);
  if (copied === undefined && options.isSeeded !== true) {
    const files = await Promise.all(seeds.map(async (name) => ({ name, json: await projectJson(`seeds/${name}`) })));
    await operator.seed(files, { requestId: randomUUID() });
    await kept?.keep(store);
  }
  return { store, manager: createManager(parts), operator, parts, log, close: () => store.close() };
}
