// Cutting documents: nothing is lost, nothing is longer than asked, what belongs together stays together.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { chunkDocument, leastMaxTokens } from '../../src/ingest/chunk.ts';
import type { Passage } from '../../src/ingest/chunk.ts';
import { readMarkdown } from '../../src/ingest/markdown.ts';
import { createOutline } from '../../src/ingest/structure.ts';
import type { Block } from '../../src/ingest/structure.ts';
import type { CountTokens } from '../../src/model/window.ts';
import { loadTokenizer } from '../../src/tokens/tokenizer.ts';

let count: CountTokens;
beforeAll(async () => {
  count = await loadTokenizer();
});

function cutMarkdown(text: string, maxTokens = 300, overlapTokens = 0): readonly Passage[] {
  return chunkDocument(readMarkdown(text).blocks, { maxTokens, overlapTokens }, count);
}

const bare = (text: string) => text.replace(/\s+/g, '');

const words = fc.oneof(
  fc.constantFrom(
    'index',
    'the',
    'Oracle',
    '26ai',
    'naïve',
    'x.y',
    'e.g.',
    '検索は速い。',
    '🧠',
    '---',
    '|',
    '#',
    '\u200B',
  ),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }).map((text) => text.toWellFormed()),
);
const prose = fc
  .array(fc.tuple(words, fc.constantFrom(' ', '. ', '\n', '! ', '  ', '')), { maxLength: 120 })
  .map((parts) => parts.flat().join(''));
const part = fc.oneof(
  fc.record({ kind: fc.constant('heading' as const), depth: fc.integer({ min: 1, max: 4 }), text: prose }),
  fc.record({
    kind: fc.constantFrom('paragraph' as const, 'list' as const, 'table' as const, 'code' as const),
    text: prose,
  }),
);

type Part = typeof part extends fc.Arbitrary<infer Value> ? Value : never;

function outlineOf(parts: readonly Part[]): readonly Block[] {
  const outline = createOutline();
  for (const given of parts) {
    if (given.kind === 'heading') outline.heading(given.depth, given.text);
    else outline.add(given.kind, given.text);
  }
  return outline.end();
}

describe('cutting', () => {
  it('[Q8] loses nothing, keeps the order, stays within the limit, and does the same twice', () => {
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 12 }),
        fc.integer({ min: leastMaxTokens, max: 400 }),
        fc.integer({ min: 0, max: 60 }),
        (parts, maxTokens, overlap) => {
          const blocks = outlineOf(parts);
          const settings = { maxTokens, overlapTokens: Math.min(overlap, maxTokens >> 1) };
          const passages = chunkDocument(blocks, settings, count);
          expect(bare(passages.map(({ body }) => body).join(''))).toBe(bare(blocks.map(({ text }) => text).join('')));
          for (const { content, body } of passages) {
            expect(count(content)).toBeLessThanOrEqual(maxTokens);
            expect(content.endsWith(body)).toBe(true);
            expect(body.trim()).not.toBe('');
          }
          expect(chunkDocument(blocks, settings, count)).toEqual(passages);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('[Q8] keeps every heading: above what stands under it, or as a passage of its own', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const passages = chunkDocument(outlineOf(parts), { maxTokens: 120, overlapTokens: 0 }, count);
        const kept = bare(
          [...passages.flatMap(({ headings }) => headings), ' ', ...passages.map(({ body }) => body)].join(''),
        );
        const lost = parts.filter(({ kind, text }) => kind === 'heading' && !kept.includes(bare(text)));
        expect(lost).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  it('[Q8] a section is a passage with its headings in front, and sections do not mix', () => {
    const passages = cutMarkdown('# Setup\n\nIntro.\n\n## Linux\n\nOne.\n\nTwo.\n\n## macOS\n\nThree.\n');
    expect(passages.map(({ content }) => content)).toEqual([
      'Setup\n\nIntro.',
      'Setup › Linux\n\nOne.\n\nTwo.',
      'Setup › macOS\n\nThree.',
    ]);
    expect(passages.map(({ headings }) => headings)).toEqual([['Setup'], ['Setup', 'Linux'], ['Setup', 'macOS']]);
  });

  it('[Q8] code and tables that fit stay whole; the rows of a long table carry its head', () => {
    const code = ['```sql', ...Array.from({ length: 8 }, (_, row) => `select ${row};`), '```'].join('\n');
    const long = 'A sentence that takes its room. '.repeat(8);
    const [before, ...after] = cutMarkdown(`${long}\n\n${code}\n`, 80);
    expect(before?.content).toBe(long.trim());
    expect(after.map(({ content }) => content)).toEqual([code.split('\n').slice(1, -1).join('\n')]);
    const rows = Array.from({ length: 30 }, (_, row) => `| row ${row} | value ${row * row} |`);
    const table = cutMarkdown(['| name | figure |', '|---|---|', ...rows].join('\n'), 60);
    expect(table.length).toBeGreaterThan(2);
    for (const { content } of table) expect(content.split('\n')[0]).toBe('name | figure');
    expect(
      table
        .map(({ body }) => body)
        .join('\n')
        .match(/name \| figure/g),
    ).toHaveLength(1);
  });

  it('[Q8] a long paragraph is cut between sentences and repeats whole ones, as far as asked', () => {
    const sentences = Array.from({ length: 24 }, (_, place) => `Sentence number ${place} says nothing new, e.g. this.`);
    const plain = cutMarkdown(sentences.join(' '), 64);
    for (const { body } of plain) expect(body).toMatch(/^Sentence .*\.$/s);
    const [first, second] = cutMarkdown(sentences.join('\n'), 64, 20);
    const last = /Sentence number \d+ [^.]*\.g\. this\.$/.exec(first?.body ?? '')?.[0] ?? 'none';
    expect(second?.content.startsWith(last)).toBe(true);
    expect(second?.body.startsWith(last)).toBe(false);
  });

  it('[Q8] a text without any edge is cut between characters, in time that grows with its length', () => {
    for (const text of ['é'.repeat(30_000), '🧠'.repeat(20_000), 'a'.repeat(400_000)]) {
      const passages = cutMarkdown(text, 300);
      expect(passages.map(({ body }) => body).join('')).toBe(text);
      for (const { content } of passages) {
        expect(content.isWellFormed()).toBe(true);
        expect(count(content)).toBeLessThanOrEqual(300);
      }
    }
  });
});
