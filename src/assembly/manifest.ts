// The manifest (design M1, M2): what was prepared, as snake_case JSON without any memory or question text.

import { optionalSlices } from '../model/budget.ts';
import { MemoryError } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import type { Exclusion, LoopJson, Manifest, ManifestMemory, Totals } from '../model/manifest.ts';
import type { Plan } from '../model/plan.ts';
import type { ChatRequest } from '../model/window.ts';
import type { AssemblyInput } from './assembly_input.ts';
import { fixedTotal, reservedTokens } from './budget/reserve.ts';
import { budgetJson } from './budget_json.ts';
import { codeHash } from './code_hash.ts';
import { dependenciesOf } from './dependencies.ts';
import type { Filling } from './fill.ts';
import type { Seat } from './fit.ts';
import type { FixedSlices } from './fixed_slices.ts';
import { contentHash, sha256Hex } from './hash.ts';
import { prefixHash, requestHash } from './render/request.ts';
import type { RequiredFact } from './select/selection.ts';
import { rendererVersion, selectionVersion } from './version.ts';

/** What a finished window is made of. */
export interface WindowParts {
  readonly fixed: FixedSlices;
  readonly required: readonly RequiredFact[];
  /** In rendering order. */
  readonly seats: readonly Seat[];
  readonly filling: Filling;
  readonly excluded: readonly Exclusion[];
  readonly request: ChatRequest;
  readonly requestTokens: number;
}

/** The manifest of a window. Throws `internal` when a token is not accounted for (design B7). */
export function windowManifest(input: AssemblyInput, parts: WindowParts): Manifest {
  const { fixed, filling, seats } = parts;
  return {
    ...recordOf(input),
    kind: 'window',
    allocation: filling.allocation,
    required_refs: parts.required.map(({ fact }) => fact.candidate.memory.ref),
    prefix: fixed.entries,
    memories: seats.map(memoryJson),
    excluded: parts.excluded,
    dependencies: dependenciesOf(fixed.entries, seats),
    prefix_hash: prefixHash(parts.request),
    request_hash: requestHash(parts.request),
    loop: null,
    totals: windowTotals(input, parts),
  };
}

/** What a finished tool result is made of. */
export interface ResultParts {
  /** In the order shown. */
  readonly seats: readonly Seat[];
  readonly excluded: readonly Exclusion[];
  readonly request: ChatRequest;
  /** Tokens of the next request; 0 in an implicit run. */
  readonly requestTokens: number;
  readonly cost: number;
  /** Tokens of the run before the call. */
  readonly tokensBefore: number;
  readonly loop: LoopJson;
}

/**
 * The manifest of a tool result. Its pot is what the run had left: in totals, usable_context is the tokens before the
 * call, optional_used the cost of the whole text block, left what the run keeps; nothing is reserved or fixed. The
 * rows of the prefix stand in the window's own manifest.
 */
export function resultManifest(input: AssemblyInput, parts: ResultParts): Manifest {
  return {
    ...recordOf(input),
    kind: 'tool_result',
    allocation: {},
    required_refs: [],
    prefix: [],
    memories: parts.seats.map(memoryJson),
    excluded: parts.excluded,
    dependencies: dependenciesOf([], parts.seats),
    prefix_hash: prefixHash(parts.request),
    request_hash: requestHash(parts.request),
    loop: parts.loop,
    totals: accounted({
      usable_context: parts.tokensBefore,
      reserves: 0,
      fixed: { guidelines: 0, persona: 0, tool_surface: 0, current_question: 0 },
      fixed_total: 0,
      optional_used: parts.cost,
      left: parts.loop.tokens_left,
      request: parts.requestTokens,
      provider_count: input.record.providerCount,
    }),
  };
}

/** What is recorded of the inputs, the same for windows and tool results. */
function recordOf(input: AssemblyInput) {
  const { policy, retrieval, plan, record } = input;
  return {
    manifest_id: record.manifestId,
    mode: record.mode,
    incarnation: record.incarnation,
    scn: record.scn,
    renderer_version: rendererVersion,
    selection_version: selectionVersion,
    code_hash: codeHash,
    encoding: policy.budget.encoding,
    evaluation_time: input.evaluationTime,
    budget_ref: policy.ref,
    retrieval_ref: retrieval.ref,
    budget: budgetJson(policy.budget),
    intent: plan.intent,
    plan: planJson(plan, input.question),
    round: record.round,
    run_id: record.runId,
    client: record.client === null ? null : { name: record.client.name, version: record.client.version },
    model: record.model,
    embedder: record.embedder,
    reranker: record.reranker,
    fallbacks: record.fallbacks,
  };
}

/** The plan by its ids; the question only as a hash, and no aliases, which are memory text. */
function planJson(plan: Plan, question: string): JsonObject {
  const range = plan.timeRange;
  return {
    intent: plan.intent,
    subjects: plan.subjects.map(({ subject }) => subject),
    predicates: plan.predicates,
    collections: plan.collections,
    time_range: range === null ? null : { from: range.from, until: range.until },
    question_hash: sha256Hex(question),
  };
}

function memoryJson(seat: Seat, position: number): ManifestMemory {
  const { seated } = seat;
  return {
    id: seated.id,
    ref: seated.memory.ref,
    type: seated.memory.type,
    status: seated.status,
    slice: seat.slice,
    position,
    tier: seated.tier,
    tokens: seated.tokens,
    content_hash: contentHash(seated.memory),
    scores: seat.scores,
    origin: seat.origin,
    admitted_by: seat.admittedBy,
    annotation_refs: seated.annotations.flatMap((annotation) =>
      annotation.kind === 'stale' ? [{ current: annotation.current, source: annotation.source }] : [],
    ),
    contradicted_by: seated.annotations.flatMap((annotation) =>
      annotation.kind === 'contradicted' ? [annotation.by] : [],
    ),
    compression: seat.compression?.id ?? null,
  };
}

function windowTotals(input: AssemblyInput, parts: WindowParts): Totals {
  const { budget } = input.policy;
  const { allocation } = parts.filling;
  const seated = parts.seats.reduce((total, { seated: memory }) => total + memory.tokens, 0);
  const used = optionalSlices.reduce((total, slice) => total + allocation[slice].used, 0);
  if (seated !== used) throw unaccounted({ seated, used });
  return accounted({
    usable_context: budget.usableContext,
    reserves: reservedTokens(budget),
    fixed: parts.fixed.tokens,
    fixed_total: fixedTotal(parts.fixed.tokens),
    optional_used: used,
    left: optionalSlices.reduce((total, slice) => total + allocation[slice].left, 0),
    request: parts.requestTokens,
    provider_count: input.record.providerCount,
  });
}

/** Asserts usable_context = reserves + fixed + optional used + left (design B7). */
function accounted(totals: Totals): Totals {
  const sum = totals.reserves + totals.fixed_total + totals.optional_used + totals.left;
  if (sum !== totals.usable_context) throw unaccounted({ sum, usable_context: totals.usable_context });
  return totals;
}

function unaccounted(figures: JsonObject): MemoryError {
  return new MemoryError('internal', 'The tokens of the assembly do not add up.', figures);
}
