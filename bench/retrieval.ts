// Recall of the product's retrieval through the real store (design Q9), beside plain BM25 in the same run.
// npm run bench:retrieval -- --data LOCOMO.json [--corpus] [--json]

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openStaticTable } from '../src/embed/static_table.ts';
import { indexEntries, placedMemories } from '../src/manager/index_rows.ts';
import { lateInteraction } from '../src/rerank/late_interaction.ts';
import { openEmbeddedStore } from '../src/store/postgres/pglite.ts';
import type { Store } from '../src/store/store.ts';
import { type BenchTenant, benchTime, corpusTenant, locomoTenants } from './retrieval_data.ts';
import { type BenchTools, rankQuestion, type Rankings, recallOf, round } from './retrieval_recall.ts';

const root = join(import.meta.dirname, '..');
const { values: options } = parseArgs({
  options: { data: { type: 'string' }, corpus: { type: 'boolean' }, json: { type: 'boolean' } },
});
if (options.data === undefined && options.corpus !== true) {
  console.error('usage: npm run bench:retrieval -- --data PATH_OF_LOCOMO_JSON [--corpus] [--json]');
  process.exit(2);
}

const table = openStaticTable(join(root, 'models', 'potion-base-8m'));
const tools: BenchTools = { embedder: table, reranker: lateInteraction(table) };
const log = {
  warn: (detail: unknown, message: string) => console.error(message, detail),
  error: (detail: unknown, message: string) => console.error(message, detail),
};
const store = await openEmbeddedStore({ directory: ':memory:', embedder: table, log, migrate: true });
try {
  const report: Record<string, unknown> = {};
  if (options.data !== undefined) {
    const rankings = await rankAll(store, locomoTenants(options.data));
    const { product, ...others } = summary(rankings);
    Object.assign(report, product, others);
  }
  if (options.corpus === true) report['corpus'] = summary(await rankAll(store, [corpusTenant(join(root, 'seeds'))]));
  report['embedder'] = table.id;
  report['reranker'] = tools.reranker.id;
  if (options.json === true) console.log(JSON.stringify(report));
  else printReport(report);
} finally {
  await store.close();
}

async function rankAll(target: Store, tenants: readonly BenchTenant[]): Promise<readonly Rankings[]> {
  const rankings: Rankings[] = [];
  for (const tenant of tenants) {
    await importTenant(target, tenant);
    for (const question of tenant.questions) {
      const reading = { requestId: 'bench', evaluationTime: benchTime };
      rankings.push(
        await target.read(tenant.scope, reading, (reader) => rankQuestion(reader, tenant, question, tools)),
      );
    }
  }
  return rankings;
}

async function importTenant(target: Store, { scope, rows }: BenchTenant): Promise<void> {
  const index = await indexEntries(table, placedMemories(rows, scope));
  await target.operate({ tenantId: scope.tenantId }, { requestId: 'bench' }, (writer) =>
    writer.importRows({ rows, index, provenance: [], links: [] }),
  );
}

function summary(rankings: readonly Rankings[]) {
  const kinds = [...new Set(rankings.map(({ question }) => question.kind))].toSorted((a, b) => (a < b ? -1 : 1));
  const answerable = rankings.filter(({ question }) => question.gold.length > 0);
  const unanswerable = rankings.filter(({ question }) => question.gold.length === 0);
  return {
    product: recallOf(rankings, 'product'),
    before_reranking: recallOf(rankings, 'fused'),
    plain_bm25: recallOf(rankings, 'plain'),
    by_kind: Object.fromEntries(
      kinds.map((kind) => {
        const own = answerable.filter(({ question }) => question.kind === kind);
        return [kind, { recall_at_10: recallOf(own, 'product').recall_at_10, questions: own.length }];
      }),
    ),
    best_p: { answerable: quartiles(answerable), unanswerable: quartiles(unanswerable) },
    milliseconds: {
      p50: round(
        percentile(
          rankings.map(({ elapsedMs }) => elapsedMs),
          0.5,
        ),
      ),
      p95: round(
        percentile(
          rankings.map(({ elapsedMs }) => elapsedMs),
          0.95,
        ),
      ),
    },
  };
}

function quartiles(rankings: readonly Rankings[]): readonly number[] {
  const values = rankings.map(({ bestP }) => bestP);
  return values.length === 0 ? [] : [0.1, 0.25, 0.5, 0.75, 0.9].map((part) => round(percentile(values, part)));
}

function percentile(numbers: readonly number[], part: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
}

function printReport(report: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(report)) {
    console.log(`${name.padEnd(18)} ${typeof value === 'string' ? value : JSON.stringify(value)}`);
  }
}
