// Sentences of a text by rules of our own (design C1): the same on every engine, each one verbatim.

/** A sentence without the white space around it, and the line that it stands on. */
export interface Sentence {
  readonly text: string;
  readonly line: number;
}

/** Words whose full stop does not end a sentence, in lower case. */
const abbreviations = new Set(
  'e.g i.e cf vs dr mr mrs ms prof st no nos fig figs sec eq approx resp al inc ltd jr sr vol pp ed eds dept z.b bzw ca usw nr'.split(
    ' ',
  ),
);

/** Months that a day with a full stop stands before, as in German and its neighbours. */
const dayBefore = /^\s(?:jan|jän|feb|mär|mar|apr|mai|maj|jun|jul|aug|sep|okt|oct|nov|dez|dec|des)\p{L}*/iu;

/** Splits at line ends, after `.`, `!`, `?` and closing quotes before white space, and after full-width stops. */
export function sentencesOf(text: string): readonly Sentence[] {
  return text.split('\n').flatMap((line, number) => splitLine(line).map((part) => ({ text: part, line: number })));
}

function splitLine(line: string): readonly string[] {
  const parts: string[] = [];
  let start = 0;
  for (const match of line.matchAll(/[.!?…]["'”’)\]]*(?=\s)|[。！？]["'”’」』)\]]*/gu)) {
    const end = match.index + match[0].length;
    if (match[0].startsWith('.') && isAbbreviation(line, match.index, line.slice(end, end + 12))) continue;
    parts.push(line.slice(start, end));
    start = end;
  }
  parts.push(line.slice(start));
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

/** A known abbreviation, one initial, a list's number or a day before the stop; or a small letter after it. */
function isAbbreviation(line: string, stop: number, after: string): boolean {
  const before = line.slice(Math.max(0, stop - 20), stop);
  const word = /[\p{L}\p{N}.]*$/u.exec(before)?.[0] ?? '';
  if (abbreviations.has(word.toLowerCase())) return true;
  // The last letter of a code such as KX-22-B is no initial.
  if (/(?<![^\s("'“„«])\p{Lu}$/u.test(before)) return true;
  if (/(?<!\p{N})\p{N}{1,2}$/u.test(before) && dayBefore.test(after)) return true;
  if (stop < 20 && /^\s*\p{N}{1,3}$/u.test(line.slice(0, stop))) return true;
  return /^\s+\p{Ll}/u.test(after);
}
