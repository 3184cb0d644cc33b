// search_history (design Q10, T3): what was said before, found in summaries and turns of all the caller's own threads.

import { MemoryError } from '../model/errors.ts';
import { rowId, type ThreadId } from '../model/ids.ts';
import type { JsonObject } from '../model/json.ts';
import { refKey, type Ref } from '../model/memory.ts';
import type { RankedRef } from '../retrieval/fuse.ts';
import type { Run, SnapshotReader } from '../store/store.ts';
import { checkQuestion } from './assemble_window.ts';
import type { HandlerCall, HandlerWish } from './call_parts.ts';
import { gather } from './gather.ts';
import { limitArgument, maxLimit, moreHint } from './limit_argument.ts';
import { mayBeShown } from './may_be_shown.ts';
import { planOf } from './read_window.ts';
import { retrieve } from './retrieve.ts';
import { textArgument } from './text_argument.ts';

/** Candidates of one call: twice the most that it may show, since rules take some out. */
const pool = 2 * maxLimit;

/** Where one thread is asked for, it is picked from among so many of the best of all threads. */
const poolOfThread = 1_000;

const windowNote = 'The latest turns of this thread stand in your window and are not repeated here.';

/** Turns and summaries for a query, best first; whose they are follows from the scope, and no argument widens it. */
export async function gatherHistory(reader: SnapshotReader, made: HandlerCall): Promise<HandlerWish> {
  const { args, call, policies, questionVector, run } = made;
  const question = checkQuestion(textArgument(args, 'query'));
  const limit = limitArgument(args);
  const thread = threadArgument(args) === 'current' ? call.scope.threadId : null;
  const seated = await seatedTail(reader, run);
  const { plan, consulted } = await planOf(reader, question, null);
  const found = await retrieve(reader, {
    question,
    plan,
    questionVector,
    policy: policies.retrieval,
    limits: { recalled_history: thread === null ? pool : poolOfThread },
    exclude: [...seated, ...(await unansweredTurn(reader))],
  });
  const ranked = found.slices.recalled_history ?? [];
  const wanted = thread === null ? ranked : await ofThread(reader, ranked, thread);
  const gathered = await gather(
    reader,
    wanted.slice(0, pool).map(({ ref, fused }) => ({ ref, slice: null, fused })),
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
      notes: seated.length === 0 ? [] : [windowNote],
      moreHint: moreHint(limit, 'turns and summaries'),
      admittedBy: 'fit',
      named: [],
    },
  };
}

/** Throws `invalid_argument` for what is neither. */
function threadArgument(args: JsonObject): 'current' | 'all' {
  const { thread = 'all' } = args;
  if (thread === 'current' || thread === 'all') return thread;
  throw new MemoryError('invalid_argument', 'The argument "thread" must be "current" or "all".', { field: 'thread' });
}

/** The tail of the window that the run began with: its turns stand there whole. Of a host without a window nothing is known. */
async function seatedTail(reader: SnapshotReader, run: Run | null): Promise<readonly Ref[]> {
  if (run === null || run.kind !== 'window') return [];
  const [opening] = await reader.manifestsOfRun(run.runId);
  return (opening?.manifest.memories ?? []).flatMap(({ slice, ref }): readonly Ref[] => {
    return slice === 'volatile_tail' ? [[ref[0], rowId(ref[1]), ref[2]]] : [];
  });
}

/**
 * The newest turn of the thread where the user said it: it is what is being answered now, if the host has recorded it
 * already, and would come back as its own answer.
 */
async function unansweredTurn(reader: SnapshotReader): Promise<readonly Ref[]> {
  const turns = await reader.tail(1);
  const newest = turns.find((turn) => mayBeShown(turn, reader.position.evaluationTime));
  return newest?.role === 'user' ? [newest.ref] : [];
}

async function ofThread(
  reader: SnapshotReader,
  ranked: readonly RankedRef[],
  thread: ThreadId,
): Promise<readonly RankedRef[]> {
  const memories = await reader.memories(ranked.map(({ ref }) => ref));
  const own = new Set(memories.filter(({ scope }) => scope.threadId === thread).map(({ ref }) => refKey(ref)));
  return ranked.filter(({ ref }) => own.has(refKey(ref)));
}
