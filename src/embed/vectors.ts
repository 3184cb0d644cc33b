// What every embedder that is not built in does alike: how much of a text counts, and how long a vector is.

/** The text up to so many bytes of UTF-8, cut between characters. */
export function beginning(text: string, mostBytes: number): string {
  const wellFormed = text.toWellFormed();
  // No code unit takes more than three bytes.
  if (wellFormed.length * 3 <= mostBytes) return wellFormed;
  const bytes = Buffer.from(wellFormed, 'utf8');
  if (bytes.length <= mostBytes) return wellFormed;
  let end = mostBytes;
  // Bytes 10xxxxxx continue a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}

/** The vector at unit length; null where it has none, or a number that is none. */
export function unitVector(numbers: ArrayLike<number>): Float32Array | null {
  let squares = 0;
  for (let at = 0; at < numbers.length; at += 1) squares += (numbers[at] ?? 0) ** 2;
  const length = Math.sqrt(squares);
  if (!(length > 0) || !Number.isFinite(length)) return null;
  return Float32Array.from(numbers, (value) => value / length);
}
