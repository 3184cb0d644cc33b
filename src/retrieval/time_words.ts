// Time words of a question, resolved against the evaluation time (design Q1): days, weeks, months, quarters and years, UTC.

import type { TimeRange } from '../model/plan.ts';
import { type Instant, instantFromMicros } from '../model/time.ts';

interface Day {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
}

/** A span of whole days: from the start of one to the start of another. */
interface Span {
  readonly from: Day;
  readonly until: Day;
}

interface Found extends Span {
  readonly at: number;
  readonly end: number;
}

const months = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];
const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const monthPattern = '(january|february|march|april|may|june|july|august|september|october|november|december)';
const units = '(day|week|month|quarter|year)s?';
const counts: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  twelve: 12,
  couple: 2,
  few: 3,
};
const countPattern = `(\\d{1,3}|${Object.keys(counts).join('|')})`;

/** Words of other languages, as the English ones that they mean. */
const translations: readonly (readonly [RegExp, string])[] = [
  [/\b(?:heute|aujourd'hui|hoy|hoje)\b|今日/g, ' today '],
  [/\b(?:gestern|ayer|ontem)\b|昨日/g, ' yesterday '],
  [
    /\b(?:letzten?|vergangenen?) woche\b|\bla semaine (?:derniere|passee)\b|\bla semana pasada\b|\ba? ?semana passada\b|先週/g,
    ' last week ',
  ],
  [
    /\b(?:letzten|vergangenen) monat\b|\ble mois (?:dernier|passe)\b|\bel mes pasado\b|\bo? ?mes passado\b|先月/g,
    ' last month ',
  ],
  [
    /\b(?:letztes|vergangenes) jahr\b|\bl'(?:annee derniere|an dernier)\b|\bel ano pasado\b|\bo? ?ano passado\b|昨年|去年/g,
    ' last year ',
  ],
];

type Resolve = (match: RegExpExecArray, today: Day) => Span | null;

/** Rules in the order tried; what one has read no later one reads again. */
const rules: readonly (readonly [RegExp, Resolve])[] = [
  [/\b(\d{4})-(\d{2})-(\d{2})\b/g, (match) => dayOf(Number(match[1]), Number(match[2]), Number(match[3]))],
  [/\b(\d{4})-(\d{2})\b/g, (match) => monthOf(Number(match[1]), Number(match[2]))],
  [
    new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${monthPattern}(?:,? (\\d{4}))?\\b`, 'g'),
    (match, today) => dayIn(match[3], { month: match[2], day: match[1] }, today),
  ],
  [
    new RegExp(`\\b${monthPattern} (\\d{1,2})(?:st|nd|rd|th)?(?:,? (\\d{4}))?\\b(?!\\d)`, 'g'),
    (match, today) => dayIn(match[3], { month: match[1], day: match[2] }, today),
  ],
  [
    new RegExp(`\\b${monthPattern},?(?: of)? (\\d{4})\\b`, 'g'),
    (match) => monthOf(Number(match[2]), monthNumber(match[1])),
  ],
  [
    new RegExp(
      `(?<=\\b(?:in|since|until|till|before|after|during|last|this|by|between|from|of|late|early|mid|and(?! may\\b)) )${monthPattern}\\b`,
      'g',
    ),
    (match, today) => monthOf(yearBefore(today, { month: monthNumber(match[1]), day: 1 }), monthNumber(match[1])),
  ],
  [/\bq([1-4])(?:,? (?:of )?(\d{4}))?\b/g, (match, today) => quarterOf(match[2], Number(match[1]), today)],
  [
    /(?<=\b(?:in|since|until|till|before|after|during|by|from|of) )((?:19|20)\d{2})\b/g,
    (match) => span([Number(match[1]), 1, 1], [Number(match[1]) + 1, 1, 1]),
  ],
  [/\bday before yesterday\b/g, (_, today) => days(today, -2, -1)],
  [/\byesterday\b/g, (_, today) => days(today, -1, 0)],
  [/\btoday\b/g, (_, today) => days(today, 0, 1)],
  [
    new RegExp(`\\b(?:last|past|previous) ${countPattern} (?:of )?${units}\\b`, 'g'),
    (match, today) => lastUnits(countOf(match[1]), match[2], today),
  ],
  [
    new RegExp(`\\b${countPattern} (?:of )?${units} ago\\b`, 'g'),
    (match, today) => unitsAgo(countOf(match[1]), match[2], today),
  ],
  [
    new RegExp(`\\b(this|last|past|previous) ${units}\\b`, 'g'),
    (match, today) => calendarUnit(match[1] === 'this' ? 0 : -1, match[2], today),
  ],
  [
    new RegExp(`\\b(?:last|on|this past) (${weekdays.join('|')})\\b`, 'g'),
    (match, today) => lastWeekday(weekdays.indexOf(match[1] ?? ''), today),
  ],
];

/**
 * The range of time that a question names, or null. `question` is in lower case without accents. `since`, `after`,
 * `before`, `until` leave one end open; two times with `between` or `from … to`, or with `and` between them, span both; else
 * the first one counts.
 */
export function timeRangeOf(question: string, evaluationTime: Instant): TimeRange | null {
  const today: Day = {
    year: Number(evaluationTime.slice(0, 4)),
    month: Number(evaluationTime.slice(5, 7)),
    day: Number(evaluationTime.slice(8, 10)),
  };
  const text = translations.reduce(
    (read, [pattern, english]) => read.replace(pattern, english),
    question.slice(0, 2_000),
  );
  const [first, second] = findTimes(text, today);
  if (first === undefined) return null;
  const before = text.slice(0, first.at);
  if (second !== undefined) {
    const joined = /^\s*(?:and|to|through|until|-|–)\s*$/.test(text.slice(first.end, second.at));
    if (joined || /\b(?:between|from)\s+$/.test(before)) return range(first.from, second.until);
  }
  if (/\b(?:since|starting|from)\s+(?:the\s+)?$/.test(before)) return range(first.from, null);
  if (/\bafter\s+(?:the\s+)?$/.test(before)) return range(first.until, null);
  if (/\bbefore\s+(?:the\s+)?$/.test(before)) return range(null, first.from);
  if (/\b(?:until|till|by|up to)\s+(?:the\s+)?$/.test(before)) return range(null, first.until);
  return range(first.from, first.until);
}

function findTimes(text: string, today: Day): readonly Found[] {
  const found: Found[] = [];
  for (const [pattern, resolve] of rules) {
    for (const match of text.matchAll(pattern)) {
      const end = match.index + match[0].length;
      if (found.some((other) => match.index < other.end && other.at < end)) continue;
      const resolved = resolve(match, today);
      if (resolved !== null) found.push({ ...resolved, at: match.index, end });
    }
  }
  return found.toSorted((a, b) => a.at - b.at);
}

function range(from: Day | null, until: Day | null): TimeRange | null {
  if (from !== null && until !== null && dayNumber(from) >= dayNumber(until)) return null;
  return { from: from === null ? null : startOf(from), until: until === null ? null : startOf(until) };
}

function startOf({ year, month, day }: Day): Instant {
  return instantFromMicros(Date.UTC(year, month - 1, day) * 1000);
}

// Whole days since 1970; months and days may lie outside their calendar and roll over.
function dayNumber({ year, month, day }: Day): number {
  return Date.UTC(year, month - 1, day) / 86_400_000;
}

function dayFromNumber(number: number): Day {
  const date = new Date(number * 86_400_000);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

function calendarDay([year, month, day]: readonly [number, number, number]): Day {
  return dayFromNumber(dayNumber({ year, month, day }));
}

function span(from: readonly [number, number, number], until: readonly [number, number, number]): Span {
  return { from: calendarDay(from), until: calendarDay(until) };
}

function days(today: Day, from: number, until: number): Span {
  const number = dayNumber(today);
  return { from: dayFromNumber(number + from), until: dayFromNumber(number + until) };
}

function dayOf(year: number, month: number, day: number): Span | null {
  const read = dayFromNumber(dayNumber({ year, month, day }));
  return read.month === month && read.day === day ? span([year, month, day], [year, month, day + 1]) : null;
}

function monthOf(year: number, month: number): Span | null {
  return month >= 1 && month <= 12 ? span([year, month, 1], [year, month + 1, 1]) : null;
}

function dayIn(
  year: string | undefined,
  named: { month: string | undefined; day: string | undefined },
  today: Day,
): Span | null {
  const [month, day] = [monthNumber(named.month), Number(named.day)];
  return dayOf(year === undefined ? yearBefore(today, { month, day }) : Number(year), month, day);
}

function quarterOf(year: string | undefined, quarter: number, today: Day): Span {
  const month = (quarter - 1) * 3 + 1;
  const of = year === undefined ? yearBefore(today, { month, day: 1 }) : Number(year);
  return span([of, month, 1], [of, month + 3, 1]);
}

// A month or day without a year is its latest one that has begun.
function yearBefore(today: Day, { month, day }: { month: number; day: number }): number {
  return month < today.month || (month === today.month && day <= today.day) ? today.year : today.year - 1;
}

function monthNumber(name: string | undefined): number {
  return months.indexOf(name ?? '') + 1;
}

function countOf(text: string | undefined): number {
  return counts[text ?? ''] ?? Number(text);
}

const monthsIn: Readonly<Record<string, number>> = { month: 1, quarter: 3, year: 12 };

function lastUnits(count: number, unit: string | undefined, today: Day): Span {
  const monthCount = monthsIn[unit ?? ''];
  if (monthCount === undefined) return days(today, -count * (unit === 'week' ? 7 : 1), 1);
  return {
    ...span([today.year, today.month - count * monthCount, today.day], [today.year, today.month, today.day + 1]),
  };
}

function unitsAgo(count: number, unit: string | undefined, today: Day): Span | null {
  if (unit === 'day') return days(today, -count, -count + 1);
  return calendarUnit(-count, unit, today);
}

/** The calendar's week (from Monday), month, quarter or year, `offset` from the one of today. */
function calendarUnit(offset: number, unit: string | undefined, today: Day): Span | null {
  if (unit === 'day') return days(today, offset, offset + 1);
  if (unit === 'week') {
    const sinceMonday = (dayNumber(today) + 3) % 7;
    return days(today, offset * 7 - sinceMonday, offset * 7 - sinceMonday + 7);
  }
  if (unit === 'month') return span([today.year, today.month + offset, 1], [today.year, today.month + offset + 1, 1]);
  if (unit === 'year') return span([today.year + offset, 1, 1], [today.year + offset + 1, 1, 1]);
  const start = today.month - ((today.month - 1) % 3) + offset * 3;
  return span([today.year, start, 1], [today.year, start + 3, 1]);
}

function lastWeekday(weekday: number, today: Day): Span {
  const current = (dayNumber(today) + 4) % 7;
  const back = (current - weekday + 6) % 7;
  return days(today, -back - 1, -back);
}
