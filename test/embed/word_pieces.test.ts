// Texts taken apart into word pieces (design Q5): the same pieces whatever is kept from texts before.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wordPieces } from '../../src/embed/word_pieces.ts';

/** The length of a word and its letters: other words have other pieces. */
const read = (word: string): readonly number[] => [
  word.length,
  ...Array.from(word, (letter) => letter.codePointAt(0)!),
];

const plainly = (text: string) => text.split(/[ \t\n\r]+/).flatMap((word) => (word === '' ? [] : read(word)));

/** Counts how often words are read. */
function counted() {
  const asked: string[] = [];
  const pieces = wordPieces((word) => {
    asked.push(word);
    return read(word);
  });
  return { asked, pieces };
}

describe('the pieces of a text [Q5]', () => {
  it('are those of its words in order, whatever was read before', () => {
    const word = fc.oneof(
      fc.string({ unit: fc.constantFrom('a', 'b', 'é', '語'), maxLength: 3 }),
      fc.string({ unit: 'binary', maxLength: 60 }),
    );
    const text = fc
      .array(fc.tuple(word, fc.constantFrom(' ', '\t', '\n', '\r\n', '  ')), { maxLength: 20 })
      .map((words) => words.flat().join(''));
    const { pieces } = counted();
    fc.assert(
      fc.property(text, (one) => {
        expect(pieces(one)).toEqual(plainly(one));
        expect(pieces(one)).toEqual(plainly(one));
      }),
    );
  });

  it('are told apart by their letters where two words have the same hash', () => {
    const { asked, pieces } = counted();
    for (const text of ['hyqynwx jcgrgrq', 'jcgrgrq hyqynwx']) expect(pieces(text)).toEqual(plainly(text));
    expect(asked).toEqual(['hyqynwx', 'jcgrgrq']);
  });

  it('are read once for a word that comes again, and each time for one that is very long', () => {
    const { asked, pieces } = counted();
    const long = 'x'.repeat(41);
    for (let time = 0; time < 3; time += 1) pieces(`port ${long}\nport`);
    expect(asked).toEqual(['port', long, long, long]);
  });

  it('stay right after more words than are kept, of which the last ones are', () => {
    const { asked, pieces } = counted();
    const words = Array.from({ length: 60_000 }, (_, index) => index.toString(36));
    const wrong = () => words.filter((word) => pieces(word).join() !== read(word).join());
    expect([wrong(), wrong()]).toEqual([[], []]);
    const asksFor = (some: readonly string[]) => {
      const before = asked.length;
      expect(pieces(some.join(' '))).toEqual(some.flatMap(read));
      return asked.length - before;
    };
    expect(asksFor(words.slice(-100))).toBe(0);
    expect(asksFor(words.slice(0, 100))).toBe(100);
  });
});
