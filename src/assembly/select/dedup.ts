// One text, one memory (design S2): equal texts whose claims agree, the question itself, and turns the tail already has.

import { refKey, type Memory, type SeatableType } from '../../model/memory.ts';
import { fullText } from '../../model/memory_text.ts';
import type { Exclusion } from '../../model/manifest.ts';
import { claimKeyOf, compareStanding, compareWidth } from './claim_identity.ts';
import { newestFirst } from './order.ts';
import { exclude, type Admitted, type Outcome } from './outcome.ts';

/** Most authoritative first. */
const authority = ['entity', 'workflow', 'chunk', 'summary', 'conversation'] as const satisfies readonly SeatableType[];

/**
 * Leaves one copy of each memory. Tail turns and replaced versions take no part in the comparison of texts; a named
 * row is compared but stays (design S1, S2, S7).
 */
export function removeDuplicates(
  admitted: readonly Admitted[],
  named: ReadonlySet<string>,
  question: string,
): Outcome<Admitted> {
  const excluded = new Map<Admitted, Exclusion>();
  excludeQuestion(admitted, question, excluded);
  excludeTwins(admitted, excluded);
  for (const group of groupByText(admitted.filter((entry) => takesPart(entry) && !excluded.has(entry)))) {
    for (const [entry, kept] of copiesIn(group)) {
      if (named.has(refKey(entry.candidate.memory.ref))) continue;
      excluded.set(entry, exclude(entry.candidate, 'dedup', { kept: kept.candidate.memory.ref }));
    }
  }
  return { kept: admitted.filter((entry) => !excluded.has(entry)), excluded: [...excluded.values()] };
}

/** NFC, white space folded to single spaces, trimmed; case stays (design S2). */
export function normaliseText(text: string): string {
  // Single spaces stay as they are: putting a space in the place of each takes most of the time.
  return text
    .normalize('NFC')
    .replace(/\s\s+|[^\S ]/gu, ' ')
    .trim();
}

function isTail(entry: Admitted): boolean {
  return entry.candidate.slice === 'volatile_tail';
}

function takesPart(entry: Admitted): boolean {
  return !isTail(entry) && !entry.replaced;
}

/** The host may have recorded the question before it asked for the window: it is not shown twice (design S7). */
function excludeQuestion(admitted: readonly Admitted[], question: string, excluded: Map<Admitted, Exclusion>): void {
  const newest = admitted.filter(isTail).toSorted((a, b) => newestFirst(a.candidate, b.candidate))[0];
  const memory = newest?.candidate.memory;
  if (newest === undefined || memory?.type !== 'conversation' || memory.role !== 'user') return;
  if (normaliseText(memory.text) !== normaliseText(question)) return;
  excluded.set(newest, exclude(newest.candidate, 'dedup', { reason: 'current_question' }));
}

/** Of several candidates of one ref the tail's stays, else the first; the question's recalled twin goes with it. */
function excludeTwins(admitted: readonly Admitted[], excluded: Map<Admitted, Exclusion>): void {
  const keepers = new Map<string, Admitted>();
  for (const entry of [...admitted.filter(isTail), ...admitted.filter((other) => !isTail(other))]) {
    const key = refKey(entry.candidate.memory.ref);
    const keeper = keepers.get(key);
    if (keeper === undefined) keepers.set(key, entry);
    else {
      const detail = excluded.get(keeper)?.detail ?? { kept: keeper.candidate.memory.ref };
      excluded.set(entry, exclude(entry.candidate, 'dedup', detail));
    }
  }
}

function groupByText(entries: readonly Admitted[]): readonly (readonly Admitted[])[] {
  const groups = new Map<string, Admitted[]>();
  for (const entry of entries) {
    // The map hashes its keys itself.
    const text = normaliseText(fullText(entry.candidate.memory));
    const group = groups.get(text);
    if (group === undefined) groups.set(text, [entry]);
    else group.push(entry);
  }
  return [...groups.values()].filter((group) => group.length > 1);
}

/**
 * The copies in a group of equal texts, each with the one that stays: claims of two identities never merge, and what
 * makes no claim goes with the most authoritative member, whose text it repeats.
 */
function copiesIn(group: readonly Admitted[]): readonly (readonly [copy: Admitted, kept: Admitted])[] {
  const keepers = new Map<string | null, Admitted>();
  const copies: (readonly [Admitted, Admitted])[] = [];
  const [first, ...rest] = group.toSorted((a, b) => compareAuthority(a.candidate.memory, b.candidate.memory));
  if (first === undefined) return [];
  keepers.set(claimKeyOf(first.candidate.memory), first);
  for (const entry of rest) {
    const key = claimKeyOf(entry.candidate.memory);
    const keeper = key === null ? first : keepers.get(key);
    if (keeper === undefined) keepers.set(key, entry);
    else copies.push([entry, keeper]);
  }
  return copies;
}

/** Among entities a canonical one comes before derived ones, as in S3: else a derived copy could displace a fact. */
function compareAuthority(a: Memory, b: Memory): number {
  const byType = authority.indexOf(a.type) - authority.indexOf(b.type);
  if (byType !== 0) return byType;
  return a.type === 'entity' ? compareStanding(a, b) : compareWidth(a, b);
}
