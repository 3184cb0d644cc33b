// Index rows on their way through a file: they are made before the transaction that writes them (design N3).

import type { Embedder } from '../embed/embedder.ts';
import type { CountTokens } from '../model/window.ts';
import type { OperatorWriter } from '../store/store.ts';
import { linesOf } from '../store/tenant_file.ts';
import type { IndexEntry, NewTokenCount } from '../store/written_rows.ts';
import { indexEntries } from './index_rows.ts';
import type { Placed } from './index_rows.ts';
import type { Spool } from './spool.ts';
import { newTokenCounts } from './token_counts.ts';

/** How many memories are embedded, and written, at once. */
export const indexedAtOnce = 200;

/** What is derived from one memory when it is written. */
interface Derived {
  readonly entry: IndexEntry;
  /** Null for a text too long to be worth counting. */
  readonly count: NewTokenCount | null;
}

/** Adds what is derived from memories, of which at most {@link indexedAtOnce} should come at a time. */
export async function spoolIndex(
  spool: Spool,
  placed: readonly Placed[],
  by: { readonly embedder: Embedder; readonly countTokens: CountTokens },
): Promise<void> {
  const entries = await indexEntries(by.embedder, placed);
  for (const [place, { memory }] of placed.entries()) {
    const entry = entries[place];
    const [count = null] = newTokenCounts([memory], by.countTokens);
    if (entry !== undefined) await spool.add(derivedLine({ entry, count }));
  }
}

/** Writes what was spooled, in the transaction that wrote the memories themselves. */
export async function writeSpooledIndex(writer: OperatorWriter, spool: Spool): Promise<void> {
  const put = async (batch: readonly Derived[]): Promise<void> => {
    await writer.putNewIndex(batch.map(({ entry }) => entry));
    await writer.putTokenCounts(batch.flatMap(({ count }) => count ?? []));
  };
  let held: Derived[] = [];
  for await (const line of linesOf('the spool', spool.read())) {
    held.push(derivedOf(line.toString('utf8')));
    if (held.length < indexedAtOnce) continue;
    await put(held);
    held = [];
  }
  await put(held);
}

/** One line of text, with its newline. */
function derivedLine({ entry, count }: Derived): string {
  const vectors = entry.vectors.map(({ part, vector }) => [part, base64Of(vector)]);
  return `${JSON.stringify({ entry: { ...entry, terms: [...entry.terms], vectors }, count })}\n`;
}

/** The reverse of {@link derivedLine}, for a line that it made. */
function derivedOf(line: string): Derived {
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
