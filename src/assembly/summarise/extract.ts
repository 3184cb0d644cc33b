// Chooses the sentences of a summary (design C1): by what they tell for their tokens, without repeating, within a limit.

import type { CountTokens } from '../../model/window.ts';
import { type Features, featuresOf } from './features.ts';
import type { Sentence } from './sentences.ts';
import { type Analysed, successionOf, type Succession } from './supersede.ts';
import { vocabularyOf } from './weights.ts';

/** How a summary is put together. */
export interface ExtractOptions {
  readonly maxTokens: number;
  readonly countTokens: CountTokens;
  /** What stands before the first kept sentence of a line. */
  readonly labelOf: (line: number) => string;
  /** How much a line's sentences count, 1 where nothing is known of it. */
  readonly weightOf: (line: number) => number;
  /** How much the place of a sentence adds to what it tells. */
  readonly placeOf: (index: number, count: number) => number;
  /** How much it counts that a sentence speaks of what the others speak of. */
  readonly centralWeight: number;
  /** Sentences that tell less are left out even where there is room. */
  readonly leastWorth: number;
}

/** After so many sentences in a row that do not fit, the rest is not tried. */
const maxMisses = 40;

/** A sentence whose terms were told by so large a share before, and that adds no value, only repeats. */
const repeated = 0.8;

/** No token of o200k_base stands for more than 128 bytes. */
const longestTokenBytes = 128;

/**
 * The best sentences, verbatim and in their order, in at most `maxTokens` tokens; empty when none fits. An outdated
 * sentence is never there without the newer one. Deterministic: arithmetic only, ties by position.
 */
export function extract(sentences: readonly Sentence[], options: ExtractOptions): string {
  const features = sentences.map(({ text }) => featuresOf(text));
  const analysed: Analysed = { features, vocabulary: vocabularyOf(features) };
  const succession = successionOf(analysed);
  const groups = choose(sentences, { analysed, succession }, options);
  for (;;) {
    const kept = new Set(groups.flat());
    const summary = joined(sentences, kept, options.labelOf);
    if (summary === '' || options.countTokens(summary) <= options.maxTokens) return summary;
    groups.pop();
  }
}

interface Judged {
  readonly analysed: Analysed;
  readonly succession: Succession;
}

/** Groups of sentences that go together, best first; a later group may rest on an earlier one. */
function choose(sentences: readonly Sentence[], judged: Judged, options: ExtractOptions): number[][] {
  const costs = new Map<number, number>();
  const costOf = (index: number): number => {
    const { text = '', line = 0 } = sentences[index] ?? {};
    const known = costs.get(index);
    if (known !== undefined) return known;
    const isHuge = text.length > options.maxTokens * longestTokenBytes;
    // One token for what joins it to the next one; the whole is counted once more at the end.
    const cost = isHuge ? Infinity : options.countTokens(options.labelOf(line) + text) + 1;
    costs.set(index, cost);
    return cost;
  };
  const told = { kept: new Set<number>(), terms: new Set<string>(), values: new Set<string>() };
  const groups: number[][] = [];
  let spent = 0;
  let misses = 0;
  const take = (group: number[], cost: number) => {
    groups.push(group);
    spent += cost;
    misses = 0;
    for (const index of group) remember(index, judged.analysed, told);
  };
  const postponed: number[] = [];
  const consider = (index: number, mayRepeat: boolean) => {
    if (told.kept.has(index)) return;
    if (!mayRepeat && repeats(index, judged.analysed, told)) {
      postponed.push(index);
      return;
    }
    const group = withNeeds(index, judged.succession).filter((one) => !told.kept.has(one));
    const cost = group.reduce((sum, one) => sum + costOf(one), 0);
    if (spent + cost > options.maxTokens + 1) misses += 1;
    else take(group, cost);
  };
  const order = ranked(sentences, judged, options, costOf);
  const passes = [
    [false, order],
    // What was set aside in sentences' own counts is more than the whole needs.
    [false, order],
    [true, postponed],
  ] as const;
  for (const [mayRepeat, part] of passes) {
    misses = 0;
    spent = options.countTokens(joined(sentences, told.kept, options.labelOf));
    for (const index of part) {
      if (misses >= maxMisses) break;
      consider(index, mayRepeat);
    }
  }
  return groups;
}

/** The sentence with all that it needs, however far; of those, what was replaced leads on to what replaced it. */
function withNeeds(index: number, { needs, dropped }: Succession): number[] {
  const group = new Set([index]);
  for (const one of group) for (const other of needs.get(one) ?? []) group.add(other);
  return [...group].filter((one) => !dropped.has(one));
}

interface Told {
  readonly kept: Set<number>;
  readonly terms: Set<string>;
  readonly values: Set<string>;
}

function remember(index: number, { features, vocabulary }: Analysed, told: Told): void {
  told.kept.add(index);
  for (const term of vocabulary.termsOf(index)) told.terms.add(term);
  for (const { text } of features[index]?.values ?? []) told.values.add(text);
}

function repeats(index: number, { features, vocabulary }: Analysed, told: Told): boolean {
  if ((features[index]?.values ?? []).some(({ text }) => !told.values.has(text))) return false;
  const all = vocabulary.weightOfAll(index);
  const known = vocabulary
    .termsOf(index)
    .reduce((sum, term) => sum + (told.terms.has(term) ? vocabulary.weightOf(term) : 0), 0);
  return known >= all * repeated;
}

/** Sentences by what they tell for their tokens, best first; dropped ones are not among them. */
function ranked(
  sentences: readonly Sentence[],
  { analysed, succession }: Judged,
  options: ExtractOptions,
  costOf: (index: number) => number,
): readonly number[] {
  return sentences
    .flatMap(({ text, line }, index) => {
      const features = analysed.features[index];
      if (features === undefined || succession.dropped.has(index)) return [];
      const isOutdated = succession.outdated.has(index);
      const worth =
        importance(features, index, { ...analysed, centralWeight: options.centralWeight }) *
          options.weightOf(line) *
          (isOutdated ? outdatedShare : 1) +
        options.placeOf(index, sentences.length);
      // Counting is dear, and a guess is enough to put them in order.
      const cost = sentences.length > manySentences ? text.length / 4 : costOf(index);
      return worth <= options.leastWorth ? [] : [{ index, score: worth / (cost + fixedCost) }];
    })
    .toSorted((a, b) => b.score - a.score || a.index - b.index)
    .map(({ index }) => index);
}

const outdatedShare = 0.5;
/** Code is full of names that mean nothing outside it. */
const codeShare = 0.4;
const manySentences = 2000;
/** Tokens that every sentence is taken to cost beside its own, so that short ones do not win by being short. */
const fixedCost = 12;

/** What a sentence tells, without unit: values, identifiers, what binds, and how rare its words are. */
function importance(
  features: Features,
  index: number,
  { vocabulary, centralWeight }: Analysed & { readonly centralWeight: number },
): number {
  const { cues, values, identifiers, isQuestion, isCode } = features;
  const measured = values.filter(({ kind }) => kind !== 'plain').length;
  const exact =
    0.9 * Math.min(2, measured) + 0.3 * Math.min(2, values.length - measured) + 1.3 * Math.min(2, identifiers.size);
  const terms = vocabulary.termsOf(index);
  const rarity = terms.length === 0 ? 0 : vocabulary.weightOfAll(index) / (terms.length + 2);
  const binding =
    (cues.has('negation') ? 0.7 : 0) +
    (cues.has('limit') ? 0.8 : 0) +
    (cues.has('commitment') ? 0.8 : 0) +
    (cues.has('change') ? 0.4 : 0);
  const doubtful = (isQuestion ? 1.5 : 0) + (cues.has('hedge') ? 0.6 : 0) + (cues.has('past') ? 0.4 : 0);
  const told = 0.2 + exact + binding + rarity * 0.2 + centralWeight * central(index, vocabulary) - doubtful;
  return isCode ? told * codeShare : told;
}

/** How much of what a sentence speaks of the rest of the text speaks of too, 0 to 1. */
function central(index: number, vocabulary: Analysed['vocabulary']): number {
  const terms = vocabulary.termsOf(index);
  const shared = terms.filter((term) => {
    const { length } = vocabulary.holding(term);
    return length > 1 && length <= 12;
  });
  return terms.length === 0 ? 0 : shared.length / (terms.length + 3);
}

function joined(sentences: readonly Sentence[], kept: ReadonlySet<number>, labelOf: ExtractOptions['labelOf']): string {
  let summary = '';
  let line = -1;
  for (const [index, sentence] of sentences.entries()) {
    if (!kept.has(index)) continue;
    if (sentence.line === line) summary += ' ';
    else summary += `${summary === '' ? '' : '\n'}${labelOf(sentence.line)}`;
    summary += sentence.text;
    line = sentence.line;
  }
  return summary;
}
