// Values of type Selection for tests of what comes after selection.

import type { Candidate, Status } from '../../src/model/candidate.ts';
import type { OptionalSlice } from '../../src/model/budget.ts';
import type { Memory } from '../../src/model/memory.ts';
import type { Annotation } from '../../src/model/window.ts';
import type { Selected, Selection } from '../../src/assembly/select/selection.ts';
import { candidate } from './fixtures.ts';

const usual: Readonly<Record<Memory['type'], Status>> = {
  entity: 'current',
  workflow: 'current',
  summary: 'historical',
  conversation: 'unverified',
  chunk: 'evidence',
};

/** A candidate that survived; priority decides only among history that drop_history takes. */
export function selected(
  from: Candidate | Memory,
  change: { readonly priority?: number; readonly annotations?: readonly Annotation[]; readonly status?: Status } = {},
): Selected {
  const one = 'memory' in from ? from : candidate(from);
  const { priority = 0.5, annotations = [], status = usual[one.memory.type] } = change;
  return {
    candidate: one,
    status,
    annotations,
    scores: { priority, p: 0.5, confidence: 0.5, recency: 0, source: 'fused', raw: 0.5 },
  };
}

/** A selection with these slices, nothing required and nothing excluded. */
export function selection(
  slices: Partial<Readonly<Record<OptionalSlice, readonly Selected[]>>> = {},
  change: Partial<Selection> = {},
): Selection {
  return {
    slices: { durable_facts: [], evidence: [], recalled_history: [], volatile_tail: [], ...slices },
    results: [],
    required: [],
    excluded: [],
    ...change,
  };
}
