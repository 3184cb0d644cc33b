// What is told of derived texts: a thread's digest, and what of a user's short texts is not as it should be.

import type { ThreadId } from '../model/ids.ts';
import type { Ref } from '../model/memory.ts';

/** What became of a thread's digest. */
export interface Compaction {
  /**
   * `made`: a new one stands; `fresh`: the one that stands is of just these turns; `empty`: nothing to keep; `off`: the
   * policy does not compress; `overtaken`: another call changed the thread or its digest meanwhile, which stands.
   */
  readonly outcome: 'made' | 'fresh' | 'empty' | 'off' | 'overtaken';
  readonly ref: Ref | null;
  /** Turns that can be part of a digest now. */
  readonly turns: number;
  /** Index of the newest turn in the digest; 0 without one. */
  readonly lastTurn: number;
  readonly tokens: number;
  readonly model: string | null;
  /** Why the configured summariser did not make it, or null. */
  readonly failure: string | null;
}

/** A memory or thread whose derived text is not as it should be. */
export interface StaleText {
  readonly kind: 'compression' | 'digest';
  /** The memory; null for a digest. */
  readonly ref: Ref | null;
  /** The thread; null for a compression. */
  readonly thread: ThreadId | null;
  /** `stale`: made of other text, or by another model or prompt; `behind`: newer turns are not in it. */
  readonly state: 'missing' | 'stale' | 'behind';
}

/** What became of one of them; `listed` where nothing was to be made. */
export interface RebuiltText extends StaleText {
  readonly outcome: 'listed' | 'made' | 'unchanged' | 'nothing_fits';
  readonly tokens: number;
  readonly model: string | null;
  /** Why the configured summariser did not make it, or null. */
  readonly failure: string | null;
}
