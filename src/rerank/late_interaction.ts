// The built-in reranker (design Q6): each word piece of the question looks for its best match among those of the text.

import type { RerankScore } from '../model/candidate.ts';
import type { RerankOptions, Reranker, RerankText } from './reranker.ts';

/** Vectors of word pieces; the built-in embedding table offers exactly this. */
export interface TokenVectors {
  readonly id: string;
  readonly dimensions: number;
  /** The text's known pieces, in order. */
  tokens(text: string): readonly number[];
  /** Writes the piece's vector, at unit length, into `target`; returns its weight. */
  readToken(token: number, target: Float32Array): number;
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
  return {
    id: `late-interaction:${vectors.id}`,
    score: (question, texts, options = {}) => scoreTexts(question, texts, { vectors, settings, options }),
  };
}

interface Call {
  readonly vectors: TokenVectors;
  readonly settings: LateInteractionSettings;
  readonly options: RerankOptions;
}

async function scoreTexts(question: string, texts: readonly RerankText[], call: Call): Promise<readonly RerankScore[]> {
  const asked = [...new Set(call.vectors.tokens(question).slice(0, mostQuestionTokens))];
  const likeness = likenessTo(asked, call.vectors);
  const held: (readonly number[])[] = [];
  const best: Float32Array[] = [];
  for (const [index, { text }] of texts.entries()) {
    // Timers and other requests run in between, so that a deadline can abort work that never waits.
    if (index % textsPerTurn === 0) await pause(call.options.signal);
    const tokens = [...new Set(call.vectors.tokens(text).slice(0, mostTextTokens))];
    held.push(tokens);
    best.push(bestMatches(tokens, asked.length, likeness.of));
  }
  const weights = pieceWeights(asked, held, { weights: likeness.weights, settings: call.settings });
  const matches = asked.length === 0 ? null : best.map((values) => weightedMean(values, weights));
  return combine(matches, texts, call.settings);
}

async function pause(signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
  signal?.throwIfAborted();
}

/** Cosines of a piece to every piece of the question, computed once for each piece that any text holds. */
function likenessTo(asked: readonly number[], vectors: TokenVectors) {
  const dimensions = vectors.dimensions;
  // Whole groups of four: the places beyond the question hold zeros and are never read.
  const questions = Array.from({ length: Math.ceil(asked.length / 4) * 4 }, () => new Float32Array(dimensions));
  const weights = asked.map((token, index) =>
    vectors.readToken(token, questions[index] ?? new Float32Array(dimensions)),
  );
  const known = new Map<number, Float32Array>();
  const target = new Float32Array(dimensions);
  const of = (token: number): Float32Array => {
    const found = known.get(token);
    if (found !== undefined) return found;
    vectors.readToken(token, target);
    const cosines = new Float32Array(questions.length);
    for (let first = 0; first < questions.length; first += 4) writeFourDots(questions, target, { cosines, first });
    known.set(token, cosines);
    return cosines;
  };
  return { weights, of };
}

const noVector = new Float32Array(0);

/** Four products side by side: a sum has to wait for its own last addition, and the others need not wait with it. */
function writeFourDots(
  questions: readonly Float32Array[],
  target: Float32Array,
  { cosines, first }: { readonly cosines: Float32Array; readonly first: number },
): void {
  const a = questions[first] ?? noVector;
  const b = questions[first + 1] ?? noVector;
  const c = questions[first + 2] ?? noVector;
  const d = questions[first + 3] ?? noVector;
  let [toA, toB, toC, toD] = [0, 0, 0, 0];
  for (let at = 0; at < target.length; at += 1) {
    const value = target[at] ?? 0;
    toA += (a[at] ?? 0) * value;
    toB += (b[at] ?? 0) * value;
    toC += (c[at] ?? 0) * value;
    toD += (d[at] ?? 0) * value;
  }
  cosines[first] = toA;
  cosines[first + 1] = toB;
  cosines[first + 2] = toC;
  cosines[first + 3] = toD;
}

function bestMatches(tokens: readonly number[], asked: number, of: (token: number) => Float32Array): Float32Array {
  const best = new Float32Array(asked);
  for (const token of tokens) {
    const cosines = of(token);
    for (let at = 0; at < asked; at += 1) best[at] = Math.max(best[at] ?? 0, cosines[at] ?? 0);
  }
  return best;
}

function pieceWeights(
  asked: readonly number[],
  held: readonly (readonly number[])[],
  { weights, settings }: { readonly weights: readonly number[]; readonly settings: LateInteractionSettings },
): readonly number[] {
  if (!settings.inverseDocumentFrequency) return weights;
  const frequencies = new Map(asked.map((token) => [token, 0]));
  for (const tokens of held) {
    for (const token of tokens) {
      const frequency = frequencies.get(token);
      if (frequency !== undefined) frequencies.set(token, frequency + 1);
    }
  }
  return asked.map((token, index) => {
    const frequency = frequencies.get(token) ?? 0;
    return (weights[index] ?? 0) * Math.log(1 + (held.length - frequency + 0.5) / (frequency + 0.5));
  });
}

function weightedMean(values: Float32Array, weights: readonly number[]): number {
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
