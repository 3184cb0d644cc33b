// Kill -9 of a process that records turns: turn_index has no gap, and no acknowledged turn is lost (N7).
// OWNER_KILL_ROUNDS=200 npx vitest run test/owner/kill_turns.test.ts makes many rounds of it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { storeTemplate } from '../command/run_program.ts';
import { lookInside } from './look_inside.ts';

const rounds = Number(process.env['OWNER_KILL_ROUNDS'] ?? '5');
vi.setConfig({ testTimeout: 45_000 + rounds * 10_000 });

const template = await storeTemplate([['init']]);
afterAll(() => template.discard());

describe(`${rounds} rounds of kill -9`, () => {
  it('[N7] of a process that records turns: every acknowledged turn has its place, and no place is empty', async () => {
    const directory = template.copy();
    const recorder = join(import.meta.dirname, 'record_turns.ts');
    const acknowledged: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), recorder, directory], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const ended = once(child, 'exit');
      let timer: NodeJS.Timeout | undefined;
      for await (const line of createInterface({ input: child.stdout })) {
        acknowledged.push(Number(line));
        timer ??= setTimeout(() => child.kill('SIGKILL'), Math.random() * 600);
      }
      await ended;
    }
    expect(acknowledged.length).toBeGreaterThanOrEqual(rounds);
    const [turns = []] = await lookInside(
      directory,
      'select turn_index from memory.conversation_memory where turn_index is not null order by turn_index',
    );
    const places = turns.map((row) => Number(row['turn_index']));
    expect(places).toEqual(places.map((_, place) => place + 1));
    expect(acknowledged.filter((place) => !places.includes(place))).toEqual([]);
    expect(new Set(acknowledged).size).toBe(acknowledged.length);
  });
});
