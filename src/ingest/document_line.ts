// A line of a JSONL file: one document with what is said of it, checked strictly (design D7).

import { z } from 'zod';
import type { JsonObject } from '../model/json.ts';
import { instant } from '../model/time.ts';
import type { Instant } from '../model/time.ts';
import type { TextType } from './read_document.ts';

/** A document of a JSONL file; what is null is for the caller to say. */
export interface DocumentLine {
  readonly collection: string | null;
  readonly title: string | null;
  readonly sourceUri: string;
  readonly type: TextType;
  readonly text: string;
  readonly metadata: JsonObject;
  readonly validFrom: Instant | null;
  readonly validUntil: Instant | null;
}

/** A line that was read, or the field that is wrong (empty: the line as a whole) and in which way. */
export type ReadLine =
  | { readonly kind: 'document'; readonly document: DocumentLine }
  | { readonly kind: 'refused'; readonly field: string; readonly reason: string };

const text = z
  .string()
  .refine((value) => !value.includes('\u0000'), { message: 'holds the character U+0000' })
  .transform((value) => value.toWellFormed());
const filledText = text.refine((value) => value.trim() !== '', { message: 'is empty' });
const time = z.string().transform((value, context) => {
  try {
    return instant(value);
  } catch {
    context.addIssue({ code: 'custom', message: 'is no time such as 2026-09-28T12:00:00.000000Z' });
    return z.NEVER;
  }
});

const line = z
  .strictObject({
    collection: filledText.optional(),
    title: filledText.optional(),
    source_uri: filledText,
    type: z.enum(['text', 'markdown', 'html']).default('text'),
    text: filledText,
    metadata: z.record(z.string(), z.json()).default({}),
    valid_from: time.optional(),
    valid_until: time.optional(),
  })
  .transform(
    (given): DocumentLine => ({
      collection: given.collection ?? null,
      title: given.title ?? null,
      sourceUri: given.source_uri,
      type: given.type,
      text: given.text.replace(/\r\n?/g, '\n'),
      metadata: given.metadata as JsonObject,
      validFrom: given.valid_from ?? null,
      validUntil: given.valid_until ?? null,
    }),
  );

/** Reads a line. Neither the line nor a value of it stands in the reason. */
export function readDocumentLine(json: string): ReadLine {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return { kind: 'refused', field: '', reason: 'is no JSON' };
  }
  const parsed = line.safeParse(value);
  if (parsed.success) return { kind: 'document', document: parsed.data };
  const issue = parsed.error.issues[0];
  const path = issue?.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0] ?? ''] : (issue?.path ?? []);
  return { kind: 'refused', field: path.map(String).join('.'), reason: issue?.message ?? 'is not valid' };
}
