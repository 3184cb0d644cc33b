// What is derived from memories beside the index: provenance, compressions, token counts (design N2, N3, C1, D4).

import type { Compression } from '../../model/candidate.ts';
import { tiers } from '../../model/candidate.ts';
import { MemoryError } from '../../model/errors.ts';
import { refKey } from '../../model/memory.ts';
import type { MemoryLink, ProvenanceEdge, Ref } from '../../model/memory.ts';
import {
  compression,
  compressionColumns,
  linkColumns,
  provenanceColumns,
  refColumns,
  refsParameter,
} from '../ref_rows.ts';
import { readRows } from '../read_rows.ts';
import type { NewTokenCount } from '../written_rows.ts';
import { wellFormed } from '../well_formed.ts';
import { batches, withCurrentHash } from './index_writer.ts';
import type { Session } from './session.ts';

const batchSize = 500;

/** Throws `version_conflict` when one of these rows is not there any more, for this caller. */
export async function requireSources(session: Session, refs: readonly Ref[]): Promise<void> {
  if (refs.length === 0) return;
  const missing = await session.all('missing_sources', refsParameter(refs));
  if (missing.length === 0) return;
  throw new MemoryError('version_conflict', 'A memory that this was made of is gone.', { missing: missing.length });
}

/** Writes edges; those that stand already stay. */
export async function writeProvenance(session: Session, edges: readonly ProvenanceEdge[]): Promise<void> {
  for (const batch of batches(edges, batchSize)) {
    await session.all('add_provenance', JSON.stringify(batch.map(provenanceColumns)));
  }
}

/** Writes links; those that stand already stay. */
export async function writeLinks(session: Session, links: readonly MemoryLink[]): Promise<void> {
  for (const batch of batches(links, batchSize)) {
    await session.all('add_links', JSON.stringify(batch.map(linkColumns)));
  }
}

/**
 * Writes compressions of sources that still have the given hash, and gives what the store has for those sources under
 * the same hash, model, prompt and number of tokens: its own rows where they stood already.
 */
export async function writeCompressions(
  session: Session,
  compressions: readonly Compression[],
): Promise<readonly Compression[]> {
  const clean = compressions.map((item) => wellFormed(item, 'compression'));
  const current = await withCurrentHash(session, clean, ({ source, sourceHash }) => ({
    ref: source,
    hash: sourceHash,
  }));
  if (current.length === 0) return [];
  await session.all('insert_compressions', JSON.stringify(current.map(compressionColumns)));
  const rows = await session.all('compressions', refsParameter(current.map(({ source }) => source)));
  const stored = readRows(rows, compression, { ...session, what: 'compression' });
  const keyOf = (item: Compression): string =>
    JSON.stringify([refKey(item.source), item.sourceHash, item.model, item.promptVersion, item.tokens]);
  const byKey = new Map(stored.map((item) => [keyOf(item), item]));
  return current.flatMap((item) => {
    const found = byKey.get(keyOf(item));
    return found === undefined ? [] : [found];
  });
}

/** Writes token counts of memories that still have the given hash. */
export async function writeTokenCounts(session: Session, counts: readonly NewTokenCount[]): Promise<void> {
  for (const batch of batches(counts, batchSize)) {
    const current = await withCurrentHash(session, batch, ({ ref, contentHash }) => ({ ref, hash: contentHash }));
    // One statement cannot write a key twice: of two counts of one tier the later one stays.
    const columns = new Map(
      current.flatMap(tokenCountColumns).map((row) => [JSON.stringify({ ...row, tokens: 0 }), row]),
    );
    if (columns.size > 0) await session.all('insert_token_counts', JSON.stringify([...columns.values()]));
  }
}

function tokenCountColumns(count: NewTokenCount): readonly object[] {
  return tiers.flatMap((tier) => {
    const tokens = count.tokens[tier];
    if (tokens === undefined) return [];
    return [
      {
        ...refColumns(count.ref),
        tier,
        renderer_version: count.rendererVersion,
        encoding: count.encoding,
        content_hash: count.contentHash,
        tokens,
      },
    ];
  });
}
