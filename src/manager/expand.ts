// expand (design L3): more of a memory whose id was issued in the caller's current run, if the caller may still see it.

import { MemoryError } from '../model/errors.ts';
import { citationId } from '../model/ids.ts';
import { titleOf } from '../model/memory_text.ts';
import type { SnapshotReader } from '../store/store.ts';
import { gather } from './gather.ts';
import { mayBeShown } from './may_be_shown.ts';
import { planOf } from './read_window.ts';
import { textArgument } from './text_argument.ts';
import type { HandlerCall, HandlerWish } from './call_parts.ts';

/** The one memory that was asked for. Throws `not_issued` and `not_visible`, which tell nothing of other runs or rows. */
export async function gatherExpand(
  reader: SnapshotReader,
  made: HandlerCall,
  argument = 'memory_id',
): Promise<HandlerWish> {
  const id = citationId(textArgument(made.args, argument));
  const ref = made.run === null ? null : await reader.issuedIn(made.run.runId, id);
  if (ref === null) {
    throw new MemoryError('not_issued', 'This memory id was not issued in the current run.', { memory_id: id });
  }
  const [memory] = await reader.memories([ref]);
  if (memory === undefined || !mayBeShown(memory, reader.position.evaluationTime)) {
    throw new MemoryError('not_visible', 'This memory can no longer be shown.', { memory_id: id });
  }
  const question = titleOf(memory);
  return {
    gathered: await gather(reader, [], {
      read: [{ memory, slice: null, fused: 1, linkedFrom: null }],
      companions: 'durable_facts',
      hops: 0,
    }),
    ...(await planOf(reader, question, 'open')),
    question,
    retrieval: { expanded: id },
    show: {
      order: 'given',
      limit: 1,
      tiers: ['full', 'summary'],
      notes: [],
      moreHint: null,
      admittedBy: 'requested',
      named: [ref],
    },
  };
}
