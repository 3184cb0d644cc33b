// The documents of a source, one at a time: a file is one, a JSONL file has one a line and is checked as a whole first.

import { readDocumentLine } from '../ingest/document_line.ts';
import type { DocumentLine } from '../ingest/document_line.ts';
import { readDocument, readText } from '../ingest/read_document.ts';
import type { ReadDocument, StructuredDocument } from '../ingest/structure.ts';
import { decodeText } from '../ingest/decode.ts';
import { MemoryError } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import type { Instant } from '../model/time.ts';
import type { IngestSource } from './ingested.ts';
import { openSpool } from './spool.ts';

/** A larger file, or line, is left out: it is held in memory as a whole while it is read. */
const mostFileBytes = 50 * 1024 * 1024;

/** A document with what its source says of it. */
export interface SourceDocument {
  readonly kind: 'document';
  readonly line: number | null;
  /** How much of the source it is. */
  readonly bytes: number;
  readonly collection: string;
  readonly sourceUri: string;
  readonly sourceType: string;
  /** What the source calls it, or null. */
  readonly title: string | null;
  readonly document: StructuredDocument;
  readonly metadata: JsonObject;
  readonly validFrom: Instant | null;
  readonly validUntil: Instant | null;
}

/** Something of a source that gives no document: by its kind (`skipped`), or because it is broken. */
export interface SourceProblem {
  readonly kind: 'skipped' | 'failed';
  readonly line: number | null;
  readonly reason: string;
}

/** Reads a source. Throws what the store throws, and nothing of the source's own failures. */
export async function* documentsOf(source: IngestSource): AsyncGenerator<SourceDocument | SourceProblem> {
  if (source.type === 'jsonl') {
    yield* documentsOfLines(source);
    return;
  }
  const bytes = await bytesOf(source);
  if (!(bytes instanceof Uint8Array)) {
    yield { ...bytes, line: null };
    return;
  }
  const { collection, sourceUri, type } = source;
  const about = { line: null, bytes: bytes.length, collection, sourceUri, sourceType: type, title: null, metadata: {} };
  yield partOf({ ...about, validFrom: null, validUntil: null }, await readDocument(type, bytes));
}

function partOf(about: Omit<SourceDocument, 'kind' | 'document'>, read: ReadDocument): SourceDocument | SourceProblem {
  if (read.kind === 'document') return { kind: 'document', ...about, document: read.document };
  return { kind: read.kind === 'empty' ? 'skipped' : 'failed', line: about.line, reason: read.reason };
}

const tooLarge = `it is larger than ${mostFileBytes / 1024 / 1024} MB`;

async function bytesOf(source: IngestSource): Promise<Uint8Array | Omit<SourceProblem, 'line'>> {
  if ((source.bytes ?? 0) > mostFileBytes) return { kind: 'skipped', reason: tooLarge };
  const held: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of source.open()) {
      size += chunk.length;
      // Read to its end all the same: the next file comes over the same way.
      if (size <= mostFileBytes) held.push(chunk);
    }
  } catch (error) {
    return { kind: 'failed', reason: unreadable(error) };
  }
  return size > mostFileBytes ? { kind: 'skipped', reason: tooLarge } : Buffer.concat(held);
}

function unreadable(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
  if (code === 'ENOENT') return 'it is not there any more';
  if (code === 'EACCES' || code === 'EPERM') return 'this user may not read it';
  return `it cannot be read: ${code}`;
}

/** The file is kept while it is checked: a bad line anywhere means that nothing of it is written (design D7). */
async function* documentsOfLines(source: IngestSource): AsyncGenerator<SourceDocument | SourceProblem> {
  const kept = await openSpool();
  try {
    const problem = await checkLines(source, async (line) => {
      await kept.add(line);
      await kept.add('\n');
    });
    if (problem !== null) {
      yield problem;
      return;
    }
    let number = 0;
    let documents = 0;
    for await (const line of linesIn(kept.read())) {
      number += 1;
      const read = readLine(line);
      if (read.kind !== 'document') continue;
      documents += 1;
      yield await documentOfLine(source, read.document, { line: number, bytes: (line?.length ?? 0) + 1 });
    }
    if (documents === 0) yield { kind: 'skipped', line: null, reason: 'it holds no text' };
  } finally {
    await kept.close();
  }
}

async function checkLines(
  source: IngestSource,
  keep: (line: Uint8Array) => Promise<void>,
): Promise<SourceProblem | null> {
  let problem: SourceProblem | null = null;
  let number = 0;
  try {
    for await (const line of linesIn(source.open())) {
      number += 1;
      if (problem !== null) continue;
      const read = readLine(line);
      if (read.kind === 'refused') problem = { kind: 'failed', line: number, reason: read.reason };
      else await keep(line ?? empty);
    }
  } catch (error) {
    // The spool's own failure is none of the file's.
    if (error instanceof MemoryError) throw error;
    return { kind: 'failed', line: null, reason: unreadable(error) };
  }
  return problem;
}

const empty = new Uint8Array();

type Line =
  | { readonly kind: 'blank' }
  | { readonly kind: 'document'; readonly document: DocumentLine }
  | { readonly kind: 'refused'; readonly reason: string };

function readLine(line: Uint8Array | null): Line {
  if (line === null) return { kind: 'refused', reason: tooLarge };
  const decoded = decodeText(line);
  if ('refusal' in decoded) return { kind: 'refused', reason: decoded.refusal };
  if (decoded.text.trim() === '') return { kind: 'blank' };
  const read = readDocumentLine(decoded.text);
  if (read.kind === 'document') return read;
  return { kind: 'refused', reason: read.field === '' ? `it ${read.reason}` : `field ${read.field}: ${read.reason}` };
}

async function documentOfLine(
  source: IngestSource,
  given: DocumentLine,
  place: Pick<SourceDocument, 'line' | 'bytes'>,
): Promise<SourceDocument | SourceProblem> {
  const { sourceUri, type, title, metadata, validFrom, validUntil } = given;
  const collection = given.collection ?? source.collection;
  const about = { ...place, collection, sourceUri, sourceType: type, title, metadata, validFrom, validUntil };
  return partOf(about, await readText(type, given.text));
}

/** Lines without their ends, the last one also where nothing ends it; null for one that is too large. */
async function* linesIn(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array | null> {
  const newline = 10;
  let held: Uint8Array[] = [];
  let size = 0;
  const taken = (last: Uint8Array): Uint8Array | null => {
    const line = size + last.length > mostFileBytes ? null : Buffer.concat([...held, last]);
    held = [];
    size = 0;
    return line;
  };
  for await (const chunk of source) {
    let from = 0;
    for (let to = chunk.indexOf(newline); to !== -1; to = chunk.indexOf(newline, from)) {
      yield taken(chunk.subarray(from, to));
      from = to + 1;
    }
    size += chunk.length - from;
    if (size <= mostFileBytes) held.push(chunk.subarray(from));
    else held = [];
  }
  if (size > 0) yield taken(empty);
}
