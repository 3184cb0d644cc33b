// A question's vector (design Q5), made before the snapshot is opened: no model works inside a transaction (N3).

import { abortedBy } from '../model/errors.ts';
import type { Call } from './manager.ts';
import type { ManagerParts } from './parts.ts';
import { unlessAborted } from './unless_aborted.ts';

/** Why a question has no vector although it was to have one. */
export type EmbedFallback = 'embedder_failed' | 'embedder_deadline';

/** What the search by meaning has to go by. */
export interface QuestionVector {
  /** Null where nothing in the question is known, or a fallback was taken. */
  readonly vector: Float32Array | null;
  /** For the manifest. */
  readonly fallback: EmbedFallback | null;
}

/** Without a question there is nothing to embed. */
export const noQuestion: QuestionVector = { vector: null, fallback: null };

/** Milliseconds that a question's vector may take; a model that loads meanwhile is there for the next one. */
const usualDeadlineMs = 5_000;

/**
 * The vector of a question. An embedder that fails or is late never fails the call: the words of the question are
 * searched for without it. Throws the signal's reason where the caller ends the call.
 */
export async function questionVector(
  parts: Pick<ManagerParts, 'embedder' | 'log'>,
  call: Pick<Call, 'signal' | 'requestId'>,
  question: string,
  deadlineMs = usualDeadlineMs,
): Promise<QuestionVector> {
  const deadline = AbortSignal.timeout(deadlineMs);
  const signal = call.signal === undefined ? deadline : AbortSignal.any([deadline, call.signal]);
  try {
    const embedder = await unlessAborted(parts.embedder(), signal);
    const [vector = null] = await unlessAborted(embedder.embed([question], { purpose: 'query', signal }), signal);
    return { vector, fallback: null };
  } catch (error) {
    if (call.signal?.aborted === true) throw abortedBy(call.signal);
    const fallback = deadline.aborted ? 'embedder_deadline' : 'embedder_failed';
    parts.log.warn(
      { requestId: call.requestId, fallback, error },
      'the question has no vector; its words are searched',
    );
    return { vector: null, fallback };
  }
}
