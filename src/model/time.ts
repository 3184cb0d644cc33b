// Instants as fixed-width UTC text with microseconds: order of text is order of time.

import { MemoryError } from './errors.ts';

declare const brand: unique symbol;

/** `YYYY-MM-DDTHH:MM:SS.ffffffZ`, always 27 characters, so that comparing code units compares time. */
export type Instant = string & { readonly [brand]: 'Instant' };

/** The one instant at which a window is judged (`t` of the design). */
export type EvaluationTime = Instant;

const instantForm = /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,6}))?(Z|[+-]\d{2}(?::?\d{2})?)$/;

/** Reads ISO 8601 text with a zone (naive times are refused) into an instant. Throws `invalid_argument`. */
export function instant(text: string, field = 'time'): Instant {
  const parts = instantForm.exec(text);
  if (parts === null) {
    throw new MemoryError('invalid_argument', `The ${field} must look like 2026-09-28T12:00:00Z, with its zone.`, {
      field,
    });
  }
  const [, year, month, day, hour, minute, second, fraction = '', zone = 'Z'] = parts;
  const numbers = [year, month, day, hour, minute, second].map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const utc = Date.UTC(numbers[0], numbers[1] - 1, numbers[2], numbers[3], numbers[4], numbers[5]);
  const check = new Date(utc);
  if (
    check.getUTCMonth() !== numbers[1] - 1 ||
    check.getUTCDate() !== numbers[2] ||
    numbers[3] > 23 ||
    numbers[4] > 59 ||
    numbers[5] > 59
  ) {
    throw new MemoryError('invalid_argument', `The ${field} is not a date of the calendar.`, { field });
  }
  return instantFromMicros((utc - offsetMinutes(zone) * 60_000) * 1000 + Number(fraction.padEnd(6, '0')));
}

function offsetMinutes(zone: string): number {
  if (zone === 'Z') return 0;
  const sign = zone.startsWith('-') ? -1 : 1;
  return sign * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3).replace(':', '') || '0'));
}

/** Whole microseconds since 1970, exact (below 2^53 until the year 2255). */
export function microsOf(time: Instant): number {
  const millis = Date.UTC(
    Number(time.slice(0, 4)),
    Number(time.slice(5, 7)) - 1,
    Number(time.slice(8, 10)),
    Number(time.slice(11, 13)),
    Number(time.slice(14, 16)),
    Number(time.slice(17, 19)),
  );
  return millis * 1000 + Number(time.slice(20, 26));
}

/** The instant of whole microseconds since 1970. */
export function instantFromMicros(micros: number): Instant {
  const millis = Math.floor(micros / 1000);
  const rest = micros - millis * 1000;
  const date = new Date(millis);
  const pad = (value: number, width: number) => String(value).padStart(width, '0');
  const day = `${pad(date.getUTCFullYear(), 4)}-${pad(date.getUTCMonth() + 1, 2)}-${pad(date.getUTCDate(), 2)}`;
  const clock = `${pad(date.getUTCHours(), 2)}:${pad(date.getUTCMinutes(), 2)}:${pad(date.getUTCSeconds(), 2)}`;
  return `${day}T${clock}.${pad(date.getUTCMilliseconds(), 3)}${pad(rest, 3)}Z` as Instant;
}
