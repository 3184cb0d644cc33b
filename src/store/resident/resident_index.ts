// What one principal's searches read, kept in memory: rows, the lists of their terms, and the sign bits of their vectors.

import type { Ref } from '../../model/memory.ts';
import type { LexicalResult, SearchFilter, VectorPart } from '../search_values.ts';
import { createPostings } from './postings.ts';
import { searchRows } from './resident_lexical.ts';
import type { ResidentRow, ResidentSearch } from './resident_row.ts';
import { chooseVectors } from './resident_vectors.ts';
import { createRowTable } from './row_table.ts';
import { bytesOfScratch, createScratch, makeRoom } from './scratch.ts';
import { createSignColumn } from './sign_column.ts';

/** The rows that one tenant's user can see, and the answers of the search statements from them. */
export interface ResidentIndex {
  /** Rows and sign vectors that it holds now. */
  readonly rows: number;
  readonly signs: number;
  /** The share of its places that replaced or removed rows still take, 0..1. */
  readonly waste: number;
  /** About so many. */
  readonly bytes: number;
  /** Puts a row in place of the one with its ref; gives its slot. */
  put(row: ResidentRow): number;
  remove(ref: Ref): void;
  searchLexical(terms: readonly string[], filter: SearchFilter, search: ResidentSearch): LexicalResult;
  /**
   * The slots of the rows whose vectors are to be compared exactly: all that the filter lets pass up to a size, above it
   * the nearest by sign. Order is of no meaning. The question has a direction.
   */
  near(question: Float32Array, part: VectorPart, filter: SearchFilter, search: ResidentSearch): readonly number[];
  /** What stands in a slot, as long as it is not replaced or removed; what takes its place stands in another one. */
  refAt(slot: number): Ref;
  /** Ascending by kind, row id and version. */
  compare(slot: number, other: number): number;
}

/** Makes an empty index for vectors of so many dimensions. */
export function createResidentIndex(dimensions: number): ResidentIndex {
  const rows = createRowTable();
  const postings = createPostings();
  const scratch = createScratch();
  const signs = { text: createSignColumn(dimensions), context: createSignColumn(dimensions) };
  const remove = (ref: Ref): void => {
    const slot = rows.remove(ref);
    if (slot === undefined) return;
    signs.text.remove(slot);
    signs.context.remove(slot);
  };
  return {
    get rows() {
      return rows.rows;
    },
    get signs() {
      return signs.text.vectors + signs.context.vectors;
    },
    get waste() {
      return rows.slots === 0 ? 0 : 1 - rows.rows / rows.slots;
    },
    get bytes() {
      return rows.bytes + postings.bytes + bytesOfScratch(scratch) + signs.text.bytes + signs.context.bytes;
    },
    put: (row) => {
      remove(row.ref);
      const slot = rows.add(row);
      makeRoom(scratch, slot + 1);
      postings.add(slot, row.terms);
      for (const part of ['text', 'context'] as const) {
        const bits = row.signs[part];
        if (bits !== null) signs[part].put(slot, bits);
      }
      return slot;
    },
    remove,
    searchLexical: (terms, filter, search) =>
      searchRows({ rows, postings, scratch }, terms, { marked: rows.mark(filter, search), limit: filter.limit }),
    near: (question, part, filter, search) => {
      const marked = rows.mark(filter, search);
      return chooseVectors({ rows, signs: signs[part], scratch }, question, { marked, limit: filter.limit });
    },
    refAt: (slot) => rows.refAt(slot),
    compare: (slot, other) => rows.compare(slot, other),
  };
}
