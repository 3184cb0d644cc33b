// Diversity (design S6): few chunks of one document, no near-duplicates, each compared subject's best chunk in front.

import type { Budget, OptionalSlice } from '../../model/budget.ts';
import type { Exclusion } from '../../model/manifest.ts';
import { refKey, type Chunk } from '../../model/memory.ts';
import type { Plan } from '../../model/plan.ts';
import { findNearDuplicates } from './near_duplicate.ts';
import { exclude, type Outcome } from './outcome.ts';
import { sixDecimals } from './score.ts';
import type { Selected } from './selection.ts';
import { namesWords, wordLine } from './words.ts';

type SelectedChunk = Selected & { readonly candidate: { readonly memory: Chunk } };

/**
 * Diversifies the chunks among the evidence, and among tool results; all else passes. `ranked` is in seating order,
 * and so is what is kept, but for the chunks that a comparison moves to the front (design S6).
 */
export function diversify(
  ranked: readonly Selected[],
  named: ReadonlySet<string>,
  budget: Budget,
  plan: Plan,
): Outcome<Selected> {
  const { maxPerDocument, nearDuplicate } = budget.evidence;
  const excluded = new Map<Selected, Exclusion>();
  for (const slice of ['evidence', null] as const) {
    capDocuments(chunksOf(ranked, slice, named, excluded), maxPerDocument, excluded);
    dropNearDuplicates(chunksOf(ranked, slice, named, excluded), nearDuplicate, excluded);
  }
  const kept = ranked.filter((entry) => !excluded.has(entry));
  return { kept: plan.intent === 'comparison' ? subjectsFirst(kept, plan) : kept, excluded: [...excluded.values()] };
}

/** Chunks that compete for a place; one that the caller named by its id does not. */
function chunksOf(
  ranked: readonly Selected[],
  slice: OptionalSlice | null,
  named: ReadonlySet<string>,
  excluded: ReadonlyMap<Selected, Exclusion>,
): readonly SelectedChunk[] {
  return ranked
    .filter((entry): entry is SelectedChunk => entry.candidate.memory.type === 'chunk')
    .filter((entry) => entry.candidate.slice === slice && !excluded.has(entry))
    .filter((entry) => !named.has(refKey(entry.candidate.memory.ref)));
}

function capDocuments(
  chunks: readonly SelectedChunk[],
  maxPerDocument: number,
  excluded: Map<Selected, Exclusion>,
): void {
  const counts = new Map<string, number>();
  for (const entry of chunks) {
    const document = entry.candidate.memory.documentId;
    const count = counts.get(document) ?? 0;
    if (count < maxPerDocument) counts.set(document, count + 1);
    else excluded.set(entry, exclude(entry.candidate, 'per_document', { document }));
  }
}

function dropNearDuplicates(
  chunks: readonly SelectedChunk[],
  threshold: number,
  excluded: Map<Selected, Exclusion>,
): void {
  const texts = chunks.map((entry) => entry.candidate.memory.content);
  findNearDuplicates(texts, threshold).forEach((found, place) => {
    const [entry, better] = [chunks[place], chunks[found?.of ?? -1]];
    if (found === null || entry === undefined || better === undefined) return;
    const detail = { kept: better.candidate.memory.ref, similarity: sixDecimals(found.similarity) };
    excluded.set(entry, exclude(entry.candidate, 'near_duplicate', detail));
  });
}

/** Moves the best chunk of each subject to the front; among themselves they keep their order (design S6). */
function subjectsFirst(ranked: readonly Selected[], plan: Plan): readonly Selected[] {
  const unmet = new Set(plan.subjects.map((subject) => subject.names.concat(subject.subject).map(wordLine)));
  const first = new Set<Selected>();
  for (const entry of ranked) {
    if (unmet.size === 0) break;
    const { slice, memory } = entry.candidate;
    if (slice !== 'evidence' || memory.type !== 'chunk') continue;
    const lines = [wordLine(memory.title), wordLine(memory.content)];
    for (const names of unmet) {
      if (!names.some((name) => lines.some((line) => namesWords(line, name)))) continue;
      unmet.delete(names);
      first.add(entry);
    }
  }
  return [...first, ...ranked.filter((entry) => !first.has(entry))];
}
