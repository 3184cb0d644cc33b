// How a question's words meet the names of subjects (design Q1): both sides in one normal form, compared as wholes.

import { fold } from './analyse.ts';

/** The longest name that a question is searched for, in words. */
const longestName = 5;

/** A question's words count up to here: a pasted document is no name. */
const mostWords = 200;

/** At most so many names are asked for at once. */
const mostNames = 1_000;

/** The normal form of a name: folded, every run of other characters than letters and digits one space. */
export function normaliseName(text: string): string {
  return fold(text.slice(0, 2_000).normalize('NFKC'))
    .replace(/['’]s(?![\p{L}\p{N}])/gu, '')
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .trim();
}

/**
 * The forms under which a question may name a subject or alias: its normal form, for `kind:name` the name alone, and
 * both without spaces. Sorted, distinct, never empty text.
 */
export function nameForms(name: string): readonly string[] {
  const afterKind = /^\s*[\p{L}\p{N}_-]+:(.+)$/su.exec(name)?.[1];
  const forms = [name, ...(afterKind === undefined ? [] : [afterKind])].map(normaliseName);
  const joined = forms.map((form) => form.replaceAll(' ', '')).filter((form) => form.length > 3);
  return [...new Set([...forms, ...joined])].filter((form) => form.length > 0).toSorted(byCodeUnit);
}

/** Every name that a question may mean: its runs of one to five words in normal form, and what stands in them without spaces. */
export function questionNames(question: string): readonly string[] {
  const words = normaliseName(question)
    .split(' ')
    .filter((word) => word.length > 0)
    .slice(0, mostWords);
  const names = new Set<string>();
  for (let count = 1; count <= longestName; count += 1) {
    for (let start = 0; start + count <= words.length; start += 1) {
      const run = words.slice(start, start + count);
      names.add(run.join(' '));
      if (count > 1) names.add(run.join(''));
    }
  }
  for (const piece of latinPieces(words)) names.add(piece);
  return [...names].slice(0, mostNames).toSorted(byCodeUnit);
}

/** Latin names inside words of a script without spaces: 「HeliosRAGは」 holds heliosrag. */
function latinPieces(words: readonly string[]): readonly string[] {
  return words.flatMap((word) => {
    const pieces = word.match(/[a-z0-9]+/g) ?? [];
    return pieces.length === 1 && pieces[0] === word ? [] : pieces.filter((piece) => piece.length > 1);
  });
}

function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
