// Words of a text, as near-duplicates and names are compared (design S6).

/** Scripts written without spaces: each character counts as a word. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const joined = /[\p{L}\p{M}\p{N}_+#]/u;

/** What a character does to the words of a text: stands between them, goes on with one, or is one. */
const effects = { between: 0, joins: 1, alone: 2 } as const;

const asciiEffects = Uint8Array.from({ length: 128 }, (_, code) => effectOf(code));

function effectOf(code: number): number {
  const character = String.fromCodePoint(code);
  if (unspaced.test(character)) return effects.alone;
  return joined.test(character) ? effects.joins : effects.between;
}

/** A text as its words are read: composed, in lower case. */
export function foldCase(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/**
 * Where the words of a folded text begin and end, in order: start, end, start, end. Reads no further than the first
 * word beyond `most`, which is among them.
 */
export function wordSpans(folded: string, most = Infinity): readonly number[] {
  const spans: number[] = [];
  const known = new Map<number, number>();
  let start = -1;
  for (let at = 0, next = 1; at < folded.length; at = next, next += 1) {
    let code = folded.charCodeAt(at);
    let effect = asciiEffects[code];
    if (effect === undefined) {
      code = folded.codePointAt(at) ?? code;
      if (code > 0xffff) next += 1;
      // Looking a character up in Unicode takes long, and most come again.
      effect = known.get(code) ?? effectOf(code);
      known.set(code, effect);
    }
    if (effect === effects.joins) {
      if (start < 0) start = at;
      continue;
    }
    if (start >= 0) spans.push(start, at);
    if (effect === effects.alone) spans.push(at, next);
    start = -1;
    if (spans.length > 2 * most) break;
  }
  if (start >= 0) spans.push(start, folded.length);
  return spans;
}

/** The words of a text in order, in lower case and without punctuation (design S6). */
export function wordsOf(text: string): readonly string[] {
  const folded = foldCase(text);
  const spans = wordSpans(folded);
  const words: string[] = [];
  for (let at = 0; at < spans.length; at += 2) words.push(folded.slice(spans[at], spans[at + 1]));
  return words;
}

/** The words as one text in which {@link namesWords} can look for others (design S6). */
export function wordLine(text: string): string {
  return ` ${wordsOf(text).join(' ')} `;
}

/** True when the name's words stand in the line as they are, next to each other; a name without words never does (design S6). */
export function namesWords(line: string, nameLine: string): boolean {
  return nameLine.trim() !== '' && line.includes(nameLine);
}
