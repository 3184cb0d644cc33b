// Replay (design R1): what a window's events keep so that it can be decided again, and what a replay may answer.

import type { OptionalSlice } from './budget.ts';
import type { LinkedFrom, Measured, Tier } from './candidate.ts';
import type { RowId } from './ids.ts';
import type { JsonValue } from './json.ts';
import type { Ref } from './memory.ts';
import type { RefJson } from './manifest.ts';
import type { Plan } from './plan.ts';

/** One candidate as it was measured, seated or not; its text is read from the past again. */
export interface MeasuredRow {
  readonly ref: Ref;
  /** Null in a tool result. */
  readonly slice: OptionalSlice | null;
  readonly measured: Measured;
  readonly origin: 'query' | 'model';
  readonly linkedFrom: LinkedFrom | null;
  /** The compression that it came with; the hash tells the text of that time from a later one. */
  readonly compression: { readonly id: RowId; readonly textHash: string } | null;
}

/** How a tool round was shown, and what its run had left before it. */
export interface ShownRecord {
  readonly handler: string;
  readonly order: 'ranked' | 'given';
  readonly limit: number;
  readonly tiers: readonly Tier[];
  readonly moreHint: string | null;
  readonly admittedBy: 'fit' | 'requested';
  readonly named: readonly Ref[];
  /** The other shape that a host asked for; null: ours. */
  readonly shape: {
    readonly kind: 'search' | 'fetch';
    readonly documentUrl: string | null;
    readonly askedId?: string;
  } | null;
  /** What of its run stood before it: whether a window's request did, and the ids of the calls, in order. */
  readonly transcript: { readonly hasInitial: boolean; readonly calls: readonly string[] };
  readonly loop: {
    readonly kind: 'window' | 'implicit';
    readonly tokensLeft: number;
    readonly roundsLeft: number;
    readonly maxToolResultTokens: number;
  };
}

/** What is kept of the inputs of a window or tool round beside its manifest; no memory text but the plan's names. */
export interface ReplayRecord {
  readonly plan: Plan;
  /** The caller's roles decided which tools stood in the window. */
  readonly roles: readonly string[];
  readonly oauthScopes: readonly string[] | null;
  /** In the order in which they came to the assembly. */
  readonly rows: readonly MeasuredRow[];
  /** So many of `rows` were sought; the others came along as versions of the same claims. */
  readonly sought: number;
  /** Null for a window. */
  readonly shown: ShownRecord | null;
}

/** Why a replay can say nothing of the bytes: the closed list of the design. */
export const unavailableReasons = [
  'not_authorized',
  'deleted',
  'history_gone',
  'code_changed',
  'compression_missing',
  'transcript_missing',
  'other_database',
] as const;

/** One of {@link unavailableReasons}. */
export type UnavailableReason = (typeof unavailableReasons)[number];

/**
 * Where a rebuilt window first differs from the recorded one. `path` is a JSON path. Values stand there only for the
 * manifest, which holds no memory text; of a request it is told at which character its texts part.
 */
export interface Difference {
  readonly where: 'manifest' | 'request' | 'rebuild';
  readonly path: string;
  /** In UTF-16 code units, where two texts of a request part; else null. */
  readonly offset: number | null;
  readonly recorded: JsonValue;
  readonly rebuilt: JsonValue;
}

/** What a replay found. */
export type ReplayOutcome =
  | { readonly outcome: 'matched' }
  | { readonly outcome: 'mismatched'; readonly difference: Difference }
  | {
      readonly outcome: 'unavailable';
      readonly reason: UnavailableReason;
      /** The row that the reason speaks of, where it is one. */
      readonly ref: RefJson | null;
    };

/** A replay's answer about one manifest. `kind` and `sameCode` are null for one that was erased. */
export interface Replayed {
  readonly manifestId: RowId;
  readonly kind: 'window' | 'tool_result' | null;
  /** False: the manifest was written by other code than the one that rebuilt it. */
  readonly sameCode: boolean | null;
  readonly result: ReplayOutcome;
}
