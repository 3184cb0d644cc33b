// The citation check on labelled answers (design K1): the verdict of every sentence, and the words that it is about.

import { describe, expect, it } from 'vitest';
import { checkAnswer } from '../../src/check/check_answer.ts';
import { answers, labelsOf, windows } from './labelled.ts';

describe('labelled answers', () => {
  it('[K1] are at least eighty, in several languages', () => {
    expect(answers.length).toBeGreaterThanOrEqual(80);
  });

  it.each(answers.map((answer) => [`${answer.topic}: ${answer.name}`, answer] as const))('[K1] %s', (_, labelled) => {
    const window = windows.get(labelled.window) ?? { memories: [], subjects: [] };
    const report = checkAnswer(labelled.answer, window);
    expect(labelsOf(report)).toEqual(labelled.expect);
    for (const { start, end, text } of report.sentences.flatMap(({ problems }) => problems)) {
      expect(labelled.answer.slice(start, end)).toBe(text);
    }
  });
});
