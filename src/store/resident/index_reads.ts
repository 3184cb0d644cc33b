// What the database says of the index rows of whoever reads, under row security, in the form in which it travels fastest.

import { z } from 'zod';
import { refKey } from '../../model/memory.ts';
import type { Ref } from '../../model/memory.ts';
import { refOf, refsParameter } from '../ref_rows.ts';
import { instantOf } from '../rows.ts';
import type { PerField, VectorPart } from '../search_values.ts';
import { embedderOf } from '../statements/search.ts';
import type { DatabaseRow, Session } from '../statements/session.ts';
import type { EmbedderIdentity } from '../store.ts';
import type { ResidentRow } from './resident_row.ts';

/** Where the index rows of the store stand in a transaction. */
export interface Present {
  /** Rises with each statement that writes index rows, of whatever tenant. */
  readonly change: number;
  /** The first transaction that is not part of it. */
  readonly nextTransaction: string;
  readonly embedder: EmbedderIdentity;
}

/** What was written from a transaction on, of what the caller can see. */
export interface IndexChanges {
  /** Texts and vectors that there are now. */
  readonly rows: number;
  readonly signs: number;
  /** How many of either were written, and their refs, each once; null: too many to be named. */
  readonly refs: readonly Ref[] | null;
}

const presentColumns = z.object({ change: z.number(), next_transaction: z.string() });

/** Where the index rows of the store stand. */
export async function readPresent(session: Session): Promise<Present> {
  const row = await session.one('index_change');
  const { change, next_transaction: nextTransaction } = presentColumns.parse(row);
  return { change, nextTransaction, embedder: embedderOf(row) };
}

const changesColumns = z.object({
  rows: z.number(),
  signs: z.number(),
  changed: z.number(),
  refs: z.array(z.record(z.string(), z.unknown())),
});

/** What was written from a transaction on. `most`: texts or vectors that are named. */
export async function readChanges(
  session: Session,
  { embedder, since, most }: { readonly embedder: string; readonly since: string; readonly most: number },
): Promise<IndexChanges> {
  const row = await session.one('index_changes_since', embedder, since, most);
  const { rows, signs, changed, refs } = changesColumns.parse(row);
  if (changed > most) return { rows, signs, refs: null };
  const distinct = new Map(refs.map((columns) => refOf(columns)).map((ref) => [refKey(ref), ref]));
  return { rows, signs, refs: [...distinct.values()] };
}

/** Rows after a ref (null: from the first), by kind, id and version. */
export async function readPage(
  session: Session,
  embedder: EmbedderIdentity,
  { after, limit }: { readonly after: Ref | null; readonly limit: number },
): Promise<readonly ResidentRow[]> {
  const rows = await session.all('index_page', embedder.id, ...(after ?? (['', '', 0] as const)), limit);
  return rows.map((row) => residentRow(row, embedder.dimensions));
}

/** Rows by ref; those that the caller cannot see, or that are gone, are absent. */
export async function readByRef(
  session: Session,
  embedder: EmbedderIdentity,
  refs: readonly Ref[],
): Promise<readonly ResidentRow[]> {
  if (refs.length === 0) return [];
  const rows = await session.all('index_by_ref', embedder.id, refsParameter(refs));
  return rows.map((row) => residentRow(row, embedder.dimensions));
}

/** Vectors by ref, with the refs that they belong to. */
export async function readVectors(
  session: Session,
  embedder: EmbedderIdentity,
  { part, refs }: { readonly part: VectorPart; readonly refs: readonly Ref[] },
): Promise<readonly (readonly [ref: Ref, vector: Float32Array])[]> {
  if (refs.length === 0) return [];
  const rows = await session.all('vectors_by_ref', part, embedder.id, refsParameter(refs));
  return rows.map((row) => [refOf(row), vectorOf(textOf(row, 'vector'), embedder.dimensions)] as const);
}

// Rows come by the thousand: their columns are looked at one by one, in place of a schema.
function residentRow(row: DatabaseRow, dimensions: number): ResidentRow {
  const validUntil = textOrNull(row, 'valid_until');
  return {
    ref: refOf(row),
    agentId: textOrNull(row, 'agent_id'),
    threadId: textOrNull(row, 'thread_id'),
    isOwn: row['is_own'] === true,
    collection: textOrNull(row, 'collection'),
    group: textOrNull(row, 'group_id'),
    validFrom: instantOf(textOf(row, 'valid_from')),
    validUntil: validUntil === null ? null : instantOf(validUntil),
    quarantined: row['quarantined'] !== false,
    sampled: row['sampled'] === true,
    lengths: foursOf(textOf(row, 'lengths'))[0] ?? noField,
    terms: termsOf(textOf(row, 'lexemes'), foursOf(textOf(row, 'frequencies'))),
    signs: {
      text: bitsOf(textOrNull(row, 'text_bits'), dimensions),
      context: bitsOf(textOrNull(row, 'context_bits'), dimensions),
    },
  };
}

function textOf(row: DatabaseRow, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw new Error(`the column ${column} of an index row is no text`);
  return value;
}

function textOrNull(row: DatabaseRow, column: string): string | null {
  return row[column] === null ? null : textOf(row, column);
}

const [comma, zero] = [',', '0'].map((character) => character.charCodeAt(0)) as [number, number];

/** Numbers without a sign, with a comma between them, as fours. */
function foursOf(text: string): readonly PerField[] {
  const fours: PerField[] = [];
  const four = [0, 0, 0, 0] satisfies PerField;
  let [field, number] = [0, 0];
  for (let place = 0; place <= text.length; place += 1) {
    const code = place === text.length ? comma : text.charCodeAt(place);
    if (code !== comma) {
      number = number * 10 + code - zero;
      continue;
    }
    four[field] = number;
    number = 0;
    field = (field + 1) % four.length;
    if (field === 0) fours.push(keptFour(four));
  }
  if (field !== 0) throw new Error('an index row has numbers that are not fours');
  return fours;
}

// Nearly all of a memory's frequencies are small: a list for each of them would be thrown away a moment later.
const smallBits = 3;
const smallFours = new Map<number, PerField>();

function keptFour(four: PerField): PerField {
  const [title, date, body, context] = four;
  if ((title | date | body | context) >> smallBits > 0) return [title, date, body, context];
  const key = (((title << smallBits) | date) << (2 * smallBits)) | (body << smallBits) | context;
  const kept = smallFours.get(key) ?? [title, date, body, context];
  smallFours.set(key, kept);
  return kept;
}

/** The first lexeme names the tenant, and is no term. */
function termsOf(lexemes: string, frequencies: readonly PerField[]): ResidentRow['terms'] {
  const [, ...terms] = lexemes.split('\n');
  if (frequencies.length !== terms.length + 1) throw new Error('an index row has not four frequencies a term');
  return terms.map((term, place) => [ownText(term), frequencies[place + 1] ?? noField] as const);
}

const noField: PerField = [0, 0, 0, 0];

// A part of a text may be a view of it, which would keep the whole text of every row in memory.
const mayBeView = 13;

function ownText(part: string): string {
  return part.length < mayBeView ? part : Buffer.from(part, 'utf8').toString('utf8');
}

// Before the bits stands how many there are; before the numbers of a vector, how many, and nothing of meaning.
const headBytes = 4;

function bitsOf(digits: string | null, dimensions: number): Uint8Array | null {
  if (digits === null) return null;
  const bytes = Buffer.from(digits, 'hex');
  if (bytes.readInt32BE(0) !== dimensions) throw new Error('the sign bits of an index row are of another embedder');
  return bytes.subarray(headBytes);
}

// Whether this machine writes the lowest byte of a number first.
const isLowestFirst = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

function vectorOf(digits: string, dimensions: number): Float32Array {
  const bytes = Buffer.from(digits, 'hex');
  if (bytes.readUInt16BE(0) !== dimensions) throw new Error('a vector is of another embedder');
  const numbers = new Float32Array(dimensions);
  const own = Buffer.from(numbers.buffer);
  bytes.copy(own, 0, headBytes);
  // The database sends the highest byte first.
  if (isLowestFirst) own.swap32();
  return numbers;
}
