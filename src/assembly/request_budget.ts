// The request counted as a whole (design B6): what is over leaves from the end of the overflow order, required facts never.

import type { Budget, OptionalSlice } from '../model/budget.ts';
import { MemoryError } from '../model/errors.ts';
import type { Exclusion } from '../model/manifest.ts';
import type { ChatRequest, CountTokens } from '../model/window.ts';
import { overflowOrderOf } from './budget/allocate.ts';
import { type Filling, renderingOrder } from './fill.ts';
import { exclusionOf, type Seat } from './fit.ts';
import type { FixedSlices } from './fixed_slices.ts';
import { countRequest, userMessage } from './render/request.ts';

/** A window whose request is within its limit. */
export interface FittedRequest {
  readonly request: ChatRequest;
  /** Tokens of the whole request. */
  readonly tokens: number;
  readonly filling: Filling;
}

/** Tokens that a request may have: the first one leaves room for the tools, a later one only for the output (design B6). */
export function requestLimit(budget: Budget, round: 'first' | 'later'): number {
  return budget.usableContext - budget.outputReserve - (round === 'first' ? budget.toolReserve : 0);
}

/**
 * Builds the request and counts it; while it is over, unseats one memory after another (rule request_budget): from the
 * last slice of the overflow order on, each slice's worst first, the tail's oldest first. Throws `request_over_budget`.
 */
export function fitRequest(
  filling: Filling,
  fixed: FixedSlices,
  options: { readonly budget: Budget; readonly question: string; readonly countTokens: CountTokens },
): FittedRequest {
  const limit = requestLimit(options.budget, 'first');
  let current = filling;
  for (;;) {
    const request = requestOf(current, fixed, options.question);
    const tokens = countRequest(request, options.countTokens);
    if (tokens <= limit) return { request, tokens, filling: current };
    const seat = nextToLeave(current, options.budget);
    if (seat === undefined) {
      throw new MemoryError('request_over_budget', `The request takes ${tokens} tokens and may have ${limit}.`, {
        needed: tokens,
        left: limit,
      });
    }
    current = unseat(current, seat, tokens - limit);
  }
}

/** The request of a filling: developer message, tools, and the user message with memory and question (design A2, B7). */
function requestOf(filling: Filling, fixed: FixedSlices, question: string): ChatRequest {
  const elements = renderingOrder(filling.seats).map((seat) => seat.seated.text);
  return {
    messages: [
      { role: 'developer', content: fixed.developer },
      { role: 'user', content: userMessage(elements, question) },
    ],
    tools: fixed.tools,
  };
}

interface SeatInSlice {
  readonly seat: Seat;
  readonly slice: OptionalSlice;
}

function nextToLeave(filling: Filling, budget: Budget): SeatInSlice | undefined {
  for (const slice of overflowOrderOf(budget).toReversed()) {
    const optional = filling.seats[slice].filter((seat) => seat.admittedBy !== 'required_correction');
    // The tail stands oldest first, the others best first.
    const seat = slice === 'volatile_tail' ? optional[0] : optional.at(-1);
    if (seat !== undefined) return { seat, slice };
  }
  return undefined;
}

function unseat(filling: Filling, { seat, slice }: SeatInSlice, over: number): Filling {
  const { tokens, memory } = seat.seated;
  const account = filling.allocation[slice];
  const excluded: Exclusion = exclusionOf(memory.ref, slice, 'request_budget', { tokens, over });
  return {
    seats: { ...filling.seats, [slice]: filling.seats[slice].filter((other) => other !== seat) },
    allocation: {
      ...filling.allocation,
      [slice]: { ...account, used: account.used - tokens, left: account.left + tokens },
    },
    excluded: [...filling.excluded, excluded],
  };
}
