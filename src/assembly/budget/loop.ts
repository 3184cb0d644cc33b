// The loop's figures (design L1, B7): what a tool result may cost, and what the run has left after it.

import type { LoopState } from '../assembly_input.ts';
import type { LoopJson } from '../../model/manifest.ts';

/** Tokens that a provider adds around a tool message. */
const tokensPerResult = 4;

/** Tokens that one result may cost: the smaller of the policy's figure and what the run has left (design L1). */
export function resultLimit(loop: LoopState): number {
  return Math.max(0, Math.min(loop.maxToolResultTokens, loop.tokensLeft));
}

/** What a result costs: the tokens of its text with both loop figures written as 0, plus 4 (design L1). */
export function resultCost(textTokens: number): number {
  return textTokens + tokensPerResult;
}

/** The run's figures after a call of this cost; never below 0 (design T5). */
export function loopAfter(loop: LoopState, cost: number): LoopJson {
  return {
    tokens_left: Math.max(0, loop.tokensLeft - cost),
    rounds_left: Math.max(0, loop.roundsLeft - 1),
  };
}
