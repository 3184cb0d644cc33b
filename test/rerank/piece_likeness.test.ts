// How the built-in reranker compares word pieces (design Q6): by cosines of rows of whole numbers.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pieceLikeness, type PieceRows } from '../../src/rerank/piece_likeness.ts';

function tableOf(rows: Int8Array, dimensions: number): PieceRows {
  return { rows, dimensions, rowLength: (piece) => Math.sqrt(product(rows, dimensions, [piece, piece])) };
}

function product(rows: Int8Array, dimensions: number, [a, b]: readonly [number, number]): number {
  let sum = 0;
  for (let at = 0; at < dimensions; at += 1) sum += rows[a * dimensions + at]! * rows[b * dimensions + at]!;
  return sum;
}

/** The best match by its definition. */
function plainBest(asked: number, text: readonly number[], table: PieceRows): number {
  const cosines = text.map((piece) => {
    const lengths = table.rowLength(asked) * table.rowLength(piece);
    return lengths > 0 ? product(table.rows, table.dimensions, [asked, piece]) / lengths : 0;
  });
  return Math.max(0, ...cosines);
}

/** Whole numbers as a row may have them, its ends most of all: there a product is as large as it gets. */
const numbers = (length: number) =>
  fc.array(fc.oneof(fc.constantFrom(-128, 127, 0), fc.integer({ min: -128, max: 127 })), {
    minLength: length,
    maxLength: length,
  });

const tables = fc.record({ dimensions: fc.constantFrom(1, 3, 8, 61), pieces: fc.integer({ min: 1, max: 24 }) });

describe('word pieces beside those of a question [Q6]', () => {
  it('have the cosines of their rows, however many pieces the question has', () => {
    const cases = tables.chain(({ dimensions, pieces }) =>
      fc.record({
        table: numbers(dimensions * pieces).map((values) => tableOf(Int8Array.from(values), dimensions)),
        asked: fc.uniqueArray(fc.nat(pieces - 1), { maxLength: 24 }),
        texts: fc.array(fc.array(fc.nat(pieces - 1), { maxLength: 30 }), { maxLength: 4 }),
      }),
    );
    fc.assert(
      fc.property(cases, ({ table, asked, texts }) => {
        const pieces = pieceLikeness(table, 24)(asked);
        for (const text of texts) {
          const best = pieces.bestIn(text);
          expect(best).toHaveLength(asked.length);
          // A product that is wrong by one is wrong in the sixth digit here.
          for (const [index, piece] of asked.entries())
            expect(best[index]).toBeCloseTo(plainBest(piece, text, table), 12);
        }
        const holding = asked.map((piece) => texts.filter((text) => text.includes(piece)).length);
        expect([...pieces.holders]).toEqual(holding);
      }),
      { numRuns: 60 },
    );
  });

  it('stay those of their own question while others are asked in between', () => {
    const dimensions = 16;
    let state = 1;
    const rows = Int8Array.from({ length: 500 * dimensions }, () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return (state >>> 16) % 256;
    });
    const table = tableOf(rows, dimensions);
    const ask = pieceLikeness(table, 8);
    // More pieces than are compared at once; the best match of some stands among the last.
    const text = Array.from({ length: 400 }, (_, piece) => piece);
    const [first, second] = [
      [11, 390],
      [7, 399, 470],
    ];
    const expected = [first, second].map((asked) =>
      asked.map((piece) => expect.closeTo(plainBest(piece, text, table), 12)),
    );
    const [one, other] = [ask(first), ask(second)];
    for (let turn = 0; turn < 3; turn += 1) {
      expect([[...one.bestIn(text)], [...other.bestIn(text)]]).toEqual(expected);
    }
  });
});
