// The ids that a window or tool result shows to the model (design L3): expand works for each of them.

import type { CitationId } from '../model/ids.ts';
import type { Ref } from '../model/memory.ts';
import type { SeatedMemory } from '../model/window.ts';

/** Every id shown, those of annotations too, each once, in the order of the memories (design L3, T5). */
export function issuedIds(
  seated: readonly SeatedMemory[],
): readonly { readonly citationId: CitationId; readonly ref: Ref }[] {
  const issued = new Map<CitationId, Ref>();
  for (const { id, memory, annotations } of seated) {
    issued.set(id, memory.ref);
    for (const annotation of annotations) {
      if (annotation.kind === 'contradicted') issued.set(annotation.byId, annotation.by);
      else if (annotation.currentId !== null && annotation.current !== null) {
        issued.set(annotation.currentId, annotation.current);
      }
    }
  }
  return [...issued].map(([citationId, ref]) => ({ citationId, ref }));
}
