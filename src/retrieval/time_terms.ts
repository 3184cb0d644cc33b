// How a range of time meets the dates of rows (design Q1): each row is indexed by its day and month, a range asks for those.

import type { TimeRange } from '../model/plan.ts';
import { type Instant, instantFromMicros } from '../model/time.ts';

/** A range asks for at most so many days and months, the latest ones. */
const mostTerms = 60;

/** An end that the question leaves open is taken so many months before the other one. */
const openMonths = 48;

/** The term of a row's day, UTC: `2026-09-21`. */
export function dayTerm(time: Instant): string {
  return time.slice(0, 10);
}

/** The term of a row's month, UTC: `2026-09`. */
export function monthTerm(time: Instant): string {
  return time.slice(0, 7);
}

/**
 * The terms of a range, latest first: whole months as months, the rest by days. No start means a few years, no end the
 * day of the evaluation time. A term stands in the date field of exactly the rows of its day or month.
 */
export function timeTerms({ from, until }: TimeRange, evaluationTime: Instant): readonly string[] {
  const end = until ?? addDays(evaluationTime, 1);
  const start = from ?? addMonths(end, -openMonths);
  const terms: string[] = [];
  let at = end;
  while (at > start && terms.length < mostTerms) {
    const month = startOfMonth(addDays(at, -1));
    if (month >= start && addMonths(month, 1) === at) {
      terms.push(monthTerm(month));
      at = month;
    } else {
      at = addDays(at, -1);
      terms.push(dayTerm(at));
    }
  }
  return terms;
}

function startOfMonth(time: Instant): Instant {
  return addMonths(time, 0);
}

/** The start of the day so many days later. */
function addDays(time: Instant, days: number): Instant {
  const [year, month, day] = [Number(time.slice(0, 4)), Number(time.slice(5, 7)), Number(time.slice(8, 10))];
  return instantFromMicros(Date.UTC(year, month - 1, day + days) * 1000);
}

/** The start of the month so many months later. */
function addMonths(time: Instant, months: number): Instant {
  return instantFromMicros(Date.UTC(Number(time.slice(0, 4)), Number(time.slice(5, 7)) - 1 + months, 1) * 1000);
}
