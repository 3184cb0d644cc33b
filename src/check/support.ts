// Whether what a sentence says stands in what it cites (design K1): missing, corrected, denied, of another subject.

import { holds, placesOf, stemsOf, wordsOf, type MemoryIndex } from './memory_index.ts';
import { partAt, type Part } from './polarity.ts';
import type { Problem } from './report.ts';
import { staleIn, type StaleValue } from './stale_values.ts';
import type { SubjectNames } from './subjects.ts';
import type { Token } from './tokens.ts';

/** A sentence as it is judged; places are those of `text`, which is folded and has its citations blanked out. */
export interface Claim {
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly parts: readonly Part[];
  /** Where the text begins in the answer. */
  readonly start: number;
  /** The answer's own words at a place of `text`. */
  readonly said: (start: number, end: number) => string;
}

/** A problem about a token of a claim. */
export function problemOf(
  claim: Claim,
  kind: Problem['kind'],
  span: { readonly start: number; readonly end: number },
): Problem {
  const { start, end } = span;
  return { kind, text: claim.said(start, end), start: claim.start + start, end: claim.start + end };
}

/** Tokens that no cited memory holds, and values that were corrected and are not told as history. */
export function tokenProblems(claim: Claim, cited: readonly MemoryIndex[]): readonly Problem[] {
  return claim.tokens.flatMap((token): readonly Problem[] => {
    const holders = cited.filter((index) => holds(index, token));
    if (holders.length === 0) return [problemOf(claim, 'missing', token)];
    const stale = staleEverywhere(token, holders);
    if (stale === null || isToldAsHistory(claim, token, holders)) return [];
    const problem = problemOf(claim, 'stale', token);
    return [stale.currentId === null ? problem : { ...problem, current: stale.currentId }];
  });
}

/** The correction of a token that every memory which holds it has only as a value corrected since. */
function staleEverywhere(token: Token, holders: readonly MemoryIndex[]): StaleValue | null {
  const found = holders.map((index) => staleIn(index, token));
  return found.every((value) => value !== null) ? (found[0] ?? null) : null;
}

/** The memory is labelled as history or carries its correction, and the sentence says that this was once, or denies it. */
function isToldAsHistory(claim: Claim, token: Token, holders: readonly MemoryIndex[]): boolean {
  const isLabelled = holders.some(({ memory }) => memory.status === 'historical' || memory.corrections.length > 0);
  const own = partAt(claim.parts, token.start);
  if (!isLabelled || own === null) return false;
  return own.isPast || own.denies || (!own.isPresent && claim.parts.some(({ isPast }) => isPast));
}

/**
 * Parts of the sentence whose tokens stand in the memory in parts that say the opposite. The parts of the memories
 * that share most with it decide; where they do not agree, nothing is said.
 */
export function denialProblems(
  claim: Claim,
  cited: readonly MemoryIndex[],
  skipped: (part: Part) => boolean,
): readonly Problem[] {
  return claim.parts.flatMap((part) => {
    if (part.isSilence || skipped(part)) return [];
    const tokens = claim.tokens.filter((token) => token.start >= part.start && token.start < part.end);
    const isOfHistory = tokens.some((token) => cited.some((index) => staleIn(index, token) !== null));
    if (tokens.length === 0 || isOfHistory) return [];
    const stems = contentStems(claim, part, tokens);
    const best = closestParts(cited, tokens, stems);
    const isClose = part.denies
      ? tokens.length > 1 || best.stems > 0 || (stems.length === 0 && tokens[0]?.kind !== 'name')
      : stems.length === 0 || best.stems * 2 >= stems.length;
    if (best.tokens < tokens.length || !isClose) return [];
    return best.denies.size === 1 && !best.denies.has(part.denies)
      ? [problemOf(claim, 'denied', tightened(claim, part))]
      : [];
  });
}

/** What does not belong to the words of a part. */
const edges = /[\s\uFFFC.,;:!。、，]/;

function tightened(claim: Claim, { start, end }: Part): { readonly start: number; readonly end: number } {
  let from = start;
  let until = end;
  while (from < until && edges.test(claim.text[from] ?? '')) from += 1;
  while (until > from && edges.test(claim.text[until - 1] ?? '')) until -= 1;
  return { start: from, end: until };
}

/** Words that carry meaning: not part of a token, not short. */
function contentStems(claim: Claim, part: Part, tokens: readonly Token[]): readonly string[] {
  let text = '';
  let at = part.start;
  for (const { start, end } of tokens) {
    text += claim.text.slice(at, Math.max(at, start));
    at = Math.max(at, end);
  }
  text += claim.text.slice(at, part.end);
  return [...new Set(stemsOf(wordsOf(text)))].filter((stem) => !emptyStems.has(stem));
}

/** Words that stand in any sentence, as far as they are long enough to count. */
const emptyStems: ReadonlySet<string> = new Set(
  stemsOf(
    'does have been with this that from which were will would never cannot longer nicht keine wird wurde haben diese einer eines pour dans avec sont elle para como pero esta este foram nunca jamais'.split(
      ' ',
    ),
  ),
);

interface Closest {
  readonly tokens: number;
  readonly stems: number;
  readonly denies: ReadonlySet<boolean>;
}

function closestParts(cited: readonly MemoryIndex[], tokens: readonly Token[], stems: readonly string[]): Closest {
  let best: Closest = { tokens: 0, stems: 0, denies: new Set() };
  let bestScore = 0;
  for (const index of cited) {
    const counts = new Map<number, { tokens: number; stems: number }>();
    const count = (places: readonly number[], what: 'tokens' | 'stems'): void => {
      for (const place of places) {
        const entry = counts.get(place) ?? { tokens: 0, stems: 0 };
        entry[what] += 1;
        counts.set(place, entry);
      }
    };
    for (const token of tokens) if (holds(index, token)) count(placesOf(index, token), 'tokens');
    for (const stem of stems) count(index.places.get(stem) ?? [], 'stems');
    for (const [place, entry] of counts) {
      const score = entry.tokens * 2 + entry.stems;
      const denies = index.parts[place]?.denies ?? false;
      if (score > bestScore) {
        bestScore = score;
        best = { ...entry, denies: new Set([denies]) };
      } else if (score === bestScore && score > 0) best = { ...best, denies: new Set([...best.denies, denies]) };
    }
  }
  return best;
}

/**
 * Numbers that come right after a subject and stand only in cited memories of others. It looks only at sentences that
 * name several known subjects, each before its number.
 */
export function attributionProblems(
  claim: Claim,
  cited: readonly MemoryIndex[],
  mentions: readonly SubjectNames[],
): readonly Problem[] {
  const marks = mentions.toSorted((a, b) => a.start - b.start);
  const numbers = claim.tokens.filter(({ kind }) => kind === 'number');
  const firstNumber = numbers[0]?.start ?? Infinity;
  if (new Set(marks.map(({ subject }) => subject)).size < 2 || firstNumber < (marks[0]?.start ?? 0)) return [];
  const problems: Problem[] = [];
  let from = 0;
  for (const number of numbers) {
    const named = marks.filter(({ start }) => start >= from && start < number.start).map(({ subject }) => subject);
    from = number.end;
    if (named.length === 0) continue;
    const holders = cited.filter((index) => holds(index, number));
    const subjects = holders.map(({ memory }) => memory.claim?.subject ?? null);
    const isForeign = holders.length > 0 && subjects.every((subject) => subject !== null && !named.includes(subject));
    if (isForeign) problems.push(problemOf(claim, 'misattributed', number));
  }
  return problems;
}
