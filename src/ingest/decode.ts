// Bytes of a text file become text: UTF-8, or UTF-16 that says so; anything else is refused, since a guess would be
// stored as if it had been read.

/** The text, or why there is none. */
export type Decoded = { readonly text: string } | { readonly refusal: string };

const marks = [
  { encoding: 'utf-8', bytes: [0xef, 0xbb, 0xbf] },
  { encoding: 'utf-16le', bytes: [0xff, 0xfe] },
  { encoding: 'utf-16be', bytes: [0xfe, 0xff] },
] as const;

/** Decodes a file: without its byte order mark, lines ending in `\n`. */
export function decodeText(bytes: Uint8Array): Decoded {
  const mark = marks.find((known) => known.bytes.every((byte, place) => bytes[place] === byte));
  try {
    const text = new TextDecoder(mark?.encoding ?? 'utf-8', { fatal: true }).decode(bytes);
    if (text.includes('\u0000')) return { refusal: 'it is no text: it holds the character U+0000' };
    return { text: text.replace(/\r\n?/g, '\n') };
  } catch {
    return { refusal: 'it is neither UTF-8 nor UTF-16 with a byte order mark' };
  }
}
