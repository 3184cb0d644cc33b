// Counting tokens: B6's pieces, special tokens as plain text, and linear time for any text.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countInPieces, inParts, loadTokenizer } from '../../src/tokens/tokenizer.ts';
import { countTokens } from './fixtures.ts';

/** Records the parts that are counted; each costs one token. */
function partsOf(text: string): readonly string[] {
  const parts: string[] = [];
  countInPieces(text, (part) => {
    parts.push(part);
    return 1;
  });
  return parts;
}

const codePoints = (text: string) => Array.from(text).length;

describe('tokenizer', () => {
  it('[B6] counts with o200k_base', () => {
    expect(countTokens('')).toBe(0);
    expect(countTokens('hello world')).toBe(2);
    expect(countTokens('tiktoken is great!')).toBe(6);
  });

  it('[B6] loads once', async () => {
    expect(await loadTokenizer()).toBe(await loadTokenizer());
  });

  it('[B6] counts part by part what the whole has', async () => {
    const { Tiktoken } = await import('tiktoken/lite');
    const table = createRequire(import.meta.url)('tiktoken/encoders/o200k_base.json');
    const encoder = new Tiktoken(table.bpe_ranks, table.special_tokens, table.pat_str);
    const whole = (text: string) => countInPieces(text, (part) => encoder.encode_ordinary(part).length);
    const cut: string[] = [];
    const counted = inParts((part) => {
      cut.push(part);
      return whole(part);
    });
    const bits = [
      'a',
      'I',
      "don't",
      'Zürich',
      'THE',
      'x1',
      '42',
      'é',
      '日本',
      '(',
      '"},{"',
      '\\n',
      '\n',
      '',
      "o'",
      '😀',
    ];
    const texts = fc.array(fc.oneof(fc.constantFrom(...bits), fc.stringMatching(/^[a-zA-Z]{1,9}$/)), { maxLength: 80 });
    fc.assert(
      fc.property(texts, fc.constantFrom(' ', ' ', '  ', ' \n'), (words, gap) => {
        const text = words.join(gap);
        expect(counted(text)).toBe(whole(text));
      }),
      { numRuns: 300 },
    );
    const prose = readFileSync(new URL('../../docs/retrieval.md', import.meta.url), 'utf8');
    cut.length = 0;
    expect(counted(prose)).toBe(whole(prose));
    expect(cut.join('')).toBe(prose);
    expect(cut.length).toBeGreaterThan(20);
    encoder.free();
  });

  it('[B6] counts names of special tokens as plain text and never throws', () => {
    expect(countTokens('<|endoftext|>')).toBeGreaterThan(1);
    expect(countTokens('a\u0000b')).toBeGreaterThan(0);
    expect(countTokens('\ud800')).toBe(countTokens('\ufffd'));
  });

  it('[B6] counts ordinary text as one part, however long', () => {
    const text = 'some words, '.repeat(5000);
    expect(partsOf(text)).toEqual([text]);
  });

  it('[B6] counts a run without white space in pieces of 1,000 code points, and what stands around it whole', () => {
    const parts = partsOf(`before ${'😀'.repeat(2500)} after it`);
    expect(parts.map(codePoints)).toEqual([7, 1000, 1000, 500, 9]);
    expect(parts.join('')).toBe(`before ${'😀'.repeat(2500)} after it`);
  });

  it('[B6] leaves a run of exactly 1,000 code points alone', () => {
    const text = `${'😀'.repeat(1000)} ${'b'.repeat(1000)} c`;
    expect(partsOf(text)).toEqual([text]);
  });

  it('[B6] counts a run of white space alone in pieces', () => {
    expect(partsOf(`a${' \n'.repeat(1100)}b`).map(codePoints)).toEqual([1, 1000, 1000, 200, 1]);
  });

  it('[B6] means by white space what the tokenizer means: the byte order mark is none, the next-line control is', () => {
    expect(partsOf('!\ufeff'.repeat(600)).map(codePoints)).toEqual([1000, 200]);
    expect(partsOf('\u0085'.repeat(1100)).map(codePoints)).toEqual([1000, 100]);
  });

  it('[B6] cuts a run of slashes and line ends, which the tokenizer takes for one unit', () => {
    expect(partsOf(`!${'/\n'.repeat(600)}x`).map(codePoints)).toEqual([1, 1000, 200, 1]);
  });

  it.each([
    ['equal letters', 'a'.repeat(200_000)],
    ['spaces', ' '.repeat(200_000)],
    ['line ends', '\r\n'.repeat(100_000)],
    ['slashes and line ends', `!${'/\n'.repeat(100_000)}`],
    ['byte order marks', '!\ufeff'.repeat(100_000)],
    ['lone surrogates', '\ud800'.repeat(200_000)],
    ['combining marks', `e${'\u0301'.repeat(200_000)}`],
    ['a megabyte of words', 'word '.repeat(200_000)],
    ['long words', `${'x'.repeat(900)} `.repeat(1100)],
  ])('[B6] never hangs: %s', { timeout: 15_000 }, (_, text) => {
    expect(countTokens(text)).toBeGreaterThan(0);
  });
});
