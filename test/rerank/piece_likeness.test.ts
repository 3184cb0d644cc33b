// How the built-in reranker compares word pieces (design Q6): two products in one number come apart to the last digit.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { askedPieces, type PieceRows } from '../../src/rerank/piece_likeness.ts';

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
        const pieces = askedPieces(asked, table);
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

  it('are exact at the largest products that a table may have, and longer rows are refused', () => {
    const dimensions = 2_047;
    const ends = [-128, 127, 1];
    const rows = Int8Array.from({ length: dimensions * 9 }, (_, at) => {
      const piece = Math.floor(at / dimensions);
      return piece < 3 ? ends[piece]! : ends[(at * piece) % (2 + (piece % 2))]!;
    });
    const table = tableOf(rows, dimensions);
    const all = Array.from({ length: 9 }, (_, piece) => piece);
    for (const asked of [all, all.toReversed(), [0, 2, 3, 4, 1]]) {
      for (const piece of all) {
        const expected = asked.map((one) => plainBest(one, [piece], table));
        // A product that is wrong by one is wrong in the eighth digit here.
        for (const [index, value] of askedPieces(asked, table).bestIn([piece]).entries()) {
          expect(value).toBeCloseTo(expected[index]!, 12);
        }
      }
    }
    const longer = { dimensions: 2_048, rows: new Int8Array(2_048), rowLength: () => 0 };
    expect(() => askedPieces([0], longer)).toThrow(RangeError);
  });

  it('stay the same while more and more pieces are compared', () => {
    const dimensions = 4;
    const rows = Int8Array.from({ length: 5_000 * dimensions }, (_, at) => ((at * 7_919) % 255) - 127);
    const table = tableOf(rows, dimensions);
    const all = Array.from({ length: 5_000 }, (_, piece) => piece);
    const first = all.slice(0, 20);
    const pieces = askedPieces([11, 4_711], table);
    const before = pieces.bestIn(first);
    expect([...pieces.bestIn(all)]).toEqual([expect.closeTo(1, 12), expect.closeTo(1, 12)]);
    expect(pieces.bestIn(first)).toEqual(before);
  });
});
