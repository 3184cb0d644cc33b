// The log: levels, and what never gets into it.
import { describe, expect, it } from 'vitest';
import { createLog } from '../../src/log.ts';
import type { Log, LogLevel } from '../../src/log.ts';
import type { Parsed } from './run_program.ts';

function written(use: (log: Log) => void, level: LogLevel = 'info', secrets: readonly string[] = []): Parsed[] {
  const lines: string[] = [];
  use(createLog({ level, secrets, write: (line) => lines.push(line) }));
  return lines.map((line) => JSON.parse(line));
}

describe('the log', () => {
  it.each([
    ['debug', 4],
    ['info', 3],
    ['warn', 2],
    ['error', 1],
    ['silent', 0],
  ] as const)('at level %s writes %i of four lines', (level, count) => {
    const lines = written((log) => {
      log.debug({}, 'a');
      log.info({}, 'b');
      log.warn({}, 'c');
      log.error({}, 'd');
    }, level);
    expect(lines).toHaveLength(count);
  });

  it('blanks out secrets, wherever they stand', () => {
    const lines = written((log) => log.info({ a: ['x sk-1 y'], error: new Error('no sk-1') }, 'key sk-1'), 'info', [
      'sk-1',
    ]);
    expect(JSON.stringify(lines)).not.toContain('sk-1');
  });

  it('hides fields that hold a credential or text of a person', () => {
    const fields = {
      apiKey: 'a',
      Authorization: 'b',
      question: 'c',
      nested: [{ content: 'd' }],
      map: new Map([['text', 'e']]),
    };
    const [line] = written((log) => log.info(fields, 'm'));
    expect(line).toMatchObject({
      apiKey: '[hidden]',
      Authorization: '[hidden]',
      question: '[hidden]',
      nested: [{ content: '[hidden]' }],
      map: { text: '[hidden]' },
    });
  });

  it('writes of an error its name, message, code, stack and cause, and nothing else that hangs on it', () => {
    const error = Object.assign(new Error('refused', { cause: new Error('why') }), {
      code: '23505',
      query: 'insert …',
      parameters: ['private'],
    });
    const [line] = written((log) => log.error({ requestId: 'req_1', error }, 'failed'));
    expect(line).toMatchObject({
      requestId: 'req_1',
      error: { message: 'refused', code: '23505', cause: { message: 'why' } },
    });
    expect(JSON.stringify(line)).not.toMatch(/insert|private/);
  });

  it('survives cycles, large numbers, long texts and bytes', () => {
    const cycle: Record<string, unknown> = { big: 2n ** 80n, long: 'x'.repeat(10_000), bytes: new Uint8Array(5) };
    cycle['self'] = cycle;
    const [line] = written((log) => log.info({ cycle }, 'm'));
    expect(line.cycle.bytes).toBe('5 bytes');
    expect(line.cycle.big).toBe(String(2n ** 80n));
    expect(JSON.stringify(line).length).toBeLessThan(20_000);
  });
});
