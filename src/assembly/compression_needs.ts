// Which candidates need a compression before the pure step (design C1), and how long it may be.

import type { OptionalSlice } from '../model/budget.ts';
import { type Memory, type Ref, refKey } from '../model/memory.ts';
import { fullText } from '../model/memory_text.ts';
import type { CountTokens } from '../model/window.ts';
import type { AssemblyInput } from './assembly_input.ts';
import { allot } from './budget/allocate.ts';
import { chargeFixed } from './budget/reserve.ts';
import { hasOwnSummary, isUsable } from './fit.ts';
import { fixedSlicesOf } from './fixed_slices.ts';
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
      .map(({ candidate: { memory } }) => ({
        ref: memory.ref,
        text: fullText(memory),
        maxTokens: Math.floor(tokens[slice] / 2),
      })),
  );
}

function needsCompression({ candidate }: Selected, allotted: number, countTokens: CountTokens): boolean {
  const { memory, cachedTokens, compression } = candidate;
  if (Math.floor(allotted / 2) === 0) return false;
  if ((cachedTokens.full ?? lengthBound(memory, countTokens, allotted)) <= allotted) return false;
  if (hasOwnSummary(memory) && countTokens(memory.summary) <= allotted) return false;
  return compression === null || compression.tokens > allotted || !isUsable(compression, memory);
}

/** Tokens of the full text; a text with fewer bytes than the limit has tokens needs no counting. */
function lengthBound(memory: Memory, countTokens: CountTokens, limit: number): number {
  const text = fullText(memory);
  const mostBytes = text.length * 3;
  return mostBytes <= limit ? mostBytes : countTokens(text);
}
