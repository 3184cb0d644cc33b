// The rows of an index: each has a slot, found by its ref, and every search marks what it may find.

import type { RowId } from '../../model/ids.ts';
import { memoryTypes } from '../../model/memory.ts';
import type { MemoryType, Ref } from '../../model/memory.ts';
import { microsOf } from '../../model/time.ts';
import type { PerField, SearchFilter } from '../search_values.ts';
import { grown } from './columns.ts';
import type { ResidentRow, ResidentSearch } from './resident_row.ts';
import { bytesOfColumns, createRowColumns, kindShift, lengthsAt, sumLengths, writeRow } from './row_columns.ts';
import type { LengthSums } from './row_columns.ts';
import { createTexts } from './texts.ts';
import { leaveOut, markRows } from './visibility.ts';

/** Rows by slot. A row that is replaced or removed leaves its slot behind; no slot is used twice. */
export interface RowTable {
  readonly rows: number;
  /** All slots are below it, those left behind too. */
  readonly slots: number;
  /** About so many. */
  readonly bytes: number;
  /** Gives the row a slot, higher than all before. No row of its ref is in the table. */
  add(row: ResidentRow): number;
  /** The slot that the row had; undefined: there was none. */
  remove(ref: Ref): number | undefined;
  /** What each slot is to a search. The array may be longer; the next call overwrites it. */
  mark(filter: SearchFilter, search: ResidentSearch): Uint8Array;
  /** How many rows have a mark, and the sum of each field's lengths over them. */
  sumLengths(marked: Uint8Array, mark: number): LengthSums;
  refAt(slot: number): Ref;
  groupAt(slot: number): string | null;
  lengthsAt(slot: number): PerField;
  /** Ascending by kind, row id and version. */
  compare(a: number, b: number): number;
}

// What the runtime keeps of an id beside its characters: the text's head, its places in the map and in the list.
const bytesBeside = 72;

/** Makes an empty table. */
export function createRowTable(): RowTable {
  const columns = createRowColumns();
  const texts = createTexts();
  const ids: RowId[] = [];
  const slotsById = createSlotsById();
  let lastMarked = new Uint8Array(0);
  let rows = 0;
  let characters = 0;
  const kindAt = (slot: number): MemoryType => memoryTypes[((columns.traits[slot] ?? 0) >> kindShift) - 1] ?? 'chunk';
  const idAt = (slot: number): RowId => ids[slot] as RowId;
  const versionAt = (slot: number): number => columns.versions[slot] ?? 0;
  const find = ([kind, id, version]: Ref): number | undefined =>
    slotsById.of(id).find((slot) => kindAt(slot) === kind && versionAt(slot) === version);
  return {
    get rows() {
      return rows;
    },
    get slots() {
      return ids.length;
    },
    get bytes() {
      return bytesOfColumns(columns) + lastMarked.byteLength + texts.bytes + characters + ids.length * bytesBeside;
    },
    add: (row) => {
      const slot = ids.length;
      const id = row.ref[1];
      writeRow(columns, slot, row, texts);
      slotsById.add(id, slot);
      ids.push(id);
      characters += id.length;
      rows += 1;
      return slot;
    },
    remove: (ref) => {
      const slot = find(ref);
      if (slot === undefined) return undefined;
      slotsById.remove(ref[1], slot);
      columns.traits[slot] = 0;
      rows -= 1;
      return slot;
    },
    mark: ({ kinds, collections, exclude }, { scope, at }) => {
      lastMarked = grown(lastMarked, ids.length);
      const marked = lastMarked;
      const search = {
        kinds,
        collections: collections === null ? null : new Set(collections.map((name) => texts.find(name))),
        agent: texts.find(scope.agentId),
        thread: texts.find(scope.threadId),
        atMicros: microsOf(at),
        slots: ids.length,
      };
      markRows(columns, search, marked);
      for (const slot of exclude.map(find)) if (slot !== undefined) leaveOut(marked, slot);
      return marked;
    },
    sumLengths: (marked, mark) => sumLengths(columns, { slots: ids.length, marked, mark }),
    refAt: (slot) => [kindAt(slot), idAt(slot), versionAt(slot)],
    groupAt: (slot) => texts.at(columns.groups[slot] ?? 0),
    lengthsAt: (slot) => lengthsAt(columns, slot),
    compare: (a, b) =>
      compareText(kindAt(a), kindAt(b)) || compareText(idAt(a), idAt(b)) || versionAt(a) - versionAt(b),
  };
}

/** The slots of the rows with an id. */
interface SlotsById {
  of(id: RowId): readonly number[];
  add(id: RowId, slot: number): void;
  remove(id: RowId, slot: number): void;
}

function createSlotsById(): SlotsById {
  // Nearly every id is that of one row; a list stands for rows of several kinds or versions.
  const slotsById = new Map<RowId, number | readonly number[]>();
  const of = (id: RowId): readonly number[] => {
    const slots = slotsById.get(id) ?? [];
    return typeof slots === 'number' ? [slots] : slots;
  };
  return {
    of,
    add: (id, slot) => {
      const others = of(id);
      slotsById.set(id, others.length === 0 ? slot : [...others, slot]);
    },
    remove: (id, slot) => {
      const others = of(id).filter((other) => other !== slot);
      if (others.length === 0) slotsById.delete(id);
      else slotsById.set(id, others);
    },
  };
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
