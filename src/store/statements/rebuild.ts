// Derived rows made anew (design D3, D6): read in pages, and written only where nothing has changed under them since.

import { z } from 'zod';
import { rowId } from '../../model/ids.ts';
import { type Memory, type Ref, refKey } from '../../model/memory.ts';
import { memoryHash } from '../content_hash.ts';
import type { IndexCounts, IndexRebuilder, MemoryToIndex, PlacedEntry, RebuildWanted } from '../rebuild_port.ts';
import { refColumns, refOf, refsParameter } from '../ref_rows.ts';
import type { EmbedderIdentity } from '../store.ts';
import type { IndexEntry } from '../written_rows.ts';
import { holdEmbedder, insertTerms, vectorColumns } from './index_writer.ts';
import { readMemories } from './reader.ts';
import { isZero } from './search.ts';
import type { DatabaseRow, Session } from './session.ts';

/** A rebuilder over a session of an operator; `embedder` is whose vectors the store is opened for. */
export function createRebuilder(session: Session, embedder: EmbedderIdentity): IndexRebuilder {
  return {
    indexCounts: async ({ id }, analysis) => indexCounts(await session.one('index_counts', id, analysis)),
    rebuildPage: (wanted) => readPage(session, wanted),
    putVectors: (entries, given) => putVectors(session, entries, given),
    putTerms: (entries, { reach }) => putTerms(session, entries, { reach, embedder }),
    async switchEmbedder({ id, dimensions }) {
      const row = await session.one('switch_embedder', id, dimensions);
      return z.object({ switched: z.boolean() }).parse(row).switched;
    },
    deleteLeftOver: async ({ id }, most) => {
      const row = await session.one('delete_left_over', id, most);
      return z.object({ deleted: z.number() }).parse(row).deleted;
    },
    async dropDerived(most) {
      const refs = (await session.all('derived_refs', most)).map((row) => refOf(row));
      if (refs.length === 0) return 0;
      await session.all('delete_index', refsParameter(refs));
      await session.all('delete_token_counts', refsParameter(refs));
      return refs.length;
    },
  };
}

const countColumns = z.object({
  memories: z.number(),
  indexed: z.number(),
  analysed: z.number(),
  with_vector: z.number(),
  left_over: z.number(),
});

function indexCounts(row: DatabaseRow): IndexCounts {
  const { with_vector: embedded, left_over: leftOver, ...counts } = countColumns.parse(row);
  return { ...counts, embedded, leftOver };
}

const pageColumns = z.object({ analysis: z.number().nullable(), vector_hash: z.string().nullable() });

async function readPage(session: Session, wanted: RebuildWanted): ReturnType<IndexRebuilder['rebuildPage']> {
  const { kind, after, embedder, analysis, lacking, limit, reach } = wanted;
  const rows = await session.all('rebuild_page', kind, after, embedder.id, analysis, lacking, limit);
  const refs = rows.map((row) => refOf(row));
  const next = rows.length < limit ? null : (refs.at(-1)?.[1] ?? null);
  const placed = await readPlaced(session, refs, reach);
  const memories = rows.flatMap((row): readonly MemoryToIndex[] => {
    const found = placed.get(refKey(refOf(row)));
    if (found === undefined) return [];
    const columns = pageColumns.parse(row);
    return [{ ...found, isIndexed: columns.analysis !== null, vectorHash: columns.vector_hash }];
  });
  return { memories, unreadable: refs.filter((ref) => !placed.has(refKey(ref))), next };
}

type Neighbourhood = Pick<MemoryToIndex, 'memory' | 'before' | 'after'>;

const neighbourColumns = z.object({ neighbour: z.string(), is_before: z.boolean() });

/** Memories with their neighbours, by `refKey`; those that cannot be read are left out, as neighbours too. */
async function readPlaced(
  session: Session,
  refs: readonly Ref[],
  reach: number,
): Promise<ReadonlyMap<string, Neighbourhood>> {
  if (refs.length === 0) return new Map();
  const neighbours = (await session.all('neighbours', refsParameter(refs), reach)).map((row) => {
    const { neighbour, is_before: isBefore } = neighbourColumns.parse(row);
    const of = refOf(row);
    return { of: refKey(of), ref: [of[0], rowId(neighbour), 1] as const satisfies Ref, isBefore };
  });
  const wanted = new Map([...refs, ...neighbours.map(({ ref }) => ref)].map((ref) => [refKey(ref), ref]));
  const memories = new Map(
    (await readMemories(session, [...wanted.values()], null)).map((memory) => [refKey(memory.ref), memory]),
  );
  const placed = new Map<string, { memory: Memory; before: Memory[]; after: Memory[] }>();
  for (const ref of refs) {
    const memory = memories.get(refKey(ref));
    if (memory !== undefined) placed.set(refKey(ref), { memory, before: [], after: [] });
  }
  for (const { of, ref, isBefore } of neighbours) {
    const neighbour = memories.get(refKey(ref));
    if (neighbour !== undefined) placed.get(of)?.[isBefore ? 'before' : 'after'].push(neighbour);
  }
  return placed;
}

/** Locks the memories of entries, and keeps those that would come out the same if they were made now. */
async function unchanged<Entry extends PlacedEntry>(
  session: Session,
  entries: readonly Entry[],
  reach: number,
): Promise<readonly Entry[]> {
  if (entries.length === 0) return [];
  const refs = entries.map(({ entry }) => entry.ref);
  await session.all('lock_rebuilt', refsParameter(refs));
  const placed = await readPlaced(session, refs, reach);
  return entries.filter(({ entry, before, after }) => {
    const now = placed.get(refKey(entry.ref));
    if (now === undefined || memoryHash(now.memory) !== entry.contentHash) return false;
    return isSame(before, now.before) && isSame(after, now.after);
  });
}

function isSame(refs: readonly Ref[], memories: readonly Memory[]): boolean {
  return refs.map(refKey).join('\n') === memories.map(({ ref }) => refKey(ref)).join('\n');
}

async function putVectors(
  session: Session,
  entries: readonly PlacedEntry[],
  given: Parameters<IndexRebuilder['putVectors']>[1],
): Promise<number> {
  const { embedder, unreadable, reach } = given;
  const current = (await unchanged(session, entries, reach)).map(({ entry }) => entry);
  const refs = [...current.map(({ ref }) => ref), ...unreadable];
  if (refs.length === 0) return 0;
  // Another run may have come first.
  await session.all('delete_vectors', refsParameter(refs), embedder.id);
  const columns = [...current.flatMap((entry) => markedColumns(entry, embedder)), ...unreadable.map(markOfUnreadable)];
  await session.all('insert_vectors', JSON.stringify(columns), embedder.id);
  return refs.length;
}

/** The vectors of an entry, and a mark in place of that of its own text where there is none. */
function markedColumns(entry: IndexEntry, embedder: EmbedderIdentity): readonly object[] {
  const columns = vectorColumns(entry, embedder);
  const isMarked = !entry.vectors.some(({ part, vector }) => part === 'text' && !isZero(vector));
  return isMarked ? [...columns, mark(entry.ref, entry.contentHash)] : columns;
}

function mark(ref: Ref, contentHash: string): object {
  return { ...refColumns(ref), part: 'text', content_hash: contentHash, vector: null };
}

/** Whatever its text is, no search finds it. */
function markOfUnreadable(ref: Ref): object {
  return mark(ref, '');
}

async function putTerms(
  session: Session,
  entries: readonly (PlacedEntry & { readonly embedded: boolean })[],
  { reach, embedder }: { readonly reach: number; readonly embedder: EmbedderIdentity },
): Promise<readonly Ref[]> {
  await holdEmbedder(session, embedder);
  const current = await unchanged(session, entries, reach);
  const refs = current.map(({ entry }) => entry.ref);
  if (refs.length === 0) return [];
  await session.all('delete_terms', refsParameter(refs));
  await insertTerms(
    session,
    current.map(({ entry }) => entry),
  );
  const embedded = current.filter((item) => item.embedded).map(({ entry }) => entry);
  if (embedded.length === 0) return refs;
  await session.all('delete_vectors', refsParameter(embedded.map(({ ref }) => ref)), embedder.id);
  const vectors = embedded.flatMap((entry) => vectorColumns(entry, embedder));
  if (vectors.length > 0) await session.all('insert_vectors', JSON.stringify(vectors), embedder.id);
  return refs;
}
