// What commands print: tables that align, text that cannot steer a terminal, colour only where it is seen.
import { describe, expect, it } from 'vitest';
import { failureOf } from '../../src/command/failure.ts';
import { createPrint, plain } from '../../src/command/print.ts';
import { cut, displayWidth, figure, tableLines, wrapped } from '../../src/command/table.ts';
import { errorCodes, MemoryError } from '../../src/model/errors.ts';

describe('tables', () => {
  it('align, figures to the right, without spaces at the end', () => {
    const lines = tableLines(
      [{ heading: 'name' }, { heading: 'tokens', align: 'right' }, { heading: '' }],
      [
        ['a', '1,024', ''],
        ['日本', '7', 'x'],
      ],
    );
    expect(lines).toEqual(['name  tokens', 'a      1,024', '日本       7  x']);
  });

  it('count colour as nothing and East Asian characters as two', () => {
    expect([
      displayWidth('\u001b[31mred\u001b[39m'),
      displayWidth('日本'),
      displayWidth('é'),
      displayWidth('🙂'),
    ]).toEqual([3, 4, 1, 2]);
  });

  it('cut, wrap and part thousands', () => {
    expect(cut('a long text', 7)).toBe('a long…');
    expect(cut('short', 7)).toBe('short');
    expect(wrapped('one two three', 7)).toEqual(['one two', 'three']);
    expect([figure(7), figure(1234), figure(-1234567)]).toEqual(['7', '1,234', '-1,234,567']);
  });
});

describe('text', () => {
  it('shows what could steer a terminal as a mark', () => {
    expect(plain('a\u001b[2Jb\u202Ec\td\r\n\u009b')).toBe('a⟦U+001B⟧[2Jb⟦U+202E⟧c\td⟦U+000D⟧\n⟦U+009B⟧');
  });

  it.each([
    [{}, true, true],
    [{}, false, false],
    [{ NO_COLOR: '1' }, true, false],
    [{ NO_COLOR: '' }, true, true],
    [{ TERM: 'dumb' }, true, false],
  ])('with %j and a terminal %s is coloured: %s', (environment, isTTY, coloured) => {
    const stream = { write: () => true, isTTY };
    const print = createPrint({ out: stream, err: stream, environment });
    expect(print.paint('good', 'x') !== 'x').toBe(coloured);
  });
});

describe('failures', () => {
  it('of every code have an exit code and something to do', () => {
    for (const code of errorCodes) {
      const failure = failureOf(new MemoryError(code, 'It failed.'));
      expect(failure.code).toBe(code);
      expect(failure.exit).toBeGreaterThan(0);
      expect(failure.action).toMatch(/^[A-Z`].*\.$/);
    }
  });

  it('that nobody foresaw say nothing of their inside', () => {
    expect(failureOf(new Error('relation "secret_table" does not exist'))).toMatchObject({
      code: 'internal',
      message: 'Something failed that should not have.',
      exit: 1,
    });
  });
});
