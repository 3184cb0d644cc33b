// The greedy fit (design F1): each candidate takes the first tier that fits, or is excluded with what it needed.

import type { OptionalSlice } from '../model/budget.ts';
import type { Compression, Status, Tier } from '../model/candidate.ts';
import type { AdmittedBy, Exclusion, ExclusionRule, ScoresJson } from '../model/manifest.ts';
import { type Memory, type Ref, refKey } from '../model/memory.ts';
import { fullText } from '../model/memory_text.ts';
import type { JsonObject } from '../model/json.ts';
import type { CountTokens, SeatedMemory } from '../model/window.ts';
import { contentHash } from './hash.ts';
import { citationIdOf } from './render/citation.ts';
import { renderMemory } from './render/memory.ts';
import { pointerText } from './render/pointer.ts';
import type { Selected } from './select/selection.ts';

/** A memory with a place, and how it came there. */
export interface Seat {
  readonly seated: SeatedMemory;
  /** The memory's text at its tier, not escaped. */
  readonly content: string;
  readonly slice: OptionalSlice | 'tool_results';
  readonly admittedBy: AdmittedBy;
  readonly scores: ScoresJson;
  readonly origin: 'query' | 'model';
  /** The compression that is shown, or null. */
  readonly compression: Compression | null;
}

/** One way of showing a memory. */
export interface Form {
  readonly tier: Tier;
  readonly content: string;
  readonly compression: Compression | null;
  /** Tokens of its element without annotations, where they were counted before. */
  readonly cached: number | undefined;
}

/** No token of o200k_base stands for more than 128 bytes, and a UTF-16 code unit is at least one byte of UTF-8. */
const longestTokenBytes = 128;

/** Statuses under which cached counts are made (design A3): a memory shown under another one is counted anew. */
export const usualStatus: Readonly<Record<Memory['type'], Status>> = {
  entity: 'current',
  workflow: 'current',
  summary: 'historical',
  conversation: 'unverified',
  chunk: 'evidence',
};

/**
 * The ways of showing a memory at a tier, in order of trying (design A5, F1): a summary is an episode's own one where
 * it is shorter than the whole, then a compression of exactly this text.
 */
export function formsAt(selected: Selected, tier: Tier): readonly Form[] {
  const { memory, cachedTokens } = selected.candidate;
  switch (tier) {
    case 'full':
      return [{ tier, content: fullText(memory), compression: null, cached: cachedTokens.full }];
    case 'summary':
      return summaryForms(selected);
    case 'pointer':
      return [
        {
          tier,
          content: pointerText(memory, citationIdOf(memory.ref)),
          compression: null,
          cached: cachedTokens.pointer,
        },
      ];
    default:
      throw tier satisfies never;
  }
}

function summaryForms(selected: Selected): readonly Form[] {
  const { memory, cachedTokens, compression } = selected.candidate;
  const forms: Form[] = [];
  if (hasOwnSummary(memory)) {
    forms.push({ tier: 'summary', content: memory.summary, compression: null, cached: cachedTokens.summary });
  }
  if (compression !== null && isUsable(compression, memory)) {
    // The cached count is that of the first way; a second one is counted.
    const cached = forms.length === 0 ? cachedTokens.summary : undefined;
    forms.push({ tier: 'summary', content: compression.text, compression, cached });
  }
  return forms;
}

/** True for an episode whose summary alone is shorter than its whole text. */
export function hasOwnSummary(memory: Memory): memory is Extract<Memory, { type: 'summary' }> {
  return memory.type === 'summary' && (memory.keySteps.length > 0 || memory.outcome !== null);
}

/** A compression counts only for the version and the text that it was made of (design C1). */
export function isUsable(compression: Compression, memory: Memory): boolean {
  return (
    refKey(compression.source) === refKey(memory.ref) &&
    compression.text !== '' &&
    compression.sourceHash === contentHash(memory)
  );
}

/** Renders the element of a form. */
export function renderForm(selected: Selected, form: Form): string {
  const { ref, type } = selected.candidate.memory;
  const { status, annotations } = selected;
  return renderMemory({ id: citationIdOf(ref), type, status, annotations, content: form.content });
}

/** Tokens of the element of a form: the cached count where it was made of the same element, else counted. */
export function tokensOfForm(selected: Selected, form: Form, countTokens: CountTokens): number {
  const usual = selected.status === usualStatus[selected.candidate.memory.type] && selected.annotations.length === 0;
  if (usual && form.cached !== undefined) return form.cached;
  return countTokens(renderForm(selected, form));
}

/**
 * True when a form's text alone is certainly larger than so many tokens of o200k_base, without counting it. Whether it
 * was counted before must not show: a replay has none of the counts of that time.
 */
export function certainlyOver(form: Form, tokens: number): boolean {
  return form.content.length > tokens * longestTokenBytes;
}

/** How a slice seats its memories. */
export interface FitOptions {
  readonly slice: OptionalSlice;
  readonly tiers: readonly Tier[];
  readonly admittedBy: AdmittedBy;
  readonly countTokens: CountTokens;
}

/** The outcome for one candidate: a seat, or the fewest tokens with which it could have been shown, and at which tier. */
export type Attempt =
  | { readonly seat: Seat; readonly needed: null }
  | { readonly seat: null; readonly needed: JsonObject };

/** Tries one candidate against the tokens left (design F1). */
export function seatWithin(selected: Selected, left: number, options: FitOptions): Attempt {
  let least: { readonly needed: number; readonly tier: Tier } | null = null;
  for (const tier of options.tiers) {
    for (const form of formsAt(selected, tier)) {
      const mayDegrade = tier !== options.tiers.at(-1);
      if (mayDegrade && certainlyOver(form, left)) continue;
      const tokens = tokensOfForm(selected, form, options.countTokens);
      if (tokens <= left) return { seat: seatOf(selected, form, tokens, options), needed: null };
      if (least === null || tokens < least.needed) least = { needed: tokens, tier };
    }
  }
  return { seat: null, needed: { ...least, left } };
}

/** Gives a candidate its place in a form. */
export function seatOf(
  selected: Selected,
  form: Form,
  tokens: number,
  place: { readonly slice: Seat['slice']; readonly admittedBy: AdmittedBy },
): Seat {
  const { memory, origin } = selected.candidate;
  return {
    seated: {
      memory,
      id: citationIdOf(memory.ref),
      status: selected.status,
      annotations: selected.annotations,
      tier: form.tier,
      text: renderForm(selected, form),
      tokens,
    },
    content: form.content,
    slice: place.slice,
    admittedBy: place.admittedBy,
    scores: selected.scores,
    // A compression is derived text, whoever wrote its source.
    origin: form.compression === null ? origin : 'model',
    compression: form.compression,
  };
}

/** What became of one slice: its seats in seating order, those left out, and tokens used. */
export interface FittedSlice {
  readonly seats: readonly Seat[];
  readonly excluded: readonly Exclusion[];
  readonly used: number;
}

/** Seats candidates in their order; a smaller one after a larger one may still fit (design F1, rule slice_budget). */
export function fitSlice(candidates: readonly Selected[], available: number, options: FitOptions): FittedSlice {
  const seats: Seat[] = [];
  const excluded: Exclusion[] = [];
  let left = available;
  for (const selected of candidates) {
    const attempt = seatWithin(selected, left, options);
    if (attempt.seat === null) {
      excluded.push(exclusionOf(selected.candidate.memory.ref, options.slice, 'slice_budget', attempt.needed));
      continue;
    }
    seats.push(attempt.seat);
    left -= attempt.seat.seated.tokens;
  }
  return { seats, excluded, used: available - left };
}

/** An exclusion as data. */
export function exclusionOf(ref: Ref, slice: Exclusion['slice'], rule: ExclusionRule, detail: JsonObject): Exclusion {
  return { ref, slice, rule, detail };
}
