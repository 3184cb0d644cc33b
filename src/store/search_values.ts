// What a search asks of a store and what it answers: measurements, never decisions.

import type { Ref, SeatableType } from '../model/memory.ts';

/** What both searches filter by, inside the database: kinds, collections (null: all), and what to leave out. */
export interface SearchFilter {
  readonly kinds: readonly SeatableType[];
  readonly collections: readonly string[] | null;
  /** Rows that must not be found (the tail's). */
  readonly exclude: readonly Ref[];
  readonly limit: number;
}

/** One value for each indexed field; every frequency and length array has this order. */
export type PerField = readonly [title: number, date: number, body: number, context: number];

/** One row of a bounded lexical candidate set: enough for BM25 outside the database. */
export interface LexicalHit {
  readonly ref: Ref;
  /** For each asked term, in the order asked, its frequency in each field. */
  readonly frequencies: readonly PerField[];
  readonly lengths: PerField;
  /** The thread of a turn or summary, the document of a chunk: for whole-session scores. */
  readonly group: string | null;
}

/** A lexical search's answer, with statistics counted under the caller's scope and the filter's kinds. */
export interface LexicalResult {
  readonly documents: number;
  readonly averageLengths: PerField;
  /** For each asked term, in how many rows it occurs. */
  readonly documentFrequencies: readonly number[];
  readonly hits: readonly LexicalHit[];
}

/** Which text a vector stands for: the memory's own, or it with its neighbours. */
export type VectorPart = 'text' | 'context';

/** A row near a question's vector. */
export interface VectorHit {
  readonly ref: Ref;
  readonly cosine: number;
}

/** A subject that one of the asked names belongs to, with every name it has in scope. */
export interface SubjectNames {
  readonly subject: string;
  readonly names: readonly string[];
}
