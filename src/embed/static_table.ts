// The built-in embedder (design Q5): a table with one vector for each word piece; a text is the mean of its pieces.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import { MemoryError } from '../model/errors.ts';
import type { Embedder } from './embedder.ts';
import { wordPieces } from './word_pieces.ts';

/** Name of the built-in table, as recorded in stores and manifests. */
export const staticTableId = 'potion-base-8m-i8';

/** Texts count up to here, in UTF-16 code units: what follows changes a mean little and would cost time without bound. */
const longestText = 20_000;

/** A word of which the tokenizer folds the case and nothing else, before it looks for pieces. */
const plainWord = /^[A-Za-z0-9]+$/;

/** Pieces below this are the tokenizer's own marks ([PAD], [UNK], [CLS], [SEP], [MASK]), never words. */
const firstWordPiece = 5;

/** The built-in table: an embedder, and the vectors of single pieces for the reranker. */
export interface StaticTable extends Embedder {
  /** Like `embed`, at once. */
  embedNow(texts: readonly string[]): readonly (Float32Array | null)[];
  /** The rows of the pieces 0, 1, 2 and so on, one after the other; a piece's vector is its row times its scale. */
  readonly rows: Int8Array;
  /** The text's known pieces, in order. */
  tokens(text: string): readonly number[];
  /** The Euclidean length of a piece's row. */
  rowLength(piece: number): number;
  /** The Euclidean length of a piece's vector, which is its weight. */
  weight(piece: number): number;
}

/**
 * Opens the table in a folder with `potion-base-8m.i8`, `potion-base-8m.scale.f32` and `tokenizer.json`.
 * Throws `invalid_configuration` when a file is missing or the sizes do not agree.
 */
export function openStaticTable(folder: string): StaticTable {
  const { rows, scales, tokenizer } = readFiles(folder);
  const dimensions = rows.length / scales.length;
  const piecesOf = wordPieces((word) => {
    // Most words are one piece, which is found without taking them apart.
    const whole = plainWord.test(word) ? tokenizer.token_to_id(word.toLowerCase()) : undefined;
    if (whole !== undefined && whole >= firstWordPiece && whole < scales.length) return [whole];
    const { ids }: { readonly ids: readonly number[] } = tokenizer.encode(word, { add_special_tokens: false });
    return ids.filter((id) => id >= firstWordPiece && id < scales.length);
  });
  const tokens = (text: string) => piecesOf(text.slice(0, longestText));
  const embedNow = (texts: readonly string[]) =>
    texts.map((text) => meanVector(tokens(text), { rows, scales, dimensions }));
  const rowLength = keptLengths({ rows, scales, dimensions });
  return {
    id: staticTableId,
    dimensions,
    rows,
    embedNow,
    embed: (texts) => Promise.resolve(embedNow(texts)),
    tokens,
    rowLength,
    weight: (piece) => rowLength(piece) * (scales[piece] ?? 0),
  };
}

interface Weights {
  readonly rows: Int8Array;
  readonly scales: Float32Array;
  readonly dimensions: number;
}

function readFiles(folder: string): { rows: Int8Array; scales: Float32Array; tokenizer: Tokenizer } {
  try {
    const rowBytes = readFileSync(join(folder, 'potion-base-8m.i8'));
    const scaleBytes = readFileSync(join(folder, 'potion-base-8m.scale.f32'));
    const rows = new Int8Array(rowBytes.buffer, rowBytes.byteOffset, rowBytes.byteLength);
    const scales = littleEndianFloats(scaleBytes);
    const tokenizer = new Tokenizer(JSON.parse(readFileSync(join(folder, 'tokenizer.json'), 'utf8')), {});
    if (scales.length === 0 || rows.length === 0 || rows.length % scales.length !== 0) {
      throw new RangeError(`${rows.length} bytes of rows for ${scales.length} scales`);
    }
    return { rows, scales, tokenizer };
  } catch (cause) {
    throw new MemoryError(
      'invalid_configuration',
      'The built-in embedding table cannot be read; its folder is incomplete or damaged.',
      { embedder: staticTableId },
      cause,
    );
  }
}

// The file's byte order is fixed; a machine's need not be, nor need a buffer's start be a multiple of four.
function littleEndianFloats(bytes: Uint8Array): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Float32Array.from({ length: Math.floor(bytes.byteLength / 4) }, (_, index) =>
    view.getFloat32(index * 4, true),
  );
}

function meanVector(tokens: readonly number[], { rows, scales, dimensions }: Weights): Float32Array | null {
  if (tokens.length === 0) return null;
  const sum = new Float64Array(dimensions);
  for (const token of tokens) {
    const scale = scales[token] ?? 0;
    const start = token * dimensions;
    for (let at = 0; at < dimensions; at += 1) sum[at] = (sum[at] ?? 0) + (rows[start + at] ?? 0) * scale;
  }
  const length = Math.sqrt(sum.reduce((total, value) => total + value * value, 0));
  if (!(length > 0)) return null;
  return Float32Array.from(sum, (value) => value / length);
}

/** Lengths of rows, each computed once. */
function keptLengths({ rows, scales, dimensions }: Weights): (piece: number) => number {
  // 0: not computed yet.
  const lengths = new Float64Array(scales.length);
  return (piece) => {
    const known = lengths[piece] ?? 0;
    if (known > 0) return known;
    let squares = 0;
    for (let at = piece * dimensions; at < (piece + 1) * dimensions; at += 1) squares += (rows[at] ?? 0) ** 2;
    lengths[piece] = Math.sqrt(squares);
    return Math.sqrt(squares);
  };
}
