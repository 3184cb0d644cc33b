// A second embedder for tests, with other dimensions than the built-in table: the pairs and triples of a text's letters,
// hashed into buckets. A text without letters or digits is one in which it knows nothing.

import { createHash } from 'node:crypto';
import type { Embedder } from '../src/embed/embedder.ts';

const dimensions = 64;

/** An embedder of its own; `onCall` is told how many texts each call brings, and may throw. */
export function hashedEmbedder(id = 'hashed-64', onCall: (texts: number) => void = () => {}): Embedder {
  return {
    id,
    dimensions,
    async embed(texts) {
      onCall(texts.length);
      return texts.map(vectorOf);
    },
  };
}

function vectorOf(text: string): Float32Array | null {
  const letters =
    text
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.join(' ') ?? '';
  if (letters === '') return null;
  const vector = new Float32Array(dimensions);
  for (let place = 0; place < letters.length; place += 1) {
    for (const size of [2, 3]) {
      const [bucket = 0, sign = 0] = createHash('md5')
        .update(letters.slice(place, place + size))
        .digest();
      vector[bucket % dimensions]! += sign % 2 === 0 ? 1 : -1;
    }
  }
  const length = Math.hypot(...vector);
  return length === 0 ? null : vector.map((value) => value / length);
}
