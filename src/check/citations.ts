// Citations in an answer (design A4, K1): ids in square brackets, alone or several, and ids that only look like one.

import type { Citation } from './report.ts';

const id = /(?<![A-Za-z0-9_])[Bb][0-9a-fA-F]{10}(?![A-Za-z0-9_])/g;
/** In brackets, what begins like an id was meant as one, even if it was cut or is too long. */
const meantAsId = /(?<![A-Za-z0-9_])[Bb][0-9a-fA-F]{6,16}(?![A-Za-z0-9_])/g;
const brackets = /\[[^[\]\n]{1,2000}\]/g;

/** A citation mark: the bracket or the bare id, with the ids in it. */
export interface Mark {
  readonly start: number;
  readonly end: number;
  readonly citations: readonly Citation[];
}

/** The citation marks of a folded text in order. `present` is told by `has`; ids are compared as they are written. */
export function marksOf(folded: string, has: (id: string) => boolean): readonly Mark[] {
  const marks: Mark[] = [];
  const citationAt = (text: string, start: number): Citation => ({
    id: text,
    start,
    end: start + text.length,
    present: has(text),
  });
  let at = 0;
  const bare = (until: number): void => {
    for (const match of folded.slice(at, until).matchAll(id)) {
      const citation = citationAt(match[0], at + match.index);
      marks.push({ start: citation.start, end: citation.end, citations: [citation] });
    }
  };
  for (const match of folded.matchAll(brackets)) {
    const found = [...match[0].matchAll(meantAsId)].map((inner) => citationAt(inner[0], match.index + inner.index));
    if (found.length === 0) continue;
    bare(match.index);
    at = match.index + match[0].length;
    if (isOnlyIds(match[0])) marks.push({ start: match.index, end: at, citations: found });
    else for (const citation of found) marks.push({ start: citation.start, end: citation.end, citations: [citation] });
  }
  bare(folded.length);
  return marks;
}

function isOnlyIds(bracket: string): boolean {
  return /^[\s,;、+&|/]*$/.test(bracket.slice(1, -1).replace(meantAsId, ''));
}
