// Names of a text (design K1): capitalised words as each language uses capitals, and names that the window made known.

import type { Language } from './language.ts';
import { deedsOfPeople, noNames, titlesOfPeople } from './name_words.ts';

/** A name where it stands; `words` are its parts in lower case, for CJK the one text that must occur. */
export interface NameToken {
  readonly kind: 'name';
  readonly start: number;
  readonly end: number;
  readonly words: readonly string[];
  readonly isCjk: boolean;
}

/** Names that the window has: words with a capital that never stand without one, and CJK names. */
export interface KnownNames {
  readonly words: ReadonlySet<string>;
  readonly cjk: RegExp | null;
}

/** One word of a text. */
interface Word {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** True where a sentence, a label or a cell begins. */
  readonly opens: boolean;
}

const wordPattern =
  /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{M}\d]+(?:['-][\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{M}\d]+)*/gu;
const opening = /(?:^|[.!?:;|(>"“„«»「*_#\uFFFC—…])[\s*_"“„«»(]*$/u;

function wordsIn(text: string): readonly Word[] {
  return [...text.matchAll(wordPattern)].map((match) => ({
    text: match[0],
    start: match.index,
    end: match.index + match[0].length,
    opens: opening.test(text.slice(Math.max(0, match.index - 8), match.index)),
  }));
}

/** The parts of a name in lower case, a possessive's ending left out. */
export function nameParts(name: string): readonly string[] {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/'s?$/, '')
    .split(/[\s'-]+/)
    .filter((part) => part !== '');
}

/** The names of a text, everything that was read before blanked out. */
export function namesOf(text: string, language: Language | null, known: KnownNames): readonly NameToken[] {
  const words = language === 'de' ? wordsIn(text).flatMap((word) => compoundParts(word, known)) : wordsIn(text);
  const shouted = isShouted(words);
  const tokens: NameToken[] = [];
  for (let place = 0; place < words.length; place += 1) {
    if (!isName(words, place, { language, known, shouted })) continue;
    let last = place;
    // Nouns stand beside each other in German without being one name.
    if (language !== 'de') while (isFollower(text, words, last)) last += 1;
    const start = words[place]?.start ?? 0;
    const end = words[last]?.end ?? start;
    tokens.push({
      kind: 'name',
      start,
      end: withoutPossessive(text, end),
      words: nameParts(text.slice(start, end)),
      isCjk: false,
    });
    place = last;
  }
  return [...tokens, ...cjkNames(text, known)];
}

/** German joins any words by hyphens: unless the whole is known as a name, each part is looked at by itself. */
function compoundParts(word: Word, known: KnownNames): readonly Word[] {
  if (!word.text.includes('-') || known.words.has(word.text.toLowerCase())) return [word];
  let start = word.start;
  return word.text.split('-').map((text, place) => {
    const part = { text, start, end: start + text.length, opens: word.opens && place === 0 };
    start = part.end + 1;
    return part;
  });
}

function withoutPossessive(text: string, end: number): number {
  return text.slice(0, end).endsWith("'s") ? end - 2 : end;
}

/** The next word belongs to the name: capitalised, one space away, no word that names nothing. */
function isFollower(text: string, words: readonly Word[], place: number): boolean {
  const word = words[place];
  const next = words[place + 1];
  if (word === undefined || next === undefined || next.start - word.end !== 1 || text[word.end] !== ' ') return false;
  return startsCapital(next.text) && !noNames.has(next.text.toLowerCase()) && !word.text.endsWith("'s");
}

interface NameSense {
  readonly language: Language | null;
  readonly known: KnownNames;
  readonly shouted: boolean;
}

function isName(words: readonly Word[], place: number, { language, known, shouted }: NameSense): boolean {
  const word = words[place];
  if (word === undefined) return false;
  const lower = word.text.toLowerCase();
  const bare = lower.replace(/'s$/, '');
  if (known.words.has(bare) && (startsCapital(word.text) || /[-\d]/.test(bare))) return true;
  if (!startsCapital(word.text) || noNames.has(bare)) return false;
  if (isStrong(word.text)) return !shouted;
  const next = words[place + 1]?.text ?? '';
  const before = words[place - 1]?.text.toLowerCase() ?? '';
  if (deedsOfPeople.has(next.toLowerCase()) || titlesOfPeople.has(before)) return true;
  if (language === 'de' || word.text.length < 2) return false;
  if (titlesOfPeople.has(bare)) return false;
  if (!word.opens) return true;
  const goesOn = startsCapital(next) && !isStrong(next) && !noNames.has(next.toLowerCase());
  return lower.endsWith("'s") || (goesOn && isClose(word, words[place + 1]));
}

function isClose(word: Word, next: Word | undefined): boolean {
  return next !== undefined && next.start - word.end === 1;
}

function startsCapital(text: string): boolean {
  return /^\p{Lu}/u.test(text);
}

/** Capitals inside: `BEIR`, `McKay`, `Helios-RAG`. */
function isStrong(text: string): boolean {
  return /\p{L}-?\p{Lu}/u.test(text.replace(/'S$/, ''));
}

/** A text in capitals throughout names nothing by them. */
function isShouted(words: readonly Word[]): boolean {
  const lettered = words.filter(({ text }) => /\p{L}{2}/u.test(text));
  const loud = lettered.filter(({ text }) => text === text.toUpperCase());
  return lettered.length >= 3 && loud.length * 5 >= lettered.length * 4;
}

const called =
  /[\p{Script=Han}\p{Script=Katakana}ー]{1,8}(?=さん|氏|様|くん|ちゃん)|\p{Script=Han}(?:先生|女士|经理)/gu;

function cjkNames(text: string, known: KnownNames): readonly NameToken[] {
  const patterns = known.cjk === null ? [called] : [called, known.cjk];
  return patterns.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(
      (match): NameToken => ({
        kind: 'name',
        start: match.index,
        end: match.index + match[0].length,
        words: [match[0]],
        isCjk: true,
      }),
    ),
  );
}

/** A text that names may be learned from. */
export interface NamingText {
  readonly text: string;
  readonly language: Language | null;
  /** Names themselves, such as a subject and its aliases. */
  readonly names: readonly string[];
}

/** Learns names from what was shown: aliases whole, capitalised words that no text has without the capital. */
export function knownNames(texts: readonly NamingText[]): KnownNames {
  const capital = new Set<string>();
  const plain = new Set<string>();
  const given = new Set<string>();
  const cjk = new Set<string>();
  for (const { text, language, names } of texts) {
    for (const word of wordsIn(text)) learn(word, language, { capital, plain });
    for (const name of names) {
      for (const word of wordsIn(name)) given.add(word.text.toLowerCase());
      for (const run of name.matchAll(/[\p{Script=Han}\p{Script=Katakana}ー]{2,20}/gu)) cjk.add(run[0]);
    }
  }
  const words = new Set([...capital].filter((word) => !plain.has(word)));
  for (const word of given) if (word.length > 2 && !plain.has(word)) words.add(word);
  const runs = [...cjk].toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1)).slice(0, 200);
  return { words, cjk: runs.length === 0 ? null : new RegExp(runs.join('|'), 'gu') };
}

function learn(
  word: Word,
  language: Language | null,
  seen: { readonly capital: Set<string>; readonly plain: Set<string> },
): void {
  const lower = word.text.toLowerCase().replace(/'s$/, '');
  if (!startsCapital(word.text)) seen.plain.add(lower);
  else if (noNames.has(lower) || lower.length < 3) return;
  else if (isStrong(word.text) || (language !== 'de' && !word.opens)) seen.capital.add(lower);
}
