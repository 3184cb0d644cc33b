// What is indexed of a memory (design Q2, Q3): its fields' terms with their frequencies, and the texts behind its vectors.

import { createHash } from 'node:crypto';
import { fullText, timeOf } from '../model/memory_text.ts';
import type { Memory, Ref } from '../model/memory.ts';
import type { Instant } from '../model/time.ts';
import { analyse } from './analyse.ts';
import { analysisVersion } from './version.ts';
import { nameForms } from './names.ts';
import { dayTerm, monthTerm } from './time_terms.ts';

/** Which text a vector stands for: the memory's own, or it with its neighbours. */
export type IndexedPart = 'text' | 'context';

/** One value for each indexed field, in their order. */
export type FieldValues = readonly [title: number, date: number, body: number, context: number];

/** The memories that stand next to one: turns of its thread, chunks of its document. Nearest last before it, first after it. */
export interface Neighbours {
  readonly before: readonly Memory[];
  readonly after: readonly Memory[];
}

/** A memory that stands alone. */
export const noNeighbours: Neighbours = { before: [], after: [] };

/** How many neighbours on each side are read as terms of the context field, and how many go into the context vector. */
export const neighbourReach = { terms: 1, vector: 2 } as const;

/** A text to embed. */
export interface IndexText {
  readonly part: IndexedPart;
  readonly text: string;
}

/** A vector of one of a memory's texts. */
export interface IndexVector {
  readonly part: IndexedPart;
  readonly vector: Float32Array;
}

/** Index rows of one memory; the store's port takes exactly this. */
export interface MemoryIndexEntry {
  readonly ref: Ref;
  readonly contentHash: string;
  readonly analysis: number;
  readonly terms: ReadonlyMap<string, FieldValues>;
  readonly lengths: FieldValues;
  readonly vectors: readonly IndexVector[];
  readonly names: readonly string[];
}

/** Neighbours count up to here each, in UTF-16 code units: a long one must not drown the memory itself. */
const longestNeighbour = 2_000;

/** The texts of a memory that are embedded: its own, and with its neighbours where it has any. */
export function indexTexts(memory: Memory, neighbours: Neighbours): readonly IndexText[] {
  const own: IndexText = { part: 'text', text: spoken(memory) };
  const around = [
    ...neighbours.before.slice(-neighbourReach.vector).map(spokenBriefly),
    own.text,
    ...neighbours.after.slice(0, neighbourReach.vector).map(spokenBriefly),
  ];
  return [own, { part: 'context', text: around.join('\n') }];
}

/** The index rows of a memory: pure, so that every engine and machine stores the same. */
export function indexEntry(memory: Memory, neighbours: Neighbours, vectors: readonly IndexVector[]): MemoryIndexEntry {
  const fields = [
    analyse(titleText(memory)),
    dateTerms(memory),
    analyse(fullText(memory)),
    [...neighbours.before.slice(-neighbourReach.terms), ...neighbours.after.slice(0, neighbourReach.terms)].flatMap(
      (neighbour) => analyse(spokenBriefly(neighbour)),
    ),
  ];
  return {
    ref: memory.ref,
    contentHash: createHash('sha256').update(fullText(memory), 'utf8').digest('hex'),
    analysis: analysisVersion,
    terms: countTerms(fields),
    lengths: fieldValues((field) => fields[field]?.length ?? 0),
    vectors,
    names: namesOf(memory),
  };
}

/** What a reranker and an embedder read of a memory: its text with who said it or what it is about. */
export function spoken(memory: Memory): string {
  const title = titleText(memory);
  const text = fullText(memory);
  return title.length === 0 ? text : `${title}: ${text}`;
}

function spokenBriefly(memory: Memory): string {
  return spoken(memory).slice(0, longestNeighbour).toWellFormed();
}

function titleText(memory: Memory): string {
  switch (memory.type) {
    case 'entity':
      return [memory.subject, ...memory.aliases, memory.predicate].join(' ');
    case 'workflow':
      return memory.name;
    case 'summary':
    case 'chunk':
      return memory.title;
    case 'conversation':
      return memory.speaker ?? memory.role;
    default:
      throw memory satisfies never;
  }
}

const months = 'January February March April May June July August September October November December'.split(' ');

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** A day in words and digits, as a question may name it: `Monday 8 May 2023 2023-05-08`. UTC. */
export function dayInWords(time: Instant): string {
  const [year, month, day] = [Number(time.slice(0, 4)), Number(time.slice(5, 7)), Number(time.slice(8, 10))];
  const weekday = weekdays[new Date(Date.UTC(year, month - 1, day)).getUTCDay()];
  return `${weekday} ${day} ${months[month - 1]} ${year} ${dayTerm(time)}`;
}

// Facts and workflows are sought by what they say; the day on which a row became valid would only add noise.
function dateTerms(memory: Memory): readonly string[] {
  switch (memory.type) {
    case 'conversation':
    case 'summary':
    case 'chunk':
      return [...analyse(dayInWords(timeOf(memory))), monthTerm(timeOf(memory))];
    case 'entity':
    case 'workflow':
      return [];
    default:
      throw memory satisfies never;
  }
}

function namesOf(memory: Memory): readonly string[] {
  if (memory.type !== 'entity') return [];
  return [...new Set([memory.subject, ...memory.aliases].flatMap(nameForms))].toSorted((a, b) => (a < b ? -1 : 1));
}

/** Distinct terms of one memory take at most so many UTF-8 bytes: engines bound the size of an indexed text. */
const mostTermBytes = 400_000;

function countTerms(fields: readonly (readonly string[])[]): ReadonlyMap<string, FieldValues> {
  let bytes = 0;
  const counts = new Map<string, [number, number, number, number]>();
  for (const [field, terms] of fields.entries()) {
    for (const term of terms) {
      const known = counts.get(term);
      bytes += known === undefined ? Buffer.byteLength(term, 'utf8') : 0;
      if (bytes > mostTermBytes) return counts;
      const frequencies = known ?? [0, 0, 0, 0];
      frequencies[field] = (frequencies[field] ?? 0) + 1;
      counts.set(term, frequencies);
    }
  }
  return counts;
}

function fieldValues(value: (field: number) => number): FieldValues {
  return [value(0), value(1), value(2), value(3)];
}
