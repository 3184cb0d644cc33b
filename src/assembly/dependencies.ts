// What a window depends on (design M1): replay and erasure follow this list.

import type { Dependency, PrefixEntry, RefJson } from '../model/manifest.ts';
import type { Memory } from '../model/memory.ts';
import type { Annotation } from '../model/window.ts';
import type { Seat } from './fit.ts';

/**
 * Each dependency once for each role, in the order of the window: the prefix's rows, then for each memory itself, its
 * parent document, source event, compression, and what its annotations name. `id` repeats the ref's row id.
 */
export function dependenciesOf(prefix: readonly PrefixEntry[], seats: readonly Seat[]): readonly Dependency[] {
  const all = [...prefix.map(({ ref }) => dependency(ref, 'prefix')), ...seats.flatMap(ofSeat)];
  const byKey = new Map<string, Dependency>();
  for (const one of all) {
    const key = `${one.role} ${one.ref.join(' ')}`;
    if (!byKey.has(key)) byKey.set(key, one);
  }
  return [...byKey.values()];
}

type Named = Dependency & { readonly ref: RefJson };

function ofSeat({ seated, compression }: Seat): readonly Named[] {
  const { memory, annotations } = seated;
  return [
    dependency(memory.ref, 'memory'),
    ...parentsOf(memory),
    ...(compression === null ? [] : [dependency(['compression', compression.id, 1], 'compression')]),
    ...annotations.flatMap(ofAnnotation),
  ];
}

function parentsOf(memory: Memory): readonly Named[] {
  const parents: Named[] = [];
  if (memory.type === 'chunk') {
    parents.push(dependency(['document', memory.documentId, memory.documentVersion], 'parent_document'));
  }
  if (memory.sourceEventId !== null) {
    parents.push(dependency(['conversation', memory.sourceEventId, 1], 'source_event'));
  }
  return parents;
}

function ofAnnotation(annotation: Annotation): readonly Named[] {
  switch (annotation.kind) {
    case 'stale':
      return [
        dependency(annotation.source, 'source'),
        ...(annotation.current === null ? [] : [dependency(annotation.current, 'correction')]),
      ];
    case 'contradicted':
      return [dependency(annotation.by, 'source')];
    default:
      throw annotation satisfies never;
  }
}

function dependency(ref: RefJson, role: Dependency['role']): Named {
  return { ref, id: ref[1], role };
}
