// Another embedder for a store (design D6): its vectors are made beside those that serve, and take their place when no
// memory of any tenant lacks one. What has been made is seen in the rows, so an interrupted run is gone on with.

import type { Embedder } from '../embed/embedder.ts';
import { MemoryError } from '../model/errors.ts';
import { isSameEmbedder } from '../store/migrate.ts';
import type { RebuildPage } from '../store/rebuild_port.ts';
import type { EmbedderIdentity } from '../store/store.ts';
import { callOptions } from './call_options.ts';
import { indexEntries } from './index_rows.ts';
import type { OperatorCall, Reembedding } from './manager.ts';
import type { ManagerParts } from './parts.ts';
import { countIndex, placedEntry, placedOf, reach, rebuildPages, giveWay } from './rebuild.ts';
import { createRowProgress } from './row_progress.ts';

/** Vectors that one transaction deletes. */
const deletedAtOnce = 1_000;

/** So many times in a row nothing may come of an attempt before it is given up. */
const mostIdlePasses = 20;

/** Embeds the tenant's memories anew, as {@link OperatorManager.reembed} says. */
export async function reembed(
  parts: ManagerParts,
  call: OperatorCall,
  { dryRun }: { readonly dryRun: boolean },
): Promise<Reembedding> {
  const embedder = await parts.embedder();
  const to: EmbedderIdentity = { id: embedder.id, dimensions: embedder.dimensions };
  const { embedder: from } = await parts.store.schemaState();
  const isCurrent = from === null || isSameEmbedder(from, to);
  const told = async (outcome: Reembedding['outcome'], written: number, removed: number): Promise<Reembedding> => {
    const { memories, embedded, leftOver } = await countIndex(parts, call, to);
    return { outcome, from: from ?? to, to, memories, embedded, leftOver, written, removed };
  };
  if (dryRun) return await told(isCurrent ? 'current' : 'counted', 0, 0);
  const made = isCurrent ? { isSwitched: true, written: 0 } : await embedAndSwitch(parts, call, embedder);
  if (!made.isSwitched) return await told('waiting', made.written, 0);
  return await told(isCurrent ? 'current' : 'switched', made.written, await removeLeftOver(parts, call, to));
}

/**
 * Embeds until no memory of the tenant lacks a vector, also those that came meanwhile, and makes the embedder the store's;
 * not switched: another tenant lacks some. Throws `version_conflict` when memories change faster than it embeds.
 */
async function embedAndSwitch(
  parts: ManagerParts,
  call: OperatorCall,
  embedder: Embedder,
): Promise<{ readonly isSwitched: boolean; readonly written: number }> {
  const { memories, embedded } = await countIndex(parts, call, embedder);
  const advance = createRowProgress(call, { what: 'embedding', total: memories - embedded, clockMs: parts.clockMs });
  let written = 0;
  for (let idle = 0; idle < mostIdlePasses; ) {
    let inPass = 0;
    for await (const page of rebuildPages(parts, call, { embedder, lacking: 'vectors' })) {
      const put = await embedPage(parts, call, { embedder, page });
      advance(put);
      inPass += put;
    }
    written += inPass;
    idle = inPass === 0 ? idle + 1 : 0;
    const isSwitched = await parts.store.operate(call.scope, callOptions(call), (writer) =>
      writer.switchEmbedder(embedder),
    );
    if (isSwitched) return { isSwitched, written };
    const counts = await countIndex(parts, call, embedder);
    if (counts.embedded >= counts.memories) return { isSwitched, written };
  }
  throw new MemoryError('version_conflict', 'Memories change faster than they are embedded; run it again later.');
}

/** Embeds outside of any transaction (design N3). Gives how many memories were written; others changed meanwhile. */
async function embedPage(
  parts: ManagerParts,
  call: OperatorCall,
  { embedder, page }: { readonly embedder: Embedder; readonly page: RebuildPage },
): Promise<number> {
  const entries = await indexEntries(embedder, page.memories.map(placedOf));
  const placed = page.memories.flatMap((item, place) => {
    const entry = entries[place];
    return entry === undefined ? [] : [placedEntry(entry, item)];
  });
  const { unreadable } = page;
  return await parts.store.operate(call.scope, callOptions(call), (writer) =>
    writer.putVectors(placed, { reach, unreadable, embedder }),
  );
}

async function removeLeftOver(parts: ManagerParts, call: OperatorCall, to: EmbedderIdentity): Promise<number> {
  const { leftOver } = await countIndex(parts, call, to);
  const advance = createRowProgress(call, { what: 'removing', total: leftOver, clockMs: parts.clockMs });
  for (let removed = 0; ; ) {
    await giveWay(call);
    const deleted = await parts.store.operate(call.scope, callOptions(call), (writer) =>
      writer.deleteLeftOver(to, deletedAtOnce),
    );
    if (deleted === 0) return removed;
    removed += deleted;
    advance(deleted);
  }
}
