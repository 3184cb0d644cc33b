// One row of a resident index, as whoever reads the database hands it over, and who searches.

import type { Ref } from '../../model/memory.ts';
import type { Scope } from '../../model/scope.ts';
import type { Instant } from '../../model/time.ts';
import type { PerField, VectorPart } from '../search_values.ts';

/** One indexed memory as a principal can see it: what searches filter by and what they measure. */
export interface ResidentRow {
  readonly ref: Ref;
  readonly agentId: string | null;
  readonly threadId: string | null;
  /** True: the row has the principal's own user_id; false: it is shared (user_id null). */
  readonly isOwn: boolean;
  readonly collection: string | null;
  /** Thread of a turn or summary, document of a chunk. */
  readonly group: string | null;
  readonly validFrom: Instant;
  readonly validUntil: Instant | null;
  readonly quarantined: boolean;
  /** True: it is in the sample that statistics of a large tenant are counted in (content_hash < '1'). */
  readonly sampled: boolean;
  readonly lengths: PerField;
  /** Each term once, with its frequency in each field. */
  readonly terms: readonly (readonly [term: string, frequencies: PerField])[];
  /** Sign bits of the vectors, most significant bit first (as PostgreSQL sends a bit string); null: no vector. */
  readonly signs: Readonly<Record<VectorPart, Uint8Array | null>>;
}

/** Whose agent and thread a search is for, and when. */
export interface ResidentSearch {
  readonly scope: Scope;
  readonly at: Instant;
}
