// How much of what was said can still be relied on after many compactions (design C1): 200 turns, compacted 20 times
// through the real store, 50 planted rules, identifiers, amounts and dates, 10 of them pinned as guidelines.
// npm run bench:compression [-- --seeds 5] [--json]

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { sentencesOf } from '../src/assembly/summarise/sentences.ts';
import { launchScope, operatorScope } from '../src/auth/make_scope.ts';
import { openStaticTable } from '../src/embed/static_table.ts';
import { createManager } from '../src/manager/create_manager.ts';
import type { Call } from '../src/manager/manager.ts';
import { createOperatorManager } from '../src/manager/operator.ts';
import type { ManagerParts } from '../src/manager/parts.ts';
import { rowId } from '../src/model/ids.ts';
import type { Ref } from '../src/model/memory.ts';
import type { CountTokens } from '../src/model/window.ts';
import { lateInteraction } from '../src/rerank/late_interaction.ts';
import { openEmbeddedStore } from '../src/store/postgres/pglite.ts';
import { builtInSummariser } from '../src/summarise/built_in.ts';
import { loadTokenizer } from '../src/tokens/tokenizer.ts';
import { pinnedRules } from './compression_phrases.ts';
import { generateThread, type GeneratedThread, type Planted } from './compression_thread.ts';

const turnsOfThread = 200;
const compactions = 20;
const plantedInTurns = 50 - pinnedRules.length;
/** Seeds of the phrases that the summariser was written with, and of those that were held out. */
const firstSeeds = { known: 1, held_out: 101 } as const;

const { values: options } = parseArgs({ options: { seeds: { type: 'string' }, json: { type: 'boolean' } } });
const seedCount = Number(options.seeds ?? 5);
if (!Number.isSafeInteger(seedCount) || seedCount < 1) throw new RangeError('--seeds takes a whole number from 1 on.');

const root = join(import.meta.dirname, '..');
const profile: unknown = JSON.parse(readFileSync(join(root, 'seeds', 'default_profile.json'), 'utf8'));
const table = openStaticTable(join(root, 'models', 'potion-base-8m'));
const countTokens = await loadTokenizer();
const log = {
  info: () => {},
  warn: (detail: unknown, message: string) => console.error(message, detail),
  error: (detail: unknown, message: string) => console.error(message, detail),
};
const store = await openEmbeddedStore({ directory: ':memory:', embedder: table, log, migrate: true });
const parts: ManagerParts = {
  store,
  embedder: async () => table,
  reranker: async () => lateInteraction(table),
  tokenizer: async () => countTokens,
  summariser: async () => builtInSummariser,
  log,
  newId: (prefix) => rowId(`${prefix}_${randomUUID().replaceAll('-', '')}`),
  providerCount: null,
  documentUrl: null,
  clockMs: () => performance.now(),
};
const manager = createManager(parts);

/** Figures that can be summed over seeds. */
type Figures = Readonly<Record<(typeof figureNames)[number], number>>;
const figureNames = [
  'planted',
  'changed',
  'in_digest',
  'changed_in_digest',
  'outdated_in_digest',
  'in_window',
  'outdated_in_window',
  'in_newest_turns',
  'pinned',
  'pinned_in_window',
  'digest_tokens',
  'useful_tokens',
  'thread_tokens',
  'useful_thread_tokens',
  'digests',
  'digests_with_sources',
  'compact_ms',
] as const;

try {
  const report: Record<string, unknown> = {};
  for (const [name, first] of Object.entries(firstSeeds)) {
    const seeds = Array.from({ length: seedCount }, (_, index) => first + index);
    const figures: Figures[] = [];
    for (const seed of seeds) figures.push(await measure(seed, name === 'held_out'));
    report[name] = { seeds, ...summary(figures) };
  }
  report['machine'] = `${cpus()[0]?.model ?? 'unknown'}, ${cpus().length} cores, Node ${process.version}`;
  if (options.json === true) console.log(JSON.stringify(report, null, 2));
  else for (const [name, value] of Object.entries(report)) console.log(name, value);
} finally {
  await store.close();
}

async function measure(seed: number, heldOut: boolean): Promise<Figures> {
  const thread = generateThread(seed, { turns: turnsOfThread, planted: plantedInTurns, heldOut });
  const call = await openTenant(`bench-${heldOut ? 'b' : 'a'}-${seed}`);
  const { digests, milliseconds } = await talk(call, thread);
  const digest = await store.read(call.scope, reading(), (reader) => reader.threadDigest());
  if (digest === null) throw new Error('there is no digest');
  const inDigest = found(digest.memory.summary.split('\n'), thread.planted);
  const newest = newestTurns(thread, digest.tokens);
  const windows = await ask(call, thread.planted);
  return {
    planted: thread.planted.length,
    changed: thread.planted.filter(({ outdated }) => outdated.length > 0).length,
    in_digest: inDigest.current.length,
    changed_in_digest: inDigest.current.filter(({ outdated }) => outdated.length > 0).length,
    outdated_in_digest: inDigest.outdatedAlone,
    in_window: windows.current,
    outdated_in_window: windows.outdatedAlone,
    in_newest_turns: found(newest, thread.planted).current.length,
    pinned: pinnedRules.length * thread.planted.length,
    pinned_in_window: windows.pinned,
    digest_tokens: digest.tokens,
    useful_tokens: usefulTokens(digest.memory.summary, thread.planted),
    thread_tokens: countTokens(thread.turns.map(({ text }) => text).join('\n')),
    useful_thread_tokens: usefulTokens(thread.turns.map(({ text }) => text).join('\n'), thread.planted),
    digests: digests.length,
    digests_with_sources: await withSources(call, digests),
    compact_ms: milliseconds,
  };
}

function reading() {
  return { requestId: 'bench', evaluationTime: null };
}

/** A tenant of its own with the default profile and the pinned rules. */
async function openTenant(tenant: string): Promise<Call> {
  const operator = createOperatorManager(parts);
  const call = { scope: operatorScope(tenant), requestId: 'bench' };
  await operator.init(call, profile);
  const guidelines = pinnedRules.map((rule, index) => ({ guideline_key: `pinned_${index}`, guideline_value: rule }));
  await operator.apply(call, 'pinned rules', { guidelines });
  const scope = launchScope({ tenantId: tenant, userId: 'ada', agentId: null, threadId: 'long', roles: [] });
  return { scope, requestId: 'bench', client: null };
}

/** Has the conversation, compacting it as it goes on; gives every digest that was made. */
async function talk(
  call: Call,
  { turns }: GeneratedThread,
): Promise<{ readonly digests: readonly Ref[]; readonly milliseconds: number }> {
  const digests: Ref[] = [];
  let milliseconds = 0;
  for (const [index, { role, text }] of turns.entries()) {
    await manager.recordTurn(call, { role, text, runId: null });
    if ((index + 1) % (turnsOfThread / compactions) !== 0) continue;
    const started = performance.now();
    const { ref, outcome } = await manager.compactThread(call);
    milliseconds += performance.now() - started;
    if (ref !== null && (outcome === 'made' || outcome === 'fresh')) digests.push(ref);
  }
  return { digests, milliseconds };
}

interface Found {
  readonly current: readonly Planted[];
  /** Things of which only a value that no longer holds is there. */
  readonly outdatedAlone: number;
}

function found(lines: readonly string[], planted: readonly Planted[]): Found {
  const has = (needles: readonly string[]) => lines.some((line) => needles.every((needle) => line.includes(needle)));
  const current = planted.filter((one) => has(one.current));
  const outdatedAlone = planted.filter((one) => !has(one.current) && one.outdated.some(has)).length;
  return { current, outdatedAlone };
}

/** What a host would keep that simply cuts: the newest turns in as many tokens. */
function newestTurns({ turns }: GeneratedThread, tokens: number): readonly string[] {
  const kept: string[] = [];
  for (const { text } of turns.toReversed()) {
    if (countTokens([text, ...kept].join('\n')) > tokens) break;
    kept.unshift(text);
  }
  return kept;
}

/** A window for each question: whether it shows the answer, or only an outdated one, and all pinned rules. */
async function ask(call: Call, planted: readonly Planted[]) {
  const totals = { current: 0, outdatedAlone: 0, pinned: 0 };
  for (const one of planted) {
    const asked = { question: one.question, intent: null, at: null, model: null };
    const { request } = await manager.assembleWindow(call, asked);
    const [developer = '', user = ''] = request.messages.map(({ content }) => content ?? '');
    const shown = found(plainText(user).split('\n'), [one]);
    totals.current += shown.current.length;
    totals.outdatedAlone += shown.outdatedAlone;
    totals.pinned += pinnedRules.filter((rule) => developer.includes(rule)).length;
  }
  return totals;
}

function plainText(block: string): string {
  return block.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** Tokens of the sentences that say how one of the planted things is now. */
function usefulTokens(text: string, planted: readonly Planted[]): number {
  const useful = sentencesOf(text).filter(({ text: sentence }) =>
    planted.some(({ current }) => current.every((needle) => sentence.includes(needle))),
  );
  return sumOf(useful.map(({ text: sentence }) => (countTokens satisfies CountTokens)(sentence)));
}

/** How many digests name turns that can all be read, one for each turn that they say they are made of. */
async function withSources(call: Call, digests: readonly Ref[]): Promise<number> {
  let whole = 0;
  for (const ref of digests) {
    await store.read(call.scope, reading(), async (reader) => {
      const sources = (await reader.provenance([ref])).map(({ source }) => source);
      const memories = await reader.memories(sources);
      if (sources.length > 0 && memories.length === sources.length) whole += 1;
    });
  }
  return whole;
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function summary(all: readonly Figures[]) {
  const total = Object.fromEntries(figureNames.map((name) => [name, sumOf(all.map((one) => one[name]))])) as Figures;
  const share = (part: number, whole: number) => Number((part / whole).toFixed(4));
  return {
    planted: total.planted,
    changed_on_the_way: total.changed,
    pinned_recovered: share(total.pinned_in_window, total.pinned),
    recovered_in_digest: share(total.in_digest, total.planted),
    changed_recovered_in_digest: share(total.changed_in_digest, total.changed),
    outdated_alone_in_digest: total.outdated_in_digest,
    recovered_in_window: share(total.in_window, total.planted),
    outdated_alone_in_window: total.outdated_in_window,
    recovered_in_newest_turns_of_as_many_tokens: share(total.in_newest_turns, total.planted),
    digest_tokens: Math.round(total.digest_tokens / all.length),
    thread_tokens: Math.round(total.thread_tokens / all.length),
    useful_share_of_digest: share(total.useful_tokens, total.digest_tokens),
    useful_share_of_thread: share(total.useful_thread_tokens, total.thread_tokens),
    digests_with_all_sources: share(total.digests_with_sources, total.digests),
    ms_per_compaction: Math.round(total.compact_ms / all.length / compactions),
  };
}
