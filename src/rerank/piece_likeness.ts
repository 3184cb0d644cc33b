// How like the word pieces of texts are to those of a question: cosines, of products that are exact in whatever order.

/** Vectors of word pieces: each points where a row of whole numbers does. */
export interface PieceRows {
  /** At most 2,047. */
  readonly dimensions: number;
  /** The rows of the pieces 0, 1, 2 and so on, one after the other. */
  readonly rows: Int8Array;
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
 * Two rows share the numbers of a packed one, this far apart, so that one product serves both. A product of two rows is
 * less than half of it, and both together stay below 2^53: they come apart again to the last digit.
 */
const apart = 2 ** 26;
const mostDimensions = 2 ** 11 - 1;

/** Packed rows stand four side by side: a sum waits for its own last addition, and the others need not wait with it. */
const lanes = 4;
const groupPieces = 2 * lanes;

/** Makes ready to compare texts with these pieces, each given once. Throws RangeError where vectors are too long. */
export function askedPieces(asked: readonly number[], table: PieceRows): AskedPieces {
  const { rows, dimensions } = table;
  if (dimensions > mostDimensions) throw new RangeError(`${dimensions} dimensions, and ${mostDimensions} are the most`);
  const matches = matchesOf(asked, table);
  const lengths = asked.map((piece) => table.rowLength(piece));
  const holders = new Uint32Array(asked.length);
  // For each piece: where its matches stand, and the last text that held it; both from 1, and 0 is none yet.
  const places = new Uint32Array(rows.length / dimensions);
  const lastText = new Uint32Array(places.length);
  let texts = 0;
  return {
    holders,
    bestIn(text) {
      texts += 1;
      const best = new Float64Array(asked.length);
      for (const piece of text) {
        if (lastText[piece] === texts) continue;
        lastText[piece] = texts;
        const place = places[piece] || matches.add(piece);
        places[piece] = place;
        matches.raise(best, place);
      }
      for (const [index, piece] of asked.entries()) {
        if (lastText[piece] === texts) holders[index] = (holders[index] ?? 0) + 1;
      }
      return best.map((match, index) => over(match, lengths[index]));
    },
  };
}

/** What the pieces of texts came to beside those of the question, but for the length of the latter's rows. */
function matchesOf(asked: readonly number[], table: PieceRows) {
  const { rows, dimensions } = table;
  const groups = packedGroups(asked, table);
  const width = groups.length * groupPieces;
  const sums = new Float64Array(lanes);
  let matches = new Float64Array(1_024 * width);
  let places = 0;
  return {
    /** Compares one more piece with the question's; returns its place, from 1. */
    add(piece: number): number {
      let at = places * width;
      if (at + width > matches.length) matches = twiceAsLong(matches);
      const row = { rows, start: piece * dimensions };
      const length = table.rowLength(piece);
      for (const packed of groups) {
        writeSums(packed, row, sums);
        for (let lane = 0; lane < lanes; lane += 1) {
          const sum = sums[lane] ?? 0;
          const second = Math.round(sum / apart);
          matches[at + lane] = over(sum - second * apart, length);
          matches[at + lanes + lane] = over(second, length);
        }
        at += groupPieces;
      }
      places += 1;
      return places;
    },
    /** Raises each value to the match of the piece at this place, where that is higher. */
    raise(best: Float64Array, place: number): void {
      const start = (place - 1) * width;
      for (let index = 0; index < best.length; index += 1) {
        best[index] = Math.max(best[index] ?? 0, matches[start + index] ?? 0);
      }
    },
  };
}

/** The rows of the question's pieces, eight in a group: the numbers of four packed rows, dimension by dimension. */
function packedGroups(asked: readonly number[], { rows, dimensions }: PieceRows): readonly Float64Array[] {
  // Beyond the last piece stand zeros, whose sums nobody reads.
  return Array.from({ length: Math.ceil(asked.length / groupPieces) }, (_, group) => {
    const pieces = asked.slice(group * groupPieces, (group + 1) * groupPieces);
    const valueOf = (piece: number | undefined, at: number) =>
      piece === undefined ? 0 : (rows[piece * dimensions + at] ?? 0);
    return Float64Array.from({ length: dimensions * lanes }, (__, index) => {
      const [at, lane] = [Math.floor(index / lanes), index % lanes];
      return valueOf(pieces[lane], at) + valueOf(pieces[lane + lanes], at) * apart;
    });
  });
}

/** Multiplies the row that starts here with each of four packed ones. */
function writeSums(
  packed: Float64Array,
  { rows, start }: { readonly rows: Int8Array; readonly start: number },
  sums: Float64Array,
): void {
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let at = 0, from = start; at < packed.length; at += lanes, from += 1) {
    const value = rows[from] ?? 0;
    a += (packed[at] ?? 0) * value;
    b += (packed[at + 1] ?? 0) * value;
    c += (packed[at + 2] ?? 0) * value;
    d += (packed[at + 3] ?? 0) * value;
  }
  sums[0] = a;
  sums[1] = b;
  sums[2] = c;
  sums[3] = d;
}

function twiceAsLong(values: Float64Array): Float64Array<ArrayBuffer> {
  const longer = new Float64Array(values.length * 2);
  longer.set(values);
  return longer;
}

/** A row without length is like nothing. */
function over(product: number, length = 0): number {
  return length > 0 ? product / length : 0;
}
