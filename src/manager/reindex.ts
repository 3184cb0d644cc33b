// The index made anew by the store's own embedder (design D3, Q2): what an earlier analysis made, what is missing, or, after
// all of it was dropped, everything.

import { analysisVersion } from '../retrieval/version.ts';
import type { MemoryToIndex, PlacedEntry, RebuildPage } from '../store/rebuild_port.ts';
import { indexEntry } from '../retrieval/index_entry.ts';
import { refKey } from '../model/memory.ts';
import type { Embedder } from '../embed/embedder.ts';
import type { CountTokens } from '../model/window.ts';
import { callOptions } from './call_options.ts';
import { indexEntries } from './index_rows.ts';
import type { OperatorCall, Reindexing, ReindexOptions } from './manager.ts';
import type { ManagerParts } from './parts.ts';
import { countIndex, placedEntry, placedOf, reach, rebuildPages, giveWay } from './rebuild.ts';
import { createRowProgress } from './row_progress.ts';
import { newTokenCounts } from './token_counts.ts';

/** Memories whose derived rows one transaction deletes. */
const droppedAtOnce = 250;

interface Tools {
  readonly embedder: Embedder;
  readonly countTokens: CountTokens;
  /** True: vectors are made anew also where they are of the memory's text. */
  readonly vectors: boolean;
}

/** Makes the tenant's index anew, as {@link OperatorManager.reindex} says. */
export async function reindex(parts: ManagerParts, call: OperatorCall, options: ReindexOptions): Promise<Reindexing> {
  const embedder = await parts.embedder();
  const before = await countIndex(parts, call, embedder);
  const told = async (written: number, dropped: number, unreadable: number): Promise<Reindexing> => {
    const { memories, indexed, analysed, leftOver } = await countIndex(parts, call, embedder);
    return {
      analysis: analysisVersion,
      memories,
      missing: memories - indexed,
      older: indexed - analysed,
      leftOver,
      written,
      dropped,
      unreadable,
    };
  };
  if (options.dryRun) return await told(0, 0, 0);
  const dropped = options.drop ? await dropAll(parts, call, before.memories) : 0;
  const all = options.drop || options.vectors;
  const total = all ? before.memories : before.memories - before.analysed;
  const advance = createRowProgress(call, { what: 'indexing', total, clockMs: parts.clockMs });
  const tools: Tools = { embedder, countTokens: await parts.tokenizer(), vectors: options.vectors };
  // What was dropped is missing, and a run that goes on after an interruption finds it by that.
  const lacking = options.vectors ? null : 'terms';
  let written = 0;
  let unreadable = 0;
  for await (const page of rebuildPages(parts, call, { embedder, lacking })) {
    const put = await indexPage(parts, call, page, tools);
    written += put;
    unreadable += page.unreadable.length;
    advance(page.memories.length);
  }
  return await told(written, dropped, unreadable);
}

async function dropAll(parts: ManagerParts, call: OperatorCall, total: number): Promise<number> {
  const advance = createRowProgress(call, { what: 'dropping', total, clockMs: parts.clockMs });
  for (let dropped = 0; ; ) {
    await giveWay(call);
    const gone = await parts.store.operate(call.scope, callOptions(call), (writer) =>
      writer.dropDerived(droppedAtOnce),
    );
    if (gone === 0) return dropped;
    dropped += gone;
    advance(gone);
  }
}

/** Analyses and embeds outside of any transaction (design N3). Gives how many memories were written. */
async function indexPage(
  parts: ManagerParts,
  call: OperatorCall,
  page: RebuildPage,
  { embedder, countTokens, vectors }: Tools,
): Promise<number> {
  const plain = page.memories.map((item) => {
    const { memory, neighbours } = placedOf(item);
    return { item, entry: indexEntry(memory, neighbours, []) };
  });
  const stale = plain.filter(({ item, entry }) => vectors || item.vectorHash !== entry.contentHash);
  const embedded = await indexEntries(
    embedder,
    stale.map(({ item }) => placedOf(item)),
  );
  const byRef = new Map(embedded.map((entry) => [refKey(entry.ref), entry]));
  const entries = plain.map(({ item, entry }): PlacedEntry & { readonly embedded: boolean } => {
    const made = byRef.get(refKey(entry.ref));
    return { ...placedEntry(made ?? entry, item), embedded: made !== undefined };
  });
  const counts = newTokenCounts(
    page.memories.filter(isNew).map(({ memory }) => memory),
    countTokens,
  );
  return await parts.store.operate(call.scope, callOptions(call), async (writer) => {
    const written = new Set((await writer.putTerms(entries, { reach })).map(refKey));
    await writer.putTokenCounts(counts.filter(({ ref }) => written.has(refKey(ref))));
    return written.size;
  });
}

/** What was never indexed, or was dropped, has no token counts either. */
function isNew({ isIndexed }: MemoryToIndex): boolean {
  return !isIndexed;
}
