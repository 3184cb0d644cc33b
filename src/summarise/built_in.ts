// The built-in summariser behind the port: no service, no key, the same words on every machine.

import { summarise, summariserIdentity, summariseTurns } from '../assembly/summarise/summarise.ts';
import type { Source, Summariser, SummaryLimits } from './summariser.ts';

/** Summarises with nothing but arithmetic; never fails. */
export const builtInSummariser: Summariser = {
  identity: summariserIdentity,
  isRemote: false,
  summarise: async (source, limits) => extracted(source, limits),
};

/** What the built-in summariser makes of a source, at once. */
export function extracted(source: Source, { maxTokens, countTokens }: SummaryLimits): string {
  return source.kind === 'text'
    ? summarise(source.text, maxTokens, countTokens)
    : summariseTurns(source.turns, maxTokens, countTokens);
}
