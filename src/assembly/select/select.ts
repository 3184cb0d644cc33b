// Selection (design S1–S7): the rules in the order in which they always run, each exclusion recorded with its rule.

import { refKey } from '../../model/memory.ts';
import { capSlices } from './cap.ts';
import { dropCollisions } from './collision.ts';
import { compareCandidates, compareExclusions } from './compare.ts';
import { annotateContradictions, settleConflicts } from './conflict.ts';
import { removeDuplicates } from './dedup.ts';
import { diversify } from './diversity.ts';
import { admitByLifecycle } from './lifecycle.ts';
import { compareSeating, seatingOf } from './order.ts';
import { assertOwnScope } from './own_scope.ts';
import { requiredFacts } from './required.ts';
import { scoreOf } from './score.ts';
import type { Selection, SelectionInput } from './selection.ts';
import { annotateStale } from './stale.ts';

/**
 * Decides which candidates may compete for a place, and in which order (design S1–S7). Every candidate is once in a
 * slice or in `results`, or excluded; the order in which candidates, links and provenance arrive decides nothing.
 * Exclusions come in the order of the closed list of rules, then by ref. Throws `scope_violation`.
 */
export function select(input: SelectionInput): Selection {
  assertOwnScope(input);
  const { evaluationTime, plan } = input;
  const { budget } = input.policy;
  const named = new Set(input.named.map(refKey));

  const admitted = admitByLifecycle(input.candidates.toSorted(compareCandidates), named, evaluationTime);
  const distinct = removeDuplicates(admitted.kept, named, input.question);
  const settled = settleConflicts(distinct.kept, named);
  const annotated = annotateStale(settled, input);
  const ranked = annotated
    .map(({ admitted: { candidate, status }, annotations }) => {
      return { candidate, status, annotations, scores: scoreOf(candidate, budget, evaluationTime) };
    })
    .toSorted(compareSeating);
  const diverse = diversify(ranked, named, budget, plan);
  const capped = capSlices(diverse.kept, budget);
  const unique = dropCollisions(capped.kept, budget);
  const survivors = annotateContradictions(unique.kept, input.links);

  const outcomes = [admitted, distinct, settled, diverse, capped, unique];
  return {
    slices: {
      durable_facts: seatingOf(survivors, 'durable_facts'),
      evidence: seatingOf(survivors, 'evidence'),
      recalled_history: seatingOf(survivors, 'recalled_history'),
      volatile_tail: seatingOf(survivors, 'volatile_tail'),
    },
    results: seatingOf(survivors, null),
    required: requiredFacts(survivors, budget),
    excluded: outcomes.flatMap((outcome) => outcome.excluded).toSorted(compareExclusions),
  };
}
