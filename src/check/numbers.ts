// Numbers of a text in whatever format (design K1): each with all the values that it can stand for, exact, with its unit.

import { decimalOf, shifted } from './decimal.ts';
import type { DecimalMark, Language } from './language.ts';
import { currencyBeforeNumber, suffixAt, type Unit } from './units.ts';

/** One value that a number can stand for. `base` is `raw` in the base of its measure: 92 % has raw 92 and base 0.92. */
export interface NumberReading {
  readonly raw: string;
  readonly base: string;
  readonly measure: string | null;
}

/** A number where it stands. `parts`: readings of its halves, where a space may part two numbers or group one. */
export interface NumberToken {
  readonly kind: 'number';
  readonly start: number;
  readonly end: number;
  readonly readings: readonly NumberReading[];
  readonly parts: readonly (readonly NumberReading[])[];
}

/** How a text writes numbers; null: not known. */
export interface NumberStyle {
  readonly mark: DecimalMark | null;
  readonly language: Language | null;
}

const number =
  /(?<![\p{Script=Latin}\d_])(?:\d{1,3}([ .,'_])\d{3}(?:\1\d{3})*(?:[.,]\d+)?(?![\d]|[.,]\d)|\d{1,8}[万億亿]\d{1,8}|\d+(?:[.,]\d+)?)/gu;

/** The numbers of a text, dates and identifiers blanked out before. */
export function numbersOf(text: string, style: NumberStyle): readonly NumberToken[] {
  const tokens: NumberToken[] = [];
  for (const match of text.matchAll(number)) {
    const [digits] = match;
    const isNegative = hasMinus(text, match.index);
    const start = match.index - (isNegative ? 1 : 0);
    const suffix = suffixAt(text, match.index + digits.length, style.language);
    const unit =
      suffix.unit ?? currencyBeforeNumber(text, start) ?? unitOfRange(text, match.index + digits.length, style);
    const scaled = { isNegative, power: suffix.power, unit };
    const token: NumberToken = {
      kind: 'number',
      start,
      end: suffix.end,
      readings: valuesOf(digits, style.mark).map((value) => reading(value, scaled)),
      parts: partsOf(digits, scaled),
    };
    tokens.push(token);
  }
  return tokens;
}

/** A minus sign is one only where no word or number is before it: `-5`, not `3-5`. */
function hasMinus(text: string, start: number): boolean {
  return text[start - 1] === '-' && (start === 1 || /[\s(:=|]/.test(text[start - 2] ?? ''));
}

const rangeAfter = /(?: ?- ?| (?:to|bis|à|a) )(\d+(?:[.,]\d+)?)/y;

/** The first number of a range has the unit of the second: `3-5 days`. */
function unitOfRange(text: string, end: number, style: NumberStyle): Unit | null {
  rangeAfter.lastIndex = end;
  const found = rangeAfter.exec(text);
  return found === null ? null : suffixAt(text, end + found[0].length, style.language).unit;
}

interface Scaled {
  readonly isNegative: boolean;
  readonly power: number;
  readonly unit: Unit | null;
}

interface Digits {
  readonly whole: string;
  readonly fraction: string;
}

function reading({ whole, fraction }: Digits, { isNegative, power, unit }: Scaled): NumberReading {
  const raw = decimalOf({ whole, fraction, isNegative }, power);
  return { raw, base: shifted(raw, unit?.shift ?? 0), measure: unit?.measure ?? null };
}

/** Every value that the digits can have: a single group of three after a point or comma is read by the style, or both ways. */
function valuesOf(digits: string, mark: DecimalMark | null): readonly Digits[] {
  const mixed = /^(\d+)([万億亿])(\d+)$/.exec(digits);
  if (mixed !== null) {
    const [, above = '', scale, below = ''] = mixed;
    return [{ whole: above + below.padStart(scale === '万' ? 4 : 8, '0'), fraction: '' }];
  }
  const marks = [...digits.matchAll(/[ .,'_]/g)].map(([found]) => found);
  const last = marks.at(-1);
  if (last === undefined) return [{ whole: digits, fraction: '' }];
  const grouped: Digits = { whole: digits.replace(/[ .,'_]/g, ''), fraction: '' };
  const place = digits.lastIndexOf(last);
  const parted: Digits = {
    whole: digits.slice(0, place).replace(/[ .,'_]/g, ''),
    fraction: digits.slice(place + 1),
  };
  if (last !== '.' && last !== ',') return [grouped];
  if (marks.length > 1) return [marks.every((found) => found === last) ? grouped : parted];
  const isGroup = /^[1-9]\d{0,2}[.,]\d{3}$/.test(digits);
  if (!isGroup) return [parted];
  if (mark === null) return [grouped, parted];
  return [(mark === 'point') === (last === '.') ? parted : grouped];
}

/** `2026 300` may be two numbers: then each of them is meant. */
function partsOf(digits: string, scaled: Scaled): NumberToken['parts'] {
  if (!digits.includes(' ')) return [];
  const parts = digits.split(' ');
  return parts.map((part, place) => {
    const isLast = place === parts.length - 1;
    const value = { whole: part, fraction: '' };
    return [reading(value, isLast ? scaled : { isNegative: false, power: 0, unit: null })];
  });
}

const numberWords: ReadonlyMap<string, string> = new Map(
  [
    'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty',
    'eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig',
    'un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf vingt',
    'uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte',
    'um dois três quatro cinco seis sete oito nove dez onze doze treze quatorze quinze dezesseis dezessete dezoito dezenove vinte',
  ].flatMap((list) => list.split(' ').map((name, place): readonly [string, string] => [name, String(place + 1)])),
);
const numberWord = /(?<![\p{L}\p{N}-])[\p{L}-]{2,12}(?![\p{L}\p{N}-])/gu;

/** Numbers written as words, one to twenty. In a memory each counts; in an answer only one that has a unit behind it. */
export function spelledNumbersOf(text: string, style: NumberStyle, manner: 'all' | 'measured'): readonly NumberToken[] {
  const tokens: NumberToken[] = [];
  for (const match of text.matchAll(numberWord)) {
    const value = numberWords.get(match[0].toLowerCase());
    if (value === undefined) continue;
    const suffix = suffixAt(text, match.index + match[0].length, style.language);
    const isMeasured = suffix.power > 0 || (suffix.unit !== null && suffix.unit.measure !== 'times');
    if (manner === 'measured' && (!isMeasured || value === '1')) continue;
    const scaled = { isNegative: false, power: suffix.power, unit: suffix.unit };
    const readings = [reading({ whole: value, fraction: '' }, scaled)];
    tokens.push({ kind: 'number', start: match.index, end: suffix.end, readings, parts: [] });
  }
  return tokens;
}
