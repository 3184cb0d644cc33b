// Dates and times of day in the formats of several languages (design K1), each with every reading that it allows.

import type { Language } from './language.ts';
import { doubtfulMonths, monthPattern, months, rarelyAlone } from './months.ts';

/** A date as far as it is given. */
export interface DateReading {
  readonly year: number | null;
  readonly month: number | null;
  readonly day: number | null;
}

/** A date where it stands. */
export interface DateToken {
  readonly kind: 'date';
  readonly start: number;
  readonly end: number;
  readonly readings: readonly DateReading[];
}

/** A time of day where it stands, as `HH:MM`, or `HH:MM:SS` where seconds are given. */
export interface TimeToken {
  readonly kind: 'time';
  readonly start: number;
  readonly end: number;
  readonly times: readonly string[];
}

const of = '(?:of |de |del |do )?';
const month = `(?<![\\p{L}\\p{M}])(${monthPattern})(?![\\p{L}\\p{M}])`;
const yearAfter = `(?:,? ${of}(\\d{4})(?!\\d))?`;

type Groups = readonly (string | undefined)[];

/** Patterns in the order of trying: what one takes, the next ones do not see. */
const patterns: readonly (readonly [RegExp, (groups: Groups, language: Language | null) => readonly DateReading[]])[] =
  [
    [/(?<![\d.])(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)/gu, ([year, , m, d]) => checked(year, m, d)],
    [/(?<![\d.-])(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{2})(?![\d.]\d|\d)/gu, byNumbers],
    [/(?<![\d.])(\d{4})年(?:(\d{1,2})月(?:(\d{1,2})[日号])?)?/gu, ([year, m, d]) => checked(year, m, d)],
    [/(?<!\d)(\d{1,2})月(?:(\d{1,2})[日号])?/gu, ([m, d]) => checked(undefined, m, d)],
    [
      new RegExp(`(?<![\\d.,])(\\d{1,2})(?:st|nd|rd|th|er|º|ª)?\\.? ${of}${month}\\.?${yearAfter}`, 'giu'),
      ([d, m, year]) => (year === undefined && doubtful(m) ? [] : checked(year, monthOf(m), d)),
    ],
    [
      new RegExp(`${month}\\.? (\\d{1,2})(?:st|nd|rd|th)?(?![\\d%]|[.,:]\\d)${yearAfter}`, 'giu'),
      ([m, d, year]) => (year === undefined && doubtful(m) ? [] : checked(year, monthOf(m), d)),
    ],
    [new RegExp(`${month}\\.?,? ${of}(\\d{4})(?!\\d)`, 'giu'), ([m, year]) => checked(year, monthOf(m), undefined)],
    [/(?<![\d.-])(\d{4})-(0[1-9]|1[0-2])(?![\d-])/gu, ([year, m]) => checked(year, m, undefined)],
  ];

const aloneAfter =
  /(?:^|[^\p{L}])(?:in|of|since|until|till|by|last|this|from|im|seit|bis|ab|anfang|mitte|ende|en|de|depuis|jusqu'en|fin|début|desde|hasta|em|até|do|no)\s$/iu;
const alone = new RegExp(month, 'giu');

/** A span that was understood, and what it says. */
interface Found<Token> {
  readonly tokens: readonly Token[];
  readonly rest: string;
}

/** The dates of a text, and the text with them blanked out by `blankOut`. */
export function datesOf(
  text: string,
  language: Language | null,
  blankOut: (text: string, spans: readonly DateToken[]) => string,
): Found<DateToken> {
  const tokens: DateToken[] = [];
  let rest = text;
  for (const [pattern, read] of patterns) {
    const found: DateToken[] = [];
    for (const match of rest.matchAll(pattern)) {
      const readings = read(match.slice(1), language);
      if (readings.length === 0) continue;
      found.push({ kind: 'date', start: match.index, end: match.index + match[0].length, readings });
    }
    tokens.push(...found);
    rest = blankOut(rest, found);
  }
  const lone = loneMonths(rest);
  return { tokens: [...tokens, ...lone], rest: blankOut(rest, lone) };
}

function loneMonths(text: string): readonly DateToken[] {
  const found: DateToken[] = [];
  for (const match of text.matchAll(alone)) {
    const name = (match[1] ?? '').toLowerCase();
    if (name.length < 4 && name !== 'may' && name !== 'mai') continue;
    const before = text.slice(Math.max(0, match.index - 12), match.index);
    const isNamed = /^\p{Lu}/u.test(match[0]) && !rarelyAlone.has(name);
    if (!isNamed && !aloneAfter.test(before)) continue;
    const readings = [{ year: null, month: months.get(name) ?? null, day: null }];
    found.push({ kind: 'date', start: match.index, end: match.index + match[0].length, readings });
  }
  return found;
}

function doubtful(name: string | undefined): boolean {
  return doubtfulMonths.has((name ?? '').toLowerCase());
}

function monthOf(name: string | undefined): string | undefined {
  const found = months.get((name ?? '').toLowerCase());
  return found === undefined ? undefined : String(found);
}

/** Day and month by position: a point says day first; a stroke or hyphen may be either where both could be a month. */
function byNumbers([first, mark, second, year]: Groups, language: Language | null): readonly DateReading[] {
  const full = year?.length === 2 ? `20${year}` : year;
  const dayFirst = checked(full, second, first);
  if (mark === '.') return dayFirst;
  const monthFirst = checked(full, first, second);
  const isEnglish = language === null || language === 'en';
  if (!isEnglish && dayFirst.length > 0) return dayFirst;
  return first === second ? dayFirst : [...dayFirst, ...monthFirst];
}

function checked(year: string | undefined, m: string | undefined, d: string | undefined): readonly DateReading[] {
  const date = { year: numeral(year), month: numeral(m), day: numeral(d) };
  if (date.month !== null && (date.month < 1 || date.month > 12)) return [];
  if (date.day !== null && (date.day < 1 || date.day > 31)) return [];
  return [date];
}

function numeral(text: string | undefined): number | null {
  return text === undefined ? null : Number(text);
}

const clock =
  /(?<![\d:.])(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?(?![:\d])(?: ?([ap])\.?m\b\.?)?(?: ?Uhr\b| ?h\b|Z\b)?/giu;
const hourOnly =
  /(?<![\d:.,])(\d{1,2}) ?(?:([ap])\.?m\b\.?|Uhr\b(?: (\d{2})\b)?|h ?(\d{2})\b|[時点时](?:(\d{1,2})分|(半))?(?!間))/giu;

/** The times of day of a text, dates blanked out before. */
export function timesOf(text: string): readonly TimeToken[] {
  const tokens: TimeToken[] = [];
  const add = (match: RegExpMatchArray, time: string | null): void => {
    if (time === null) return;
    const start = match.index ?? 0;
    tokens.push({ kind: 'time', start, end: start + match[0].length, times: [time] });
  };
  for (const match of text.matchAll(clock)) {
    add(match, timeOfDay({ hour: match[1], minute: match[2], second: match[3], half: match[4] }));
  }
  for (const match of text.matchAll(hourOnly)) {
    const minute = match[3] ?? match[4] ?? match[5] ?? (match[6] === undefined ? '0' : '30');
    add(match, timeOfDay({ hour: match[1], minute, second: undefined, half: match[2] }));
  }
  return tokens;
}

function timeOfDay(parts: {
  readonly hour: string | undefined;
  readonly minute: string | undefined;
  readonly second: string | undefined;
  readonly half: string | undefined;
}): string | null {
  const half = parts.half?.toLowerCase();
  const given = Number(parts.hour);
  const hour = half === undefined ? given : (given % 12) + (half === 'p' ? 12 : 0);
  if (hour > 24 || Number(parts.minute) > 59) return null;
  const two = (value: number | string | undefined) => String(value ?? '').padStart(2, '0');
  const seconds = parts.second === undefined ? '' : `:${two(parts.second)}`;
  return `${two(hour)}:${two(parts.minute)}${seconds}`;
}
