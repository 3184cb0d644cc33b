// Products of a table's rows, by the vector instructions of WebAssembly: exact, since all numbers are whole.

/** A table of rows of whole numbers. */
export interface RowTable {
  readonly dimensions: number;
  /** The rows 0, 1, 2 and so on, one after the other. */
  readonly rows: Int8Array;
}

/** Some rows of a table, ready to be multiplied with others. */
export interface ChosenRows {
  /** Until the next call of any: their products with a row of the table, in the order in which they were chosen. */
  productsWith(row: number): Int32Array;
}

/** What row_products.wat comes to: made by scripts/compile_products.ts. */
const compiled =
  'AGFzbQEAAAABCQFgBX9/f39/AAMCAQAFAwEAAQcVAgZtZW1vcnkCAAhtdWx0aXBseQAACroBAbcBAgJ/AnsgAiADaiEGA0D9DAAAAAAAAAAAAAAAAAAAAAAhB/0MAAAAAAAAAAAAAAAAAAAAACEIIAIhBQNAIAcgBf0BAwAgAP0ABAD9ugH9rgEhByAIIAX9AQMIIAD9AAQQ/boB/a4BIQggAEEgaiEAIAVBEGohBSAFIAZJDQALIAcgCP2uASEHIAQgB/0bACAH/RsBaiAH/RsCIAf9GwNqajYCACAEQQRqIQQgAUEBayEBIAENAAsL';

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
  readonly multiply: (many: number, count: number, one: number, width: number, sums: number) => void;
}

/** Copies a table, and gives what chooses rows of it, at most so many. Throws RangeError where rows are too long. */
export function rowProducts(table: RowTable, mostChosen: number): (chosen: readonly number[]) => ChosenRows {
  const { dimensions, rows } = table;
  if (dimensions > mostDimensions) throw new RangeError(`${dimensions} dimensions, and ${mostDimensions} are the most`);
  const width = Math.ceil(dimensions / stride) * stride;
  const count = rows.length / dimensions;
  // The chosen rows, then the sums, then the table.
  const sumsAt = mostChosen * width * 2;
  const tableAt = Math.ceil((sumsAt + mostChosen * 4) / stride) * stride;
  const { memory, multiply } = openMultiplier(tableAt + count * width);
  const copy = new Int8Array(memory.buffer, tableAt, count * width);
  if (width === dimensions) copy.set(rows);
  else for (let row = 0; row < count; row += 1) copy.set(rowOf(rows, row, dimensions), row * width);
  const placed = new Int16Array(memory.buffer, 0, mostChosen * width);
  // Whose rows stand there: others may have been multiplied since.
  let owner: Int16Array | null = null;
  return (chosen) => {
    if (chosen.length > mostChosen) throw new RangeError(`${chosen.length} rows, and ${mostChosen} are the most`);
    const own = new Int16Array(chosen.length * width);
    for (const [place, row] of chosen.entries()) own.set(rowOf(copy, row, width), place * width);
    const sums = new Int32Array(memory.buffer, sumsAt, chosen.length);
    return {
      productsWith(row) {
        if (chosen.length === 0) return sums;
        if (owner !== own) placed.set(own);
        owner = own;
        multiply(0, chosen.length, tableAt + row * width, width, sumsAt);
        return sums;
      },
    };
  };
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
