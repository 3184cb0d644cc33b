// Texts that many rows share (agents, threads, collections, groups) are kept once and stand in rows as numbers.

/** Numbers of texts; 0 stands for null. */
export interface Texts {
  /** About so many. */
  readonly bytes: number;
  /** The text's number, given to it now where it has none. */
  add(text: string | null): number;
  /** The text's number, -1 (which no row has) for null and for a text that has none. */
  find(text: string | null): number;
  /** The text of a number. */
  at(code: number): string | null;
}

// What the runtime keeps beside the characters of a text: its head, its place in the map and in the list.
const bytesBeside = 72;

/** Makes an empty list. */
export function createTexts(): Texts {
  const codes = new Map<string, number>();
  const texts: (string | null)[] = [null];
  let characters = 0;
  return {
    get bytes() {
      return characters + codes.size * bytesBeside;
    },
    add: (text) => {
      if (text === null) return 0;
      const known = codes.get(text);
      if (known !== undefined) return known;
      codes.set(text, texts.length);
      characters += text.length;
      return texts.push(text) - 1;
    },
    find: (text) => (text === null ? -1 : (codes.get(text) ?? -1)),
    at: (code) => texts[code] ?? null,
  };
}
