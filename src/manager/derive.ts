// What is derived before the pure step (design C1, N3): compressions of long candidates and missing token counts.

import type { AssemblyInput } from '../assembly/assembly_input.ts';
import { type CompressionNeed, compressionNeeds } from '../assembly/compression_needs.ts';
import { contentHash } from '../assembly/hash.ts';
import type { Compression } from '../model/candidate.ts';
import { type Memory, refKey } from '../model/memory.ts';
import type { CountTokens } from '../model/window.ts';
import type { NewTokenCount } from '../store/written_rows.ts';
import { callOptions } from './call_options.ts';
import { type MakeSummary, summariserFailed, summaryMaker } from './make_summary.ts';
import type { Call } from './manager.ts';
import type { ManagerParts } from './parts.ts';

/**
 * Compresses the candidates that are larger than their slice, stores what was made and the token counts that were
 * missing in one short transaction, and passes the stored compressions on. A source that changed meanwhile gets none.
 * A summariser that failed stands in the record's fallbacks.
 */
export async function withDerived<Input extends AssemblyInput>(
  parts: ManagerParts,
  call: Call,
  made: { readonly input: Input; readonly counted: readonly NewTokenCount[] },
): Promise<Input> {
  const { input, counted } = made;
  const { compressions, hasFailed } = await compress(parts, call, input);
  const fallbacks = hasFailed ? [...input.record.fallbacks, summariserFailed] : input.record.fallbacks;
  const record = { ...input.record, fallbacks };
  if (compressions.length === 0 && counted.length === 0) return { ...input, record };
  const stored = await parts.store.write(call.scope, callOptions(call), async (writer) => {
    await writer.putTokenCounts(counted);
    return writer.putCompressions(compressions);
  });
  const bySource = new Map(stored.map((compression) => [refKey(compression.source), compression]));
  const candidates = input.candidates.map((candidate) => {
    const compression = bySource.get(refKey(candidate.memory.ref));
    return compression === undefined ? candidate : { ...candidate, compression };
  });
  return { ...input, candidates, record };
}

async function compress(
  parts: ManagerParts,
  call: Call,
  input: AssemblyInput,
): Promise<{ readonly compressions: readonly Compression[]; readonly hasFailed: boolean }> {
  const needs = input.policy.budget.compress ? compressionNeeds(input) : [];
  if (needs.length === 0) return { compressions: [], hasFailed: false };
  const memories = new Map(input.candidates.map(({ memory }) => [refKey(memory.ref), memory]));
  const makeSummary = await summaryMaker(parts, call);
  const compressions: Compression[] = [];
  let hasFailed = false;
  for (const need of needs) {
    const memory = memories.get(refKey(need.ref));
    if (memory === undefined) continue;
    const made = await compressionOf(parts, memory, { need, makeSummary, countTokens: input.countTokens });
    hasFailed ||= made.failure !== null;
    if (made.compression !== null) compressions.push(made.compression);
  }
  return { compressions, hasFailed };
}

/** A compression of a memory to store, or null where nothing of it fits; and why the configured summariser failed. */
export async function compressionOf(
  parts: ManagerParts,
  memory: Memory,
  wanted: { readonly need: CompressionNeed; readonly makeSummary: MakeSummary; readonly countTokens: CountTokens },
): Promise<{ readonly compression: Compression | null; readonly failure: string | null }> {
  const { need, makeSummary, countTokens } = wanted;
  const { text, model, promptVersion, failure } = await makeSummary(
    { kind: 'text', text: need.text },
    { maxTokens: need.maxTokens, countTokens },
  );
  if (text === '') return { compression: null, failure };
  const compression: Compression = {
    id: parts.newId('compression'),
    source: need.ref,
    sourceHash: contentHash(memory),
    text,
    tokens: countTokens(text),
    model,
    promptVersion,
  };
  return { compression, failure };
}
