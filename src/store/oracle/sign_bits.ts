// The signs of a vector as Oracle's binary vectors hold them: eight to a byte, the first the highest bit.

/** One bit a dimension, 1 for a positive value; the last byte is filled with zeros. */
export function signBits(vector: Float32Array): Uint8Array {
  const bits = new Uint8Array(Math.ceil(vector.length / 8));
  vector.forEach((value, index) => {
    if (value > 0) bits[index >> 3] = (bits[index >> 3] ?? 0) | (0x80 >> (index & 7));
  });
  return bits;
}
