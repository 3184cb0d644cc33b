// Whether a summary written by a model keeps to its source (design C1): nothing exact invented, nothing turned around.

import { type Features, featuresOf } from './features.ts';
import { sentencesOf } from './sentences.ts';
import { vocabularyOf } from './weights.ts';

/** What a summary did to its source; null where nothing was found. */
export type Unfaithful = 'a number' | 'an identifier' | 'a negation' | null;

/** So much of a summary's sentence must stand in one sentence of the source to be taken for what became of it. */
const sameSentence = 0.7;

const listMark = /^\s*(?:\p{Nd}{1,3}[.)]|[-*•])\s+/u;

/**
 * Looks for a number, date or identifier that the source does not hold in just that form, and for a sentence that
 * lost or gained the negation of the one it was made of. What a summary leaves out is no fault of it.
 */
export function unfaithful(source: string, summary: string): Unfaithful {
  const told = summary.split('\n').map((line) => line.replace(listMark, ''));
  const own = told.flatMap((line) => sentencesOf(line)).map(({ text }) => featuresOf(text));
  if (!own.every(({ values }) => values.every(({ text }) => holds(source, text)))) return 'a number';
  if (!own.every(({ identifiers }) => [...identifiers].every((text) => holds(source, text)))) return 'an identifier';
  return isTurned(
    sentencesOf(source).map(({ text }) => featuresOf(text)),
    own,
  )
    ? 'a negation'
    : null;
}

/** True when the text stands there by itself, not as a part of a longer number, word or identifier. */
function holds(source: string, text: string): boolean {
  for (let at = source.indexOf(text); at >= 0; at = source.indexOf(text, at + 1)) {
    const before = source.slice(Math.max(0, at - 2), at);
    const after = source.slice(at + text.length, at + text.length + 2);
    if (!goesOnBefore.test(before) && !goesOnAfter.test(after)) return true;
  }
  return false;
}

// Scripts without spaces write a number or code next to any word. A unit may stand close to its number.
const part = String.raw`(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{N}_]`;
const goesOnBefore = new RegExp(`(?:${part})$|(?:${part})[.,:'’/@#+-]$`, 'u');
const goesOnAfter = new RegExp(`^(?:\\p{N}|_)|^[.,:'’/@#+-](?:${part})`, 'u');

function isTurned(source: readonly Features[], summary: readonly Features[]): boolean {
  const vocabulary = vocabularyOf([...source, ...summary]);
  return summary.some((sentence, index) => {
    const terms = vocabulary.termsOf(source.length + index);
    const all = vocabulary.weightOfAll(source.length + index);
    const shares = new Map<number, number>();
    for (const term of terms) {
      for (const holder of vocabulary.holding(term)) {
        if (holder < source.length) shares.set(holder, (shares.get(holder) ?? 0) + vocabulary.weightOf(term));
      }
    }
    const likely = [...shares].filter(([, share]) => share >= all * sameSentence);
    const isNegated = sentence.cues.has('negation');
    return likely.length > 0 && likely.every(([at]) => source[at]?.cues.has('negation') !== isNegated);
  });
}
