// search_memory (design T4): hybrid retrieval over the documents that the caller may read.

import { MemoryError } from '../model/errors.ts';
import type { SnapshotReader } from '../store/store.ts';
import { checkQuestion } from './assemble_window.ts';
import { gather } from './gather.ts';
import { planOf } from './read_window.ts';
import { retrieve } from './retrieve.ts';
import { textArgument } from './text_argument.ts';
import type { HandlerCall, HandlerWish } from './call_parts.ts';

const defaultLimit = 5;
const maxLimit = 25;

/**
 * Of so many of the best candidates the reranker chooses, where the cap of evidence allows as many: several times what
 * can be shown. More of them changed no measured order among the first (docs/retrieval.md) and cost as much each.
 */
const pool = 4 * maxLimit;

/** Chunks for a query, best first; collections come from the plan, never from the caller. */
export async function gatherSearch(reader: SnapshotReader, made: HandlerCall): Promise<HandlerWish> {
  const { args, policies, questionVector } = made;
  const question = checkQuestion(textArgument(args, 'query'));
  const limit = limitOf(args['limit']);
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
      moreHint:
        limit < maxLimit
          ? `More passages match. Ask again with a higher limit (up to ${maxLimit}) or narrower words.`
          : 'More passages match. Ask again with narrower words.',
      admittedBy: 'fit',
      named: [],
    },
  };
}

/** The row's schema says 1 to 25; a row that says otherwise cannot raise the ceiling. */
function limitOf(value: unknown): number {
  if (value === undefined) return defaultLimit;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > maxLimit) {
    throw new MemoryError('invalid_argument', `The argument "limit" must be a whole number from 1 to ${maxLimit}.`, {
      field: 'limit',
    });
  }
  return value;
}
