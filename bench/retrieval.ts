// Recall of the product's retrieval through the real store (design Q9), step by step, beside plain BM25 in the same run.
// npm run bench:retrieval -- --data LOCOMO.json [--corpus] [--ablation] [--json]
// Which embedder and reranker is measured, CONTEXT_EMBEDDER, CONTEXT_RERANKER and their variables say.

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readConfig } from '../src/config.ts';
import { openStaticTable } from '../src/embed/static_table.ts';
import { createLog } from '../src/log.ts';
import { indexEntries, placedMemories } from '../src/manager/index_rows.ts';
import { createMeasuring } from '../src/measures.ts';
import { openEmbeddedStore } from '../src/store/postgres/pglite.ts';
import type { Store } from '../src/store/store.ts';
import { loadTokenizer } from '../src/tokens/tokenizer.ts';
import { type BenchTenant, benchTime, corpusTenant, locomoTenants } from './retrieval_data.ts';
import { isAnswerable, rankQuestion, type Rankings, recallOf, round, thresholdOf } from './retrieval_recall.ts';
import { ablations } from './retrieval_variants.ts';

const root = join(import.meta.dirname, '..');
const { values: options } = parseArgs({
  options: {
    data: { type: 'string' },
    corpus: { type: 'boolean' },
    ablation: { type: 'boolean' },
    json: { type: 'boolean' },
  },
});
if (options.data === undefined && options.corpus !== true) {
  console.error('usage: npm run bench:retrieval -- --data PATH_OF_LOCOMO_JSON [--corpus] [--ablation] [--json]');
  process.exit(2);
}

const table = openStaticTable(join(root, 'models', 'potion-base-8m'));
const { models, secrets } = readConfig(process.env);
const log = createLog({ level: 'warn', secrets });
const measuring = createMeasuring(log);
const measures = measuring.of(models);
const noStore = () => Promise.reject(new Error('models of a database are not measured here'));
const [embedder, reranker] = [await measures.embedder(noStore), await measures.reranker(noStore)];
const variants = options.ablation === true ? ablations(table) : [];
const tools = { embedder, reranker, countTokens: await loadTokenizer(), variants };
const store = await openEmbeddedStore({ directory: ':memory:', embedder, log, migrate: true });
try {
  const report: Record<string, unknown> = {};
  if (options.data !== undefined) {
    const tenants = locomoTenants(options.data);
    const found = await rankAll(store, tenants);
    const { product, ...others } = summary(found.flat());
    const conversations = found.map((rankings) => recallOf(rankings, 'reranked').recall_at_10);
    Object.assign(report, product, others, { each_conversation_at_10: conversations });
  }
  if (options.corpus === true) {
    report['corpus'] = summary((await rankAll(store, [corpusTenant(join(root, 'seeds'))])).flat());
  }
  report['embedder'] = embedder.id;
  report['reranker'] = reranker.id;
  if (options.json === true) console.log(JSON.stringify(report));
  else printReport(report, '');
} finally {
  measuring.close();
  await store.close();
}

async function rankAll(target: Store, tenants: readonly BenchTenant[]): Promise<readonly (readonly Rankings[])[]> {
  const found: (readonly Rankings[])[] = [];
  for (const tenant of tenants) {
    await importTenant(target, tenant);
    const rankings: Rankings[] = [];
    for (const question of tenant.questions) {
      const reading = { requestId: 'bench', evaluationTime: benchTime };
      rankings.push(
        await target.read(tenant.scope, reading, (reader) => rankQuestion(reader, tenant, question, tools)),
      );
    }
    found.push(rankings);
  }
  return found;
}

async function importTenant(target: Store, { scope, rows }: BenchTenant): Promise<void> {
  const index = await indexEntries(embedder, placedMemories(rows, scope));
  await target.operate({ tenantId: scope.tenantId }, { requestId: 'bench' }, (writer) =>
    writer.importRows({ rows, index, provenance: [], links: [] }),
  );
}

function summary(rankings: readonly Rankings[]) {
  const kinds = [...new Set(rankings.map(({ question }) => question.kind))].toSorted((a, b) => (a < b ? -1 : 1));
  const answerable = rankings.filter(({ question }) => isAnswerable(question));
  const unanswerable = rankings.filter(({ question }) => !isAnswerable(question));
  const recalls = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, recallOf(rankings, name)]));
  return {
    product: recallOf(rankings, 'reranked'),
    before_reranking: recallOf(rankings, 'fused'),
    plain_bm25: recallOf(rankings, 'plain_bm25'),
    steps: recalls(['lexical', 'vector', 'fused', 'reranked']),
    by_kind: Object.fromEntries(
      kinds
        .map((kind) => [kind, answerable.filter(({ question }) => question.kind === kind)] as const)
        .filter(([, own]) => own.length > 0)
        .map(([kind, own]) => [kind, recallOf(own, 'reranked')]),
    ),
    ...(variants.length === 0 ? {} : { ablation: recalls(variants.map(({ name }) => name)) }),
    ...(unanswerable.length === 0 ? {} : { unanswerable: unanswerableBy(answerable, unanswerable) }),
    tokens_of_first_5: Math.round(percentile(rankings.map(({ tokens }) => tokens))),
    milliseconds: {
      search: spread(rankings.map(({ milliseconds }) => milliseconds.search)),
      rerank: spread(rankings.map(({ milliseconds }) => milliseconds.rerank)),
    },
  };
}

/** The best row's p for questions with and without an answer, and how well thresholds tell them apart. */
function unanswerableBy(answerable: readonly Rankings[], unanswerable: readonly Rankings[]) {
  const parts = (rankings: readonly Rankings[]) =>
    [0.1, 0.25, 0.5, 0.75, 0.9].map((part) =>
      round(
        percentile(
          rankings.map(({ bestP }) => bestP),
          part,
        ),
      ),
    );
  const kinds = [...new Set(unanswerable.map(({ question }) => question.kind))];
  const told = (kind: string) => {
    const own = unanswerable.filter(({ question }) => question.kind === kind);
    const thresholds = [0.3, 0.4, 0.5, 0.6, 0.7].map((threshold) => [
      threshold,
      thresholdOf([...answerable, ...own], threshold),
    ]);
    return { questions: own.length, best_p: parts(own), below: Object.fromEntries(thresholds) };
  };
  return { best_p_of_answerable: parts(answerable), ...Object.fromEntries(kinds.map((kind) => [kind, told(kind)])) };
}

function spread(values: readonly number[]): { readonly p50: number; readonly p95: number } {
  return { p50: round(percentile(values)), p95: round(percentile(values, 0.95)) };
}

function percentile(numbers: readonly number[], part = 0.5): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
}

/** One line for each figure or row of figures; what is nested deeper is indented under its name. */
function printReport(report: Readonly<Record<string, unknown>>, indent: string): void {
  for (const [name, value] of Object.entries(report)) {
    if (isNested(value)) {
      console.log(`${indent}${name}`);
      printReport(value, `${indent}  `);
    } else console.log(`${indent}${name.padEnd(34 - indent.length)} ${lineOf(value)}`);
  }
}

function isNested(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).some((inner) => typeof inner === 'object' && inner !== null)
  );
}

function lineOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return value.join(' ');
  return Object.entries(value)
    .map(([name, figure]) => `${name} ${String(figure)}`)
    .join('  ');
}
