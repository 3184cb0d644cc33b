// What one search after another works in, so that none makes arrays as long as the index.

import { grown } from './columns.ts';

/** Arrays as long as there are slots. Scores and places are 0 between searches. */
export interface Scratch {
  /** Slots that a search has come upon. */
  slots: Uint32Array;
  /** By slot: the summed weights of the terms that its row holds. */
  scores: Float64Array;
  /** By slot: the place of its row among the hits, plus 1. */
  places: Uint32Array;
}

/** Arrays without room. */
export function createScratch(): Scratch {
  return { slots: new Uint32Array(0), scores: new Float64Array(0), places: new Uint32Array(0) };
}

/** Makes the arrays long enough for so many slots. */
export function makeRoom(scratch: Scratch, slots: number): void {
  scratch.slots = grown(scratch.slots, slots);
  scratch.scores = grown(scratch.scores, slots);
  scratch.places = grown(scratch.places, slots);
}

/** Bytes of all arrays. */
export function bytesOfScratch({ slots, scores, places }: Scratch): number {
  return slots.byteLength + scores.byteLength + places.byteLength;
}
