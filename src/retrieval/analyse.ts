// How text becomes the terms of the index (design Q2): the same for rows, questions and names, on every engine.

import { isFunctionWord, languagesByWords } from './language.ts';
import { stemByLanguage, stemByScript } from './light_stems.ts';
import { stem } from './stem.ts';
import { irregularForms, stopWords } from './words.ts';

/** At most so many terms of one text; what follows is not indexed. */
export const mostTerms = 20_000;

/** Terms are cut here, in UTF-16 code units: a longer one is found by its start. */
export const longestTerm = 64;

/** Text is read up to here, in UTF-16 code units. */
const longestText = 400_000;

/** Letters that Unicode does not take apart into a plain letter and an accent. */
const plainLetters: ReadonlyMap<string, string> = new Map([
  ['ß', 'ss'],
  ['æ', 'ae'],
  ['œ', 'oe'],
  ['ø', 'o'],
  ['đ', 'd'],
  ['ð', 'd'],
  ['ł', 'l'],
  ['ı', 'i'],
  ['þ', 'th'],
  ['ى', 'ي'],
  ['ة', 'ه'],
]);

/** Accents of Latin, Greek and Cyrillic letters; Arabic vowel signs, the marks of hamza and madda, and the stretching stroke. */
const accents = /[\u0300-\u036f\u064b-\u0655\u0670\u0640]/g;

/** A text's language is told from so many of its first code units. */
const languageSample = 2_000;

/** Runs of letters, digits and marks, joined by single characters as identifiers, numbers and paths are. */
const compounds = /[\p{L}\p{N}\p{M}_]+(?:[.,:/\\@&+'’-][\p{L}\p{N}\p{M}_]+)*(?:\+\+|#(?!\p{N}))?/gu;

/** Scripts whose words no space separates (and Korean, whose particles hang on to words): read by pairs. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々]/u;

const unspacedRun = new RegExp(`(?:${unspaced.source}\\p{M}*)+`, 'gu');

/** Pairs of Japanese that only carry grammar. */
const grammarPairs = new Set([
  'です',
  'ます',
  'した',
  'して',
  'する',
  'から',
  'まで',
  'ので',
  'のは',
  'には',
  'とは',
  'では',
  'ませ',
]);

/**
 * The terms of a text in its order, repeated as they occur: at most {@link mostTerms}, each of at most
 * {@link longestTerm} code units. In another language than English a word gives two terms, as English and as its own:
 * a short question, whose language cannot be told, still finds the word as it is written. Never throws; any text is only text.
 */
export function analyse(text: string): readonly string[] {
  const terms: string[] = [];
  const normal = text.slice(0, longestText).normalize('NFKC');
  const language = foreignLanguageOf(normal);
  for (const [compound] of normal.matchAll(compounds)) {
    if (terms.length >= mostTerms) break;
    addCompound(compound, { terms, language });
  }
  return terms.slice(0, mostTerms);
}

/** The distinct terms of a question, in its order, at most `limit`. */
export function questionTerms(question: string, limit = 64): readonly string[] {
  return [...new Set(analyse(question))].slice(0, limit);
}

/** The language of the Latin script that the text's function words speak for; null for English, or for none. */
function foreignLanguageOf(text: string): string | null {
  const words = fold(text.slice(0, languageSample)).match(/\p{L}+/gu) ?? [];
  const [first, ...others] = languagesByWords(words);
  return first === undefined || [first, ...others].includes('en') ? null : first;
}

/** Where the terms go, and which language beside English they may be in. */
interface Analysis {
  readonly terms: string[];
  readonly language: string | null;
}

/** Lower case without accents, by code unit: `É` and `é` are `e`. */
export function fold(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFD')
    .replace(accents, '')
    .normalize('NFC')
    .replace(/[ßæœøđðłıþىة]/g, (letter) => plainLetters.get(letter) ?? letter);
}

function addCompound(compound: string, analysis: Analysis): void {
  const { terms } = analysis;
  const whole = fold(compound).replace(/^_+|_+$/g, '');
  if (/^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(whole)) {
    terms.push(cut(whole.replaceAll(',', '')));
    return;
  }
  const segments = compound.split(/[,/\\&]/);
  if (segments.length > 1 && !whole.includes(',')) terms.push(cut(whole));
  for (const segment of segments) addSegment(segment, analysis);
}

/** A segment of a path or list: kept whole when it has an inner structure, and then taken apart. */
function addSegment(segment: string, analysis: Analysis): void {
  const { terms } = analysis;
  const bare = segment.replace(/['’](?:s|t|re|ve|ll|d|m)$/i, '').replace(/^_+|_+$/g, '');
  const whole = fold(bare);
  if (whole.length === 0) return;
  if (/^\d+(?:[.:]\d+)*$/.test(whole) || /^\p{L}(?:\+\+|#)$/u.test(whole)) {
    terms.push(cut(whole));
    return;
  }
  const parts = partsOf(bare);
  const only = parts.length === 1 ? parts[0] : undefined;
  if (only === undefined) terms.push(cut(whole));
  for (const part of parts) {
    // A single digit or letter beside its whole says nothing; a word of one part is that part.
    if (only !== undefined || part.length > 1) addWord(fold(part), analysis);
  }
}

/** Parts at joiners, underscores and humps: `recall_messageLimit.v2` has recall, message, Limit and v2. */
function partsOf(segment: string): readonly string[] {
  return segment
    .split(/[.:@+'’_#-]+|(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u)
    .filter((part) => part.length > 0);
}

function addWord(word: string, analysis: Analysis): void {
  if (!unspaced.test(word)) {
    addSpaced(word, analysis);
    return;
  }
  let from = 0;
  for (const match of word.matchAll(unspacedRun)) {
    addSpaced(word.slice(from, match.index), analysis);
    addPairs(match[0], analysis.terms);
    from = match.index + match[0].length;
  }
  addSpaced(word.slice(from), analysis);
}

function addSpaced(word: string, { terms, language }: Analysis): void {
  if (word.length === 0 || stopWords.has(word) || (language !== null && isFunctionWord(language, word))) return;
  // The bound comes first, so that no rule ever looks at a longer word.
  const bounded = cut(word);
  const byScript = stemByScript(bounded);
  const english = byScript ?? stem(irregularForms.get(bounded) ?? bounded);
  const own = language === null ? null : stemByLanguage(bounded, language);
  terms.push(english);
  if (own !== null && own !== english) terms.push(own);
}

/** Pairs of neighbouring characters; Han characters alone too, and a run of one character as it is. */
function addPairs(run: string, terms: string[]): void {
  const characters = run.match(/\P{M}\p{M}*/gu) ?? [];
  const alone = characters.length === 1;
  for (const [index, character] of characters.entries()) {
    if (terms.length >= mostTerms) return;
    if (alone || /\p{Script=Han}/u.test(character)) terms.push(cut(character));
    const next = characters[index + 1];
    if (next !== undefined && !grammarPairs.has(character + next)) terms.push(cut(character + next));
  }
}

/** The first {@link longestTerm} code units, without half of a pair at the end. */
function cut(term: string): string {
  if (term.length <= longestTerm) return term;
  return term.slice(0, longestTerm).replace(/[\ud800-\udbff]$/, '');
}
