// What an answer is checked against: memories as a window showed them, with what is known of the claims behind them.

import type { JsonValue } from '../model/json.ts';
import type { Status } from '../model/candidate.ts';

/** A correction that a memory was shown with: what it relied on, and the fact that replaced it. */
export interface ShownCorrection {
  /** Text of the version that the memory relied on; null where it is not known any more. */
  readonly former: string | null;
  /** Text and citation id of the fact as it stood then; null where nothing replaced it. */
  readonly current: string | null;
  readonly currentId: string | null;
}

/** The claim behind a fact. `conditions` is any text that is equal for equal conditions. */
export interface ShownClaim {
  readonly subject: string;
  readonly predicate: string;
  readonly conditions: string;
  readonly value: JsonValue;
}

/** One memory that was shown under a citation id. */
export interface ShownMemory {
  readonly id: string;
  readonly type: string;
  readonly status: Status;
  /** Everything shown of it, decoded. */
  readonly text: string;
  /** Title, subject and aliases: names that may stand for it in an answer. */
  readonly names: readonly string[];
  readonly claim: ShownClaim | null;
  readonly corrections: readonly ShownCorrection[];
}

/** All that a model was shown, and the subjects that the question named. */
export interface ShownWindow {
  readonly memories: readonly ShownMemory[];
  readonly subjects: readonly string[];
}
