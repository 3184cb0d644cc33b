// The built-in reranker (design Q6): each word piece of the question looks for its best match among those of the text.

import type { RerankScore } from '../model/candidate.ts';
import type { RerankOptions, Reranker, RerankText } from './reranker.ts';

/** Vectors of word pieces; the built-in embedding table offers exactly this. */
export interface TokenVectors {
  readonly id: string;
  readonly dimensions: number;
  /** Pieces are numbered from 0 to below this. */
  readonly pieces: number;
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

/** Pieces of questions whose likeness to all others is kept, those asked last: 15 MiB of numbers for the built-in table. */
const mostKeptPieces = 128;

/** Texts between two looks at the clock and the signal: a few milliseconds of work. */
const textsPerTurn = 64;

/** Makes the built-in reranker over a table of word-piece vectors. */
export function lateInteraction(
  vectors: TokenVectors,
  settings: LateInteractionSettings = lateInteractionSettings,
): Reranker {
  const kept = keptRows(vectors);
  return {
    id: `late-interaction:${vectors.id}`,
    score: (question, texts, options = {}) => scoreTexts(question, texts, { vectors, kept, settings, options }),
  };
}

interface Call {
  readonly vectors: TokenVectors;
  readonly kept: KeptRows;
  readonly settings: LateInteractionSettings;
  readonly options: RerankOptions;
}

async function scoreTexts(question: string, texts: readonly RerankText[], call: Call): Promise<readonly RerankScore[]> {
  const asked = [...new Set(call.vectors.tokens(question).slice(0, mostQuestionTokens))];
  const likeness = likenessTo(asked, call);
  const held: (readonly number[])[] = [];
  const best: Float32Array[] = [];
  for (const [index, { text }] of texts.entries()) {
    // Timers and other requests run in between, so that a deadline can abort work that never waits.
    if (index % textsPerTurn === 0) await pause(call.options.signal);
    const tokens = likeness.compared(call.vectors.tokens(text).slice(0, mostTextTokens));
    held.push(tokens);
    best.push(likeness.best(tokens));
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

/** Cosines of one piece of questions to every other piece: not a number where nobody asked yet. */
interface KeptRow {
  readonly cosines: Float32Array;
  readonly vector: Float32Array;
  readonly weight: number;
}

/** The row of a piece. What was given stays right for as long as somebody holds it. */
type KeptRows = (token: number) => KeptRow;

/** Rows from call to call: the common words of questions come again and again, and so do those of the texts. */
function keptRows(vectors: TokenVectors): KeptRows {
  // A Map keeps the order in which its keys were put: the first is the one that was asked longest ago.
  const rows = new Map<number, KeptRow>();
  const made = (token: number): KeptRow => {
    const vector = new Float32Array(vectors.dimensions);
    const weight = vectors.readToken(token, vector);
    return { cosines: new Float32Array(vectors.pieces).fill(NaN), vector, weight };
  };
  return (token) => {
    const row = rows.get(token) ?? made(token);
    rows.delete(token);
    rows.set(token, row);
    const [oldest] = rows.keys();
    if (rows.size > mostKeptPieces && oldest !== undefined) rows.delete(oldest);
    return row;
  };
}

/** How like the pieces of texts are to those of one question. */
function likenessTo(asked: readonly number[], { vectors, kept }: Pick<Call, 'vectors' | 'kept'>) {
  const rows = asked.map(kept);
  const beyond: KeptRow = { cosines: new Float32Array(0), vector: new Float32Array(vectors.dimensions), weight: 0 };
  const target = new Float32Array(vectors.dimensions);
  // The last text that held a piece, counted from 1; 0: none yet.
  const lastText = new Uint32Array(vectors.pieces);
  let text = 0;
  const compare = (token: number): void => {
    const missing = rows.filter(({ cosines }) => Number.isNaN(cosines[token]));
    if (missing.length === 0) return;
    vectors.readToken(token, target);
    for (let first = 0; first < missing.length; first += 4) writeFourDots(missing, { first, token, target, beyond });
  };
  return {
    weights: rows.map(({ weight }) => weight),
    /** The pieces of the next text, each once and compared with the question's. */
    compared(tokens: readonly number[]): readonly number[] {
      text += 1;
      return tokens.filter((token) => {
        const last = lastText[token];
        if (last === 0) compare(token);
        lastText[token] = text;
        return last !== text;
      });
    },
    /** For each piece of the question its best match, at least 0. */
    best: (tokens: readonly number[]) => Float32Array.from(rows, ({ cosines }) => highest(tokens, cosines)),
  };
}

function highest(tokens: readonly number[], cosines: Float32Array): number {
  let most = 0;
  for (const token of tokens) {
    const cosine = cosines[token] ?? 0;
    if (cosine > most) most = cosine;
  }
  return most;
}

/** Four products side by side: a sum has to wait for its own last addition, and the others need not wait with it. */
function writeFourDots(
  rows: readonly KeptRow[],
  {
    first,
    token,
    target,
    beyond,
  }: { readonly first: number; readonly token: number; readonly target: Float32Array; readonly beyond: KeptRow },
): void {
  // Beyond the last row stand zeros, whose sums nobody keeps.
  const [one, two] = [rows[first] ?? beyond, rows[first + 1] ?? beyond];
  const [three, four] = [rows[first + 2] ?? beyond, rows[first + 3] ?? beyond];
  const [a, b, c, d] = [one.vector, two.vector, three.vector, four.vector];
  let [toA, toB, toC, toD] = [0, 0, 0, 0];
  for (let at = 0; at < target.length; at += 1) {
    const value = target[at] ?? 0;
    toA += (a[at] ?? 0) * value;
    toB += (b[at] ?? 0) * value;
    toC += (c[at] ?? 0) * value;
    toD += (d[at] ?? 0) * value;
  }
  one.cosines[token] = toA;
  two.cosines[token] = toB;
  three.cosines[token] = toC;
  four.cosines[token] = toD;
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
