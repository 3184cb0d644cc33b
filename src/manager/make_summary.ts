// One summary, whatever happens (design C1): a service that fails leaves it to the built-in summariser, and is told of.

import { abortedBy } from '../model/errors.ts';
import { builtInSummariser } from '../summarise/built_in.ts';
import {
  type Source,
  SummariserFailure,
  type SummariserIdentity,
  type SummaryLimits,
} from '../summarise/summariser.ts';
import type { Compression } from '../model/candidate.ts';
import type { ManagerParts } from './parts.ts';

/** What stands in a manifest's `fallbacks` when a service gave no summary. */
export const summariserFailed = 'summariser_failed';

/** A summary with who made it. */
export interface MadeSummary extends SummariserIdentity {
  readonly text: string;
  /** Why the configured summariser did not make it, or null. */
  readonly failure: string | null;
}

/** Asks for summaries one after another; after a failure the rest are made without the service. */
export type MakeSummary = (source: Source, limits: Omit<SummaryLimits, 'signal'>) => Promise<MadeSummary>;

/** How long a service may take for all summaries of one window, in milliseconds. */
const windowMs = 60_000;

/**
 * Makes the summaries of one call, within a time in milliseconds (null: none, for work that nobody waits for). A failure
 * is logged without text, and is not met twice: who is asked for ten summaries does not wait ten times. Throws as an
 * aborted call does when the caller ends it.
 */
export async function summaryMaker(
  parts: ManagerParts,
  call: { readonly requestId: string; readonly signal?: AbortSignal | undefined },
  withinMs: number | null = windowMs,
): Promise<MakeSummary> {
  const summariser = await parts.summariser();
  const deadline = withinMs === null ? null : AbortSignal.timeout(withinMs);
  const signals = [deadline, call.signal ?? null].filter((one) => one !== null);
  const bounds = signals.length === 0 ? {} : { signal: AbortSignal.any(signals) };
  let failure: string | null = null;
  return async (source, limits) => {
    if (failure === null) {
      try {
        const text = await summariser.summarise(source, { ...limits, ...bounds });
        return { ...summariser.identity, text, failure };
      } catch (error) {
        if (call.signal?.aborted === true) throw abortedBy(call.signal);
        failure = reasonOf(error, deadline);
        const detail = { requestId: call.requestId, model: summariser.identity.model, reason: failure };
        parts.log.warn(detail, 'The summariser failed; the built-in one serves.');
      }
    }
    const text = await builtInSummariser.summarise(source, limits);
    return { ...builtInSummariser.identity, text, failure };
  };
}

function reasonOf(error: unknown, deadline: AbortSignal | null): string {
  if (deadline?.aborted === true) return 'no answer in time';
  // Whatever else went wrong may quote what was read.
  return error instanceof SummariserFailure ? error.message : 'unknown';
}

/** Who may have made a summary that is still used: the configured summariser, and the built-in one in its place. */
export async function trustedIdentities(parts: ManagerParts): Promise<readonly SummariserIdentity[]> {
  const { identity } = await parts.summariser();
  return [identity, builtInSummariser.identity];
}

/** True for the same model under the same instructions. */
export function isBy(made: SummariserIdentity, identity: SummariserIdentity): boolean {
  return made.model === identity.model && made.promptVersion === identity.promptVersion;
}

/**
 * The compression of one text to use: of the configured summariser before one that stood in for it, and the shortest
 * of each, since that fits the smallest slice. Those of another model, prompt or text are stale.
 */
export function usableCompression(
  found: readonly Compression[],
  sourceHash: string,
  identities: readonly SummariserIdentity[],
): Compression | null {
  const fresh = found.filter((compression) => compression.sourceHash === sourceHash);
  for (const identity of identities) {
    const own = fresh
      .filter((compression) => isBy(compression, identity))
      .toSorted((a, b) => a.tokens - b.tokens || (a.id < b.id ? -1 : 1));
    if (own[0] !== undefined) return own[0];
  }
  return null;
}
