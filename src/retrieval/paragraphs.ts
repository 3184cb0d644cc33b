// Cuts a document into passages by paragraph: the simplest structure that plain text has.

/** A paragraph longer than this is cut at the end of a sentence, or of a word where it has none. In UTF-16 code units. */
const longestPassage = 2_400;

/** The paragraphs of a text in order, trimmed, empty ones left out; no passage is longer than 2,400 code units. */
export function paragraphs(text: string): readonly string[] {
  return text
    .replace(/\r\n?/g, '\n')
    .split(/\n[^\S\n]*\n+/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '')
    .flatMap(cutLong);
}

function cutLong(paragraph: string): readonly string[] {
  const passages: string[] = [];
  let rest = paragraph;
  while (rest.length > longestPassage) {
    const end = cutPoint(rest);
    passages.push(rest.slice(0, end).trim());
    rest = rest.slice(end).trim();
  }
  return rest === '' ? passages : [...passages, rest];
}

/** After the last sentence that fits, else after the last space, else at the limit without breaking a character. */
function cutPoint(text: string): number {
  const head = text.slice(0, longestPassage);
  const sentence = [...head.matchAll(/[.!?。！？]["'”’)\]]*(?=\s)|[。！？]/gu)].at(-1);
  if (sentence !== undefined && sentence.index > longestPassage / 4) return sentence.index + sentence[0].length;
  const space = head.search(/\s\S*$/);
  if (space > longestPassage / 4) return space;
  const low = head.charCodeAt(longestPassage - 1);
  return low >= 0xd800 && low <= 0xdbff ? longestPassage - 1 : longestPassage;
}
