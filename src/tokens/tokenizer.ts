// Counting tokens (design B6): o200k_base through tiktoken, loaded when first needed, in linear time for any text.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { CountTokens } from '../model/window.ts';

/** Runs longer than this many code points are counted in pieces of this many: within a run the tokenizer is quadratic. */
const pieceCodePoints = 1000;

/** Parts up to this many code units are remembered, so that text which stands in one block after another is counted once. */
const longestRememberedText = 32_768;
const rememberedCodeUnits = 2_000_000;

/** A text is cut at about one in so many of its cuts: parts of some 200 code units. A power of two. */
const cutsToAPart = 32;

interface Table {
  readonly bpe_ranks: string;
  readonly special_tokens: Record<string, number>;
  readonly pat_str: string;
}

let loading: Promise<CountTokens> | null = null;

/**
 * Loads the tokenizer once per process and gives its counting function: pure, synchronous, never throwing.
 * Names of special tokens in text count as plain text; a lone surrogate counts as U+FFFD.
 */
export function loadTokenizer(): Promise<CountTokens> {
  loading ??= load();
  return loading;
}

async function load(): Promise<CountTokens> {
  const { Tiktoken } = await import('tiktoken/lite');
  const path = createRequire(import.meta.url).resolve('tiktoken/encoders/o200k_base.json');
  const table: unknown = JSON.parse(readFileSync(path, 'utf8'));
  if (!isTable(table)) throw new TypeError('tiktoken brought no table of o200k_base');
  const encoder = new Tiktoken(table.bpe_ranks, table.special_tokens, table.pat_str);
  return inParts(remembering((part) => countInPieces(part, (piece) => encoder.encode_ordinary(piece).length)));
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && 'bpe_ranks' in value && 'pat_str' in value;
}

/** Counts a text by B6's rule, given a count for parts without a long run. */
export function countInPieces(text: string, count: CountTokens): number {
  if (text.length === 0) return 0;
  if (text.length <= pieceCodePoints) return count(text);
  return countRuns(text, isWhiteSpace, (part) =>
    // A mark followed by slashes and line ends is one unit of the tokenizer's pattern although it holds white space.
    countRuns(part, isSlashOrLineEnd, count, 'only true'),
  );
}

/**
 * Splits a text into maximal runs by a property of its characters. A run of more than 1,000 code points is counted in
 * pieces; what stands between such runs is handed on whole. With `only true`, only runs that have the property count.
 */
function countRuns(
  text: string,
  has: (unit: number) => boolean,
  countRest: CountTokens,
  which: 'both' | 'only true' = 'both',
): number {
  let total = 0;
  let restStart = 0;
  let start = 0;
  while (start < text.length) {
    const property = has(text.charCodeAt(start));
    let end = start + 1;
    while (end < text.length && has(text.charCodeAt(end)) === property) end += 1;
    if (end - start > pieceCodePoints && (property || which === 'both')) {
      const pieces = piecesOf(text.slice(start, end));
      if (pieces.length > 1) {
        if (restStart < start) total += countRest(text.slice(restStart, start));
        for (const piece of pieces) total += countRest(piece);
        restStart = end;
      }
    }
    start = end;
  }
  return restStart < text.length ? total + countRest(text.slice(restStart)) : total;
}

/** Pieces of 1,000 code points; the last one holds the rest. */
function piecesOf(run: string): readonly string[] {
  const pieces: string[] = [];
  let start = 0;
  while (start < run.length) {
    let end = start;
    for (let points = 0; points < pieceCodePoints && end < run.length; points += 1) {
      end += (run.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
    }
    pieces.push(run.slice(start, end));
    start = end;
  }
  return pieces;
}

/** Unicode's White_Space, which the tokenizer's pattern means by white space (all of it is in the basic plane). */
function isWhiteSpace(unit: number): boolean {
  if (unit < 0x80) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
  if (unit < 0x1680) return unit === 0x85 || unit === 0xa0;
  return (
    unit === 0x1680 ||
    (unit >= 0x2000 && unit <= 0x200a) ||
    unit === 0x2028 ||
    unit === 0x2029 ||
    unit === 0x202f ||
    unit === 0x205f ||
    unit === 0x3000
  );
}

function isSlashOrLineEnd(unit: number): boolean {
  return unit === 0x2f || unit === 0x0a || unit === 0x0d;
}

/**
 * Counts a text part by part. Between a letter and a blank that another letter follows the tokenizer's pattern ends one unit
 * and begins the next, whatever stands around them, so the parts have as many tokens as the whole. Where it is cut, the two
 * letters say alone: the same words are the same parts in another text.
 */
export function inParts(count: CountTokens): CountTokens {
  return (text) => {
    let total = 0;
    let start = 0;
    for (let at = text.indexOf(' ', 1); at !== -1 && at + 1 < text.length; at = text.indexOf(' ', at + 1)) {
      const [before, after] = [text.charCodeAt(at - 1), text.charCodeAt(at + 1)];
      if (!isLetter(before) || !isLetter(after) || ((before * 7 + after) & (cutsToAPart - 1)) !== 0) continue;
      total += count(text.slice(start, at));
      start = at;
    }
    return total + count(text.slice(start));
  };
}

function isLetter(unit: number): boolean {
  const lower = unit | 0x20;
  return lower >= 0x61 && lower <= 0x7a && unit < 0x80;
}

/** Remembers counts of short texts, the longest unused forgotten first. */
function remembering(count: CountTokens): CountTokens {
  const counts = new Map<string, number>();
  let codeUnits = 0;
  return (text) => {
    if (text.length > longestRememberedText) return count(text);
    const known = counts.get(text);
    if (known !== undefined) {
      counts.delete(text);
      counts.set(text, known);
      return known;
    }
    const tokens = count(text);
    counts.set(text, tokens);
    codeUnits += text.length;
    for (const oldest of counts.keys()) {
      if (codeUnits <= rememberedCodeUnits) break;
      counts.delete(oldest);
      codeUnits -= oldest.length;
    }
    return tokens;
  };
}
