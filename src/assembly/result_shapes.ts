// Results in the shapes that some hosts ask for in place of ours (design T3): a list of links, and one document.

import type { JsonObject } from '../model/json.ts';
import type { Memory } from '../model/memory.ts';
import { timeOf, titleOf } from '../model/memory_text.ts';
import type { Seat } from './fit.ts';
import { annotationJson } from './render/memory.ts';

/** A shape of results that is not ours; the costs, rules and manifest are the same. */
export interface ResultShape {
  readonly kind: 'search' | 'fetch';
  /** Address to which an id is appended for a memory that has none of its own, or null. */
  readonly documentUrl: string | null;
  /** The id that was asked for, as the caller wrote it. */
  readonly askedId?: string;
}

/** One line of a search, as those hosts want it. */
export interface FoundLink {
  readonly id: string;
  readonly title: string;
  readonly url: string;
}

/** A result in the shape of a search: links, and `notes` where there is something to say. */
export interface FoundLinks {
  readonly results: readonly FoundLink[];
  readonly notes?: readonly string[];
}

/** A result in the shape of a fetch. Without a memory `text` says why. */
export interface FetchedDocument {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly url: string;
  readonly metadata: JsonObject;
}

/** What a result has in another shape than ours. */
export type ShapedContent = FoundLinks | FetchedDocument;

/** These memories in that shape. */
export function shapedContent(
  shape: ResultShape,
  shown: { readonly seats: readonly Seat[]; readonly notes: readonly string[] },
): ShapedContent {
  const { seats, notes } = shown;
  if (shape.kind === 'fetch') return fetched(shape, seats[0], notes);
  const results = seats.map(({ seated: { id, memory } }) => ({
    id,
    title: titleOf(memory),
    url: urlOf(memory, id, shape.documentUrl),
  }));
  return notes.length === 0 ? { results } : { results, notes };
}

function fetched(shape: ResultShape, seat: Seat | undefined, notes: readonly string[]): FetchedDocument {
  if (seat === undefined) {
    const id = shape.askedId ?? '';
    return { id, title: '', text: notes.join(' '), url: ownUrl(id), metadata: { tier: null } };
  }
  const { id, memory, status, tier, annotations } = seat.seated;
  return {
    id,
    title: titleOf(memory),
    text: seat.content,
    url: urlOf(memory, id, shape.documentUrl),
    metadata: {
      type: memory.type,
      status,
      tier,
      date: timeOf(memory).slice(0, 10),
      // A stale text never travels without its correction (design S3).
      ...(annotations.length === 0 ? {} : { annotations: annotations.map(annotationJson) }),
    },
  };
}

/** Where a person can look it up: the document's own address if it has one, else one that the operator configured. */
function urlOf(memory: Memory, id: string, documentUrl: string | null): string {
  if (memory.type === 'chunk' && /^https?:\/\/[^\s]+$/i.test(memory.sourceUri)) return memory.sourceUri;
  return documentUrl === null ? ownUrl(id) : `${documentUrl}${id}`;
}

function ownUrl(id: string): string {
  return `memory://memories/${id}`;
}
