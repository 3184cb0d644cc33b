// The built-in summariser (design C1): a pure function of a text, or of the turns of a thread, and a limit in tokens.

import type { Turn } from '../../model/memory.ts';
import type { CountTokens } from '../../model/window.ts';
import { extract } from './extract.ts';
import { type Sentence, sentencesOf } from './sentences.ts';

/** Who makes these summaries; stored with each. A change of what comes out needs another prompt version. */
export const summariserIdentity = { model: 'builtin-extractive', promptVersion: '2' } as const;

/**
 * An extractive summary (design C1): whole sentences of the text, verbatim and in their order, at most `maxTokens`
 * tokens; empty when none fits. The text itself where it is short enough.
 */
export function summarise(text: string, maxTokens: number, countTokens: CountTokens): string {
  if (text.length <= maxTokens * longestTokenBytes && countTokens(text) <= maxTokens) return text.trim();
  return extract(sentencesOf(text), {
    maxTokens,
    countTokens,
    labelOf: () => '',
    weightOf: () => 1,
    // What a text opens with says what it is about.
    placeOf: (index) => (index === 0 ? 0.6 : 0),
    centralWeight: 2.5,
    leastWorth: -Infinity,
  });
}

/** No token of o200k_base stands for more than 128 bytes: a longer text is not counted. */
const longestTokenBytes = 128;

/** What a thread's digest takes of a turn. */
export type SaidTurn = Pick<Turn, 'role' | 'speaker' | 'text' | 'turnIndex'>;

/** What an assistant says counts less than what it is told: most of it can be said again. */
const assistantWeight = 0.6;

/** A digest is read again and again: greetings and thanks are not kept, even where there is room. */
const leastOfTurns = 0.8;

/**
 * The digest of a thread's turns, given from old to new (design C1): a line for each turn that something is kept of,
 * which begins with who spoke and the turn's index. At most `maxTokens` tokens; empty when nothing fits.
 */
export function summariseTurns(turns: readonly SaidTurn[], maxTokens: number, countTokens: CountTokens): string {
  const sentences = turns.flatMap(({ text }, line): readonly Sentence[] =>
    sentencesOf(text).map((sentence) => ({ text: sentence.text, line })),
  );
  return extract(sentences, {
    maxTokens,
    countTokens,
    labelOf: (line) => labelOf(turns[line]),
    weightOf: (line) => (turns[line]?.role === 'assistant' ? assistantWeight : 1),
    placeOf: () => 0,
    centralWeight: 1,
    leastWorth: leastOfTurns,
  });
}

/** The turns of a thread as one text, each with the label that its line has in a digest. */
export function transcriptOf(turns: readonly SaidTurn[]): string {
  return turns.map((turn) => `${labelOf(turn)}${turn.text.replaceAll('\n', ' ')}`).join('\n');
}

function labelOf(turn: SaidTurn | undefined): string {
  return turn === undefined ? '' : `${turn.speaker ?? turn.role} ${turn.turnIndex}: `;
}
