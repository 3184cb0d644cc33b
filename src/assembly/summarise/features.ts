// What a sentence says that a paraphrase would lose (design C1): values with their units, dates, identifiers; and its words.

import { foldCase, wordsOf } from '../select/words.ts';
import { type Cue, cuesOf, lightPhrases, lightWords } from './cues.ts';

/** A number, date or time of a text, verbatim, with what kind of thing it measures. */
export interface Value {
  /** Values of one kind can replace each other: `money`, `date`, `time`, `%`, a unit's name, or `plain`. */
  readonly kind: string;
  readonly text: string;
}

/** What is known of one sentence. */
export interface Features {
  /** Words without values and identifiers, cut to their stems, each once. */
  readonly words: ReadonlySet<string>;
  readonly values: readonly Value[];
  readonly identifiers: ReadonlySet<string>;
  readonly cues: ReadonlySet<Cue>;
  readonly isQuestion: boolean;
  readonly isCode: boolean;
  /** The key of a line `key = value` or `key: value` that says nothing else, folded; else null. */
  readonly key: string | null;
}

const months =
  `january february march april may june july august september october november december jan feb mar apr jun
  jul aug sep sept oct nov dec januar februar märz mai juni juli oktober dezember janvier février mars avril juin juillet
  août septembre octobre novembre décembre enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre
  diciembre janeiro fevereiro março maio junho julho setembro outubro novembro dezembro`
    .split(/\s+/)
    .toSorted((a, b) => b.length - a.length)
    .join('|');

const ideographs = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}`;
const letter = String.raw`(?:(?![${ideographs}])[\p{L}\p{M}\p{N}])`;
const year = String.raw`(?:,?\s+(?:de\s+)?\p{Nd}{4})?`;

const dates = [
  String.raw`\p{Nd}{4}-\p{Nd}{2}-\p{Nd}{2}(?:T[\p{Nd}:.]+Z?)?`,
  String.raw`\p{Nd}{1,4}[./]\p{Nd}{1,2}[./]\p{Nd}{2,4}`,
  String.raw`\p{Nd}{1,2}(?:\.|st|nd|rd|th)?\s+(?:de\s+|of\s+)?(?:${months})(?!\p{L})\.?${year}`,
  String.raw`(?:${months})\.?\s+\p{Nd}{1,2}(?:st|nd|rd|th)?(?![\p{L}\p{Nd}])${year}`,
  String.raw`(?:\p{Nd}+年)?\p{Nd}+月(?:\p{Nd}+日)?`,
].join('|');

const token = new RegExp(
  [
    String.raw`(?<!${letter}|[_.-])(?<date>${dates})(?!${letter}|_)`,
    String.raw`(?<!${letter}|_)(?<time>\p{Nd}{1,2}:\p{Nd}{2}(?::\p{Nd}{2})?)(?!${letter}|_)`,
    // The thousands of some languages are parted by a space.
    String.raw`(?<!${letter}|[_.,-])(?<spaced>\p{Nd}{1,3}(?:[ \u00a0\u202f]\p{Nd}{3})+(?:,\p{Nd}+)?)(?!${letter}|_)`,
    String.raw`(?<run>${letter}+(?:(?:[._:/@#+-]+|(?<=\p{Nd})[,'’](?=\p{Nd}))${letter}+)*)`,
  ].join('|'),
  'giu',
);
const code = /[;{}]\s*$|=>|^\s*(?:```|\/\/|(?:const|let|var|def|function|import|return|class|for|if|while)\b.*[=(])/u;
const japaneseDate = /月|年/u;

/** Runs of one script; Hiragana between them is mostly grammar. */
const unspaced = /\p{Script=Han}+|\p{Script=Katakana}+|\p{Script=Thai}+/gu;
const moneyWords = new Set(
  'eur euro euros usd dollar dollars gbp pound pounds chf franken francs yen yuan rmb brl real reais kr 円 元'.split(
    ' ',
  ),
);
const unitWord = new RegExp(`^\\s?([${ideographs}]|(?:(?![${ideographs}])\\p{L})+)`, 'u');
const numberWithUnit = /^([+-]?\p{Nd}+(?:[.,'’]\p{Nd}+)*)(\p{L}{0,4})$/u;

/** What a sentence says. */
export function featuresOf(sentence: string): Features {
  const words = new Set<string>();
  const values: Value[] = [];
  const identifiers = new Set<string>();
  let unitEnd = 0;
  for (const match of sentence.matchAll(token)) {
    const { date, time, spaced, run = '' } = match.groups ?? {};
    const at: Place = { sentence, start: match.index, end: match.index + match[0].length };
    if (date !== undefined) values.push({ kind: 'date', text: date });
    else if (time !== undefined) values.push({ kind: 'time', text: time });
    else if (spaced !== undefined || numberWithUnit.test(run)) {
      const [value, end] = measured(spaced ?? run, at);
      values.push(value);
      unitEnd = end;
    } else if (isIdentifier(run) && at.start >= unitEnd) identifiers.add(run);
    else if (at.start >= unitEnd) words.add(stemOf(foldCase(run)));
  }
  for (const [part] of sentence.replace(/\p{Nd}+[年月日]/gu, ' ').matchAll(unspaced)) addPairs(part, words);
  const folded = wordsOf(sentence);
  return {
    words,
    values,
    identifiers,
    cues: cuesOf(folded),
    isQuestion: /[?？؟]["'”’」』)\]]*\s*$/u.test(sentence),
    isCode: code.test(sentence),
    key: keyOf(sentence),
  };
}

interface Place {
  readonly sentence: string;
  readonly start: number;
  readonly end: number;
}

/** A number with its unit, and where that ends. */
function measured(run: string, at: Place): readonly [Value, number] {
  const [, digits = run, joined = ''] = numberWithUnit.exec(run) ?? [];
  if (joined !== '') return [{ kind: kindOf(joined), text: run }, at.end];
  const [kind, end] = unitOf(at);
  return [{ kind, text: digits }, end];
}

/** Codes, paths, names of variables, and abbreviations in capitals: what must not be changed by a letter. */
function isIdentifier(run: string): boolean {
  if (/\p{Nd}/u.test(run)) return true;
  return /[_:/@#]|[.](?=\p{L})/u.test(run) || /^\p{Lu}{2,}$/u.test(run) || /\p{Ll}\p{Lu}/u.test(run);
}

/** What a number counts: a currency before or after it, a sign or the next word after it; and where that word ends. */
function unitOf({ sentence, start, end }: Place): readonly [kind: string, end: number] {
  if (/\p{Sc}\s?[+-]?$/u.test(sentence.slice(Math.max(0, start - 3), start))) return ['money', end];
  const after = sentence.slice(end, end + 24);
  if (/^\s?\p{Sc}/u.test(after)) return ['money', end];
  const sign = /^\s?([%‰°])/u.exec(after)?.[1];
  if (sign !== undefined) return [sign, end];
  const [all, word] = unitWord.exec(after) ?? [];
  return all === undefined || word === undefined ? ['plain', end] : [kindOf(word), end + all.length];
}

function kindOf(unit: string): string {
  const folded = foldCase(unit);
  if (moneyWords.has(folded)) return 'money';
  return japaneseDate.test(folded) ? 'date' : `unit ${stemOf(folded)}`;
}

/** A crude stem, so that a word and its plural or case are one: long words by their beginning, short ones without an s. */
function stemOf(word: string): string {
  if (word.length >= 7) return word.slice(0, 6);
  return word.length >= 4 ? word.replace(/s$/, '') : word;
}

/** Stems of words that seldom are what a sentence is about. */
export const lightStems: ReadonlySet<string> = new Set([...lightWords, ...lightPhrases].map(stemOf));

/** Scripts without spaces: each two neighbours are a word. */
function addPairs(part: string, words: Set<string>): void {
  const characters = Array.from(part);
  if (characters.length === 1) words.add(part);
  for (let index = 1; index < characters.length; index += 1) {
    words.add(`${characters[index - 1] ?? ''}${characters[index] ?? ''}`);
  }
}

function keyOf(sentence: string): string | null {
  const [, key, value] = keyAndValue.exec(sentence) ?? [];
  if (key === undefined || value === undefined) return null;
  return /^\S*\p{Nd}/u.test(value) || !/\s/.test(value) ? wordsOf(key).join(' ') : null;
}

/** The value is one word, or a number with its unit. */
const keyAndValue = /^\s*(?:[-*•]\s+)?([\p{L}\p{N}_][^:=\n]{0,40}?)\s*(?::\s|=)\s*(\S{1,24}(?:\s\S{1,12})?)\s*$/u;
