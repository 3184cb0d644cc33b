// Consequences (design R3): what used a version that was corrected later, and where a cited memory came from.

import type { CitationId, RowId } from './ids.ts';
import type { RefJson } from './manifest.ts';
import type { MemoryType } from './memory.ts';
import type { RowScope } from './scope.ts';
import type { Instant } from './time.ts';

/** What became of a version: when, and the row that took its place where there is one. */
export interface Corrected {
  readonly version: RefJson;
  readonly state: 'superseded' | 'expired' | 'deleted';
  readonly at: Instant;
  readonly by: { readonly type: MemoryType; readonly id: RowId } | null;
}

/** How a version came into a window or answer; `run`: the answer was given in a run that had it in a window. */
export type Entered = 'current' | 'history' | 'tail' | 'evidence' | 'correction' | 'cited' | 'run';

/** One window, tool result or answer that used a version that was corrected later. */
export interface AffectedUse {
  readonly kind: 'window' | 'tool_result' | 'answer';
  /** The manifest's id; of an answer, its turn's. */
  readonly id: RowId;
  readonly owner: RowScope;
  readonly at: Instant;
  readonly entered: Entered;
  readonly version: RefJson;
  /** The memory through which it came, where that is another one: a summary, a turn. */
  readonly via: RefJson | null;
}

/** What was asked about, which of its versions were corrected, and what had used them; newest use first. */
export interface Affected {
  readonly versions: readonly RefJson[];
  readonly corrected: readonly Corrected[];
  readonly uses: readonly AffectedUse[];
}

/** Where a row stands now; `not_visible`: the caller may not see it any more, or it is gone. */
export type StandingNow =
  | 'current'
  | 'deleted'
  | 'not_yet_effective'
  | 'superseded'
  | 'expired'
  | 'quarantined'
  | 'not_visible';

/** One step back. The memory itself has depth 0 and no relation. */
export interface TraceStep {
  readonly depth: number;
  /** What leads here from the step above: provenance, `source_event` or `parent_document`. */
  readonly relation: 'derived_from' | 'mentions' | 'source_event' | 'parent_document' | null;
  readonly ref: RefJson;
  readonly standing: StandingNow;
  /** Null for what has none, and for what may not be shown. */
  readonly title: string | null;
  /** Of a document. */
  readonly uri: string | null;
  /** Of an event. */
  readonly eventType: string | null;
  readonly createdAt: Instant | null;
}

/** A citation and the way back from it, each row once, in the order in which it is reached. */
export interface Trace {
  readonly citationId: CitationId;
  readonly steps: readonly TraceStep[];
}
