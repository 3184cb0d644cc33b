// Index rows (design D2, Q2, Q3) and what else is derived from a memory: written only while the memory still says what
// they were made of.

import { refKey } from '../../model/memory.ts';
import type { Ref } from '../../model/memory.ts';
import { memoryHash } from '../content_hash.ts';
import { requireUnchangedEmbedder } from '../migrate.ts';
import { refColumns, refsParameter } from '../ref_rows.ts';
import type { EmbedderIdentity } from '../store.ts';
import type { IndexEntry } from '../written_rows.ts';
import { readMemories } from './reader.ts';
import { embedderOf, isZero, vectorText } from './search.ts';
import type { Session } from './session.ts';
import { indexableTerm } from '../terms.ts';

const batchSize = 250;
// A tsvector holds one megabyte; a text with more distinct terms than this is found by those that come first.
const mostTermBytes = 800_000;
const mostFrequency = 32_767;

/** How careful to be. Rows that this very transaction inserted can neither change nor have index rows yet. */
export type Freshness = 'existing' | 'inserted';

/** Cuts a list into lists of at most `size`. */
export function batches<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  const cut: Item[][] = [];
  for (let start = 0; start < items.length; start += size) cut.push(items.slice(start, start + size));
  return cut;
}

/** Locks the sources of derived rows and keeps those whose content hash is the one that the source has now. */
export async function withCurrentHash<Derived>(
  session: Session,
  derived: readonly Derived[],
  of: (item: Derived) => { readonly ref: Ref; readonly hash: string },
  freshness: Freshness = 'existing',
): Promise<readonly Derived[]> {
  if (derived.length === 0) return [];
  const refs = derived.map((item) => of(item).ref);
  if (freshness === 'existing') await session.all('lock_sources', refsParameter(refs));
  const memories = await readMemories(session, refs, null);
  const hashes = new Map(memories.map((memory) => [refKey(memory.ref), memoryHash(memory)]));
  return derived.filter((item) => hashes.get(refKey(of(item).ref)) === of(item).hash);
}

/**
 * Replaces the index rows of the entries whose memory still has the entry's content hash. Throws `embedder_mismatch` when
 * the store's embedder was changed meanwhile.
 */
export async function writeIndex(
  session: Session,
  entries: readonly IndexEntry[],
  options: { readonly embedder: EmbedderIdentity; readonly freshness: Freshness },
): Promise<void> {
  const distinct = [...new Map(entries.map((entry) => [refKey(entry.ref), entry])).values()];
  if (distinct.length > 0) await holdEmbedder(session, options.embedder);
  for (const batch of batches(distinct, batchSize)) {
    const current = await withCurrentHash(
      session,
      batch,
      (entry) => ({ ref: entry.ref, hash: entry.contentHash }),
      options.freshness,
    );
    if (current.length === 0) continue;
    if (options.freshness === 'existing') {
      await session.all('delete_index', refsParameter(current.map((entry) => entry.ref)));
    }
    await insertTerms(session, current);
    const vectors = current.flatMap((entry) => vectorColumns(entry, options.embedder));
    if (vectors.length > 0) await session.all('insert_vectors', JSON.stringify(vectors), options.embedder.id);
  }
}

/** Lets nobody change the store's embedder until the transaction ends. Throws `embedder_mismatch` when it is another one. */
export async function holdEmbedder(session: Session, embedder: EmbedderIdentity): Promise<void> {
  requireUnchangedEmbedder(embedderOf(await session.one('hold_embedder')), embedder);
}

/** Inserts terms and names of entries that have none. */
export async function insertTerms(session: Session, entries: readonly IndexEntry[]): Promise<void> {
  if (entries.length > 0) await session.all('insert_terms', JSON.stringify(entries.map(termColumns)));
  const named = entries.filter((entry) => entry.names.length > 0);
  if (named.length > 0) await session.all('insert_names', JSON.stringify(named.map(nameColumns)));
}

function termColumns(entry: IndexEntry): object {
  const terms: [string, readonly number[]][] = [];
  let bytes = 0;
  for (const [term, frequencies] of entry.terms) {
    if (!indexableTerm(term)) continue;
    bytes += Buffer.byteLength(term);
    if (bytes > mostTermBytes) break;
    terms.push([term, frequencies.map((frequency) => Math.min(frequency, mostFrequency))]);
  }
  return {
    ...refColumns(entry.ref),
    content_hash: entry.contentHash,
    analysis: entry.analysis,
    lengths: entry.lengths,
    terms: Object.fromEntries(terms),
  };
}

/** What `insert_vectors` takes of an entry. A vector without direction is none. Throws for one of other dimensions. */
export function vectorColumns(entry: IndexEntry, { id, dimensions }: EmbedderIdentity): readonly object[] {
  const wrong = entry.vectors.find(({ vector }) => vector.length !== dimensions);
  if (wrong !== undefined) throw new Error(`${id} gave a vector of ${wrong.vector.length} dimensions`);
  return entry.vectors
    .filter(({ vector }) => !isZero(vector))
    .map(({ part, vector }) => ({
      ...refColumns(entry.ref),
      part,
      content_hash: entry.contentHash,
      vector: vectorText(vector),
    }));
}

function nameColumns(entry: IndexEntry): object {
  return { ...refColumns(entry.ref), names: entry.names.map((name) => name.toWellFormed()) };
}
