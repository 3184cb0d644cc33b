// How a copy of a principal's index comes to be and stays true: it is read page by page, and afterwards what was written
// since; a copy of which it cannot be shown that it is the whole and nothing but the whole is given up.

import { refKey } from '../../model/memory.ts';
import type { Ref } from '../../model/memory.ts';
import type { Session } from '../statements/session.ts';
import type { EmbedderIdentity } from '../store.ts';
import { readByRef, readChanges, readPage, readPresent, readVectors } from './index_reads.ts';
import type { Present } from './index_reads.ts';
import { createResidentIndex } from './resident_index.ts';
import type { ResidentIndex } from './resident_index.ts';
import { createVectorCache, vectorBytes } from './vector_cache.ts';
import type { VectorCache } from './vector_cache.ts';

/** What one principal can see, as far as it was read. */
export interface ResidentCopy {
  readonly embedder: EmbedderIdentity;
  readonly index: ResidentIndex;
  readonly vectors: VectorCache;
  /** Where the store stood when reading began, or when it was last brought up to date; null: nothing was read yet. */
  known: Present | null;
  /** The last row that was read of the first load. */
  after: Ref | null;
  /** True: there is room for all vectors, and the load brings them, too. */
  holdsVectors: boolean;
}

/** How large a copy may be. */
export interface CopyBounds {
  /** Texts of one principal. */
  readonly rows: number;
  /** Bytes of the vectors that are kept beside it. */
  readonly vectorBytes: number;
}

/**
 * What a page came to: `more` are to be read, or the copy is `whole`; it is `too_large`, or the database holds what it cannot
 * (`unfit`); or so much was written meanwhile that it is to be read again (`overtaken`).
 */
export type PageOutcome = 'more' | 'whole' | 'too_large' | 'unfit' | 'overtaken';

// A page is a transaction that others wait for: some forty milliseconds. With smaller ones they would wait more often.
const pageRows = 250;
// Texts or vectors that are read one by one; a load reads more of them in less time.
const mostChanges = 2_000;

/** A copy in which nothing is yet. */
export function createCopy(embedder: EmbedderIdentity, bounds: CopyBounds): ResidentCopy {
  return {
    embedder,
    index: createResidentIndex(embedder.dimensions),
    vectors: createVectorCache(bounds.vectorBytes),
    known: null,
    after: null,
    holdsVectors: false,
  };
}

/** About so many bytes. */
export function bytesOf(copy: ResidentCopy): number {
  return copy.index.bytes + copy.vectors.bytes;
}

/** Reads the next page. What is written between two pages is read with the last one. */
export async function loadPage(session: Session, copy: ResidentCopy, bounds: CopyBounds): Promise<PageOutcome> {
  const present = await readPresent(session);
  if (copy.known === null) {
    copy.known = present;
    const there = await readChanges(session, { embedder: copy.embedder.id, since: present.nextTransaction, most: 0 });
    if (there.rows > bounds.rows) return 'too_large';
    copy.holdsVectors = there.signs * vectorBytes(copy.embedder.dimensions) <= bounds.vectorBytes;
  }
  const began = copy.known;
  const rows = await readPage(session, copy.embedder, { after: copy.after, limit: pageRows });
  const slots = new Map(rows.map((row) => [refKey(row.ref), copy.index.put(row)]));
  if (copy.holdsVectors) await loadVectors(session, copy, { slots, refs: rows.map(({ ref }) => ref) });
  copy.after = rows.at(-1)?.ref ?? copy.after;
  if (copy.index.rows > bounds.rows) return 'too_large';
  if (rows.length === pageRows) return 'more';
  if (await catchUp(session, copy, present)) return 'whole';
  return present.change === began.change ? 'unfit' : 'overtaken';
}

async function loadVectors(
  session: Session,
  { vectors, embedder }: ResidentCopy,
  { slots, refs }: { readonly slots: ReadonlyMap<string, number>; readonly refs: readonly Ref[] },
): Promise<void> {
  for (const part of ['text', 'context'] as const) {
    for (const [ref, vector] of await readVectors(session, embedder, { part, refs })) {
      const slot = slots.get(refKey(ref));
      if (slot !== undefined) vectors.put(slot, part, vector);
    }
  }
}

/**
 * Reads what was written since the copy was last true. False: too much, or something is gone, or there is a vector without
 * its text; then the copy is of no use any more.
 */
export async function catchUp(session: Session, copy: ResidentCopy, present: Present): Promise<boolean> {
  if (copy.known === null) return false;
  const since = copy.known.nextTransaction;
  const changes = await readChanges(session, { embedder: copy.embedder.id, since, most: mostChanges });
  if (changes.refs === null) return false;
  const rows = await readByRef(session, copy.embedder, changes.refs);
  for (const row of rows) copy.index.put(row);
  copy.known = present;
  // Each row that there is was there before or was written since, so equal numbers are the same rows.
  return copy.index.rows === changes.rows && copy.index.signs === changes.signs;
}
