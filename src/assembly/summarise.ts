// Compression, the pure part (design C1): which candidates need a summary, and the built-in extractive summariser.

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
import { sentencesOf } from './sentences.ts';

/** Who makes the summaries of {@link summarise}; stored with each (design C1). */
export const summariserIdentity = { model: 'builtin-extractive-1', promptVersion: '1' } as const;

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

interface Scored {
  readonly index: number;
  readonly score: number;
}

/** After so many sentences in a row that do not fit, the rest is not tried. */
const maxMisses = 40;

/**
 * An extractive summary (design C1): whole sentences of the text, verbatim and in their order, at most `maxTokens`
 * tokens; empty when none fits. Sentences count for the words they share with others, and for the identifiers,
 * numbers and dates that they hold. Deterministic: arithmetic only, ties by position.
 */
export function summarise(text: string, maxTokens: number, countTokens: CountTokens): string {
  const sentences = sentencesOf(text);
  const kept = new Set<number>();
  let spent = 0;
  let misses = 0;
  for (const { index } of rank(sentences.map((sentence) => sentence.text))) {
    if (misses >= maxMisses) break;
    const sentence = sentences[index]?.text ?? '';
    // One token for what joins it to the next one; the whole is counted once more below.
    const tokens = sentence.length > (maxTokens - spent) * 128 ? Infinity : countTokens(sentence) + 1;
    if (spent + tokens > maxTokens + 1) {
      misses += 1;
      continue;
    }
    misses = 0;
    spent += tokens;
    kept.add(index);
  }
  const order = [...kept];
  for (;;) {
    const summary = joined(sentences, new Set(order));
    if (summary === '' || countTokens(summary) <= maxTokens) return summary;
    order.pop();
  }
}

function joined(sentences: ReturnType<typeof sentencesOf>, kept: ReadonlySet<number>): string {
  let summary = '';
  let line = -1;
  for (const [index, sentence] of sentences.entries()) {
    if (!kept.has(index)) continue;
    if (summary !== '') summary += sentence.line === line ? ' ' : '\n';
    summary += sentence.text;
    line = sentence.line;
  }
  return summary;
}

const term = /[\p{L}\p{N}]+(?:[._:/@#-][\p{L}\p{N}]+)*/gu;

/** Numbers, dates, codes and identifiers: what a paraphrase would lose. */
const exact = /\p{N}|[_:/@#]|^\p{Lu}{2,}$/u;

/** Sentences by score, best first, then by position. */
function rank(sentences: readonly string[]): readonly Scored[] {
  const termsOf = sentences.map((sentence) => new Set(sentence.match(term) ?? []));
  const sentencesWith = new Map<string, number>();
  for (const terms of termsOf) {
    for (const word of terms) sentencesWith.set(word.toLowerCase(), (sentencesWith.get(word.toLowerCase()) ?? 0) + 1);
  }
  const weightOf = (word: string): number => {
    const count = sentencesWith.get(word.toLowerCase()) ?? 0;
    // A word that half of many sentences hold says nothing about any of them.
    const common = sentences.length >= 4 && count * 2 > sentences.length;
    return common ? 0 : (count - 1) / (count + 1);
  };
  return termsOf
    .map((terms, index) => {
      let central = 0;
      let precise = 0;
      for (const word of terms) {
        central += weightOf(word);
        if (exact.test(word)) precise += 1;
      }
      return { index, score: central / (terms.size + 5) + Math.min(4, precise) / 10 + (index === 0 ? 0.1 : 0) };
    })
    .toSorted((a, b) => b.score - a.score || a.index - b.index);
}
