// What a slow embedder is spared (Q5): copies, and texts that it was asked for lately; never one purpose for the other.

import { describe, expect, it } from 'vitest';
import { cached } from '../../src/embed/cached.ts';
import type { Embedder, EmbedOptions } from '../../src/embed/embedder.ts';

function counting(): Embedder & { readonly asked: (readonly [string, readonly string[]])[] } {
  const asked: (readonly [string, readonly string[]])[] = [];
  return {
    id: 'counting',
    dimensions: 2,
    asked,
    embed: async (texts, { purpose }) => {
      asked.push([purpose, texts]);
      return texts.map((text) => (text === '' ? null : Float32Array.of(text.length, purpose.length)));
    },
  };
}

const text: EmbedOptions = { purpose: 'text' };

describe('a cached embedder', () => {
  it('[Q5] asks for copies once, gives each place its vector, and keeps what it got', async () => {
    const slow = counting();
    const embedder = cached(slow);
    const vectors = await embedder.embed(['plum', 'fig', 'plum', ''], text);
    expect(vectors.map((vector) => vector?.[0] ?? null)).toEqual([4, 3, 4, null]);
    expect((await embedder.embed(['', 'fig', 'pear'], text)).map((vector) => vector?.[0] ?? null)).toEqual([
      null,
      3,
      4,
    ]);
    expect(slow.asked).toEqual([
      ['text', ['plum', 'fig', '']],
      ['text', ['pear']],
    ]);
    expect([embedder.id, embedder.dimensions]).toEqual(['counting', 2]);
  });

  it('[Q5] keeps questions and texts apart', async () => {
    const slow = counting();
    const embedder = cached(slow);
    await embedder.embed(['plum'], text);
    const [vector] = await embedder.embed(['plum'], { purpose: 'query' });
    expect(vector?.[1]).toBe('query'.length);
    expect(slow.asked).toHaveLength(2);
  });

  it('[Q5] forgets what was used longest ago', async () => {
    const slow = counting();
    const embedder = cached(slow, 2);
    for (const word of ['a', 'b', 'a', 'c', 'a', 'b']) await embedder.embed([word], text);
    expect(slow.asked.map(([, [word]]) => word)).toEqual(['a', 'b', 'c', 'b']);
  });

  it('[Q5] keeps nothing of a call that failed', async () => {
    let fails = true;
    const slow = counting();
    const embedder = cached({
      ...slow,
      embed: async (...given) => (fails ? Promise.reject(new Error('away')) : slow.embed(...given)),
    });
    await expect(embedder.embed(['plum'], text)).rejects.toThrow('away');
    fails = false;
    expect((await embedder.embed(['plum'], text))[0]?.[0]).toBe(4);
  });
});
