// What an operator needs to make anew what is derived of a tenant's memories (design D3, D6), a few at a time.

import type { RowId } from '../model/ids.ts';
import type { Memory, Ref, SeatableType } from '../model/memory.ts';
import type { EmbedderIdentity } from './embedder_identity.ts';
import type { IndexEntry } from './written_rows.ts';

/** Which memories a page is about. */
export interface RebuildWanted {
  readonly kind: SeatableType;
  /** Those after this id; empty: from the first. */
  readonly after: RowId | '';
  readonly limit: number;
  /** How many neighbours on each side come along. */
  readonly reach: number;
  readonly embedder: EmbedderIdentity;
  readonly analysis: number;
  /** Only those without a vector by the embedder, or without terms of the analysis; null: all. */
  readonly lacking: 'vectors' | 'terms' | null;
}

/** A memory with those that stand next to it: nearest last before it, nearest first after it. */
export interface MemoryToIndex {
  readonly memory: Memory;
  readonly before: readonly Memory[];
  readonly after: readonly Memory[];
  /** True when it has terms, of whatever analysis. */
  readonly isIndexed: boolean;
  /** Hash of the text that its vector by the embedder was made of; null: it has none. */
  readonly vectorHash: string | null;
}

/** Some memories of one kind, by id. */
export interface RebuildPage {
  readonly memories: readonly MemoryToIndex[];
  /** Rows that cannot be read as their type, as if quarantined (design N2). */
  readonly unreadable: readonly Ref[];
  /** Where the next page begins; null: this was the last. */
  readonly next: RowId | null;
}

/** How far what is derived of a tenant is as it should be, in memories and (`leftOver`) in vectors. */
export interface IndexCounts {
  readonly memories: number;
  /** Those that have terms, of whatever analysis. */
  readonly indexed: number;
  /** Those that have terms of the analysis that was asked for. */
  readonly analysed: number;
  /** Those that the embedder has been through. */
  readonly embedded: number;
  /** Vectors by other embedders. */
  readonly leftOver: number;
}

/** An index entry, with the neighbours that it was made with. */
export interface PlacedEntry {
  readonly entry: IndexEntry;
  readonly before: readonly Ref[];
  readonly after: readonly Ref[];
}

/**
 * What an operator may do with derived rows of the tenant. What is written is written only where a memory and its
 * neighbours (`reach` on each side) are still those that the entry was made of; nobody else can index them until the
 * transaction ends.
 */
export interface IndexRebuilder {
  indexCounts(embedder: EmbedderIdentity, analysis: number): Promise<IndexCounts>;
  rebuildPage(wanted: RebuildWanted): Promise<RebuildPage>;
  /**
   * Keeps vectors by an embedder beside those by others, and a mark where it knows nothing; `unreadable` get the mark
   * alone. Gives how many memories that were.
   */
  putVectors(
    entries: readonly PlacedEntry[],
    given: { readonly reach: number; readonly unreadable: readonly Ref[]; readonly embedder: EmbedderIdentity },
  ): Promise<number>;
  /**
   * Replaces terms and names, and where an entry is `embedded` its vectors by the store's embedder. Gives the refs of those
   * that were written. Throws `embedder_mismatch`.
   */
  putTerms(
    entries: readonly (PlacedEntry & { readonly embedded: boolean })[],
    given: { readonly reach: number },
  ): Promise<readonly Ref[]>;
  /** Makes an embedder the store's where no memory of any tenant lacks its vectors, and tells whether it is. */
  switchEmbedder(embedder: EmbedderIdentity): Promise<boolean>;
  /** Deletes a bounded number of vectors by other embedders than this, and tells how many. */
  deleteLeftOver(embedder: EmbedderIdentity, most: number): Promise<number>;
  /** Deletes terms, names, vectors and token counts of a bounded number of memories, and tells of how many. */
  dropDerived(most: number): Promise<number>;
}
