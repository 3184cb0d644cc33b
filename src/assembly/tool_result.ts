// One tool result (design L1, T5): as many memories as the loop can pay for, as structured content and as the same text.

import type { Tier } from '../model/candidate.ts';
import { MemoryError } from '../model/errors.ts';
import type { Exclusion, LoopJson } from '../model/manifest.ts';
import { type Memory, refKey } from '../model/memory.ts';
import { timeOf, titleOf } from '../model/memory_text.ts';
import type { ChatRequest } from '../model/window.ts';
import type { AssembledResult, ResultMemory, ToolResultContent, ToolResultInput } from './assembly_input.ts';
import { loopAfter, resultCost, resultLimit } from './budget/loop.ts';
import { certainlyOver, exclusionOf, formsAt, type Seat, seatOf, tokensOfForm } from './fit.ts';
import { resultManifest } from './manifest.ts';
import { annotationJson } from './render/memory.ts';
import { countRequest } from './render/request.ts';
import { issuedIds } from './issued_ids.ts';
import { type ResultShape, shapedContent, type ShapedContent } from './result_shapes.ts';
import { requestLimit } from './request_budget.ts';
import { select } from './select/select.ts';
import type { Selected } from './select/selection.ts';

/**
 * Assembles a tool result. A tier is taken when the whole block with it costs no more than the loop allows, and in a
 * window's run only when the next request still fits (design B6). Throws `request_over_budget` when not even an empty
 * result fits that request, `scope_violation`, `policy_invalid`.
 */
export function assembleToolResult(input: ToolResultInput): AssembledResult {
  const selection = select(input);
  const wished = wishOrder(input, selection.results);
  const fitted = fitResult(input, wished);
  const notes = fitted.seats.length === 0 ? [...input.notes, ...unfitNotes(fitted)] : input.notes;
  const block = blockOf(input, { seats: fitted.seats, candidates: wished, notes });
  const request = requestAfter(input, block.text);
  const requestTokens = input.loop.kind === 'window' ? countRequest(request, input.countTokens) : 0;
  if (input.loop.kind === 'window') assertRequestFits(input, requestTokens);
  // A note may cost more than what is left; the run pays what it has.
  const cost = Math.min(block.cost, input.loop.tokensLeft);
  const manifest = resultManifest(input, {
    seats: fitted.seats,
    excluded: [...selection.excluded, ...fitted.excluded],
    request,
    requestTokens,
    cost,
    tokensBefore: input.loop.tokensLeft,
    loop: block.content.loop,
  });
  return {
    content: block.content,
    shaped: block.shaped,
    text: block.text,
    cost,
    manifest,
    request,
    seated: fitted.seats.map(({ seated }) => seated),
    issued: issuedIds(fitted.seats.map(({ seated }) => seated)),
  };
}

/** The answer of a loop without budget (design L2): no memories, no cost, and a note that says when it comes back. */
export function spentResult(
  note: string,
  left: { readonly tokensLeft: number; readonly roundsLeft: number },
  shape?: ResultShape,
): Pick<AssembledResult, 'content' | 'shaped' | 'text'> {
  const content: ToolResultContent = {
    memories: [],
    evidence: 'none',
    more: null,
    loop: { tokens_left: left.tokensLeft, rounds_left: left.roundsLeft },
    notes: [note],
  };
  const shaped = shape === undefined ? null : shapedContent(shape, { seats: [], notes: [note] });
  return { content, shaped, text: JSON.stringify(shaped ?? content) };
}

/** Ranked by S5 as selected, or in the order in which the handler gave its candidates. */
function wishOrder(input: ToolResultInput, results: readonly Selected[]): readonly Selected[] {
  if (input.order === 'ranked') return results;
  const places = new Map(input.candidates.map(({ memory }, place) => [refKey(memory.ref), place]));
  const placeOf = (selected: Selected) => places.get(refKey(selected.candidate.memory.ref)) ?? places.size;
  return results.toSorted((a, b) => placeOf(a) - placeOf(b));
}

interface Block {
  readonly content: ToolResultContent;
  readonly shaped: ShapedContent | null;
  readonly text: string;
  readonly cost: number;
}

interface Shown {
  readonly seats: readonly Seat[];
  readonly candidates: readonly Selected[];
  readonly notes: readonly string[];
}

/** The block as it would be with these memories: its cost counts both loop figures as 0, its text shows them. */
function blockOf(input: ToolResultInput, shown: Shown): Block {
  const parts = {
    memories: shown.seats.map(entryOf),
    evidence: evidenceOf(input, shown.candidates),
    more: shown.seats.length < shown.candidates.length ? input.moreHint : null,
  };
  const withLoop = (loop: LoopJson): ToolResultContent => ({ ...parts, loop, notes: shown.notes });
  // Other shapes say nothing of the loop, so the text is what is counted.
  const shaped = input.shape === undefined ? null : shapedContent(input.shape, shown);
  const counted = shaped ?? withLoop({ tokens_left: 0, rounds_left: 0 });
  const cost = resultCost(input.countTokens(JSON.stringify(counted)));
  const content = withLoop(loopAfter(input.loop, cost));
  return { content, shaped, text: JSON.stringify(shaped ?? content), cost };
}

function entryOf({ seated, content }: Seat): ResultMemory {
  const { memory } = seated;
  return {
    id: seated.id,
    type: memory.type,
    status: seated.status,
    tier: seated.tier,
    content,
    tokens: seated.tokens,
    provenance: provenanceOf(memory),
    annotations: seated.annotations.map(annotationJson),
  };
}

/** Where a memory comes from, in words that a person can follow; row ids stay in the manifest (design T5). */
function provenanceOf(memory: Memory): ResultMemory['provenance'] {
  return {
    title: titleOf(memory),
    source: sourceOf(memory),
    version: memory.type === 'chunk' ? memory.documentVersion : memory.ref[2],
    date: timeOf(memory).slice(0, 10),
  };
}

/** The document's address, or the thread in which something was said: one of the caller's own. */
function sourceOf(memory: Memory): string | null {
  if (memory.type === 'chunk') return memory.sourceUri;
  const said = memory.type === 'conversation' || memory.type === 'summary';
  return said && memory.scope.threadId !== null ? `thread:${memory.scope.threadId}` : null;
}

/** Found, weak or none, by what survived the rules; what was asked for by name is not weak (design T5, S4). */
function evidenceOf(input: ToolResultInput, candidates: readonly Selected[]): ToolResultContent['evidence'] {
  if (candidates.length === 0) return 'none';
  if (input.admittedBy === 'requested') return 'found';
  const best = Math.max(...candidates.map(({ scores }) => scores.p));
  return best < input.policy.budget.weakBelow ? 'weak' : 'found';
}

interface FittedResult {
  readonly seats: readonly Seat[];
  readonly excluded: readonly Exclusion[];
}

/** Greedy as F1, but the price of a memory is what the whole block with it costs (design L1). */
function fitResult(input: ToolResultInput, candidates: readonly Selected[]): FittedResult {
  const limit = resultLimit(input.loop);
  const requestLeft = tokensForRequest(input);
  const seats: Seat[] = [];
  const excluded: Exclusion[] = [];
  for (const selected of candidates) {
    const { ref } = selected.candidate.memory;
    if (seats.length >= input.limit) {
      excluded.push(exclusionOf(ref, 'tool_results', 'candidate_cap', { limit: input.limit }));
      continue;
    }
    const attempt = trySeat(input, { seats, candidates, selected, limit, requestLeft });
    if (attempt.seat === null) {
      const left = Math.min(limit, resultCost(requestLeft));
      const detail = { needed: attempt.needed, tier: attempt.tier, left };
      excluded.push(exclusionOf(ref, 'tool_results', 'slice_budget', detail));
      continue;
    }
    seats.push(attempt.seat);
  }
  return { seats, excluded };
}

/** Tokens that the next request has for the block's text (design B6); without bound where the host's context is unknown. */
function tokensForRequest(input: ToolResultInput): number {
  if (input.loop.kind === 'implicit') return Infinity;
  const without = countRequest(requestAfter(input, ''), input.countTokens);
  return requestLimit(input.policy.budget, 'later') - without;
}

/** A seat, or the fewest tokens that the whole block with the memory would have cost. */
type SeatAttempt = { readonly seat: Seat } | { readonly seat: null; readonly needed: number; readonly tier: Tier };

function trySeat(
  input: ToolResultInput,
  state: {
    readonly seats: readonly Seat[];
    readonly candidates: readonly Selected[];
    readonly selected: Selected;
    readonly limit: number;
    readonly requestLeft: number;
  },
): SeatAttempt {
  const { seats, candidates, selected, limit, requestLeft } = state;
  let least: { readonly needed: number; readonly tier: Tier } | null = null;
  for (const tier of input.tiers) {
    for (const form of formsAt(selected, tier)) {
      if (tier !== input.tiers.at(-1) && certainlyOver(form, limit)) continue;
      const tokens = tokensOfForm(selected, form, input.countTokens);
      const seat = seatOf(selected, form, tokens, { slice: 'tool_results', admittedBy: input.admittedBy });
      const block = blockOf(input, { seats: [...seats, seat], candidates, notes: input.notes });
      const fits = block.cost <= limit && fitsRequest(input, block, requestLeft);
      if (fits) return { seat };
      if (least === null || block.cost < least.needed) least = { needed: block.cost, tier };
    }
  }
  if (least === null) throw new MemoryError('internal', 'A tool result was asked for without tiers.');
  return { seat: null, ...least };
}

function fitsRequest(input: ToolResultInput, block: Block, requestLeft: number): boolean {
  return requestLeft === Infinity || input.countTokens(block.text) <= requestLeft;
}

/** When none could be shown: what a result with the smallest would have cost, and what it may cost (design L3). */
function unfitNotes(fitted: FittedResult): readonly string[] {
  const unfit = fitted.excluded.filter(({ rule }) => rule === 'slice_budget').map(({ detail }) => detail);
  if (unfit.length === 0) return [];
  const needed = Math.min(...unfit.map((detail) => Number(detail['needed'])));
  const left = Number(unfit[0]?.['left']);
  const what = unfit.length === 1 ? 'The memory does not fit' : `None of ${unfit.length} memories fits`;
  return [
    `${what}: a result with ${unfit.length === 1 ? 'it' : 'the smallest'} needs ${needed} tokens and ${left} are left.`,
  ];
}

/** The run's request with this call and its result (design M1). */
function requestAfter({ loop, call }: ToolResultInput, text: string): ChatRequest {
  return {
    messages: [
      ...loop.request.messages,
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: call.id, type: 'function', function: { name: call.tool, arguments: call.arguments } }],
      },
      { role: 'tool', tool_call_id: call.id, content: text },
    ],
    tools: loop.request.tools,
  };
}

function assertRequestFits(input: ToolResultInput, tokens: number): void {
  const limit = requestLimit(input.policy.budget, 'later');
  if (tokens <= limit) return;
  throw new MemoryError('request_over_budget', `The next request takes ${tokens} tokens and may have ${limit}.`, {
    needed: tokens,
    left: limit,
  });
}
