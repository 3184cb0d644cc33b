// The pointer tier (design A5): that a memory exists, how it begins, and how to get the rest.

import type { CitationId } from '../../model/ids.ts';
import type { Memory } from '../../model/memory.ts';
import { fullText, titleOf } from '../../model/memory_text.ts';

const openingCodePoints = 120;

/** Title, id, at most the first 120 characters (code points) of the full text, and that `expand` fetches the rest. */
export function pointerText(memory: Memory, id: CitationId): string {
  const text = fullText(memory);
  const opening = firstCodePoints(text, openingCodePoints);
  const cut = opening.length < text.length ? '…' : '';
  return `${titleOf(memory)} [${id}]: ${opening}${cut}\n(Only the opening is shown; call expand with memory_id ${id} for the rest.)`;
}

function firstCodePoints(text: string, count: number): string {
  let end = 0;
  for (let points = 0; points < count && end < text.length; points += 1) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}
