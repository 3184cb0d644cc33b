// How like the word pieces of texts are to those of a question: cosines of rows of whole numbers.

import { rowProducts, type RowTable } from './row_products.ts';

/** Vectors of word pieces: each points where a row of whole numbers does. */
export interface PieceRows extends RowTable {
  /** The Euclidean length of a piece's row. */
  rowLength(piece: number): number;
}

/** The pieces of a question, with which texts are compared one by one. */
export interface AskedPieces {
  /** For each piece of the question its best match among those of the next text: a cosine, at least 0. */
  bestIn(text: readonly number[]): Float64Array;
  /** For each piece of the question how many of the texts so far hold it. */
  readonly holders: Uint32Array;
}

/**
 * Makes ready a table's pieces, and gives what takes those of a question, each once and at most so many. Throws RangeError
 * where vectors are too long.
 */
export function pieceLikeness(table: PieceRows, mostAsked: number): (asked: readonly number[]) => AskedPieces {
  const choose = rowProducts(table, { chosen: mostAsked, rows: together });
  const pieces = table.rows.length / table.dimensions;
  return (asked) => {
    const chosen = choose(asked);
    const holders = new Uint32Array(asked.length);
    // The last text that held a piece, counted from 1; 0: none yet.
    const lastText = new Uint32Array(pieces);
    let texts = 0;
    return {
      holders,
      bestIn(text) {
        texts += 1;
        const distinct: number[] = [];
        for (const piece of text) {
          if (lastText[piece] === texts) continue;
          lastText[piece] = texts;
          distinct.push(piece);
        }
        const best = new Float64Array(asked.length);
        for (let first = 0; first < distinct.length; first += together) {
          const next = distinct.slice(first, first + together);
          raise(best, chosen.productsWith(next), next, table);
        }
        for (const [index, piece] of asked.entries()) {
          best[index] = over(best[index] ?? 0, table.rowLength(piece));
          if (lastText[piece] === texts) holders[index] = (holders[index] ?? 0) + 1;
        }
        return best;
      },
    };
  };
}

/** Pieces that are compared at once: nearly all texts have fewer. */
const together = 256;

/** Raises each match to those with these pieces, where they are higher. */
function raise(best: Float64Array, products: Int32Array, pieces: readonly number[], table: PieceRows): void {
  let at = 0;
  for (const piece of pieces) {
    const part = over(1, table.rowLength(piece));
    for (let index = 0; index < best.length; index += 1, at += 1) {
      const match = (products[at] ?? 0) * part;
      if (match > (best[index] ?? 0)) best[index] = match;
    }
  }
}

/** A row without length is like nothing. */
function over(product: number, length: number): number {
  return length > 0 ? product / length : 0;
}
