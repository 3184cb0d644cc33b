// Staleness (design S3): memories that rest on a version no longer current carry the current fact of that identity.

import { fullText } from '../../model/memory_text.ts';
import { refKey, type ClaimIdentity, type Lifecycle, type ProvenanceEdge, type Ref } from '../../model/memory.ts';
import type { Annotation } from '../../model/window.ts';
import { citationIdOf } from '../render/citation.ts';
import { claimKeyOf, identityKey, isCanonical } from './claim_identity.ts';
import { compareRefs } from './compare.ts';
import type { Settled } from './conflict.ts';
import type { Admitted } from './outcome.ts';
import { lifecycleState } from './lifecycle.ts';
import type { SelectionInput } from './selection.ts';

/** A survivor of the conflicts with its notes, in the order of their sources (design S3). */
export interface Annotated {
  readonly admitted: Admitted;
  readonly annotations: readonly Annotation[];
}

/** Versions that are not current any more, in ref order, by what they belong to: one identity, or one row without. */
type StaleGroups = ReadonlyMap<string, readonly Ref[]>;

/** For each memory that is noted on: the source that stands for each group it rests on, by the group's key. */
type Notes = ReadonlyMap<string, Map<string, Ref>>;

/**
 * Annotates what rests on versions not current at the evaluation time: one note for each identity, or for each source
 * that has none. Current canonical facts are never annotated, nor is a fact annotated with itself (design S3).
 */
export function annotateStale(settled: Settled, input: SelectionInput): readonly Annotated[] {
  const groups = staleGroups(input);
  const notes = ownNotes(settled.kept);
  const derivedFrom = derivations(input.provenance);
  for (const [key, sources] of groups) spread(key, sources, derivedFrom, notes);
  return settled.kept.map((admitted) => {
    const own = notes.get(refKey(admitted.candidate.memory.ref)) ?? new Map<string, Ref>();
    const ordered = [...own].toSorted(([, a], [, b]) => compareRefs(a, b));
    const annotations = ordered.flatMap(([key, source]) => noteOn(admitted, source, settled.facts.get(key)));
    return { admitted, annotations };
  });
}

/**
 * Keys of all that rests on a version not current at the evaluation time, by provenance of any depth: what is derived
 * anew is better not derived from it.
 */
export function restsOnStale(
  input: Pick<SelectionInput, 'provenance' | 'versions' | 'evaluationTime'>,
): ReadonlySet<string> {
  const derivedFrom = derivations(input.provenance);
  const found = new Set<string>();
  const pending = [...staleGroups({ ...input, candidates: [] }).values()].flat().map(refKey);
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    for (const derived of derivedFrom.get(at) ?? []) {
      if (found.has(derived)) continue;
      found.add(derived);
      pending.push(derived);
    }
  }
  return found;
}

/** A key no claim can have, for a source without identity: claims' keys begin with a bracket. */
function groupKey(ref: Ref, identity: string | null): string {
  return identity ?? `row ${refKey(ref)}`;
}

function staleGroups(
  input: Pick<SelectionInput, 'candidates' | 'provenance' | 'versions' | 'evaluationTime'>,
): StaleGroups {
  const known = new Map<string, { readonly lifecycle: Lifecycle; readonly identity: ClaimIdentity | null }>();
  for (const version of input.versions) known.set(refKey(version.ref), version);
  for (const { memory } of input.candidates) {
    known.set(refKey(memory.ref), {
      lifecycle: memory.lifecycle,
      identity: memory.type === 'entity' ? memory : null,
    });
  }
  const sources = new Map(input.provenance.map((edge) => [refKey(edge.source), edge.source]));
  const groups = new Map<string, Ref[]>();
  for (const source of [...sources.values()].toSorted(compareRefs)) {
    const version = known.get(refKey(source));
    // Events are sources too, and have no lifecycle to judge.
    if (version === undefined || lifecycleState(version.lifecycle, input.evaluationTime) === 'current') continue;
    const identity = version.identity === null ? null : identityKey(version.identity);
    const key = groupKey(source, identity);
    const group = groups.get(key) ?? [];
    group.push(source);
    groups.set(key, group);
  }
  return groups;
}

/** An empty set of notes for each memory that can rest on others; a replaced one starts with itself. */
function ownNotes(admitted: readonly Admitted[]): Notes {
  const notes = new Map<string, Map<string, Ref>>();
  for (const { candidate, replaced } of admitted) {
    const { memory } = candidate;
    if (memory.type === 'entity' && isCanonical(memory) && !replaced) continue;
    const key = refKey(memory.ref);
    notes.set(key, new Map(replaced ? [[groupKey(memory.ref, claimKeyOf(memory)), memory.ref]] : []));
  }
  return notes;
}

/** The keys of what came from each source, by the source's key. */
function derivations(provenance: readonly ProvenanceEdge[]): ReadonlyMap<string, readonly string[]> {
  const derivedFrom = new Map<string, string[]>();
  for (const edge of provenance) {
    if (edge.relation !== 'derived_from' && edge.relation !== 'mentions') continue;
    const key = refKey(edge.source);
    const derived = derivedFrom.get(key);
    if (derived === undefined) derivedFrom.set(key, [refKey(edge.derived)]);
    else derived.push(refKey(edge.derived));
  }
  return derivedFrom;
}

/**
 * Notes a group on everything that rests on it, walking from the sources up: each memory is reached once a group,
 * by the first of the sources that leads to it, however long the chains and whether or not they close.
 */
function spread(
  key: string,
  sources: readonly Ref[],
  derivedFrom: ReadonlyMap<string, readonly string[]>,
  notes: Notes,
): void {
  const reached = new Set<string>();
  for (const source of sources) {
    const pending = [refKey(source)];
    for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
      for (const derived of derivedFrom.get(at) ?? []) {
        if (reached.has(derived)) continue;
        reached.add(derived);
        pending.push(derived);
        const own = notes.get(derived);
        if (own !== undefined && !own.has(key)) own.set(key, source);
      }
    }
  }
}

function noteOn(admitted: Admitted, source: Ref, fact: Admitted | undefined): readonly Annotation[] {
  if (fact === undefined) return [{ kind: 'stale', source, current: null, currentId: null, currentContent: null }];
  const { memory } = fact.candidate;
  if (refKey(memory.ref) === refKey(admitted.candidate.memory.ref)) return [];
  const currentId = citationIdOf(memory.ref);
  return [{ kind: 'stale', source, current: memory.ref, currentId, currentContent: fullText(memory) }];
}
