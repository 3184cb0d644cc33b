// Lists and makes the derived texts that are missing or stale (design C1, D3): compressions and digests of threads.

import { type CompressionNeed, compressionLimits, needOf } from '../assembly/compression_needs.ts';
import { contentHash } from '../assembly/hash.ts';
import { lifecycleState } from '../assembly/select/lifecycle.ts';
import { rendererVersion } from '../assembly/version.ts';
import { abortedBy } from '../model/errors.ts';
import type { Compression } from '../model/candidate.ts';
import { type Memory, type Ref, refKey, type SeatableType } from '../model/memory.ts';
import type { CountTokens } from '../model/window.ts';
import type { OwnThread, SnapshotReader } from '../store/store.ts';
import type { SummariserIdentity } from '../summarise/summariser.ts';
import { callOptions } from './call_options.ts';
import { compactThread, digestState, readThread } from './compact.ts';
import { compressionOf } from './derive.ts';
import { type MakeSummary, summaryMaker, usableCompression } from './make_summary.ts';
import type { Call, RebuiltText, StaleText } from './manager.ts';
import type { ManagerParts } from './parts.ts';
import { policiesOf } from './policies.ts';
import { readPrefix } from './read_window.ts';
import { encoding } from './token_counts.ts';

/** How many rows or threads are looked at in one transaction. */
const pageSize = 200;

/** A text to make. */
type Work =
  | { readonly stale: StaleText; readonly memory: Memory; readonly need: CompressionNeed }
  | { readonly stale: StaleText; readonly call: Call };

/** Lists what is missing or stale, and makes it where that is wanted, as {@link MemoryManager.compress} says. */
export async function compress(
  parts: ManagerParts,
  call: Call,
  wanted: { readonly thread: boolean; readonly rebuild: boolean },
): Promise<readonly RebuiltText[]> {
  const compressions = wanted.thread ? [] : await staleCompressions(parts, call);
  const all: readonly Work[] = [...compressions, ...(await staleDigests(parts, call, wanted.thread))];
  if (!wanted.rebuild) return all.map(({ stale }) => told(stale, 'listed'));
  const tools = { makeSummary: await summaryMaker(parts, call, null), countTokens: await parts.tokenizer() };
  const rebuilt: RebuiltText[] = [];
  for (const [index, work] of all.entries()) {
    if (call.signal?.aborted === true) throw abortedBy(call.signal);
    rebuilt.push(await rebuild(parts, call, work, tools));
    call.onProgress?.((index + 1) / all.length, `${index + 1} of ${all.length} texts`);
  }
  return rebuilt;
}

function told(stale: StaleText, outcome: RebuiltText['outcome'], made: Partial<RebuiltText> = {}): RebuiltText {
  return { ...stale, outcome, tokens: 0, model: null, failure: null, ...made };
}

async function rebuild(
  parts: ManagerParts,
  call: Call,
  work: Work,
  tools: { readonly makeSummary: MakeSummary; readonly countTokens: CountTokens },
): Promise<RebuiltText> {
  if ('call' in work) {
    const { outcome, tokens, model, failure } = await compactThread(parts, work.call, tools.makeSummary);
    return told(work.stale, outcome === 'made' ? 'made' : 'unchanged', { tokens, model, failure });
  }
  const { compression, failure } = await compressionOf(parts, work.memory, { need: work.need, ...tools });
  if (compression === null) return told(work.stale, 'nothing_fits', { failure });
  const stored = await parts.store.write(call.scope, callOptions(call), (writer) =>
    writer.putCompressions([compression]),
  );
  // What another call stored first stands; a source that changed meanwhile gets nothing.
  const outcome = stored.some(({ id }) => id === compression.id) ? 'made' : 'unchanged';
  const { tokens, model } = compression;
  return told(work.stale, outcome, { tokens, model, failure });
}

/** Long memories of the scope without a compression by the configured summariser that fits the smallest slice. */
async function staleCompressions(parts: ManagerParts, call: Call): Promise<readonly Work[]> {
  const countTokens = await parts.tokenizer();
  const { identity } = await parts.summariser();
  const found: Work[] = [];
  let limits: ReadonlyMap<SeatableType, number> | null = null;
  for (let after: Ref | null = null; ; ) {
    const page: { readonly refs: readonly Ref[]; readonly work: readonly Work[] } = await parts.store.read(
      call.scope,
      { ...callOptions(call), evaluationTime: null },
      async (reader) => {
        limits ??= await limitsOf(parts, call, { reader, countTokens });
        if (limits.size === 0) return { refs: [], work: [] };
        const refs = await reader.longMemories(limits, { after, limit: pageSize, rendererVersion, encoding });
        return { refs, work: await needsAmong(reader, refs, { limits, countTokens, identity }) };
      },
    );
    found.push(...page.work);
    after = page.refs.at(-1) ?? null;
    if (after === null || page.refs.length < pageSize) return found;
  }
}

async function limitsOf(
  parts: ManagerParts,
  { scope }: Call,
  { reader, countTokens }: { readonly reader: SnapshotReader; readonly countTokens: CountTokens },
): Promise<ReadonlyMap<SeatableType, number>> {
  const { guidelines, prefix } = await readPrefix(reader, { scope, log: parts.log });
  const { budget } = policiesOf(guidelines).budget;
  const { evaluationTime } = reader.position;
  return compressionLimits({ prefix, scope, evaluationTime, countTokens, question: '' }, budget);
}

async function needsAmong(
  reader: SnapshotReader,
  refs: readonly Ref[],
  measures: {
    readonly limits: ReadonlyMap<SeatableType, number>;
    readonly countTokens: CountTokens;
    readonly identity: SummariserIdentity;
  },
): Promise<readonly Work[]> {
  const { limits, countTokens, identity } = measures;
  const memories = await reader.memories(refs);
  const compressions = await reader.compressions(refs);
  return memories.flatMap((memory): readonly Work[] => {
    const { lifecycle, ref } = memory;
    const isCurrent = lifecycleState(lifecycle, reader.position.evaluationTime) === 'current';
    const limit = limits.get(memory.type);
    if (!isCurrent || lifecycle.quarantinedAt !== null || limit === undefined) return [];
    const need = needOf(memory, limit, countTokens);
    const own = compressions.filter(({ source }) => refKey(source) === refKey(ref));
    if (need === null || hasFitting(own, memory, { limit, identity })) return [];
    const stale: StaleText = { kind: 'compression', ref, thread: null, state: own.length === 0 ? 'missing' : 'stale' };
    return [{ stale, memory, need }];
  });
}

function hasFitting(
  own: readonly Compression[],
  memory: Memory,
  { limit, identity }: { readonly limit: number; readonly identity: SummariserIdentity },
): boolean {
  const usable = usableCompression(own, contentHash(memory), [identity]);
  return usable !== null && usable.tokens <= limit;
}

/** Threads whose turns are more than the tail shows, without a digest that is as it should be. */
async function staleDigests(parts: ManagerParts, call: Call, only: boolean): Promise<readonly Work[]> {
  const { identity } = await parts.summariser();
  const found: Work[] = [];
  for (let after = ''; ; ) {
    const options = { ...callOptions(call), evaluationTime: null };
    const threads: readonly OwnThread[] = only
      ? [{ threadId: call.scope.threadId, turns: Infinity }]
      : await parts.store.read(call.scope, options, (reader) => reader.ownThreads(after, pageSize));
    for (const { threadId } of threads) {
      const own: Call = { ...call, scope: { ...call.scope, threadId } };
      const thread = await parts.store.read(own.scope, options, readThread);
      const state = digestState(thread, identity);
      if (state !== null) found.push({ stale: { kind: 'digest', ref: null, thread: threadId, state }, call: own });
    }
    after = threads.at(-1)?.threadId ?? '';
    if (only || threads.length < pageSize) return found;
  }
}
