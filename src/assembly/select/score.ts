// Scores (design S4): one priority from the reranker, the memory's confidence and its age, with its parts.

import type { Budget } from '../../model/budget.ts';
import type { Candidate, Measured } from '../../model/candidate.ts';
import type { ScoresJson } from '../../model/manifest.ts';
import { confidenceOf, timeOf } from '../../model/memory_text.ts';
import { microsOf, type EvaluationTime } from '../../model/time.ts';

const microsPerDay = 86_400_000_000;
const unknownConfidence = 0.5;
/** A reranker's bounds are experience, not limits: no score of one may claim certainty. */
const surest = { least: 0.001, most: 0.999 };

/** Scores one candidate; `raw`, `low` and `high` stay as measured, so that replay can repeat it (design S4). */
export function scoreOf(candidate: Candidate, budget: Budget, evaluationTime: EvaluationTime): ScoresJson {
  const { weights } = budget;
  const { p, ...measure } = probability(candidate.measured);
  const confidence = confidenceOf(candidate.memory) ?? unknownConfidence;
  const recency = recencyOf(candidate, budget.recencyDays, evaluationTime);
  return {
    priority: sixDecimals(weights.rerank * p + weights.confidence * confidence + weights.recency * recency),
    p: sixDecimals(p),
    confidence: sixDecimals(confidence),
    recency: sixDecimals(recency),
    ...measure,
  };
}

/** Rounds to six decimals; never minus zero (design S4). */
export function sixDecimals(value: number): number {
  return Math.round(value * 1e6) / 1e6 + 0;
}

type Measure = Pick<ScoresJson, 'p' | 'source' | 'raw' | 'low' | 'high'>;

/** A reranker's answer that is no number, or has no bounds, counts as none: the fused score serves, and it shows. */
function probability({ rerank, fused }: Measured): Measure {
  if (rerank?.kind === 'logit' && Number.isFinite(rerank.value)) {
    return { p: sigmoid(rerank.value), source: 'logit', raw: rerank.value + 0 };
  }
  if (rerank?.kind === 'score' && Number.isFinite(rerank.value) && rerank.low < rerank.high) {
    const { value, low, high } = rerank;
    const p = clamp((value - low) / (high - low), surest.least, surest.most);
    return { p, source: 'score', raw: value + 0, low: low + 0, high: high + 0 };
  }
  const scaled = Number.isFinite(fused) ? clamp(fused, 0, 1) : 0;
  return { p: scaled, source: 'fused', raw: scaled + 0 };
}

function sigmoid(logit: number): number {
  // The power of a negative number never overflows.
  const small = Math.exp(-Math.abs(logit));
  return logit < 0 ? small / (1 + small) : 1 / (1 + small);
}

function recencyOf({ memory }: Candidate, recencyDays: number, evaluationTime: EvaluationTime): number {
  const ageDays = (microsOf(evaluationTime) - microsOf(timeOf(memory))) / microsPerDay;
  if (ageDays <= 0) return 1;
  return clamp(1 - ageDays / recencyDays, 0, 1);
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
