// The budget as its row writes it (design M1): snake_case keys, defaults filled in.

import type { Budget } from '../model/budget.ts';
import type { JsonObject } from '../model/json.ts';

/** The budget as used, in the row's own keys. */
export function budgetJson(budget: Budget): JsonObject {
  const { implicitRun } = budget;
  return {
    usable_context: budget.usableContext,
    output_reserve: budget.outputReserve,
    tool_reserve: budget.toolReserve,
    request_overhead_reserve: budget.requestOverheadReserve,
    max_rounds: budget.maxRounds,
    max_tool_result_tokens: budget.maxToolResultTokens,
    weights: { ...budget.weights },
    recency_days: budget.recencyDays,
    shares: Object.fromEntries(Object.entries(budget.shares).map(([intent, shares]) => [intent, { ...shares }])),
    overflow_order: budget.overflowOrder,
    evidence: { max_per_document: budget.evidence.maxPerDocument, near_duplicate: budget.evidence.nearDuplicate },
    candidate_caps: { ...budget.candidateCaps },
    compress: budget.compress,
    required_corrections: budget.requiredCorrections,
    implicit_run: {
      max_rounds: implicitRun.maxRounds,
      tool_reserve: implicitRun.toolReserve,
      max_tool_result_tokens: implicitRun.maxToolResultTokens,
      idle_seconds: implicitRun.idleSeconds,
    },
    weak_below: budget.weakBelow,
    encoding: budget.encoding,
  };
}
