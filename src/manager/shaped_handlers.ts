// search and fetch (design T3): what search_memory and expand find, in the shapes that ChatGPT asks of a connector.

import type { ResultShape } from '../assembly/result_shapes.ts';
import type { JsonObject } from '../model/json.ts';
import type { SnapshotReader } from '../store/store.ts';
import type { HandlerCall, HandlerWish } from './call_parts.ts';
import { gatherExpand } from './expand.ts';
import type { HandlerName } from './handlers.ts';
import type { ManagerParts } from './parts.ts';
import { gatherSearch } from './search_memory.ts';

/** The host asks for no number, and a link costs few tokens. */
const mostLinks = 10;

/** The shape in which a handler answers; undefined: ours. */
export function shapeOf(
  handler: HandlerName,
  { documentUrl }: Pick<ManagerParts, 'documentUrl'>,
  args: JsonObject,
): ResultShape | undefined {
  if (handler === 'search') return { kind: 'search', documentUrl };
  if (handler !== 'fetch') return undefined;
  const { id } = args;
  return { kind: 'fetch', documentUrl, ...(typeof id === 'string' ? { askedId: id } : {}) };
}

/** Links to the best passages: each is a pointer, whose text `fetch` gives. */
export async function gatherLinks(reader: SnapshotReader, made: HandlerCall): Promise<HandlerWish> {
  const wish = await gatherSearch(reader, made);
  return { ...wish, show: { ...wish.show, limit: mostLinks, tiers: ['pointer'], moreHint: null } };
}

/** The memory behind an id that a search of this run gave. Throws what {@link gatherExpand} throws. */
export async function gatherDocument(reader: SnapshotReader, made: HandlerCall): Promise<HandlerWish> {
  return gatherExpand(reader, made, 'id');
}
