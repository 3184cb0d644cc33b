// What the difference of two manifests says (design R2), as JSON; no memory text, as in the manifests themselves.

import type { JsonObject, JsonValue } from '../model/json.ts';
import type { AllocationEntry, ExclusionRule, ManifestMemory, PrefixEntry, RefJson } from '../model/manifest.ts';

/** A value that differs; `field` is its path with points. A value that one side lacks is null. */
export interface FieldChange {
  readonly field: string;
  readonly from: JsonValue;
  readonly to: JsonValue;
}

/**
 * What kept a memory out of one of the windows, or changed it: a rule there (`rule`), another version of it
 * (`new_version`), a correction that it carries (`correction`), its lifecycle (`deleted`, `expired`, `not_there_yet`,
 * `quarantined`), that the caller cannot see it any more (`not_visible`), that the search did not bring it
 * (`not_found`), or that rank and room came out differently (`fit`).
 */
export type CauseKind =
  | 'rule'
  | 'new_version'
  | 'correction'
  | 'deleted'
  | 'expired'
  | 'not_there_yet'
  | 'quarantined'
  | 'not_visible'
  | 'not_found'
  | 'fit';

/** A cause, and what differs between the windows that explains it. */
export interface Cause {
  readonly kind: CauseKind;
  /** The rule of the window that left it out, with its detail. */
  readonly rule: ExclusionRule | null;
  readonly detail: JsonObject;
  /** The other version, or the fact that corrects it. */
  readonly ref: RefJson | null;
  /** True when the windows answer different questions. */
  readonly question: boolean;
  /** Changed keys of the policy that bear on this. */
  readonly policy: readonly string[];
  /** Memories of the same slice that only the window has which left this one out. */
  readonly pushed_by: readonly RefJson[];
}

/** A memory that only one of the windows has. */
export interface OneSided extends Pick<ManifestMemory, 'id' | 'ref' | 'status' | 'slice' | 'tier' | 'tokens'> {
  readonly cause: Cause;
}

/** A memory that both have, in another version or otherwise. */
export interface Changed {
  readonly id: string;
  readonly from: RefJson;
  readonly to: RefJson;
  readonly slice: ManifestMemory['slice'];
  readonly changes: readonly FieldChange[];
  readonly cause: Cause;
}

/** Rows of the static prefix that differ. */
export interface PrefixDifference {
  readonly same: boolean;
  readonly entered: readonly PrefixEntry[];
  readonly left: readonly PrefixEntry[];
}

/** A slice whose tokens were split otherwise. */
export interface AllocationChange {
  readonly slice: string;
  readonly from: AllocationEntry | null;
  readonly to: AllocationEntry | null;
}

/** From one manifest to another. */
export interface ManifestDifference {
  readonly from: string;
  readonly to: string;
  /** True when the requests are equal byte for byte. */
  readonly same_request: boolean;
  /** When memory was judged; null where both were judged at one time. */
  readonly evaluation_time: FieldChange | null;
  /** Intent and plan; `question_hash` is among them when the question is another. */
  readonly question: readonly FieldChange[];
  readonly policy: {
    readonly budget_ref: FieldChange | null;
    readonly retrieval_ref: FieldChange | null;
    readonly changes: readonly FieldChange[];
  };
  /** Rules, code, measuring models, database and caller, where they differ. */
  readonly made_by: readonly FieldChange[];
  readonly prefix: PrefixDifference;
  readonly allocation: readonly AllocationChange[];
  readonly entered: readonly OneSided[];
  readonly left: readonly OneSided[];
  readonly changed: readonly Changed[];
}
