// ingest (design Q8): documents of files, one transaction each; one that fails is reported and stops no other.

import { abortedBy, MemoryError } from '../model/errors.ts';
import type { ErrorCode } from '../model/errors.ts';
import { callOptions } from './call_options.ts';
import { ingestDocument, ingestWriter } from './ingest_document.ts';
import type { IngestWork } from './ingest_document.ts';
import type { IngestedDocument, Ingestion, IngestReport, IngestRoot, IngestSource } from './ingested.ts';
import type { OperatorCall } from './manager.ts';
import type { ManagerParts } from './parts.ts';
import { documentsOf } from './read_source.ts';
import type { SourceDocument, SourceProblem } from './read_source.ts';
import { createProgress } from './row_progress.ts';
import { openSpool } from './spool.ts';

/** Failures of one document; with any other the store itself is in trouble, and the rest would fail as well. */
const failuresOfOne: ReadonlySet<ErrorCode> = new Set([
  'invalid_argument',
  'secret_refused',
  'text_refused',
  'scope_violation',
  'version_conflict',
]);

const listedAtOnce = 500;

/**
 * Ingests the documents of all sources in order. What fails of one document stands in the report; throws what the store
 * throws, with the documents before kept, and `cancelled`.
 */
export async function ingest(parts: ManagerParts, call: OperatorCall, ingestion: Ingestion): Promise<IngestReport> {
  const spool = await openSpool();
  const documents: IngestedDocument[] = [];
  const progress = progressOf(parts, call, ingestion);
  const work: IngestWork = { parts, call, ingestion, spool, onPassages: progress.onPassages };
  const seen = new Set<string>();
  try {
    for (const source of ingestion.sources) {
      for await (const part of documentsOf(source)) {
        if (call.signal?.aborted === true) throw abortedBy(call.signal);
        progress.onDocument(part, source);
        documents.push(await outcomeOf(work, { source, part, seen }));
        progress.onDocumentEnd();
      }
      progress.onSourceEnd(source);
    }
    const retiredNothing = ingestion.roots.length === 0 ? null : reasonToKeep(ingestion, documents);
    if (retiredNothing === null) {
      for (const root of ingestion.roots) documents.push(...(await retireGone(work, root, seen)));
    }
    return { documents, retiredNothing };
  } finally {
    await spool.close();
  }
}

/** Counts bytes of sources: passages of a document are its share of them. */
function progressOf(parts: ManagerParts, call: OperatorCall, { sources, dryRun }: Ingestion) {
  let [files, passages] = [0, 0];
  // Of the source that is being read: what is told already, and where its document begins and ends.
  let [told, start, end, most] = [0, 0, 0, 0];
  const advance = createProgress(call, {
    total: sources.reduce((sum, { bytes }) => sum + sizeOf(bytes), 0),
    clockMs: parts.clockMs,
    says: (_, seconds) =>
      `${dryRun ? 'comparing' : 'ingesting'}: ${files} of ${sources.length} files, ${passages} passages, ${Math.round(passages / seconds)} a second`,
  });
  const advanceTo = (bytes: number): void => {
    const units = Math.max(0, Math.min(bytes, most) - told);
    told += units;
    advance(units);
  };
  return {
    onDocument: (part: SourceDocument | SourceProblem, source: IngestSource): void => {
      most = source.bytes ?? 0;
      start = end;
      end += part.kind === 'document' ? part.bytes : 0;
    },
    onPassages: (count: number, share: number): void => {
      passages += count;
      advanceTo(start + (end - start) * share);
    },
    onDocumentEnd: (): void => advanceTo(end),
    onSourceEnd: ({ bytes }: IngestSource): void => {
      files += 1;
      most = sizeOf(bytes);
      advanceTo(most);
      [told, start, end] = [0, 0, 0];
    },
  };
}

/** A stream, whose length is not known, counts as one byte. */
function sizeOf(bytes: number | null): number {
  return Math.max(1, bytes ?? 0);
}

function addressKey(collection: string, sourceUri: string): string {
  return JSON.stringify([collection, sourceUri]);
}

async function outcomeOf(
  work: IngestWork,
  at: {
    readonly source: IngestSource;
    readonly part: SourceDocument | SourceProblem;
    readonly seen: Set<string>;
  },
): Promise<IngestedDocument> {
  const { source, part, seen } = at;
  const { name } = source;
  const { collection, sourceUri } = part.kind === 'document' ? part : source;
  const told = { name, line: part.line, collection, sourceUri, version: null, passages: 0, reason: null, code: null };
  if (part.kind !== 'document') return { ...told, outcome: part.kind, reason: part.reason };
  const key = addressKey(collection, sourceUri);
  if (seen.has(key)) {
    return { ...told, outcome: 'failed', reason: 'a document with this address and collection came before it' };
  }
  seen.add(key);
  const named = part.line === null ? name : `${name}, line ${part.line}`;
  try {
    return { ...told, ...(await ingestDocument(work, part, named)) };
  } catch (error) {
    if (!(error instanceof MemoryError) || !failuresOfOne.has(error.code)) throw error;
    return { ...told, outcome: 'failed', reason: error.message, code: error.code };
  }
}

/** What is not known to be gone stays. */
function reasonToKeep({ sources }: Ingestion, documents: readonly IngestedDocument[]): string | null {
  const lists = new Set(sources.filter(({ type }) => type === 'jsonl').map(({ name }) => name));
  const broken = documents.find(({ outcome, name }) => outcome === 'failed' && lists.has(name));
  return broken === undefined ? null : `${broken.name} could not be read whole, so its documents are not known`;
}

async function retireGone(
  { parts, call, ingestion }: IngestWork,
  { collection, prefix, present, unknown }: IngestRoot,
  seen: ReadonlySet<string>,
): Promise<readonly IngestedDocument[]> {
  const { agentId, dryRun } = ingestion;
  const retired: IngestedDocument[] = [];
  const options = callOptions(call);
  for (let after = ''; ; ) {
    const asked = { agentId, collection, writtenBy: ingestWriter, prefix, after, limit: listedAtOnce };
    const page = await parts.store.operate(call.scope, options, (writer) => writer.documentsUnder(asked));
    const last = page.at(-1);
    if (last === undefined) return retired;
    after = last;
    for (const sourceUri of page) {
      const isThere = present.has(sourceUri) || seen.has(addressKey(collection, sourceUri));
      if (isThere || unknown.some((folder) => sourceUri.startsWith(folder))) continue;
      if (call.signal?.aborted === true) throw abortedBy(call.signal);
      const key = { type: 'document', userId: null, agentId, threadId: null, collection, sourceUri } as const;
      if (!dryRun) await parts.store.operate(call.scope, options, (writer) => writer.retireDocument(key));
      const told = { name: sourceUri, line: null, collection, sourceUri, version: null, passages: 0 };
      retired.push({ ...told, outcome: 'retired', reason: null, code: null });
    }
  }
}
