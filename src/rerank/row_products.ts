// Products of a table's rows, by the vector instructions of WebAssembly: exact, since all numbers are whole.

/** A table of rows of whole numbers. */
export interface RowTable {
  readonly dimensions: number;
  /** The rows 0, 1, 2 and so on, one after the other. */
  readonly rows: Int8Array;
}

/** Some rows of a table, ready to be multiplied with others. */
export interface ChosenRows {
  /**
   * Their products with each of these rows of the table, at most as many as there is room for: all of the first row, in the
   * order in which they were chosen, then all of the second. The next call of any overwrites them.
   */
  productsWith(rows: readonly number[]): Int32Array;
}

/** For how much there is room. */
export interface ProductRoom {
  readonly chosen: number;
  /** Rows that are multiplied at once. */
  readonly rows: number;
}

/** What row_products.wat comes to: made by scripts/compile_products.ts. */
const compiled =
  'AGFzbQEAAAABCgFgBn9/f39/fwADAgEABQMBAAEHFQIGbWVtb3J5AgAIbXVsdGlwbHkAAAreAQHbAQIFfwJ7A0AgAigCACEHIAcgBGohCCAAIQkgASEKA0D9DAAAAAAAAAAAAAAAAAAAAAAhC/0MAAAAAAAAAAAAAAAAAAAAACEMIAchBgNAIAsgBv0BAwAgCf0ABAD9ugH9rgEhCyAMIAb9AQMIIAn9AAQQ/boB/a4BIQwgCUEgaiEJIAZBEGohBiAGIAhJDQALIAsgDP2uASELIAUgC/0bACAL/RsBaiAL/RsCIAv9GwNqajYCACAFQQRqIQUgCkEBayEKIAoNAAsgAkEEaiECIANBAWshAyADDQALCw==';

/** Numbers that are read at once: a row is filled up with zeros to a multiple of these. */
const stride = 16;
/** Above this many numbers the largest possible sum of products leaves 32 bits. */
const mostDimensions = 2 ** 17 - 1;
const pageBytes = 2 ** 16;

/** As much of WebAssembly as is used here: Node has it, and its types do not say so. */
interface Runtime {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
}

interface Multiplier {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly multiply: (
    many: number,
    manyCount: number,
    ones: number,
    oneCount: number,
    width: number,
    sums: number,
  ) => void;
}

/** Copies a table, and gives what chooses rows of it. Throws RangeError where rows are too long, or there is no room. */
export function rowProducts(table: RowTable, room: ProductRoom): (chosen: readonly number[]) => ChosenRows {
  const { dimensions, rows } = table;
  if (dimensions > mostDimensions) throw new RangeError(`${dimensions} dimensions, and ${mostDimensions} are the most`);
  const width = Math.ceil(dimensions / stride) * stride;
  const count = rows.length / dimensions;
  // The chosen rows, addresses, sums, and from a multiple of the stride on the table.
  const onesAt = room.chosen * width * 2;
  const sumsAt = onesAt + room.rows * 4;
  const tableAt = Math.ceil((sumsAt + room.chosen * room.rows * 4) / stride) * stride;
  const { memory, multiply } = openMultiplier(tableAt + count * width);
  const copy = new Int8Array(memory.buffer, tableAt, count * width);
  if (width === dimensions) copy.set(rows);
  else for (let row = 0; row < count; row += 1) copy.set(rowOf(rows, row, dimensions), row * width);
  const placed = new Int16Array(memory.buffer, 0, room.chosen * width);
  const ones = new Uint32Array(memory.buffer, onesAt, room.rows);
  const sums = new Int32Array(memory.buffer, sumsAt, room.chosen * room.rows);
  // Whose rows stand there: others may have been multiplied since.
  let owner: Int16Array | null = null;
  return (chosen) => {
    requireRoom(chosen, room.chosen);
    const own = new Int16Array(chosen.length * width);
    for (const [place, row] of chosen.entries()) own.set(rowOf(copy, row, width), place * width);
    return {
      productsWith(others) {
        requireRoom(others, room.rows);
        if (chosen.length === 0 || others.length === 0) return sums;
        if (owner !== own) placed.set(own);
        owner = own;
        for (let place = 0; place < others.length; place += 1) ones[place] = tableAt + (others[place] ?? 0) * width;
        multiply(0, chosen.length, onesAt, others.length, width, sumsAt);
        return sums;
      },
    };
  };
}

function requireRoom({ length }: readonly number[], most: number): void {
  if (length > most) throw new RangeError(`${length} rows, and ${most} are the most`);
}

function rowOf(rows: Int8Array, row: number, width: number): Int8Array {
  return rows.subarray(row * width, (row + 1) * width);
}

/** Throws where the processor has no such instructions. */
function openMultiplier(bytes: number): Multiplier {
  const { Module, Instance } = (globalThis as unknown as { readonly WebAssembly: Runtime }).WebAssembly;
  const multiplier = new Instance(new Module(Buffer.from(compiled, 'base64'))).exports as Multiplier;
  multiplier.memory.grow(Math.ceil(bytes / pageBytes) - 1);
  return multiplier;
}
