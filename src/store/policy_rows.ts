// The policy rows (design 3, Q11, N4): guideline values `context_budget`, `context_retrieval` and `context_retention`,
// read strictly.

import { z } from 'zod';
import { optionalSlices, signalNames } from '../model/budget.ts';
import type { Budget, OptionalSlice, RetrievalPolicy } from '../model/budget.ts';
import { MemoryError } from '../model/errors.ts';
import type { JsonValue } from '../model/json.ts';
import { intents } from '../model/plan.ts';
import type { NewGuideline } from './written_rows.ts';

const tokens = z.number().int().nonnegative();
const count = z.number().int().positive();
const portion = z.number().min(0).max(1);
const weight = z.number().nonnegative();

const furthestFromOne = 1e-9;

function perSlice<Value extends z.ZodType>(value: Value) {
  return z.strictObject({
    durable_facts: value,
    evidence: value,
    recalled_history: value,
    volatile_tail: value,
  });
}

const shares = perSlice(portion).refine(
  (values) => Math.abs(optionalSlices.reduce((sum, slice) => sum + values[slice], 0) - 1) <= furthestFromOne,
  { message: 'the shares must sum to 1' },
);

const overflowOrder = z
  .array(z.enum(optionalSlices))
  .refine((order) => order.length === optionalSlices.length && new Set(order).size === order.length, {
    message: `must name each of ${optionalSlices.join(', ')} once`,
  });

const budgetRow = z
  .strictObject({
    usable_context: count,
    output_reserve: tokens,
    tool_reserve: tokens,
    request_overhead_reserve: tokens,
    max_rounds: count,
    max_tool_result_tokens: count,
    weights: z.strictObject({ rerank: weight, confidence: weight, recency: weight }),
    recency_days: z.number().positive(),
    shares: z
      .partialRecord(z.enum([...intents, 'default']), shares)
      .refine((byIntent) => Object.keys(byIntent).length > 0, { message: 'must hold shares for at least one intent' }),
    overflow_order: overflowOrder,
    evidence: z.strictObject({ max_per_document: count.default(3), near_duplicate: portion.default(0.8) }).prefault({}),
    candidate_caps: z
      .strictObject({
        durable_facts: tokens.default(50),
        evidence: tokens.default(200),
        recalled_history: tokens.default(12),
        volatile_tail: tokens.default(12),
      })
      .prefault({}),
    compress: z.boolean().default(true),
    required_corrections: z.union([z.boolean(), z.literal('drop_history')]).default(true),
    implicit_run: z
      .strictObject({
        max_rounds: count.default(20),
        tool_reserve: tokens.default(16_000),
        max_tool_result_tokens: count.default(2000),
        idle_seconds: count.default(300),
      })
      .prefault({}),
    weak_below: portion.default(0.4),
    encoding: z.literal('o200k_base').default('o200k_base'),
    hydration: z.record(z.string(), z.unknown()).optional(),
  })
  .refine((row) => row.output_reserve + row.tool_reserve + row.request_overhead_reserve <= row.usable_context, {
    path: ['usable_context'],
    message: 'must be at least the sum of output_reserve, tool_reserve and request_overhead_reserve',
  });

const retrievalRow = z.strictObject({
  fusion: z
    .strictObject({
      method: z.enum(['scaled_sum', 'reciprocal_rank']).default('scaled_sum'),
      weights: z.partialRecord(z.enum(signalNames), weight).default({}),
    })
    .prefault({}),
  rerank: z.strictObject({ candidates: tokens.default(400), deadline_ms: count.default(2000) }).prefault({}),
  hops: z.number().int().min(0).max(3).default(0),
});

const longestDays = 36_500;

const retentionRow = z.strictObject({
  classes: z
    .record(
      z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, { message: 'is no name of a class' }),
      z.number().int().positive().max(longestDays).nullable(),
    )
    .default({}),
  default: z.number().int().positive().max(longestDays).nullable().default(null),
  history_days: z.number().int().nonnegative().max(longestDays).nullable().default(null),
});

function parsed<Row extends z.ZodType>(row: Row, value: JsonValue, key: string): z.output<Row> {
  const result = row.safeParse(value);
  if (result.success) return result.data;
  const issue = firstIssue(result.error);
  const field = issue.path.length === 0 ? key : issue.path.map(String).join('.');
  throw new MemoryError('policy_invalid', `Guideline ${key}: ${field}: ${issue.message}.`, { guideline: key, field });
}

/** The first thing that is wrong, an unknown key by its own name. */
function firstIssue(error: z.ZodError): { readonly path: readonly PropertyKey[]; readonly message: string } {
  const issue = error.issues[0];
  if (issue === undefined) return { path: [], message: 'is not valid' };
  if (issue.code === 'unrecognized_keys') {
    return { path: [...issue.path, issue.keys[0] ?? ''], message: 'is not a key of this policy' };
  }
  return { path: issue.path, message: issue.message };
}

/** Reads a `context_budget` value, defaults filled in. Throws `policy_invalid` naming the field by its path. */
export function parseBudget(value: JsonValue): Budget {
  const row = parsed(budgetRow, value, 'context_budget');
  return {
    usableContext: row.usable_context,
    outputReserve: row.output_reserve,
    toolReserve: row.tool_reserve,
    requestOverheadReserve: row.request_overhead_reserve,
    maxRounds: row.max_rounds,
    maxToolResultTokens: row.max_tool_result_tokens,
    weights: row.weights,
    recencyDays: row.recency_days,
    shares: row.shares,
    overflowOrder: row.overflow_order satisfies readonly OptionalSlice[],
    evidence: { maxPerDocument: row.evidence.max_per_document, nearDuplicate: row.evidence.near_duplicate },
    candidateCaps: row.candidate_caps,
    compress: row.compress,
    requiredCorrections: row.required_corrections,
    implicitRun: {
      maxRounds: row.implicit_run.max_rounds,
      toolReserve: row.implicit_run.tool_reserve,
      maxToolResultTokens: row.implicit_run.max_tool_result_tokens,
      idleSeconds: row.implicit_run.idle_seconds,
    },
    weakBelow: row.weak_below,
    encoding: row.encoding,
  };
}

/** Reads a `context_retrieval` value, defaults filled in. Throws `policy_invalid` naming the field by its path. */
export function parseRetrieval(value: JsonValue): Omit<RetrievalPolicy, 'ref'> {
  const row = parsed(retrievalRow, value, 'context_retrieval');
  return {
    fusion: row.fusion,
    rerank: { candidates: row.rerank.candidates, deadlineMs: row.rerank.deadline_ms },
    hops: row.hops,
  };
}

/** How long things are kept, in days; null: for good. The database reads the row itself (schema/postgres/010). */
export interface Retention {
  /** By class; an event without one has its type as class. */
  readonly classes: Readonly<Record<string, number | null>>;
  /** Of a class that is not named. */
  readonly default: number | null;
  /** Of versions that were replaced. */
  readonly historyDays: number | null;
}

/** Reads a `context_retention` value, defaults filled in. Throws `policy_invalid` naming the field by its path. */
export function parseRetention(value: JsonValue): Retention {
  const row = parsed(retentionRow, value, 'context_retention');
  return { classes: row.classes, default: row.default, historyDays: row.history_days };
}

const policyReaders: Readonly<Record<string, (value: JsonValue) => unknown>> = {
  context_budget: parseBudget,
  context_retrieval: parseRetrieval,
  context_retention: parseRetention,
};

/** Refuses a policy row that could not be read back, or that is not the whole tenant's. Throws `policy_invalid`. */
export function checkPolicyRow(row: Pick<NewGuideline, 'key' | 'value' | 'userId' | 'agentId' | 'threadId'>): void {
  const read = Object.hasOwn(policyReaders, row.key) ? policyReaders[row.key] : undefined;
  if (read === undefined) return;
  if (row.userId !== null || row.agentId !== null || row.threadId !== null) {
    throw new MemoryError('policy_invalid', `Guideline ${row.key} is for a whole tenant: no user, agent or thread.`, {
      guideline: row.key,
      field: row.userId !== null ? 'user_id' : row.agentId !== null ? 'agent_id' : 'thread_id',
    });
  }
  read(row.value);
}
