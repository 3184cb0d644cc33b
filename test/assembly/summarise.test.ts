// Compression, the pure part (C1): which candidates need it, and the extractive summariser.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentHash } from '../../src/assembly/hash.ts';
import { sentencesOf } from '../../src/assembly/summarise/sentences.ts';
import { compressionNeeds } from '../../src/assembly/compression_needs.ts';
import { summarise } from '../../src/assembly/summarise/summarise.ts';
import { rowId } from '../../src/model/ids.ts';
import { assemble } from '../../src/assembly/assemble.ts';
import { budget, candidate, chunk, countTokens, entity, input, resultInput, summary, turn, words } from './fixtures.ts';

const article = `AgentCore stores session events in a memory resource. Each resource has a retention period of 90 days.
Weather was fine. When the retention period of a memory resource ends, its session events are removed.
The setting is named event_expiry_days and was introduced on 2025-07-16. Nobody remembers why.`;

describe('sentences', () => {
  it('[C1] end at stops and line ends, not at abbreviations, initials or decimals', () => {
    const text = 'Dr. J. Smith saw 0.78, e.g. on BEIR. "Is it so?" Yes! 第一句。第二句。\n- an item\n1. a step';
    expect(sentencesOf(text).map((sentence) => sentence.text)).toEqual([
      'Dr. J. Smith saw 0.78, e.g. on BEIR.',
      '"Is it so?"',
      'Yes!',
      '第一句。',
      '第二句。',
      '- an item',
      '1. a step',
    ]);
  });
});

describe('summariser', () => {
  it('[C1] keeps whole sentences verbatim and in order, with identifiers, numbers and dates', () => {
    const result = summarise(article, 60, countTokens);
    const sentences = sentencesOf(article).map((sentence) => sentence.text);
    const kept = sentences.filter((sentence) => result.includes(sentence));
    expect(kept.length).toBeGreaterThan(1);
    expect(result.replace(/\s+/g, ' ')).toBe(kept.join(' '));
    expect(result).toContain('event_expiry_days');
    expect(result).toContain('90 days');
    expect(result).not.toContain('Weather');
  });

  it('[C1] gives the text itself when it fits, and nothing when no sentence does', () => {
    expect(summarise('One. Two.', 50, countTokens)).toBe('One. Two.');
    expect(summarise(words(100, 'w'), 10, countTokens)).toBe('');
    expect(summarise('', 10, countTokens)).toBe('');
  });

  it('[C1] never takes more tokens than allowed, and is deterministic', () => {
    const sentence = fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 8 }).map((parts) => `${parts.join(' ')}.`);
    fc.assert(
      fc.property(fc.array(sentence, { maxLength: 12 }), fc.integer({ min: 0, max: 80 }), (parts, limit) => {
        const text = parts.join(' ');
        const result = summarise(text, limit, countTokens);
        expect(countTokens(result)).toBeLessThanOrEqual(limit);
        expect(summarise(text, limit, countTokens)).toBe(result);
      }),
      { numRuns: 150 },
    );
  });

  it('[C1] holds sentences of its text alone, each verbatim, and is its own summary', () => {
    const word = fc.constantFrom(
      'alpha',
      'beta',
      'must',
      'not',
      'now',
      'KX-22-B',
      '1,200',
      'EUR',
      '2026-05-14',
      '5月14日',
    );
    const sentence = fc.array(word, { minLength: 1, maxLength: 9 }).map((words_) => `${words_.join(' ')}.`);
    fc.assert(
      fc.property(
        fc.array(sentence, { minLength: 1, maxLength: 14 }),
        fc.integer({ min: 4, max: 70 }),
        (parts, limit) => {
          const text = parts.join('\n');
          const result = summarise(text, limit, countTokens);
          for (const line of result.split('\n')) if (line !== '') expect(parts).toContain(line);
          expect(summarise(result, limit, countTokens)).toBe(result);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('[C1] takes a megabyte in its stride', { timeout: 20_000 }, () => {
    const text = Array.from({ length: 20_000 }, (_, index) => `Sentence ${index} speaks of item_${index % 50}.`).join(
      ' ',
    );
    expect(countTokens(summarise(text, 500, countTokens))).toBeGreaterThan(400);
  });
});

describe('needs', () => {
  const long = chunk('long', words(400, 'long'));

  it('[C1] names candidates larger than their own allotment, at most half of which the summary may take', () => {
    const given = input({ candidates: [candidate(long), candidate(chunk('short', 'few words'))] });
    const allotted = assemble(given).manifest.allocation.evidence!.allotted;
    expect(compressionNeeds(given)).toEqual([
      { ref: long.ref, text: long.content, maxTokens: Math.floor(allotted / 2) },
    ]);
  });

  it('[C1] names none when the policy does not compress, nor what has a summary that is still right', () => {
    const compression = {
      id: rowId('compression_1'),
      source: long.ref,
      sourceHash: contentHash(long),
      text: 'short',
      tokens: 1,
      model: 'm',
      promptVersion: '1',
    };
    const needs = (change: object) =>
      compressionNeeds(input({ candidates: [candidate(long, { compression })], ...change }));
    expect(needs({ policy: { ...input().policy, budget: budget({ compress: false }) } })).toEqual([]);
    expect(needs({})).toEqual([]);
    const stale = candidate(long, { compression: { ...compression, sourceHash: 'of another text' } });
    expect(compressionNeeds(input({ candidates: [stale] }))).toHaveLength(1);
    expect(compressionNeeds(resultInput({ candidates: [stale] }))).toEqual([]);
  });

  it('[C1] passes over turns of the tail, episodes with a short summary, and what the rules leave out', () => {
    const episode = summary('s', 'short', { keySteps: [words(400, 'step')] });
    const tail = candidate(turn(1, words(400, 'turn')), { slice: 'volatile_tail' });
    const gone = entity('gone', words(900, 'gone'), {
      lifecycle: { ...long.lifecycle, deletedAt: long.lifecycle.validFrom },
    });
    expect(compressionNeeds(input({ candidates: [candidate(episode), tail, candidate(gone)] }))).toEqual([]);
  });

  it('[C1,F1] what the summariser makes of a need seats the memory at tier summary', () => {
    const text = Array.from({ length: 80 }, (_, index) => `Sentence ${index} tells of thing_${index}.`).join(' ');
    const memory = chunk('doc', text);
    const given = input({ candidates: [candidate(memory)] });
    const [need] = compressionNeeds(given);
    const made = summarise(need!.text, need!.maxTokens, countTokens);
    const compression = {
      id: rowId('compression_1'),
      source: memory.ref,
      sourceHash: contentHash(memory),
      text: made,
      tokens: countTokens(made),
      model: 'm',
      promptVersion: '1',
    };
    const window = assemble(input({ candidates: [candidate(memory, { compression })] }));
    expect(window.seated.map(({ tier }) => tier)).toEqual(['summary']);
  });
});
