// The port of summarisers (design C1): the built-in one, or a service that is asked for it.

import type { Turn } from '../model/memory.ts';
import type { CountTokens } from '../model/window.ts';

/** Who made a summary, and under which instructions; another one of either makes the stored ones stale. */
export interface SummariserIdentity {
  readonly model: string;
  readonly promptVersion: string;
}

/** What is to be summarised: one text, or the turns of a thread from old to new. */
export type Source =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'turns'; readonly turns: readonly Pick<Turn, 'role' | 'speaker' | 'text' | 'turnIndex'>[] };

/** The limit of one summary. */
export interface SummaryLimits {
  readonly maxTokens: number;
  readonly countTokens: CountTokens;
  readonly signal?: AbortSignal;
}

/** Makes summaries, never within a transaction (design N3). */
export interface Summariser {
  readonly identity: SummariserIdentity;
  /** True for one that asks a service: it can be slow, and can fail. */
  readonly isRemote: boolean;
  /** At most `maxTokens` tokens; empty where nothing of the source fits. Rejects with {@link SummariserFailure} alone. */
  summarise(source: Source, limits: SummaryLimits): Promise<string>;
}

/** Why a summariser gave nothing: a few words for the log, without text of the memory or of the service. */
export class SummariserFailure extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'SummariserFailure';
  }
}
