// Parts of a sentence that say one thing each, and whether each denies it, or puts it in the past (design K1).

import {
  contrasts,
  denials,
  falseDenials,
  pastCues,
  portugueseDenials,
  presentCues,
  replacedCues,
  silences,
} from './cue_words.ts';
import type { Language } from './language.ts';
import type { Span } from './statements.ts';

/** A part of a sentence. Places are those of the text that was given. */
export interface Part extends Span {
  readonly denies: boolean;
  /** Says that something is not stated: a denial of nothing. */
  readonly isSilence: boolean;
  readonly isPast: boolean;
  readonly isPresent: boolean;
}

/** The parts of a sentence in order; together they are the whole of it. */
export function partsOf(folded: string, language: Language | null): readonly Part[] {
  const starts = [
    0,
    ...[...folded.matchAll(contrasts)].map((match) => match.index + (isMark(match[0]) ? match[0].length : 0)),
  ];
  const parts: Part[] = [];
  for (const [place, start] of starts.entries()) {
    const end = starts[place + 1] ?? folded.length;
    if (end > start) parts.push(partOf(folded, { start, end }, language));
  }
  return parts;
}

/** A mark closes the part before it; a word opens the next one. */
function isMark(found: string): boolean {
  return /^[;—、]/.test(found);
}

function partOf(folded: string, span: Span, language: Language | null): Part {
  const text = folded.slice(span.start, span.end);
  // What is only past (`no longer`) or no denial at all (`not only`) is taken out before denials are looked for.
  const denying = text.replace(falseDenials, ' ').replace(pastCues, ' ');
  const isSilence = has(text, silences);
  return {
    ...span,
    denies: !isSilence && (has(denying, language === 'pt' ? portugueseDenials : denials) || has(text, replacedCues)),
    isSilence,
    isPast: has(text, pastCues),
    isPresent: has(text, presentCues),
  };
}

/** The part that holds a place; null for a text without parts. */
export function partAt(parts: readonly Part[], place: number): Part | null {
  return parts.find(({ start, end }) => place >= start && place < end) ?? parts.at(-1) ?? null;
}

function has(text: string, pattern: RegExp): boolean {
  pattern.lastIndex = 0;
  return pattern.test(text);
}
