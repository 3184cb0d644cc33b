// Which rows a search may find: the scope rule of the statements, once over all rows, in memory.

import { memoryTypes } from '../../model/memory.ts';
import type { SeatableType } from '../../model/memory.ts';
import { kindCode, kindShift, traits } from './row_columns.ts';
import type { RowColumns } from './row_columns.ts';

/** What a row is to a search, as bits. */
export const marks = {
  /** The caller may see it and its kind is asked for, be it current or not. */
  inScope: 1,
  /** In scope, current at the time, and not quarantined. */
  current: 2,
  /** Current, and in the sample of large tenants. */
  sampled: 4,
  /** Current, in a collection that is asked for, and not excluded. */
  wanted: 8,
} as const;

/** A search in the numbers of the columns; an agent or a thread that no row has is -1. */
export interface NumberedSearch {
  readonly kinds: readonly SeatableType[];
  /** Null: all. */
  readonly collections: ReadonlySet<number> | null;
  readonly agent: number;
  readonly thread: number;
  readonly atMicros: number;
  /** All slots are below it. */
  readonly slots: number;
}

// A mark of this file alone: the row is found from any thread.
const anyThread = 16;

/** Writes the marks of each slot. */
export function markRows(columns: RowColumns, search: NumberedSearch, marked: Uint8Array): void {
  const rules = rulesOf(search.kinds);
  const { agent, thread, atMicros, slots } = search;
  const { agents, threads, validFrom, validUntil } = columns;
  const rowTraits = columns.traits;
  for (let slot = 0; slot < slots; slot += 1) {
    let mark = rules[rowTraits[slot] ?? 0] ?? 0;
    if (mark !== 0) {
      const ofAgent = agents[slot] ?? 0;
      const ofThread = threads[slot] ?? 0;
      if (ofAgent !== 0 && ofAgent !== agent) mark = 0;
      else if (ofThread !== 0 && ofThread !== thread && (mark & anyThread) === 0) mark = 0;
      else if ((validFrom[slot] ?? 0) > atMicros || (validUntil[slot] ?? 0) <= atMicros) mark &= marks.inScope;
    }
    marked[slot] = mark;
  }
  if (search.collections !== null) leaveOutCollections(columns, search.collections, { slots, marked });
}

/** Lets a search not find the row of a slot; statistics count it all the same. */
export function leaveOut(marked: Uint8Array, slot: number): void {
  marked[slot] = (marked[slot] ?? 0) & ~marks.wanted;
}

/** For each byte of traits, the marks that a row with them has if its agent, thread and time allow it. */
function rulesOf(kinds: readonly SeatableType[]): Uint8Array {
  const rules = new Uint8Array((memoryTypes.length + 1) << kindShift);
  for (const kind of kinds) {
    const first = kindCode(kind) << kindShift;
    for (let flags = 0; flags < 1 << kindShift; flags += 1) {
      const isOwn = (flags & traits.own) !== 0;
      // A turn is always somebody's: a shared one is nobody's to see.
      if (kind === 'conversation' && !isOwn) continue;
      const isOfAnyThread = isOwn && (kind === 'conversation' || kind === 'summary');
      const isFindable = (flags & traits.quarantined) === 0;
      rules[first | flags] =
        marks.inScope |
        (isOfAnyThread ? anyThread : 0) |
        (isFindable ? marks.current | marks.wanted : 0) |
        (isFindable && (flags & traits.sampled) !== 0 ? marks.sampled : 0);
    }
  }
  return rules;
}

function leaveOutCollections(
  columns: RowColumns,
  asked: ReadonlySet<number>,
  { slots, marked }: { readonly slots: number; readonly marked: Uint8Array },
): void {
  const chunk = kindCode('chunk');
  for (let slot = 0; slot < slots; slot += 1) {
    const isChunk = (columns.traits[slot] ?? 0) >> kindShift === chunk;
    if (isChunk && !asked.has(columns.collections[slot] ?? 0)) leaveOut(marked, slot);
  }
}
