// What `reembed` and `reindex` are asked for and what they tell.

import type { EmbedderIdentity } from '../store/store.ts';

/** How far a change of the store's embedder is, for one tenant. */
export interface Reembedding {
  /** `current`: it is the store's already; `waiting`: this tenant is ready, another one is not; `counted`: a dry run. */
  readonly outcome: 'current' | 'counted' | 'waiting' | 'switched';
  /** The store's embedder before the call. */
  readonly from: EmbedderIdentity;
  /** The program's. */
  readonly to: EmbedderIdentity;
  /** Memories of the tenant, and how many of them the program's embedder has been through. */
  readonly memories: number;
  readonly embedded: number;
  /** Vectors of the tenant by other embedders. */
  readonly leftOver: number;
  /** What this call did: memories embedded, rows of old vectors removed. */
  readonly written: number;
  readonly removed: number;
}

/** What is to be made anew. */
export interface ReindexOptions {
  /** Drop terms, names, vectors and token counts of the tenant first, and make all of them again. */
  readonly drop: boolean;
  /** Make vectors anew also where they are of the memory's text. */
  readonly vectors: boolean;
  /** Only count. */
  readonly dryRun: boolean;
}

/** The state of a tenant's index after a call, in memories, and what the call did. */
export interface Reindexing {
  readonly analysis: number;
  readonly memories: number;
  /** Those without terms. */
  readonly missing: number;
  /** Those with terms of another version of the analysis. */
  readonly older: number;
  /** Vectors by other embedders than the store's: of a change that is under way, or was given up. */
  readonly leftOver: number;
  readonly written: number;
  readonly dropped: number;
  /** Rows that cannot be read as their type, as if quarantined (design N2). */
  readonly unreadable: number;
}
