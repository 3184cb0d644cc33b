// Words of a text, as near-duplicates and names are compared (design S6).

/** Scripts written without spaces: each character counts as a word. */
const unspaced = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]`;
const word = new RegExp(String.raw`${unspaced}|(?:(?!${unspaced})[\p{L}\p{M}\p{N}_+#])+`, 'gu');

/** The words of a text in order, in lower case and without punctuation (design S6). */
export function wordsOf(text: string): readonly string[] {
  return text.normalize('NFC').toLowerCase().match(word) ?? [];
}

/** The words as one text in which {@link namesWords} can look for others (design S6). */
export function wordLine(text: string): string {
  return ` ${wordsOf(text).join(' ')} `;
}

/** True when the name's words stand in the line as they are, next to each other; a name without words never does (design S6). */
export function namesWords(line: string, nameLine: string): boolean {
  return nameLine.trim() !== '' && line.includes(nameLine);
}
