// How a column of numbers grows: by half of itself, so that adding one at a time costs little and wastes little.

type Column = Uint8Array | Int32Array | Uint32Array | Float64Array;

const leastLength = 64;

/** The column itself while it is long enough, else a longer one that begins with its numbers and ends in zeros. */
export function grown<Kept extends Column>(column: Kept, length: number): Kept {
  if (length <= column.length) return column;
  const larger = new (column.constructor as new (length: number) => Kept)(
    Math.max(length, Math.ceil(column.length * 1.5), leastLength),
  );
  larger.set(column);
  return larger;
}
