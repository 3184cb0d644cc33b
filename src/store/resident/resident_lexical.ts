// A lexical search of rows in memory: what the statements lexical_statistics and lexical_hits answer, number by number.

import {
  askedTerms,
  mostCounted,
  mostCountedBeforeSample,
  mostCountedWhole,
  rareTerms,
  sampledPart,
} from '../search_bounds.ts';
import type { ChosenTerm } from '../search_bounds.ts';
import type { LexicalHit, LexicalResult, PerField } from '../search_values.ts';
import { createBest } from './best.ts';
import type { Posted, Postings } from './postings.ts';
import type { LengthSums } from './row_columns.ts';
import type { RowTable } from './row_table.ts';
import type { Scratch } from './scratch.ts';
import { marks } from './visibility.ts';

/** What is searched, and what in. */
interface LexicalParts {
  readonly rows: RowTable;
  readonly postings: Postings;
  readonly scratch: Scratch;
}

/** Rare terms choose the hits, all asked terms are measured; statistics ignore collections and what is excluded. */
export function searchRows(
  parts: LexicalParts,
  terms: readonly string[],
  { marked, limit }: { readonly marked: Uint8Array; readonly limit: number },
): LexicalResult {
  const asked = askedTerms(terms);
  const { documents, averageLengths, counted } = countRows(parts.rows, marked);
  const found = new Map(asked.map((term) => [term, countTerm(parts.postings, term, { marked, counted })]));
  const chosen = rareTerms(found, documents);
  const slots = chooseRows(parts, chosen, { marked, limit });
  return {
    documents,
    averageLengths,
    documentFrequencies: terms.map((term) => found.get(term) ?? 0),
    hits: measureRows(parts, slots, { terms, asked }),
  };
}

/** Rows that can be found, their average lengths, and up to how many rows of one term are counted. */
function countRows(
  rows: RowTable,
  marked: Uint8Array,
): { readonly documents: number; readonly averageLengths: PerField; readonly counted: number } {
  const sample = rows.sumLengths(marked, marks.sampled);
  const documents = sampledPart * sample.rows;
  if (documents > mostCountedWhole) {
    return { documents, averageLengths: averages(sample), counted: mostCountedBeforeSample };
  }
  const all = rows.sumLengths(marked, marks.current);
  return { documents: all.rows, averageLengths: averages(all), counted: mostCounted };
}

function averages({ rows, lengths }: LengthSums): PerField {
  const [title, date, body, context] = lengths;
  const count = Math.max(1, rows);
  return [title / count, date / count, body / count, context / count];
}

/** In how many rows that can be found a term occurs. */
function countTerm(
  postings: Postings,
  term: string,
  { marked, counted }: { readonly marked: Uint8Array; readonly counted: number },
): number {
  const { count, slots } = postings.read(term);
  let rows = 0;
  let sampled = 0;
  for (let entry = 0; entry < count; entry += 1) {
    const mark = marked[slots[entry] ?? 0] ?? 0;
    if ((mark & marks.current) !== 0) rows += 1;
    if ((mark & marks.sampled) !== 0) sampled += 1;
  }
  return rows < counted ? rows : Math.min(mostCounted, Math.max(counted, sampledPart * sampled));
}

/** The slots of the best rows by the summed weights of the terms that they hold, ties by key. */
function chooseRows(
  { rows, postings, scratch }: LexicalParts,
  chosen: readonly ChosenTerm[],
  { marked, limit }: { readonly marked: Uint8Array; readonly limit: number },
): readonly number[] {
  if (limit <= 0) return [];
  const { scores, slots } = scratch;
  const best = createBest(limit, (a, b) => rows.compare(a, b));
  let scored = 0;
  for (const { term, weight } of chosen) scored = addWeight(postings.read(term), { weight, marked, scored }, scratch);
  for (const slot of slots.subarray(0, scored)) {
    best.offer(slot, scores[slot] ?? 0);
    scores[slot] = 0;
  }
  return best.taken();
}

/** Adds a term's weight to its wanted rows, lists those that had no score before, and returns how many are listed now. */
function addWeight(
  { count, slots }: Posted,
  { weight, marked, scored }: { readonly weight: number; readonly marked: Uint8Array; readonly scored: number },
  scratch: Scratch,
): number {
  const { scores } = scratch;
  const listed = scratch.slots;
  let end = scored;
  for (let entry = 0; entry < count; entry += 1) {
    const slot = slots[entry] ?? 0;
    if (((marked[slot] ?? 0) & marks.wanted) === 0) continue;
    const score = scores[slot] ?? 0;
    // Weights are above 0: no term counts as one of so many rows that its rarity would be rounded to nothing.
    if (score === 0) {
      listed[end] = slot;
      end += 1;
    }
    scores[slot] = score + weight;
  }
  return end;
}

const noField: PerField = [0, 0, 0, 0];

/** A hit for each slot, in the order given; its frequencies are those of the terms as they were asked, repeated ones too. */
function measureRows(
  { rows, postings, scratch }: LexicalParts,
  slots: readonly number[],
  { terms, asked }: { readonly terms: readonly string[]; readonly asked: readonly string[] },
): readonly LexicalHit[] {
  if (slots.length === 0) return [];
  const { places } = scratch;
  const held = slots.map(() => new Map<string, PerField>());
  slots.forEach((slot, at) => (places[slot] = at + 1));
  for (const term of asked) {
    const posted = postings.read(term);
    for (let entry = 0; entry < posted.count; entry += 1) {
      const place = places[posted.slots[entry] ?? 0] ?? 0;
      if (place !== 0) held[place - 1]?.set(term, postings.frequenciesAt(posted.frequencies[entry] ?? 0));
    }
  }
  for (const slot of slots) places[slot] = 0;
  return slots.map((slot, at) => ({
    ref: rows.refAt(slot),
    frequencies: terms.map((term) => held[at]?.get(term) ?? noField),
    lengths: rows.lengthsAt(slot),
    group: rows.groupAt(slot),
  }));
}
