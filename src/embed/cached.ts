// A slow embedder is asked for a text once (design Q5): copies within a call, and texts that it was asked for lately.

import { createHash } from 'node:crypto';
import type { Embedder, EmbedPurpose } from './embedder.ts';

/** Numbers of all vectors that are kept: 16 MiB of them. */
const mostNumbers = 4 * 1024 * 1024;

/** The same embedder with a memory of what it gave last, kept by hashes of the texts and never by the texts. */
export function cached(embedder: Embedder, mostKept = Math.ceil(mostNumbers / embedder.dimensions)): Embedder {
  // A Map keeps the order in which its keys were put: the first is the one that was used longest ago.
  const kept = new Map<string, Float32Array | null>();
  const keep = (key: string, vector: Float32Array | null): void => {
    kept.delete(key);
    kept.set(key, vector);
    const [oldest] = kept.keys();
    if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
  };
  return {
    id: embedder.id,
    dimensions: embedder.dimensions,
    embed: async (texts, options) => {
      const keys = texts.map((text) => keyOf(options.purpose, text));
      const found = new Map<string, Float32Array | null>();
      const missing = new Map<string, string>();
      for (const [place, key] of keys.entries()) {
        const vector = kept.get(key);
        if (vector === undefined) missing.set(key, texts[place] ?? '');
        else found.set(key, vector);
      }
      const fresh = missing.size === 0 ? [] : await embedder.embed([...missing.values()], options);
      for (const [place, key] of [...missing.keys()].entries()) found.set(key, fresh[place] ?? null);
      for (const [key, vector] of found) keep(key, vector);
      return keys.map((key) => found.get(key) ?? null);
    },
  };
}

function keyOf(purpose: EmbedPurpose, text: string): string {
  return createHash('sha256').update(`${purpose}\u0000`).update(text, 'utf8').digest('base64');
}
