// The built-in reranker (design Q6): each word piece of the question looks for its best match among those of the text.

import type { RerankScore } from '../model/candidate.ts';
import { type AskedPieces, pieceLikeness, type PieceRows } from './piece_likeness.ts';
import type { RerankOptions, Reranker, RerankText } from './reranker.ts';

/** Vectors of word pieces; the built-in embedding table offers exactly this. */
export interface TokenVectors extends PieceRows {
  readonly id: string;
  /** The text's known pieces, in order. */
  tokens(text: string): readonly number[];
  /** What a piece weighs by itself: the length of its vector. */
  weight(piece: number): number;
}

/** How the built-in reranker weighs. */
export interface LateInteractionSettings {
  /** True: a piece that few of the texts hold weighs more. */
  readonly inverseDocumentFrequency: boolean;
  /** The part of the score that the search's own order decides, 0..1; and the same for passages of documents. */
  readonly priorPart: number;
  readonly passagePriorPart: number;
  /** What a text that ends in a question loses of its prior: it asks for what others answer. */
  readonly askingCost: number;
}

/** The settings in use; measured with bench/retrieval.ts. */
export const lateInteractionSettings: LateInteractionSettings = {
  inverseDocumentFrequency: true,
  priorPart: 0.75,
  passagePriorPart: 0.5,
  askingCost: 0.06,
};

/**
 * Bounds of the scores (design S4). `low` lies under every candidate worth a place: scores below it would all count
 * alike and lose their order. `high` is what a text reaches that holds the question's words and leads the search.
 */
const lateInteractionBounds = { low: 0.1, high: 0.95 } as const;

/** What the best match is taken for where the table knows nothing of the question, as of Thai: the search alone decides. */
const unknownStrength = 0.5;

/** Pieces of a question and of a text count up to here; the rest of a long one is not compared. */
const mostQuestionTokens = 128;
const mostTextTokens = 2_048;

/** The end of a text that asks. */
const asks = /[?？؟]["'”’»)\]\s]*$/u;

/** Texts between two looks at the clock and the signal: a few milliseconds of work. */
const textsPerTurn = 64;

/** Makes the built-in reranker over a table of word-piece vectors. */
export function lateInteraction(
  vectors: TokenVectors,
  settings: LateInteractionSettings = lateInteractionSettings,
): Reranker {
  // The table is made ready with the first question: most processes that start ask none.
  let ready: ReturnType<typeof pieceLikeness> | null = null;
  const ask = (pieces: readonly number[]): AskedPieces =>
    (ready ??= pieceLikeness(vectors, mostQuestionTokens))(pieces);
  return {
    id: `late-interaction:${vectors.id}`,
    score: (question, texts, options = {}) => scoreTexts(question, texts, { vectors, ask, settings, options }),
  };
}

interface Call {
  readonly vectors: TokenVectors;
  readonly ask: (pieces: readonly number[]) => AskedPieces;
  readonly settings: LateInteractionSettings;
  readonly options: RerankOptions;
}

async function scoreTexts(
  question: string,
  texts: readonly RerankText[],
  { vectors, ask, settings, options }: Call,
): Promise<readonly RerankScore[]> {
  const asked = [...new Set(vectors.tokens(question).slice(0, mostQuestionTokens))];
  const pieces = ask(asked);
  const best: Float64Array[] = [];
  for (const [index, { text }] of texts.entries()) {
    // Timers and other requests run in between, so that a deadline can abort work that never waits.
    if (index % textsPerTurn === 0) await pause(options.signal);
    best.push(pieces.bestIn(vectors.tokens(text).slice(0, mostTextTokens)));
  }
  const rarity = (index: number) =>
    settings.inverseDocumentFrequency ? rarityOf(pieces.holders[index] ?? 0, texts.length) : 1;
  const weights = asked.map((piece, index) => vectors.weight(piece) * rarity(index));
  const matches = asked.length === 0 ? null : best.map((values) => weightedMean(values, weights));
  return combine(matches, texts, settings);
}

async function pause(signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
  signal?.throwIfAborted();
}

/** What a piece weighs that so many of all texts hold: the inverse document frequency as BM25 has it. */
function rarityOf(holding: number, all: number): number {
  return Math.log(1 + (all - holding + 0.5) / (holding + 0.5));
}

function weightedMean(values: Float64Array, weights: readonly number[]): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (!(total > 0)) return 0;
  return values.reduce((sum, value, index) => sum + value * (weights[index] ?? 0), 0) / total;
}

// The prior says which candidate is better, never how good the best is: the best match lends it that measure.
// Without matches, because nothing of the question is known, the prior is all that there is.
function combine(
  matches: readonly number[] | null,
  texts: readonly RerankText[],
  settings: LateInteractionSettings,
): readonly RerankScore[] {
  const strength = matches === null ? unknownStrength : matches.reduce((most, match) => Math.max(most, match), 0);
  return texts.map(({ text, prior: place, passage }, index) => {
    const match = matches?.[index] ?? 0;
    const ownPart = passage ? settings.passagePriorPart : settings.priorPart;
    const priorPart = matches === null ? 1 : ownPart;
    const prior = Math.max(0, place - (asks.test(text) ? settings.askingCost : 0)) * strength;
    const value = Math.round((priorPart * prior + (1 - priorPart) * match) * 1e6) / 1e6;
    return { kind: 'score', value, ...lateInteractionBounds };
  });
}
