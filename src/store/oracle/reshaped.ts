// Where this dialect's index tables are shaped differently, and with them what is written into them.

import { z } from 'zod';
import type { Parameter } from '../statements/session.ts';
import { signBits } from './sign_bits.ts';

const fourNumbers = z.tuple([z.number(), z.number(), z.number(), z.number()]);
const termEntries = z.array(z.looseObject({ lengths: fourNumbers, terms: z.record(z.string(), fourNumbers) }));
const vectorEntries = z.array(z.looseObject({ vector: z.string().nullable() }));

/** A caller's value as the statement of this dialect takes it; most are taken as they are. */
export function reshaped(statement: string, bind: string, value: Parameter): Parameter {
  if (bind !== 'entries' || typeof value !== 'string') return value;
  if (statement === 'insert_terms') return withTermRows(value);
  if (statement === 'insert_vectors') return withSignBits(value);
  return value;
}

/** Terms are rows of a table of their own, with a column for each field's count. */
function withTermRows(entries: string): string {
  const rows = termEntries
    .parse(JSON.parse(entries))
    .map(({ lengths: [title, date, body, context], terms, ...rest }) => ({
      ...rest,
      title_length: title,
      date_length: date,
      body_length: body,
      context_length: context,
      terms: Object.entries(terms).map(([term, [inTitle, inDate, inBody, inContext]]) => ({
        term,
        title_count: inTitle,
        date_count: inDate,
        body_count: inBody,
        context_count: inContext,
      })),
    }));
  return JSON.stringify(rows);
}

/** Signs are computed here, since the database has no way from one kind of vector to the other. */
function withSignBits(entries: string): string {
  const rows = vectorEntries.parse(JSON.parse(entries)).map((entry) => ({
    ...entry,
    bits: entry.vector === null ? null : bitsText(entry.vector),
  }));
  return JSON.stringify(rows);
}

function bitsText(vector: string): string {
  return `[${signBits(Float32Array.from(z.array(z.number()).parse(JSON.parse(vector)))).join(',')}]`;
}
