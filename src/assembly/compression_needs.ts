// Which memories need a compression before the pure step (design C1), and how long it may be.

import type { Budget, OptionalSlice } from '../model/budget.ts';
import { type Memory, type Ref, refKey, type SeatableType } from '../model/memory.ts';
import { fullText } from '../model/memory_text.ts';
import { intents } from '../model/plan.ts';
import type { CountTokens } from '../model/window.ts';
import type { AssemblyInput } from './assembly_input.ts';
import { allot, type SliceTokens } from './budget/allocate.ts';
import { chargeFixed } from './budget/reserve.ts';
import { hasOwnSummary, isUsable } from './fit.ts';
import { type FixedInput, fixedSlicesOf } from './fixed_slices.ts';
import { select } from './select/select.ts';
import type { Selected } from './select/selection.ts';

/** A memory that needs a summary, and how many tokens that may have. */
export interface CompressionNeed {
  readonly ref: Ref;
  readonly text: string;
  readonly maxTokens: number;
}

/** Slices whose memories have a summary tier; the tail shows turns whole or not at all (design S7). */
const compressible: readonly OptionalSlice[] = ['durable_facts', 'evidence', 'recalled_history'];

/** The slice in which each type is shown in part. */
const sliceOf: Readonly<Record<SeatableType, OptionalSlice>> = {
  entity: 'durable_facts',
  workflow: 'durable_facts',
  chunk: 'evidence',
  summary: 'recalled_history',
  conversation: 'recalled_history',
};

/**
 * The surviving candidates that are larger than their slice's own allotment (without carry) and have no shorter text
 * that fits it: each is to be compressed to at most half of the allotment. Required facts enter whole and need none;
 * guidelines are no candidates, and a tool result has no allotments. Empty where the policy does not compress.
 * Order: slice by slice, as seated. Throws what {@link chargeFixed} and {@link allot} throw.
 */
export function compressionNeeds(input: AssemblyInput): readonly CompressionNeed[] {
  const { budget } = input.policy;
  if (!budget.compress || 'loop' in input) return [];
  const selection = select(input);
  const required = new Set(selection.required.map(({ fact }) => refKey(fact.candidate.memory.ref)));
  const { tokens } = allot(budget, input.plan.intent, chargeFixed(budget, fixedSlicesOf(input).tokens));
  return compressible.flatMap((slice) =>
    selection.slices[slice]
      .filter(({ candidate }) => !required.has(refKey(candidate.memory.ref)))
      .filter((selected) => needsCompression(selected, tokens[slice], input.countTokens))
      .map(({ candidate: { memory } }) => needWithin(memory, tokens[slice])),
  );
}

function needWithin(memory: Memory, allotted: number): CompressionNeed {
  return { ref: memory.ref, text: fullText(memory), maxTokens: Math.floor(allotted / 2) };
}

function needsCompression({ candidate }: Selected, allotted: number, countTokens: CountTokens): boolean {
  const { memory, cachedTokens, compression } = candidate;
  if (Math.floor(allotted / 2) === 0) return false;
  if ((cachedTokens.full ?? lengthBound(memory, countTokens, allotted)) <= allotted) return false;
  if (isShortByItself(memory, allotted, countTokens)) return false;
  return compression === null || compression.tokens > allotted || !isUsable(compression, memory);
}

function isShortByItself(memory: Memory, allotted: number, countTokens: CountTokens): boolean {
  return hasOwnSummary(memory) && countTokens(memory.summary) <= allotted;
}

/** Tokens of the full text; a text with fewer bytes than the limit has tokens needs no counting. */
function lengthBound(memory: Memory, countTokens: CountTokens, limit: number): number {
  const text = fullText(memory);
  const mostBytes = text.length * 3;
  return mostBytes <= limit ? mostBytes : countTokens(text);
}

/**
 * The smallest allotment that a memory of each type can meet in a window of this scope, over all intents: a longer one
 * needs a compression sooner or later. Types whose slice has nothing, or whose policy does not compress, are absent.
 * Throws `slice_overflow` where the prefix alone is too large.
 */
export function compressionLimits(input: FixedInput, budget: Budget): ReadonlyMap<SeatableType, number> {
  if (!budget.compress) return new Map();
  const remainder = chargeFixed(budget, fixedSlicesOf(input).tokens);
  const allotments = intents
    .filter((intent) => Object.hasOwn(budget.shares, intent) || intent !== 'comparison' || 'default' in budget.shares)
    .map((intent) => allot(budget, intent, remainder).tokens);
  const types = Object.keys(sliceOf) as readonly SeatableType[];
  return new Map(types.flatMap((type) => limitOf(type, allotments)));
}

function limitOf(type: SeatableType, allotments: readonly SliceTokens[]): readonly (readonly [SeatableType, number])[] {
  const usable = allotments.map((tokens) => tokens[sliceOf[type]]).filter((tokens) => tokens >= 2);
  return usable.length === 0 ? [] : [[type, Math.min(...usable)]];
}

/** What a memory that is longer than its type's limit needs, or null where its own summary is short enough. */
export function needOf(memory: Memory, limit: number, countTokens: CountTokens): CompressionNeed | null {
  return isShortByItself(memory, limit, countTokens) ? null : needWithin(memory, limit);
}
