// Which sentences of a text are outdated by later ones (design C1): such a sentence is left out, or never stands alone.

import type { Features, Value } from './features.ts';
import type { Vocabulary } from './weights.ts';

/** What a summary must respect. */
export interface Succession {
  /** Sentences that a later one plainly replaces. */
  readonly dropped: ReadonlySet<number>;
  /** For a sentence, those that must stand in every summary that holds it: newer values, or what a correction is about. */
  readonly needs: ReadonlyMap<number, ReadonlySet<number>>;
  /** Those that newer values stand beside; they tell little that is still so. */
  readonly outdated: ReadonlySet<number>;
}

/** A term of more sentences than this is no hint that two of them speak of the same. */
const mostHolders = 24;

/** Shares of the smaller sentence's weight that both must have in common. */
const thresholds = { plain: 0.6, changed: 0.45, dropped: 0.6 } as const;

/** How far back a correction that names nothing looks for what it corrects, in sentences. */
const reach = 12;

/** The sentences of a text, analysed. */
export interface Analysed {
  readonly features: readonly Features[];
  readonly vocabulary: Vocabulary;
}

/** Finds what is outdated. Linear in the sentences, since only those with a rare term in common are compared. */
export function successionOf(text: Analysed): Succession {
  const dropped = new Set<number>();
  const outdated = new Set<number>();
  const corrections: (readonly [antecedent: number, correction: number])[] = [];
  const needs = new Map<number, Set<number>>();
  const need = (sentence: number, other: number) => {
    const found = needs.get(sentence);
    if (found === undefined) needs.set(sentence, new Set([other]));
    else found.add(other);
  };
  for (const [later, features] of text.features.entries()) {
    if (features.isQuestion) continue;
    let partners = 0;
    for (const [earlier, shared] of partnersOf(later, text)) {
      const relation = relate(text, { earlier, later, shared });
      if (relation === null) continue;
      partners += 1;
      const [old, current] = relation === 'recalls' ? [later, earlier] : [earlier, later];
      need(old, current);
      outdated.add(old);
      if (relation === 'replaces') dropped.add(earlier);
    }
    const antecedent = partners === 0 && correctsUnnamed(features) ? antecedentOf(later, text) : null;
    if (antecedent === null) continue;
    need(antecedent, later);
    need(later, antecedent);
    corrections.push([antecedent, later]);
  }
  for (const [antecedent, correction] of corrections) if (dropped.has(antecedent)) dropped.add(correction);
  return { dropped, needs, outdated };
}

/** The weight of the words, and of all terms, that two sentences have in common. */
interface Shared {
  readonly words: number;
  readonly all: number;
  /** How many of the shared terms tell subjects apart. */
  readonly heavy: number;
}

/** Earlier sentences with a rare term in common, and what they share. */
function partnersOf(later: number, { features, vocabulary }: Analysed): readonly (readonly [number, Shared])[] {
  const terms = vocabulary.termsOf(later);
  const partners = new Set<number>();
  for (const term of terms) {
    const holding = vocabulary.holding(term);
    if (holding.length > mostHolders) continue;
    for (const earlier of holding) {
      if (earlier >= later) break;
      partners.add(earlier);
    }
  }
  const words = features[later]?.words ?? new Set();
  return [...partners].map((earlier) => {
    const own = new Set(vocabulary.termsOf(earlier));
    const shared = { words: 0, all: 0, heavy: 0 };
    for (const term of terms) {
      if (!own.has(term)) continue;
      const weight = vocabulary.weightOf(term);
      shared.all += weight;
      if (vocabulary.isHeavy(term)) shared.heavy += 1;
      if (words.has(term)) shared.words += weight;
    }
    return [earlier, shared] as const;
  });
}

type Relation = 'replaces' | 'follows' | 'recalls';

/** What the later of two sentences does to the earlier one, or null where they have nothing to do with each other. */
function relate(
  text: Analysed,
  pair: { readonly earlier: number; readonly later: number; readonly shared: Shared },
): Relation | null {
  const [before, after] = [text.features[pair.earlier], text.features[pair.later]];
  if (before === undefined || after === undefined || before.isQuestion) return null;
  if (before.key !== null && before.key === after.key) return saysOther(before, after) ? 'replaces' : null;
  const { words, all, heavy } = pair.shared;
  const areApart = haveOwnWords(text, pair.earlier, pair.later);
  if (heavy === 0 || (areApart && heavy < 2)) return null;
  const smaller = Math.min(text.vocabulary.weightOfWords(pair.earlier), text.vocabulary.weightOfWords(pair.later));
  const names = all - words;
  if (smaller + names === 0) return null;
  const common = all / (smaller + names);
  const changes = after.cues.has('change');
  const turned = changes && after.cues.has('negation') !== before.cues.has('negation');
  if (common < (changes ? thresholds.changed : thresholds.plain)) return null;
  if (!saysOther(before, after) && !turned) return null;
  if (!changes && haveOwnSubjects(before, after)) return null;
  if (after.cues.has('past') && !changes) return 'recalls';
  const isPlain = changes && !areApart && !after.cues.has('hedge') && common >= thresholds.dropped;
  return isPlain && holdsNothingElse(before, after) ? 'replaces' : 'follows';
}

/** True when each of two sentences has a word of its own that tells subjects apart. */
function haveOwnWords({ features, vocabulary }: Analysed, earlier: number, later: number): boolean {
  const [one, other] = [features[earlier]?.words ?? new Set<string>(), features[later]?.words ?? new Set<string>()];
  const hasOwn = (own: ReadonlySet<string>, others: ReadonlySet<string>) =>
    [...own].some((word) => vocabulary.isHeavy(word) && !others.has(word));
  return hasOwn(one, other) && hasOwn(other, one);
}

/** True when both measure something of one kind and differ in it, or name one thing each that the other does not. */
function saysOther(before: Features, after: Features): boolean {
  const differs = (kind: string) => {
    const [own, others] = [textsOf(before.values, kind), textsOf(after.values, kind)];
    return others.size > 0 && [...own].some((text) => !others.has(text));
  };
  return [...new Set(before.values.map(({ kind }) => kind))].some(differs) || haveOwnIdentifiers(before, after);
}

function textsOf(values: readonly Value[], kind: string): ReadonlySet<string> {
  return new Set(values.filter((value) => value.kind === kind).map(({ text }) => text));
}

function haveOwnIdentifiers(before: Features, after: Features): boolean {
  const own = [...before.identifiers].filter((identifier) => !after.identifiers.has(identifier));
  return own.length > 0 && [...after.identifiers].some((identifier) => !before.identifiers.has(identifier));
}

/** Two sentences of one shape about different things: each has a value, and beside it a name that the other lacks. */
function haveOwnSubjects(before: Features, after: Features): boolean {
  return before.values.length > 0 && after.values.length > 0 && haveOwnIdentifiers(before, after);
}

/** True when the newer sentence speaks of each kind of thing that the older one measures or names. */
function holdsNothingElse(before: Features, after: Features): boolean {
  const kinds = new Set(after.values.map(({ kind }) => kind));
  const names = after.identifiers.size;
  return before.values.every(({ kind }) => kinds.has(kind)) && before.identifiers.size <= names;
}

/** True for a correction such as `No, 40.`: it opens as one, and leaves out what it is about. */
function correctsUnnamed({ cues, values, identifiers }: Features): boolean {
  return cues.has('opening') && values.length + identifiers.size > 0;
}

/** The nearest earlier sentence with a value of a kind that the correction has too. */
function antecedentOf(later: number, { features }: Analysed): number | null {
  const correction = features[later];
  if (correction === undefined) return null;
  const kinds = new Set(correction.values.map(({ kind }) => kind));
  for (let earlier = later - 1; earlier >= Math.max(0, later - reach); earlier -= 1) {
    const candidate = features[earlier];
    if (candidate === undefined || candidate.isQuestion) continue;
    if (candidate.values.some(({ kind }) => kinds.has(kind))) return earlier;
    if (kinds.size === 0 && candidate.identifiers.size > 0) return earlier;
  }
  return null;
}
