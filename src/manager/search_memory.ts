// search_memory (design T4): hybrid retrieval over the documents that the caller may read.

import type { SnapshotReader } from '../store/store.ts';
import { checkQuestion } from './assemble_window.ts';
import { gather } from './gather.ts';
import { limitArgument, maxLimit, moreHint } from './limit_argument.ts';
import { planOf } from './read_window.ts';
import { retrieve } from './retrieve.ts';
import { textArgument } from './text_argument.ts';
import type { HandlerCall, HandlerWish } from './call_parts.ts';

/**
 * Of so many of the best candidates the reranker chooses, where the cap of evidence allows as many: several times what
 * can be shown. More of them changed no measured order among the first (docs/retrieval.md) and cost as much each.
 */
const pool = 4 * maxLimit;

/** Chunks for a query, best first; collections come from the plan, never from the caller. */
export async function gatherSearch(reader: SnapshotReader, made: HandlerCall): Promise<HandlerWish> {
  const { args, policies, questionVector } = made;
  const question = checkQuestion(textArgument(args, 'query'));
  const limit = limitArgument(args);
  const { plan, consulted } = await planOf(reader, question, null);
  const found = await retrieve(reader, {
    question,
    plan,
    questionVector,
    policy: policies.retrieval,
    limits: { evidence: Math.min(pool, policies.budget.budget.candidateCaps.evidence) },
    exclude: [],
  });
  const gathered = await gather(
    reader,
    (found.slices.evidence ?? []).map(({ ref, fused }) => ({ ref, slice: null, fused })),
    { read: [], companions: 'durable_facts', hops: policies.retrieval.hops },
  );
  return {
    gathered,
    plan,
    consulted,
    question,
    retrieval: found.record,
    show: {
      order: 'ranked',
      limit,
      tiers: ['full', 'summary', 'pointer'],
      notes: [],
      moreHint: moreHint(limit, 'passages'),
      admittedBy: 'fit',
      named: [],
    },
  };
}
