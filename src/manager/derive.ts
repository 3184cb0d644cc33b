// What is derived before the pure step (design C1, N3): compressions of long candidates and missing token counts.

import type { AssemblyInput } from '../assembly/assembly_input.ts';
import { contentHash } from '../assembly/hash.ts';
import { compressionNeeds } from '../assembly/compression_needs.ts';
import { summarise, summariserIdentity } from '../assembly/summarise/summarise.ts';
import type { Compression } from '../model/candidate.ts';
import { refKey } from '../model/memory.ts';
import type { NewTokenCount } from '../store/written_rows.ts';
import { callOptions } from './call_options.ts';
import type { Call } from './manager.ts';
import type { ManagerParts } from './parts.ts';

/**
 * Compresses the candidates that are larger than their slice, stores what was made and the token counts that were
 * missing in one short transaction, and passes the stored compressions on. A source that changed meanwhile gets none.
 */
export async function withDerived<Input extends AssemblyInput>(
  parts: ManagerParts,
  call: Call,
  made: { readonly input: Input; readonly counted: readonly NewTokenCount[] },
): Promise<Input> {
  const { input, counted } = made;
  const compressions = compress(parts, input);
  if (compressions.length === 0 && counted.length === 0) return input;
  const stored = await parts.store.write(call.scope, callOptions(call), async (writer) => {
    await writer.putTokenCounts(counted);
    return writer.putCompressions(compressions);
  });
  if (stored.length === 0) return input;
  const bySource = new Map(stored.map((compression) => [refKey(compression.source), compression]));
  const candidates = input.candidates.map((candidate) => {
    const compression = bySource.get(refKey(candidate.memory.ref));
    return compression === undefined ? candidate : { ...candidate, compression };
  });
  return { ...input, candidates };
}

function compress(parts: ManagerParts, input: AssemblyInput): readonly Compression[] {
  if (!input.policy.budget.compress) return [];
  const hashes = new Map(input.candidates.map(({ memory }) => [refKey(memory.ref), memory]));
  return compressionNeeds(input).flatMap(({ ref, text, maxTokens }): readonly Compression[] => {
    const memory = hashes.get(refKey(ref));
    const summary = summarise(text, maxTokens, input.countTokens);
    if (memory === undefined || summary === '') return [];
    return [
      {
        id: parts.newId('compression'),
        source: ref,
        sourceHash: contentHash(memory),
        text: summary,
        tokens: input.countTokens(summary),
        model: summariserIdentity.model,
        promptVersion: summariserIdentity.promptVersion,
      },
    ];
  });
}
