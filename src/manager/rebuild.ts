// The loop of everything that makes derived rows anew (design D3, D6): a few memories at a time, each read and written in a
// short transaction of its own and measured between the two, so that searches and writes go on.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { abortedBy } from '../model/errors.ts';
import type { RowId } from '../model/ids.ts';
import type { SeatableType } from '../model/memory.ts';
import { neighbourReach } from '../retrieval/index_entry.ts';
import { analysisVersion } from '../retrieval/version.ts';
import type { IndexCounts, MemoryToIndex, PlacedEntry, RebuildPage, RebuildWanted } from '../store/rebuild_port.ts';
import type { EmbedderIdentity } from '../store/store.ts';
import type { IndexEntry } from '../store/written_rows.ts';
import { callOptions } from './call_options.ts';
import type { Placed } from './index_rows.ts';
import type { OperatorCall } from './manager.ts';
import type { ManagerParts } from './parts.ts';

/** Memories of one transaction: others wait for so many at most. */
const pageSize = 32;

/** How many neighbours on each side an index entry is made with. */
export const reach = neighbourReach.vector;

const kinds = ['entity', 'workflow', 'summary', 'chunk', 'conversation'] as const satisfies readonly SeatableType[];

/** Which memories of the tenant are gone through, page by page. */
export type PagesWanted = Pick<RebuildWanted, 'embedder' | 'lacking'>;

/** Hands on all memories of the tenant that are wanted, kind by kind and by id. Throws `cancelled` between two pages. */
export async function* rebuildPages(
  parts: ManagerParts,
  call: OperatorCall,
  wanted: PagesWanted,
): AsyncGenerator<RebuildPage> {
  for (const kind of kinds) {
    for (let after: RowId | '' | null = ''; after !== null; ) {
      await giveWay(call);
      const asked: RebuildWanted = { ...wanted, kind, after, limit: pageSize, reach, analysis: analysisVersion };
      const page: RebuildPage = await parts.store.operate(call.scope, callOptions(call), (writer) =>
        writer.rebuildPage(asked),
      );
      if (page.memories.length + page.unreadable.length > 0) yield page;
      after = page.next;
    }
  }
}

/** What is known of the tenant's derived rows. */
export function countIndex(parts: ManagerParts, call: OperatorCall, embedder: EmbedderIdentity): Promise<IndexCounts> {
  return parts.store.operate(call.scope, callOptions(call), (writer) => writer.indexCounts(embedder, analysisVersion));
}

/** A memory as the index takes it. */
export function placedOf({ memory, before, after }: MemoryToIndex): Placed {
  return { memory, neighbours: { before, after } };
}

/** An entry with the neighbours that it was made with. */
export function placedEntry(entry: IndexEntry, { before, after }: MemoryToIndex): PlacedEntry {
  return { entry, before: before.map(({ ref }) => ref), after: after.map(({ ref }) => ref) };
}

/**
 * Lets whoever waits come first: an embedded database answers without a turn of the event loop, in which a request could
 * arrive. Throws `cancelled` when the call was ended; what is written by then stands.
 */
export async function giveWay({ signal }: OperatorCall): Promise<void> {
  await nextTurn();
  if (signal?.aborted === true) throw abortedBy(signal);
}
