// Which values of a memory were corrected since (design K1, S3): in the version it relied on, and not in the one that counts.

import { holds, type MemoryIndex } from './memory_index.ts';
import type { Token } from './tokens.ts';

/** A value that a correction replaced, and the citation id of the fact that counts, where there is one. */
export interface StaleValue {
  readonly currentId: string | null;
}

/** Whether the memory has the token only as a value corrected since; names and quotations never are. */
export function staleIn(index: MemoryIndex, token: Token): StaleValue | null {
  if (token.kind === 'name' || token.kind === 'quote') return null;
  for (const { former, current, currentId } of index.corrections) {
    if (current !== null && holds(current, token)) continue;
    // Where the former version is not known, every value that the correction does not repeat may be its.
    if (former === null ? token.kind !== 'code' : holds(former, token)) return { currentId };
  }
  return null;
}
