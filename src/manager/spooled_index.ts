// Index rows on their way through a file: they are made before the transaction that writes them (design N3).

import type { IndexEntry, NewTokenCount } from '../store/written_rows.ts';

/** What is derived from one memory when it is written. */
export interface Derived {
  readonly entry: IndexEntry;
  /** Null for a text too long to be worth counting. */
  readonly count: NewTokenCount | null;
}

/** One line of text, with its newline. */
export function derivedLine({ entry, count }: Derived): string {
  const vectors = entry.vectors.map(({ part, vector }) => [part, base64Of(vector)]);
  return `${JSON.stringify({ entry: { ...entry, terms: [...entry.terms], vectors }, count })}\n`;
}

/** The reverse of {@link derivedLine}, for a line that it made. */
export function derivedOf(line: string): Derived {
  const { entry, count } = JSON.parse(line);
  const vectors = entry.vectors.map(([part, text]: readonly [string, string]) => ({ part, vector: vectorOf(text) }));
  return { entry: { ...entry, terms: new Map(entry.terms), vectors }, count };
}

function base64Of({ buffer, byteOffset, byteLength }: Float32Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}

function vectorOf(text: string): Float32Array {
  const bytes = Uint8Array.from(Buffer.from(text, 'base64'));
  return new Float32Array(bytes.buffer);
}
