// What can be checked in a sentence: numbers, dates, times, names, identifiers and quotations, each with its place.

import { datesOf, timesOf, type DateToken, type TimeToken } from './dates.ts';
import { blank, blanked } from './fold.ts';
import { codeSpansOf, identifiersOf, quotationsOf, type ExactToken } from './identifiers.ts';
import type { Language } from './language.ts';
import { namesOf, type KnownNames, type NameToken } from './names.ts';
import { numbersOf, spelledNumbersOf, type NumberStyle, type NumberToken } from './numbers.ts';

/** One checkable piece of a sentence. */
export type Token = NumberToken | DateToken | TimeToken | NameToken | ExactToken;

/** How a text is read. */
export interface Reading extends NumberStyle {
  readonly language: Language | null;
  readonly known: KnownNames;
  /** `memory`: spelled numbers all count, and what stands in quotation marks is read like the rest. */
  readonly as: 'answer' | 'memory';
}

const blankOut = (text: string, spans: readonly { readonly start: number; readonly end: number }[]): string =>
  blanked(
    text,
    spans.toSorted((a, b) => a.start - b.start),
  );

/** The tokens of a folded text, in its order. */
export function tokensOf(folded: string, reading: Reading): readonly Token[] {
  const isAnswer = reading.as === 'answer';
  const quoted = isAnswer ? quotationsOf(folded, blankOut) : { tokens: [], rest: folded };
  const dated = datesOf(quoted.rest, reading.language, blankOut);
  const times = timesOf(dated.rest);
  const exact = identifiersOf(blankOut(dated.rest, times), blankOut);
  const numbers = numbersOf(exact.rest, reading);
  const spelled = spelledNumbersOf(exact.rest, reading, isAnswer ? 'measured' : 'all');
  // Only the digits are taken out: a unit such as "Euro" or "Tage" is no name, but a word that merely follows may be.
  const names = namesOf(
    blankOut(exact.rest, [...numbers, ...(isAnswer ? spelled : [])]),
    reading.language,
    reading.known,
  );
  const found: readonly Token[] = [
    ...quoted.tokens,
    ...dated.tokens,
    ...times,
    ...exact.tokens,
    ...numbers,
    ...spelled,
    ...names,
  ];
  return [...found, ...wordsInCode(folded, found)].toSorted((a, b) => a.start - b.start || a.end - b.end);
}

/** Words in code spans that nothing else took. */
function wordsInCode(folded: string, taken: readonly Token[]): readonly ExactToken[] {
  const spans = codeSpansOf(folded);
  if (spans.length === 0) return [];
  const rest = blankOut(folded, taken);
  return spans.filter(({ start, end }) => !rest.slice(start, end).includes(blank));
}

/** True for tokens that a heading may hold without claiming anything. */
export function isLabel(token: Token): boolean {
  return token.kind === 'name' || token.kind === 'code' || token.kind === 'quote';
}
