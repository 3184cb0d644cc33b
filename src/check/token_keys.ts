// By which keys a token is found again (design K1): what a memory offers, and what an answer asks for.

import type { DateReading, DateToken, TimeToken } from './dates.ts';
import type { NumberReading, NumberToken } from './numbers.ts';
import type { Token } from './tokens.ts';

/** Keys of which one must be offered; `both`: all of these will do as well. */
export interface Wanted {
  readonly any: readonly string[];
  readonly both: readonly (readonly string[])[];
}

/** Everything that a token of a memory answers to. Names and exact texts are found by their words instead. */
export function offeredKeys(token: Token): readonly string[] {
  switch (token.kind) {
    case 'number':
      return [...token.readings, ...token.parts.flat()].flatMap(offeredNumber);
    case 'date':
      return token.readings.flatMap(offeredDate);
    case 'time':
      return token.times.flatMap((time) => [`time ${time}`, `time ${time.slice(0, 5)}`]);
    case 'code':
      return offeredCode(token.key);
    case 'name':
    case 'quote':
      return [];
    default:
      throw token satisfies never;
  }
}

function offeredNumber({ raw, base, measure }: NumberReading): readonly string[] {
  const kind = measure ?? 'plain';
  return [`number ${raw} ${kind}`, `number ${raw} any`, `base ${base} ${kind}`];
}

/** A date answers to all that is said less exactly: the month, the day without its year, the year as a number. */
function offeredDate({ year, month, day }: DateReading): readonly string[] {
  const keys: string[] = [];
  const monthDay = `${month}-${day}`;
  if (year !== null) keys.push(...offeredNumber({ raw: String(year), base: String(year), measure: null }));
  if (year !== null && month !== null) keys.push(`date ${year}-${month}`);
  if (year !== null && month !== null && day !== null) keys.push(`date ${year}-${monthDay}`);
  if (month !== null) keys.push(`month ${month}`);
  if (month !== null && day !== null) keys.push(`day ${monthDay}`);
  if (year === null && month !== null) keys.push(day === null ? `yearless ${month}` : `yearless ${monthDay}`);
  return keys;
}

/** An identifier answers to its whole and to the last part of its path. */
function offeredCode(key: string): readonly string[] {
  const last = key.replace(/\/$/, '').split('/').at(-1) ?? key;
  return last === key ? [`code ${key}`] : [`code ${key}`, `code ${last}`];
}

/** What must be offered for a token of an answer to be supported. */
export function wantedKeys(token: NumberToken | DateToken | TimeToken): Wanted {
  switch (token.kind) {
    case 'number':
      return wantedNumber(token);
    case 'date':
      return wantedDate(token);
    case 'time':
      return { any: token.times.map((time) => `time ${time}`), both: [] };
    default:
      throw token satisfies never;
  }
}

function wantedNumber(token: NumberToken): Wanted {
  const wanted = token.readings.map(wantedReading);
  const halves = token.parts.map((readings) => readings.flatMap((reading) => wantedReading(reading).any));
  const inHalves = halves.length === 0 ? [] : [halves.flatMap((keys) => keys.slice(0, 1))];
  return { any: wanted.flatMap(({ any }) => any), both: [...wanted.flatMap(({ both }) => both), ...inHalves] };
}

/** A number without unit is any such number; one with a unit needs it beside the number, or as the unit of a column. */
function wantedReading({ raw, base, measure }: NumberReading): Wanted {
  if (measure === null) return { any: [`number ${raw} any`, `base ${base} percent`], both: [] };
  const any = [`base ${base} ${measure}`, ...(measure === 'percent' ? [`base ${base} plain`] : [])];
  return { any, both: [[`number ${raw} plain`, `measure ${measure}`]] };
}

function wantedDate(token: DateToken): Wanted {
  const any: string[] = [];
  const both: string[][] = [];
  for (const { year, month, day } of token.readings) {
    const rest = day === null ? `${month}` : `${month}-${day}`;
    if (year === null) any.push(day === null ? `month ${month}` : `day ${rest}`);
    else if (month === null) any.push(`number ${year} any`);
    else {
      any.push(`date ${year}-${rest}`);
      both.push([`yearless ${rest}`, `number ${year} any`]);
    }
  }
  return { any, both };
}
