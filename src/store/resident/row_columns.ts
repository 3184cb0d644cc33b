// What is kept of each row in numbers, by slot.

import { memoryTypes } from '../../model/memory.ts';
import type { MemoryType } from '../../model/memory.ts';
import { microsOf } from '../../model/time.ts';
import type { PerField } from '../search_values.ts';
import { grown } from './columns.ts';
import type { ResidentRow } from './resident_row.ts';
import type { Texts } from './texts.ts';

/** The flags of a row in its byte of traits; the number of its kind stands above them, 0 when it is gone. */
export const traits = { own: 1, quarantined: 2, sampled: 4 } as const;

/** How far the number of the kind is shifted in the byte of traits. */
export const kindShift = 3;

/** Columns by slot; texts are numbers of `texts.ts`, times are microseconds, an open end is Infinity. */
export interface RowColumns {
  traits: Uint8Array;
  versions: Int32Array;
  agents: Int32Array;
  threads: Int32Array;
  collections: Int32Array;
  groups: Int32Array;
  validFrom: Float64Array;
  validUntil: Float64Array;
  /** Four for each slot. */
  lengths: Uint32Array;
}

/** Columns without rows. */
export function createRowColumns(): RowColumns {
  return {
    traits: new Uint8Array(0),
    versions: new Int32Array(0),
    agents: new Int32Array(0),
    threads: new Int32Array(0),
    collections: new Int32Array(0),
    groups: new Int32Array(0),
    validFrom: new Float64Array(0),
    validUntil: new Float64Array(0),
    lengths: new Uint32Array(0),
  };
}

/** Bytes of all columns. */
export function bytesOfColumns(columns: RowColumns): number {
  return Object.values(columns).reduce((sum, column: RowColumns[keyof RowColumns]) => sum + column.byteLength, 0);
}

/** Writes a row into its slot. */
export function writeRow(columns: RowColumns, slot: number, row: ResidentRow, texts: Texts): void {
  makeRoom(columns, slot + 1);
  columns.traits[slot] =
    (kindCode(row.ref[0]) << kindShift) |
    (row.isOwn ? traits.own : 0) |
    (row.quarantined ? traits.quarantined : 0) |
    (row.sampled ? traits.sampled : 0);
  columns.versions[slot] = row.ref[2];
  columns.agents[slot] = texts.add(row.agentId);
  columns.threads[slot] = texts.add(row.threadId);
  columns.collections[slot] = texts.add(row.collection);
  columns.groups[slot] = texts.add(row.group);
  columns.validFrom[slot] = microsOf(row.validFrom);
  columns.validUntil[slot] = row.validUntil === null ? Infinity : microsOf(row.validUntil);
  columns.lengths.set(row.lengths, slot * row.lengths.length);
}

function makeRoom(columns: RowColumns, slots: number): void {
  columns.traits = grown(columns.traits, slots);
  for (const name of ['versions', 'agents', 'threads', 'collections', 'groups'] as const) {
    columns[name] = grown(columns[name], slots);
  }
  for (const name of ['validFrom', 'validUntil'] as const) columns[name] = grown(columns[name], slots);
  columns.lengths = grown(columns.lengths, 4 * slots);
}

/** The lengths of a slot's fields. */
export function lengthsAt({ lengths }: RowColumns, slot: number): PerField {
  const at = 4 * slot;
  return [lengths[at] ?? 0, lengths[at + 1] ?? 0, lengths[at + 2] ?? 0, lengths[at + 3] ?? 0];
}

/** Rows and the sums of their fields' lengths. */
export interface LengthSums {
  readonly rows: number;
  readonly lengths: PerField;
}

/** Adds up the lengths of the slots that have the mark. */
export function sumLengths(
  { lengths }: RowColumns,
  { slots, marked, mark }: { readonly slots: number; readonly marked: Uint8Array; readonly mark: number },
): LengthSums {
  let rows = 0;
  let [title, date, body, context] = [0, 0, 0, 0];
  for (let slot = 0; slot < slots; slot += 1) {
    if (((marked[slot] ?? 0) & mark) === 0) continue;
    rows += 1;
    title += lengths[4 * slot] ?? 0;
    date += lengths[4 * slot + 1] ?? 0;
    body += lengths[4 * slot + 2] ?? 0;
    context += lengths[4 * slot + 3] ?? 0;
  }
  return { rows, lengths: [title, date, body, context] };
}

/** The number of a kind, 1 or more. */
export function kindCode(kind: MemoryType): number {
  return memoryTypes.indexOf(kind) + 1;
}
