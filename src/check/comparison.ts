// Comparisons (design K1): supported when a cited memory makes them, or when the cited facts give the figures for them.

import { betterHigh, betterLow, plainSize } from './comparison_words.ts';
import type { Comparison } from './comparisons.ts';
import { namedIn, type MemoryIndex } from './memory_index.ts';
import type { Part } from './polarity.ts';
import type { Problem } from './report.ts';
import type { FindSubjects, SubjectNames } from './subjects.ts';
import { problemOf, type Claim } from './support.ts';

/** What comparisons are judged by. */
export interface ComparisonSense {
  readonly cited: readonly MemoryIndex[];
  readonly findSubjects: FindSubjects;
  /** Subjects that the question compares. */
  readonly planned: readonly string[];
}

/** The comparisons of a sentence that nothing cited makes or gives the figures for. */
export function comparisonProblems(
  claim: Claim,
  comparisons: readonly Comparison[],
  sense: ComparisonSense,
): readonly Problem[] {
  return comparisons
    .filter((comparison) => !isMade(claim, comparison, sense) && !isShownByFigures(claim, comparison, sense))
    .map((comparison) => problemOf(claim, 'comparison', comparison));
}

/** True when a part of a cited memory compares the same way, with the same first subject and the same others. */
function isMade(claim: Claim, comparison: Comparison, sense: ComparisonSense): boolean {
  const own = sidesOf(sense.findSubjects(claim.text), comparison);
  const ownNames = sidesOf(namedIn(claim.tokens, 0), comparison);
  const denied = isDenied(claim.parts, comparison);
  return sense.cited.some(({ parts, memory }) =>
    parts.some(({ comparisons, subjects, names, denies }) =>
      comparisons.some((other) => {
        if (denies !== denied || other.superlative !== comparison.superlative) return false;
        if (other.direction === comparison.direction && isTurned(ownNames, sidesOf(names, other))) return false;
        const sides = sidesOf(subjects, other);
        const first = sides.first ?? (comparison.superlative ? (memory.claim?.subject ?? null) : null);
        return isSame(comparison, own, other, { ...sides, first });
      }),
    ),
  );
}

function isDenied(parts: readonly Part[], { start }: Comparison): boolean {
  return parts.find((part) => start >= part.start && start < part.end)?.denies ?? false;
}

interface Sides {
  readonly first: string | null;
  readonly second: string | null;
}

/** Who stands out, and against whom: before the word and after it; of two before `より` the nearer is the lesser. */
function sidesOf(mentions: readonly SubjectNames[], { start, end, words }: Comparison): Sides {
  const before = mentions.filter((mention) => mention.end <= start).map(({ subject }) => subject);
  const after = mentions
    .filter((mention) => mention.end > start && mention.start >= start)
    .map(({ subject }) => subject);
  const inside = mentions.filter((mention) => mention.start >= start && mention.end <= end);
  if (words.startsWith('より')) {
    const lesser = before.at(-1) ?? null;
    return { first: before.findLast((subject) => subject !== lesser) ?? after[0] ?? null, second: lesser };
  }
  if (words.startsWith('比')) return { first: before.at(-1) ?? null, second: inside[0]?.subject ?? null };
  const first = before.at(-1) ?? after[0] ?? null;
  return { first, second: after.find((subject) => subject !== first) ?? null };
}

/** The same names the other way round; what a name stands for need not be known for that. */
function isTurned(own: Sides, said: Sides): boolean {
  if (own.first === said.first) return false;
  return (own.first !== null && own.first === said.second) || (own.second !== null && own.second === said.first);
}

function isSame(one: Comparison, own: Sides, other: Comparison, said: Sides): boolean {
  const sameWay = one.direction === other.direction && (one.direction !== 'other' || one.words === other.words);
  const fits = (mine: string | null, theirs: string | null): boolean => mine === null || mine === theirs;
  if (sameWay && fits(own.first, said.first) && (one.superlative || fits(own.second, said.second))) return true;
  const opposite = one.direction !== 'other' && other.direction !== 'other' && one.direction !== other.direction;
  return !one.superlative && opposite && fits(own.first, said.second) && fits(own.second, said.first);
}

/** True when cited facts give one predicate, under equal conditions, for every subject compared, and do not say the reverse. */
function isShownByFigures(claim: Claim, comparison: Comparison, sense: ComparisonSense): boolean {
  const mentions = sense.findSubjects(claim.text);
  const named = [...new Set(mentions.map(({ subject }) => subject))];
  const compared = named.length > 1 ? named : [...new Set([...named, ...sense.planned])];
  if (compared.length < 2) return false;
  const { first } = startsWithList(claim.text, mentions)
    ? { first: mentions.at(-1)?.subject ?? null }
    : sidesOf(mentions, comparison);
  const denied = isDenied(claim.parts, comparison);
  return [...figuresOf(sense.cited)].some(([key, values]) => {
    if (!compared.every((subject) => values.has(subject))) return false;
    const way = wayOf(comparison, key);
    if (way === null || first === null) return true;
    const own = values.get(first);
    const others = compared.filter((subject) => subject !== first).map((subject) => values.get(subject));
    if (typeof own !== 'number') return true;
    const isAhead = others.every((value) => typeof value !== 'number' || (way === 'up' ? own > value : own < value));
    return isAhead !== denied;
  });
}

const listed = /^[^\p{L}]*(?:of|among|between|von|unter|parmi|entre|de|dos|das)(?: all)?(?: the)? ?$/iu;

/** `Of A, B and C, the best is B`: the one that stands out comes last. */
function startsWithList(text: string, mentions: readonly SubjectNames[]): boolean {
  return listed.test(text.slice(0, mentions[0]?.start ?? 0));
}

/** Values by predicate and conditions, then by subject. */
function figuresOf(cited: readonly MemoryIndex[]): ReadonlyMap<string, ReadonlyMap<string, unknown>> {
  const figures = new Map<string, Map<string, unknown>>();
  for (const { memory } of cited) {
    if (memory.claim === null || memory.status === 'historical') continue;
    const { subject, predicate, conditions, value } = memory.claim;
    const key = `${predicate} ${conditions}`;
    const values = figures.get(key) ?? new Map<string, unknown>();
    figures.set(key, values.set(subject, value));
  }
  return figures;
}

/** Whether the first one's value must be the greater or the less; null where word and predicate leave it open. */
function wayOf({ direction, words }: Comparison, key: string): 'up' | 'down' | null {
  if (direction === 'other') return null;
  if (plainSize.test(words)) return direction;
  const predicate = key.slice(0, key.indexOf(' '));
  if (betterLow.test(predicate)) return direction === 'up' ? 'down' : 'up';
  return betterHigh.test(predicate) ? direction : null;
}
