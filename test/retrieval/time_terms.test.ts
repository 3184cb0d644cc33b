// The terms by which a range of time meets the dates of rows (design Q1).
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rowId, tenantId, threadId, userId } from '../../src/model/ids.ts';
import { instant, instantFromMicros } from '../../src/model/time.ts';
import { indexEntry, noNeighbours } from '../../src/retrieval/index_entry.ts';
import { dayTerm, monthTerm, timeTerms } from '../../src/retrieval/time_terms.ts';

const now = instant('2026-09-28T12:00:00Z');
const day = (text: string) => instant(`${text}T00:00:00Z`);
const terms = (from: string | null, until: string | null) =>
  timeTerms({ from: from === null ? null : day(from), until: until === null ? null : day(until) }, now);

describe('terms of a range [Q1]', () => {
  it('are its whole months, and the days before and after them, latest first', () => {
    expect(terms('2026-09-21', '2026-09-23')).toEqual(['2026-09-22', '2026-09-21']);
    expect(terms('2026-07-01', '2026-08-01')).toEqual(['2026-07']);
    expect(terms('2026-02-27', '2026-04-02')).toEqual(['2026-04-01', '2026-03', '2026-02-28', '2026-02-27']);
    expect(terms('2025-01-01', '2026-01-01')).toHaveLength(12);
  });

  it('end on the day of the evaluation time, and begin some years before an end that stands alone', () => {
    expect(terms('2026-09-27', null)).toEqual(['2026-09-28', '2026-09-27']);
    const before = terms(null, '2026-05-01');
    expect([before[0], before.at(-1), before.length]).toEqual(['2026-04', '2022-05', 48]);
  });

  it('are bounded, and hold the day or month of a time exactly when it lies in the range', () => {
    const time = fc
      .integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2027, 0, 1) })
      .map((milliseconds) => instantFromMicros(milliseconds * 1000));
    fc.assert(
      fc.property(time, time, time, (a, b, row) => {
        const [from, until] = [a, b].map((end) => day(dayTerm(end))).toSorted() as [typeof a, typeof a];
        const found = timeTerms({ from, until }, now);
        expect(found.length).toBeLessThanOrEqual(60);
        const whole = found.length < 60;
        const holds = found.includes(dayTerm(row)) || found.includes(monthTerm(row));
        if (whole) expect(holds).toBe(row >= from && row < until);
        else if (holds) expect(row >= from && row < until).toBe(true);
      }),
    );
    expect(timeTerms({ from: day('1970-01-01'), until: now }, now)).toHaveLength(60);
  });

  it('stand in the date field of a turn', () => {
    const entry = indexEntry(
      {
        type: 'conversation',
        ref: ['conversation', rowId('t1'), 1],
        scope: { tenantId: tenantId('acme'), userId: userId('jane'), agentId: null, threadId: threadId('t') },
        lifecycle: {
          validFrom: now,
          validUntil: null,
          createdAt: now,
          deletedAt: null,
          supersededBy: null,
          quarantinedAt: null,
        },
        trust: 'stated',
        sourceEventId: null,
        role: 'user',
        speaker: null,
        text: 'We moved.',
        turnIndex: 1,
        runId: null,
      },
      noNeighbours,
      [],
    );
    for (const term of ['2026-09-28', '2026-09']) expect(entry.terms.get(term)?.[1]).toBe(1);
  });
});
