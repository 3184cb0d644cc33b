// The JSON of what a retrieval event keeps for replay (design R1, M1): short, because it names every candidate.

import { z } from 'zod';
import { optionalSlices } from '../model/budget.ts';
import { tiers } from '../model/candidate.ts';
import type { RerankScore } from '../model/candidate.ts';
import { rowId } from '../model/ids.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import { memoryTypes } from '../model/memory.ts';
import type { Ref } from '../model/memory.ts';
import { intents } from '../model/plan.ts';
import type { Plan } from '../model/plan.ts';
import type { MeasuredRow, ReplayRecord, ShownRecord } from '../model/replay.ts';
import { instantOf, orNull } from './rows.ts';

/** Names the form below; a record of another form is one that this program cannot read. */
const form = 1;

/** The record as JSON, for the key `replay` of a retrieval event; its plan stands in the event already. */
export function replayColumns(record: Omit<ReplayRecord, 'plan'>): JsonObject {
  const { shown } = record;
  return {
    form,
    roles: record.roles,
    oauth_scopes: record.oauthScopes,
    sought: record.sought,
    rows: record.rows.map(rowColumns),
    shown: shown === null ? null : shownColumns(shown),
  };
}

/** [ref, slice, fused, rerank, origin], then what few rows have: linked from, compression. */
function rowColumns(row: MeasuredRow): JsonValue {
  const { ref, slice, measured, origin, linkedFrom, compression } = row;
  const always: readonly JsonValue[] = [[...ref], slice, measured.fused, scoreColumns(measured.rerank), origin];
  if (linkedFrom === null && compression === null) return always;
  const link = linkedFrom === null ? null : [[...linkedFrom.ref], linkedFrom.relation, linkedFrom.direction];
  return [...always, link, compression === null ? null : [compression.id, compression.textHash]];
}

/** A logit is one number, a score has its bounds. */
function scoreColumns(score: RerankScore | null): JsonValue {
  if (score === null) return null;
  return score.kind === 'logit' ? [score.value] : [score.value, score.low, score.high];
}

function shownColumns(shown: ShownRecord): JsonObject {
  return {
    handler: shown.handler,
    order: shown.order,
    limit: shown.limit,
    tiers: shown.tiers,
    more_hint: shown.moreHint,
    admitted_by: shown.admittedBy,
    named: shown.named.map((ref) => [...ref]),
    shape: shown.shape === null ? null : shapeColumns(shown.shape),
    transcript: { has_initial: shown.transcript.hasInitial, calls: shown.transcript.calls },
    loop: {
      kind: shown.loop.kind,
      tokens_left: shown.loop.tokensLeft,
      rounds_left: shown.loop.roundsLeft,
      max_tool_result_tokens: shown.loop.maxToolResultTokens,
    },
  };
}

function shapeColumns({ kind, documentUrl, askedId }: NonNullable<ShownRecord['shape']>): JsonObject {
  return { kind, document_url: documentUrl, asked_id: askedId ?? null };
}

const text = z.string();
const count = z.number().int().nonnegative();
const refRow = z
  .tuple([z.enum(memoryTypes), text, z.number().int()])
  .transform(([type, id, version]): Ref => [type, rowId(id), version]);
const scoreRow = z
  .union([z.tuple([z.number()]), z.tuple([z.number(), z.number(), z.number()])])
  .transform((parts): RerankScore => {
    if (parts.length === 1) return { kind: 'logit', value: parts[0] };
    return { kind: 'score', value: parts[0], low: parts[1], high: parts[2] };
  });
const linkRow = z
  .tuple([
    refRow,
    z.enum(['supersedes', 'refines', 'supports', 'contradicts', 'duplicates']),
    z.enum(['outgoing', 'incoming']),
  ])
  .transform(([ref, relation, direction]) => ({ ref, relation, direction }));
const compressionRow = z.tuple([text, text]).transform(([id, textHash]) => ({ id: rowId(id), textHash }));
const always = [
  refRow,
  z.enum(optionalSlices).nullable(),
  z.number(),
  scoreRow.nullable(),
  z.enum(['query', 'model']),
] as const;

const measuredRow = z
  .union([z.tuple([...always, linkRow.nullable(), compressionRow.nullable()]), z.tuple([...always])])
  .transform(([ref, slice, fused, rerank, origin, linkedFrom = null, compression = null]): MeasuredRow => {
    return { ref, slice, measured: { rerank, fused }, origin, linkedFrom, compression };
  });

const shapeRow = z
  .object({ kind: z.enum(['search', 'fetch']), document_url: text.nullable(), asked_id: text.nullable() })
  .transform(({ kind, document_url: documentUrl, asked_id: askedId }): ShownRecord['shape'] => {
    return { kind, documentUrl, ...(askedId === null ? {} : { askedId }) };
  });

const shownRow = z
  .object({
    handler: text,
    order: z.enum(['ranked', 'given']),
    limit: count,
    tiers: z.array(z.enum(tiers)),
    more_hint: text.nullable(),
    admitted_by: z.enum(['fit', 'requested']),
    named: z.array(refRow),
    shape: shapeRow.nullable(),
    transcript: z.object({ has_initial: z.boolean(), calls: z.array(text) }),
    loop: z.object({
      kind: z.enum(['window', 'implicit']),
      tokens_left: count,
      rounds_left: count,
      max_tool_result_tokens: count,
    }),
  })
  .transform(({ loop, more_hint, admitted_by, transcript, ...shown }): ShownRecord => {
    const { kind, tokens_left, rounds_left, max_tool_result_tokens } = loop;
    return {
      ...shown,
      moreHint: more_hint,
      admittedBy: admitted_by,
      transcript: { hasInitial: transcript.has_initial, calls: transcript.calls },
      loop: {
        kind,
        tokensLeft: tokens_left,
        roundsLeft: rounds_left,
        maxToolResultTokens: max_tool_result_tokens,
      },
    };
  });

const range = z.object({ from: text.nullable(), until: text.nullable() });
const planRow = z
  .object({
    intent: z.enum(intents),
    subjects: z.array(z.object({ subject: text, names: z.array(text) })),
    predicates: z.array(text),
    collections: z.array(text),
    timeRange: range.nullable(),
    languageHints: z.array(text),
  })
  .transform(({ timeRange, ...plan }): Plan => {
    const { from = null, until = null } = timeRange ?? {};
    const read = { from: orNull(from, instantOf), until: orNull(until, instantOf) };
    return { ...plan, timeRange: timeRange === null ? null : read };
  });

const recordRow = z.object({
  plan: planRow,
  replay: z.object({
    form: z.literal(form),
    roles: z.array(text),
    oauth_scopes: z.array(text).nullable(),
    sought: count,
    rows: z.array(measuredRow),
    shown: shownRow.nullable(),
  }),
});

/** The record in the payload of a retrieval event; null where there is none, or none that this program can read. */
export function replayRecordOf(payload: unknown): ReplayRecord | null {
  const read = recordRow.safeParse(payload).data;
  if (read === undefined) return null;
  const { roles, oauth_scopes, sought, rows, shown } = read.replay;
  return { plan: read.plan, roles, oauthScopes: oauth_scopes, sought, rows, shown };
}
