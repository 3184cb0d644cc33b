// One document into the knowledge base (design Q8, D2): compared with the version that stands, looked through for
// credentials, cut, indexed, and only then written, in one transaction that also retires the version before.

import { canonicalHash } from '../assembly/hash.ts';
import { chunkDocument, chunkVersion } from '../ingest/chunk.ts';
import type { Passage } from '../ingest/chunk.ts';
import type { Block } from '../ingest/structure.ts';
import { abortedBy, MemoryError } from '../model/errors.ts';
import { rowId } from '../model/ids.ts';
import type { JsonObject } from '../model/json.ts';
import type { NewDocument } from '../store/written_rows.ts';
import { callOptions } from './call_options.ts';
import { placedMemories } from './index_rows.ts';
import type { IngestedDocument, Ingestion } from './ingested.ts';
import type { OperatorCall } from './manager.ts';
import type { ManagerParts } from './parts.ts';
import type { SourceDocument } from './read_source.ts';
import { refuseSecrets } from './secrets.ts';
import type { Spool } from './spool.ts';
import { indexedAtOnce, spoolIndex, writeSpooledIndex } from './spooled_index.ts';

/** A document of more passages is refused: it is written in one transaction, for which others wait. */
const mostPassages = 10_000;

/** Who wrote the rows; what another writer wrote is never retired for want of a file. */
export const ingestWriter = 'ingest';

const longestUriBytes = 2_000;
const longestNameBytes = 1_000;
/** In UTF-16 code units; a longer title is cut. */
const longestTitle = 250;

/** What one document is ingested with. */
export interface IngestWork {
  readonly parts: ManagerParts;
  readonly call: OperatorCall;
  readonly ingestion: Ingestion;
  /** Empty between two documents. */
  readonly spool: Spool;
  /** Told of passages as they are made ready, and which share of the document's passages is. */
  readonly onPassages: (count: number, share: number) => void;
}

/** What became of it. */
export type Ingested = Pick<IngestedDocument, 'outcome' | 'version' | 'passages'>;

/**
 * Ingests one document, named as a person knows it. Throws `secret_refused`, `text_refused`, `invalid_argument` and
 * `version_conflict`, with the version before untouched.
 */
export async function ingestDocument(work: IngestWork, source: SourceDocument, name: string): Promise<Ingested> {
  const { parts, call, ingestion } = work;
  const row = rowOf(work, source, name);
  const active = await parts.store.operate(call.scope, callOptions(call), (writer) => writer.activeVersion(row));
  const before = active?.ref[2] ?? null;
  if (active?.same === true) return { outcome: 'unchanged', version: before, passages: 0 };
  await refuseSecretsOf(row, source.document.blocks, name);
  const passages = chunkDocument(source.document.blocks, ingestion.chunks, await parts.tokenizer());
  if (passages.length > mostPassages) {
    const message = `The document makes ${passages.length} passages and can have ${mostPassages}: part it, or let passages be longer.`;
    throw new MemoryError('invalid_argument', message, { passages: passages.length });
  }
  const outcome = before === null ? 'added' : 'new_version';
  if (ingestion.dryRun) return { outcome, version: before, passages: passages.length };
  const whole = {
    ...row,
    version: (before ?? 0) + 1,
    chunks: passages.map((passage, place) => chunkOf(row, passage, place)),
  };
  const version = await write(work, whole, before ?? 0);
  return { outcome, version, passages: passages.length };
}

/** The document without its passages; its hash is of its blocks and of the way they are cut. */
function rowOf({ parts, ingestion }: IngestWork, source: SourceDocument, name: string): NewDocument {
  const { collection, sourceUri, sourceType, document, metadata, validFrom, validUntil } = source;
  const given = ingestion.title ?? source.title ?? document.title ?? lastName(source.line === null ? name : sourceUri);
  const title = given.replaceAll('\u0000', '').slice(0, longestTitle).toWellFormed();
  refuseLong(sourceUri, 'address', longestUriBytes);
  refuseLong(collection, 'collection', longestNameBytes);
  const { maxTokens, overlapTokens } = ingestion.chunks;
  const cutting = { version: chunkVersion, max_tokens: maxTokens, overlap_tokens: overlapTokens };
  return {
    type: 'document',
    id: parts.newId('document'),
    userId: null,
    agentId: ingestion.agentId,
    threadId: null,
    version: 1,
    supersededBy: null,
    validFrom,
    validUntil,
    createdAt: null,
    writtenBy: ingestWriter,
    trust: 'imported',
    sourceEventId: null,
    collection,
    title,
    sourceUri,
    sourceType,
    contentHash: canonicalHash({ cutting, blocks: document.blocks }),
    metadata,
    chunks: [],
  };
}

function lastName(path: string): string {
  return path.slice(path.replace(/\/+$/, '').lastIndexOf('/') + 1) || path;
}

function refuseLong(text: string, what: string, most: number): void {
  if (Buffer.byteLength(text) <= most) return;
  throw new MemoryError('invalid_argument', `The ${what} is longer than ${most} bytes.`, { what });
}

/** The whole text, not its passages: a credential may stand across the edge of one. */
async function refuseSecretsOf(row: NewDocument, blocks: readonly Block[], name: string): Promise<void> {
  await refuseSecrets([
    { where: `The title of ${name}`, text: row.title },
    { where: `The metadata of ${name}`, text: JSON.stringify(row.metadata) },
    ...blocks.map(({ headings, text, kind, page }) => ({
      where: `A ${kind} of ${name}${page === null ? '' : ` on page ${page}`}`,
      text: [headings.at(-1) ?? '', text].join('\n'),
    })),
  ]);
}

function chunkOf(row: NewDocument, passage: Passage, place: number): NewDocument['chunks'][number] {
  const { content, headings, page } = passage;
  const metadata: JsonObject = {
    ...(headings.length === 0 ? {} : { headings }),
    ...(page === null ? {} : { page }),
  };
  return { id: rowId(`${row.id}_c${place}`), content, metadata };
}

/** Index rows are made outside of the transaction (design N3) and wait in a file, so that their number costs no memory. */
async function write(work: IngestWork, row: NewDocument, expectedVersion: number): Promise<number> {
  const { parts, call, spool } = work;
  const by = { embedder: await parts.embedder(), countTokens: await parts.tokenizer() };
  const placed = placedMemories([row], call.scope);
  spool.clear();
  for (let start = 0; start < placed.length; start += indexedAtOnce) {
    if (call.signal?.aborted === true) throw abortedBy(call.signal);
    const batch = placed.slice(start, start + indexedAtOnce);
    await spoolIndex(spool, batch, by);
    work.onPassages(batch.length, (start + batch.length) / placed.length);
  }
  const [, , version] = await parts.store.operate(call.scope, callOptions(call), async (writer) => {
    const ref = await writer.putVersion(row, expectedVersion, []);
    await writeSpooledIndex(writer, spool);
    return ref;
  });
  return version;
}
