// Token counts that are kept beside a memory: made when it is written, and where missing, when it is first a candidate.

import { usualStatus } from '../assembly/fit.ts';
import { contentHash } from '../assembly/hash.ts';
import { citationIdOf } from '../assembly/render/citation.ts';
import { renderMemory } from '../assembly/render/memory.ts';
import { rendererVersion } from '../assembly/version.ts';
import type { Memory } from '../model/memory.ts';
import { fullText } from '../model/memory_text.ts';
import type { CountTokens } from '../model/window.ts';
import type { NewTokenCount } from '../store/written_rows.ts';

/** The encoding that token counts are kept for. */
export const encoding = 'o200k_base';

/** Texts longer than this, in UTF-16 code units, are counted by the assembly only if they may fit. */
const longestCounted = 200_000;

/** Tokens of the element at full size without annotations, or null for a text too long to be worth keeping. */
export function fullTokens(memory: Memory, countTokens: CountTokens): number | null {
  const content = fullText(memory);
  if (content.length > longestCounted) return null;
  const { ref, type } = memory;
  return countTokens(
    renderMemory({ id: citationIdOf(ref), type, status: usualStatus[type], annotations: [], content }),
  );
}

/** A token count to keep, in the store's words. */
export function tokenCountRow(memory: Memory, tokens: NewTokenCount['tokens']): NewTokenCount {
  return { ref: memory.ref, contentHash: contentHash(memory), tokens, rendererVersion, encoding };
}

/** The counts of memories that are being written. */
export function newTokenCounts(memories: readonly Memory[], countTokens: CountTokens): readonly NewTokenCount[] {
  return memories.flatMap((memory) => {
    const full = fullTokens(memory, countTokens);
    return full === null ? [] : [tokenCountRow(memory, { full })];
  });
}
