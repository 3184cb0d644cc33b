// What a resident index has to answer, in arrays and filters: the statements of a search, written down once more.

import type { Ref } from '../../../src/model/memory.ts';
import { refKey } from '../../../src/model/memory.ts';
import type { ResidentRow, ResidentSearch } from '../../../src/store/resident/resident_row.ts';
import type { LexicalResult, PerField, SearchFilter, VectorPart } from '../../../src/store/search_values.ts';
import { indexableTerm } from '../../../src/store/terms.ts';

export interface PlainIndex {
  put(row: ResidentRow): void;
  remove(ref: Ref): void;
  rows(): readonly ResidentRow[];
  searchLexical(terms: readonly string[], filter: SearchFilter, search: ResidentSearch): LexicalResult;
  near(question: Float32Array, part: VectorPart, filter: SearchFilter, search: ResidentSearch): readonly Ref[];
}

export function createPlainIndex(first: readonly ResidentRow[] = []): PlainIndex {
  let rows = first;
  const remove = (ref: Ref) => {
    rows = rows.filter((row) => refKey(row.ref) !== refKey(ref));
  };
  return {
    put: (row) => {
      remove(row.ref);
      rows = [...rows, row];
    },
    remove,
    rows: () => rows,
    searchLexical: (terms, filter, search) => lexical(rows, terms, { filter, search }),
    near: (question, part, filter, search) => near(rows, { question, part }, { filter, search }),
  };
}

interface Asked {
  readonly filter: SearchFilter;
  readonly search: ResidentSearch;
}

function inScope(row: ResidentRow, { filter, search: { scope } }: Asked): boolean {
  const kind = row.ref[0];
  const isOwnHistory = row.isOwn && (kind === 'conversation' || kind === 'summary');
  return (
    filter.kinds.some((asked) => asked === kind) &&
    (row.isOwn || kind !== 'conversation') &&
    (row.agentId === null || row.agentId === scope.agentId) &&
    (row.threadId === null || row.threadId === scope.threadId || isOwnHistory)
  );
}

function isCurrent(row: ResidentRow, asked: Asked): boolean {
  const { at } = asked.search;
  return (
    inScope(row, asked) && !row.quarantined && row.validFrom <= at && (row.validUntil === null || row.validUntil > at)
  );
}

function isWanted(row: ResidentRow, asked: Asked): boolean {
  const { collections, exclude } = asked.filter;
  const isInCollection =
    collections === null || row.ref[0] !== 'chunk' || (row.collection !== null && collections.includes(row.collection));
  return isCurrent(row, asked) && isInCollection && !exclude.some((ref) => refKey(ref) === refKey(row.ref));
}

const byKey = (a: ResidentRow, b: ResidentRow): number => {
  const [kind, id, version] = a.ref;
  const [otherKind, otherId, otherVersion] = b.ref;
  if (kind !== otherKind) return kind < otherKind ? -1 : 1;
  if (id !== otherId) return id < otherId ? -1 : 1;
  return version - otherVersion;
};

const holds = (row: ResidentRow, term: string): boolean => row.terms.some(([held]) => held === term);

const mean = (rows: readonly ResidentRow[], field: 0 | 1 | 2 | 3): number =>
  rows.length === 0 ? 0 : rows.reduce((sum, row) => sum + row.lengths[field], 0) / rows.length;

function lexical(rows: readonly ResidentRow[], terms: readonly string[], asked: Asked): LexicalResult {
  const current = rows.filter((row) => isCurrent(row, asked));
  const sample = current.filter((row) => row.sampled);
  const isLarge = 16 * sample.length > 5_000;
  const documents = isLarge ? 16 * sample.length : current.length;
  const measured = isLarge ? sample : current;
  const frequencyOf = (term: string): number => {
    const counted = current.filter((row) => holds(row, term)).length;
    const most = isLarge ? 1_000 : 50_000;
    if (counted < most) return counted;
    return Math.min(50_000, Math.max(most, 16 * sample.filter((row) => holds(row, term)).length));
  };
  const distinct = [...new Set(terms.filter(indexableTerm))].slice(0, 200);
  const found = distinct.map((term) => ({ term, frequency: frequencyOf(term) }));
  const chosen: { readonly term: string; readonly weight: number }[] = [];
  let postings = 0;
  for (const { term, frequency } of found
    .filter((one) => one.frequency > 0)
    .toSorted((a, b) => a.frequency - b.frequency || (a.term < b.term ? -1 : 1))) {
    postings += frequency;
    if (chosen.length > 0 && postings > Math.max(5_000, documents / 5)) break;
    chosen.push({ term, weight: Math.round(1e6 * Math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5))) });
  }
  const score = (row: ResidentRow): number =>
    chosen.reduce((sum, { term, weight }) => sum + (holds(row, term) ? weight : 0), 0);
  const hits = rows
    .filter((row) => isWanted(row, asked) && chosen.some(({ term }) => holds(row, term)))
    .map((row) => ({ row, score: score(row) }))
    .toSorted((a, b) => b.score - a.score || byKey(a.row, b.row))
    .slice(0, Math.max(0, asked.filter.limit));
  return {
    documents,
    averageLengths: [mean(measured, 0), mean(measured, 1), mean(measured, 2), mean(measured, 3)],
    documentFrequencies: terms.map((term) => found.find((one) => one.term === term)?.frequency ?? 0),
    hits: hits.map(({ row }) => ({
      ref: row.ref,
      frequencies: terms.map((term) => heldFrequencies(row, distinct.includes(term) ? term : null)),
      lengths: row.lengths,
      group: row.group,
    })),
  };
}

function heldFrequencies(row: ResidentRow, term: string | null): PerField {
  return row.terms.find(([held]) => held === term)?.[1] ?? [0, 0, 0, 0];
}

function near(
  rows: readonly ResidentRow[],
  { question, part }: { readonly question: Float32Array; readonly part: VectorPart },
  asked: Asked,
): readonly Ref[] {
  const { limit } = asked.filter;
  if (limit <= 0) return [];
  const withVector = rows.filter((row) => row.signs[part] !== null);
  const wanted = withVector.filter((row) => isWanted(row, asked));
  if (withVector.filter((row) => inScope(row, asked)).length <= 2_000) return wanted.map(({ ref }) => ref);
  const signs = [...question].map((component) => (component > 0 ? '1' : '0'));
  const distance = (row: ResidentRow): number => {
    const bits = [...(row.signs[part] ?? [])].map((byte) => byte.toString(2).padStart(8, '0')).join('');
    return signs.filter((sign, at) => sign !== bits[at]).length;
  };
  return wanted
    .map((row) => ({ row, distance: distance(row) }))
    .toSorted((a, b) => a.distance - b.distance || byKey(a.row, b.row))
    .slice(0, Math.max(500, limit))
    .map(({ row }) => row.ref);
}
