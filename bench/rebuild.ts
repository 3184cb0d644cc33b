// What a change of embedder costs, in ratios of one run: the memories of a tenant are seeded, then embedded anew by the
// same table under another name, while somebody searches all the time; then the index is dropped and made again.
// npm run bench:rebuild [-- --memories 2000] [--json]

import { randomUUID } from 'node:crypto';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { launchScope, operatorScope } from '../src/auth/make_scope.ts';
import type { Embedder } from '../src/embed/embedder.ts';
import { openStaticTable } from '../src/embed/static_table.ts';
import type { OperatorCall } from '../src/manager/manager.ts';
import { createOperatorManager } from '../src/manager/operator.ts';
import type { ManagerParts } from '../src/manager/parts.ts';
import { rowId } from '../src/model/ids.ts';
import { questionTerms } from '../src/retrieval/analyse.ts';
import { lateInteraction } from '../src/rerank/late_interaction.ts';
import { openEmbeddedStores } from '../src/store/postgres/pglite.ts';
import type { SnapshotReader, Store } from '../src/store/store.ts';
import { builtInSummariser } from '../src/summarise/built_in.ts';
import { loadTokenizer } from '../src/tokens/tokenizer.ts';

const { values: options } = parseArgs({ options: { memories: { type: 'string' }, json: { type: 'boolean' } } });
const memories = Number(options.memories ?? 2000);
if (!Number.isSafeInteger(memories) || memories < 100)
  throw new RangeError('--memories takes a whole number from 100 on.');

const table = openStaticTable(join(import.meta.dirname, '..', 'models', 'potion-base-8m'));
const renamed: Embedder = { ...table, id: `${table.id}-again` };
const countTokens = await loadTokenizer();
const log = { info: () => {}, warn: console.error, error: console.error };
const stores = await openEmbeddedStores({ directory: ':memory:', log });
const base = stores.of(table);
await base.migrate();

function partsOf(store: Store, embedder: Embedder): ManagerParts {
  return {
    store,
    embedder: async () => embedder,
    reranker: async () => lateInteraction(table),
    tokenizer: async () => countTokens,
    summariser: async () => builtInSummariser,
    log,
    newId: (prefix) => rowId(`${prefix}_${randomUUID().replaceAll('-', '')}`),
    providerCount: null,
    documentUrl: null,
    clockMs: () => performance.now(),
  };
}

const call = (): OperatorCall => ({ scope: operatorScope('bench'), requestId: randomUUID() });
const scope = launchScope({ tenantId: 'bench', userId: 'jane', agentId: null, threadId: null, roles: [] });
const words = 'index recall tenant window memory budget query latency shard replica cache vector prompt answer'.split(
  ' ',
);
const sentence = (place: number) =>
  Array.from({ length: 24 }, (_, at) => words[(place * 7 + at * (1 + (place % 5))) % words.length]).join(' ');

/** Chunks of documents of ten, as a tenant has them. */
const seed = {
  tenant_id: 'bench',
  documents: Array.from({ length: Math.ceil(memories / 10) }, (_, document) => ({
    id: `d${document}`,
    collection: 'bench',
    title: `Document ${document}`,
    source_uri: `bench/${document}`,
    source_type: 'text',
    content_hash: 'h',
    valid_from: '2026-01-01T00:00:00.000000Z',
    written_by: 'bench',
    trust: 'stated',
    chunks: Array.from({ length: 10 }, (__, chunk) => ({
      id: `d${document}_c${chunk}`,
      content: `${sentence(document * 10 + chunk)} ${document}.`,
    })),
  })),
};

const [question] = await table.embed(['latency of a shard'], { purpose: 'query' });
async function searchWith(store: Store): Promise<void> {
  const filter = { kinds: ['chunk'], collections: null, exclude: [], limit: 100 } as const;
  await store.read(scope, { requestId: randomUUID(), evaluationTime: null }, async (reader: SnapshotReader) => {
    await reader.searchLexical(questionTerms('latency of a shard'), filter);
    if (question !== null && question !== undefined) await reader.searchVector(question, 'text', filter);
  });
}

/** Times of searches one after the other until the work is done, in milliseconds. */
async function searching(store: Store, work: Promise<unknown>): Promise<readonly number[]> {
  const end = new AbortController();
  const ended = work.finally(() => end.abort());
  const times: number[] = [];
  while (!end.signal.aborted) {
    const start = performance.now();
    await searchWith(store);
    times.push(performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await ended;
  return times;
}

async function alone(store: Store): Promise<readonly number[]> {
  const times: number[] = [];
  for (let turn = 0; turn < 60; turn += 1) {
    const start = performance.now();
    await searchWith(store);
    times.push(performance.now() - start);
  }
  return times.slice(10);
}

const at = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

const before = createOperatorManager(partsOf(base, table));
const reembedding = stores.of(renamed, { anyEmbedder: true });
const seedMs = await timed(() => before.seed([{ name: 'bench', json: seed }], { requestId: randomUUID() }));
const idle = await alone(base);
let during: readonly number[] = [];
const busyMs = await timed(async () => {
  const half = createOperatorManager(
    partsOf(stores.of({ ...renamed, id: 'half' }, { anyEmbedder: true }), { ...renamed, id: 'half' }),
  );
  const interruption = new AbortController();
  const work = half
    .reembed(
      { ...call(), signal: interruption.signal, onProgress: (done) => done > 0.5 && interruption.abort() },
      { dryRun: false },
    )
    .catch(() => {});
  during = await searching(base, work);
});
const doubled = await alone(base);
const reembedMs = await timed(() =>
  createOperatorManager(partsOf(reembedding, renamed)).reembed(call(), { dryRun: false }),
);
const now = stores.of(renamed, { anyEmbedder: false });
const after = await alone(now);
const dropMs = await timed(() =>
  createOperatorManager(partsOf(now, renamed)).reindex(call(), { drop: true, vectors: false, dryRun: false }),
);
await base.close();

const perThousand = (ms: number): number => (ms / memories) * 1000;
const figures = {
  memories,
  seed_ms_per_1000: perThousand(seedMs),
  reembed_to_seed: reembedMs / seedMs,
  drop_and_reindex_to_seed: dropMs / seedMs,
  search_ms: { alone: at(idle, 0.5), half_way: at(doubled, 0.5), after: at(after, 0.5) },
  search_during: {
    median: at(during, 0.5),
    p95: at(during, 0.95),
    longest: at(during, 1),
    searches: during.length,
    busyMs,
  },
  machine: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, Node ${process.versions.node}`,
};
console.log(options.json === true ? JSON.stringify(figures) : figures);
