// A memory made ready to be asked: which tokens it holds, in which of its statements, and whether they are denied there.

import { sentencesOf } from '../assembly/summarise/sentences.ts';
import { comparisonsOf, type Comparison } from './comparisons.ts';
import { fold } from './fold.ts';
import { decimalMarkOf, languageOf } from './language.ts';
import { nameParts, type KnownNames } from './names.ts';
import { partsOf } from './polarity.ts';
import type { ShownMemory } from './shown_memory.ts';
import { statementsOf } from './statements.ts';
import type { FindSubjects, SubjectNames } from './subjects.ts';
import { tokensOf, type Token } from './tokens.ts';
import { offeredKeys, wantedKeys } from './token_keys.ts';
import { columnMeasures } from './units.ts';

/** A part of a statement of a memory. */
export interface IndexedPart {
  readonly denies: boolean;
  readonly comparisons: readonly Comparison[];
  readonly subjects: readonly SubjectNames[];
  /** Names in it, known as subjects or not. */
  readonly names: readonly SubjectNames[];
}

/** Names and subjects by which memories and answers are read alike. */
export interface Vocabulary {
  readonly known: KnownNames;
  readonly findSubjects: FindSubjects;
}

/** A memory as the check asks it. */
export interface MemoryIndex {
  readonly memory: ShownMemory;
  readonly parts: readonly IndexedPart[];
  /** Statements in the form of {@link sameWords}. */
  readonly statements: ReadonlySet<string>;
  /** The places in {@link parts} of a key or a word. */
  readonly places: ReadonlyMap<string, readonly number[]>;
  /** Words that stand beside each other, titles and aliases included. */
  readonly pairs: ReadonlySet<string>;
  readonly words: ReadonlySet<string>;
  /** Everything as one lower-case text, for scripts without spaces. */
  readonly whole: string;
  readonly corrections: readonly IndexedCorrection[];
}

/** A correction that the memory was shown with, its texts ready to be asked. */
export interface IndexedCorrection {
  readonly former: MemoryIndex | null;
  readonly current: MemoryIndex | null;
  readonly currentId: string | null;
}

const wordPattern = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{M}\d_]+/gu;

/** Words in lower case, in order; a possessive's `s` is none. */
export function wordsOf(text: string): readonly string[] {
  return [
    ...text
      .normalize('NFKC')
      .toLowerCase()
      .replace(/'s(?![\p{L}\d])/gu, '')
      .matchAll(wordPattern),
  ].map(([word]) => word);
}

/** How words are compared where their endings do not matter; those too short to say anything are left out. */
export function stemsOf(words: readonly string[]): readonly string[] {
  return words.filter((word) => word.length >= 4 && !/^\d+$/.test(word)).map((word) => `stem ${word.slice(0, 5)}`);
}

/** A statement as it is compared word for word: case, marks and spaces between do not count, signs of numbers do. */
export function sameWords(folded: string): string {
  const text = folded.normalize('NFKC').toLowerCase();
  return [...text.matchAll(/(?<!\S)-(?=\d)|[\p{L}\p{M}\p{N}%°$€£¥@#_/+]+|(?<=\d)[.,:'-](?=\d)/gu)]
    .map(([part]) => part)
    .join(' ');
}

/** The index of a memory. */
export function indexOf(memory: ShownMemory, vocabulary: Vocabulary): MemoryIndex {
  // A correction was shown with the memory, so it is part of what the memory says.
  const shown = [memory.text, ...memory.corrections.map(({ current }) => current ?? '')].join('\n\n');
  const folded = fold(shown);
  const language = languageOf(memory.text);
  const reading = { language, mark: decimalMarkOf(folded, language), known: vocabulary.known, as: 'memory' } as const;
  const parts: IndexedPart[] = [];
  const statements = new Set<string>();
  const places = new Map<string, number[]>();
  const beside = { pairs: new Set<string>(), words: new Set<string>() };
  for (const { start, end } of statementsOf(folded)) {
    const statement = folded.slice(start, end).replace(/[\r\n]/g, ' ');
    statements.add(sameWords(statement));
    addPairs(statement, beside);
    const tokens = tokensOf(statement, reading);
    for (const part of partsOf(statement, language)) {
      const text = statement.slice(part.start, part.end);
      const own = tokens.filter((token) => token.start >= part.start && token.start < part.end);
      const measures = columnMeasures(text).map((measure) => `measure ${measure}`);
      for (const key of [...own.flatMap(offeredKeys), ...measures, ...wordKeys(text)]) put(places, key, parts.length);
      parts.push({
        denies: part.denies,
        comparisons: comparisonsOf(text),
        subjects: vocabulary.findSubjects(text),
        names: namedIn(own, part.start),
      });
    }
  }
  // Where a line only ends without a mark, what stands on it may be quoted alone as well.
  for (const sentence of sentencesOf(folded)) statements.add(sameWords(sentence.text));
  const names = [...memory.names, memory.claim?.subject ?? '', memory.claim?.predicate ?? ''].map(fold);
  for (const name of names) addPairs(name, beside);
  const whole = [folded, ...names].join('\n').normalize('NFKC').toLowerCase();
  const corrections = memory.corrections.map(({ former, current, currentId }) => ({
    former: textIndex(memory, former, vocabulary),
    current: textIndex(memory, current, vocabulary),
    currentId,
  }));
  return { memory, parts, statements, places, ...beside, whole, corrections };
}

/** The names among tokens, by their words, with places counted from `start`. */
export function namedIn(tokens: readonly Token[], start: number): readonly SubjectNames[] {
  return tokens.flatMap((token) =>
    token.kind === 'name'
      ? [{ subject: token.words.join(' '), start: token.start - start, end: token.end - start }]
      : [],
  );
}

function textIndex(memory: ShownMemory, text: string | null, vocabulary: Vocabulary): MemoryIndex | null {
  return text === null ? null : indexOf({ ...memory, text, names: [], claim: null, corrections: [] }, vocabulary);
}

function put(places: Map<string, number[]>, key: string, place: number): void {
  const at = places.get(key);
  if (at === undefined) places.set(key, [place]);
  else if (at.at(-1) !== place) at.push(place);
}

function wordKeys(text: string): readonly string[] {
  const words = wordsOf(text);
  return [...words.map((word) => `word ${word}`), ...stemsOf(words)];
}

function addPairs(text: string, into: { readonly pairs: Set<string>; readonly words: Set<string> }): void {
  let before: string | null = null;
  for (const word of wordsOf(text)) {
    into.words.add(word);
    if (before !== null) into.pairs.add(`${before} ${word}`);
    before = word;
  }
}

/** True when the memory holds the token. */
export function holds(index: MemoryIndex, token: Token): boolean {
  switch (token.kind) {
    case 'number':
    case 'date':
    case 'time': {
      const { any, both } = wantedKeys(token);
      const has = (key: string): boolean => index.places.has(key);
      return any.some(has) || both.some((keys) => keys.every(has));
    }
    case 'code':
      return index.places.has(`code ${token.key}`) || hasWords(index, token.key);
    case 'name':
      return token.isCjk ? index.whole.includes((token.words[0] ?? '').toLowerCase()) : hasRun(index, token.words);
    case 'quote':
      return hasWords(index, token.key);
    default:
      throw token satisfies never;
  }
}

/** An exact text by its words; one without words of this kind, or with marks inside, by the text itself. */
function hasWords(index: MemoryIndex, key: string): boolean {
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(key))
    return index.whole.includes(key);
  return hasRun(index, wordsOf(key)) && (!/\d/.test(key) || standsIn(index.whole, key));
}

/** An identifier with digits ends where it ends: `gpt-4` is not in `gpt-4-turbo`. */
function standsIn(whole: string, key: string): boolean {
  for (let at = whole.indexOf(key); at !== -1; at = whole.indexOf(key, at + 1)) {
    const before = whole[at - 1] ?? ' ';
    const after = whole.slice(at + key.length, at + key.length + 2);
    if (!/[\p{L}\d_]/u.test(before) && !/^(?:[\p{L}\d_]|[-./@#:][\p{L}\d_])/u.test(after)) return true;
  }
  return false;
}

function hasRun(index: MemoryIndex, words: readonly string[]): boolean {
  const parts = words.flatMap(nameParts);
  const [first, ...rest] = parts;
  if (first === undefined || !index.words.has(first)) return false;
  let before = first;
  return rest.every((word) => {
    const stands = index.pairs.has(`${before} ${word}`);
    before = word;
    return stands;
  });
}

/** The places in a memory's parts of a token that it holds. */
export function placesOf(index: MemoryIndex, token: Token): readonly number[] {
  if (token.kind === 'number' || token.kind === 'date' || token.kind === 'time') {
    const { any, both } = wantedKeys(token);
    return [...new Set([...any, ...both.flat()].flatMap((key) => index.places.get(key) ?? []))];
  }
  const words = token.kind === 'name' ? token.words : wordsOf(token.key);
  return index.places.get(`word ${words[0] ?? ''}`) ?? [];
}
