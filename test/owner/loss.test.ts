// The owner's death under its clients: sessions go on, reads are repeated, writes say that nobody knows (design N7).
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { run, runJson, start, storeTemplate } from '../command/run_program.ts';
import { contentOf, failureOf, spawnHost } from '../protocol/harness.ts';
import { isRunning, ownerPid, startHost, toolCount, until } from './stdio_host.ts';

vi.setConfig({ testTimeout: 85_000 });

const template = await storeTemplate([['init']]);
afterAll(() => template.discard());

/** Ends the owner as no process can prevent. */
function killOwner(directory: string): void {
  process.kill(ownerPid(directory), 'SIGKILL');
}

const pause = async (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

describe('an owner that dies', () => {
  it.each(['older', 'newer'] as const)(
    '[N7] with calls in flight: reads are repeated, a write says so, the session goes on (%s era)',
    async (era) => {
      const directory = template.copy();
      const host = await spawnHost(era, { CONTEXT_DATA_DIR: directory });
      expect((await host.request<{ tools: [] }>('tools/list')).tools).toHaveLength(4);
      const first = ownerPid(directory);
      // Whoever stands still answers nothing: what is asked now is in flight when it dies.
      process.kill(first, 'SIGSTOP');
      const listed = host.request<{ tools: [] }>('tools/list');
      const guidelines = host.request<{ contents: [] }>('resources/read', { uri: 'memory://guidelines' });
      const called = host.call('search_memory', { query: 'anything' });
      const prompted = host.request('prompts/get', { name: 'context_window', arguments: { question: 'Which?' } });
      const refused = prompted.catch((error: { data?: unknown }) => error);
      await pause(300);
      const killedMs = performance.now();
      process.kill(first, 'SIGKILL');
      const failure = failureOf(await called);
      expect(failure).toMatchObject({ code: 'outcome_unknown', request_id: expect.stringMatching(/^req_/) });
      expect(await refused).toMatchObject({ data: { error: { code: 'outcome_unknown' } } });
      expect((await listed).tools).toHaveLength(4);
      expect((await guidelines).contents).toHaveLength(1);
      expect(performance.now() - killedMs).toBeLessThan(20_000);
      expect(contentOf(await host.call('search_memory', { query: 'anything' }))).toMatchObject({ evidence: 'none' });
      expect(ownerPid(directory)).not.toBe(first);
      await host.close();
    },
  );

  it('[N7] while nobody asks is replaced with the next request, and a stale socket is no obstacle', async () => {
    const directory = template.copy();
    const host = startHost({ CONTEXT_DATA_DIR: directory });
    await host.initialize();
    const first = ownerPid(directory);
    killOwner(directory);
    await until(() => !isRunning(first));
    expect(ownerPid(directory)).toBe(first);
    expect(await toolCount(host)).toBe(4);
    expect(ownerPid(directory)).not.toBe(first);
    expect(await host.close()).toMatchObject({ code: 0, stderr: '' });
    expect(host.lines).toHaveLength(2);
  });

  it('[N7] under a command: it says that the outcome is not known', async () => {
    const directory = template.copy();
    const command = start(['apply', '-'], { CONTEXT_DATA_DIR: directory });
    await until(() => {
      try {
        return ownerPid(directory) > 0;
      } catch {
        return false;
      }
    });
    await pause(1000);
    killOwner(directory);
    const { code, stderr } = await command.ended;
    expect(code).toBe(1);
    expect(stderr).toContain('outcome_unknown');
  });

  it('[N7] leaves a lock whose number another process has by now: it is taken over all the same', async () => {
    const directory = template.copy();
    await run(['init'], { CONTEXT_DATA_DIR: directory, CONTEXT_OWNER_IDLE_SECONDS: '60' });
    const first = ownerPid(directory);
    process.kill(first, 'SIGKILL');
    await until(() => !isRunning(first));
    const record = JSON.parse(readFileSync(join(directory, 'owner.json'), 'utf8'));
    writeFileSync(join(directory, 'owner.json'), JSON.stringify({ ...record, pid: process.pid }));
    expect(await runJson(['init'], { CONTEXT_DATA_DIR: directory })).toMatchObject({ code: 0 });
  });
});

it('[N7] a marker of a start that never happened keeps nobody out', async () => {
  const directory = template.copy();
  mkdirSync(directory, { recursive: true });
  rmSync(join(directory, 'owner.json'), { force: true });
  writeFileSync(join(directory, 'owner.starting'), '999999999');
  expect(await runJson(['init'], { CONTEXT_DATA_DIR: directory })).toMatchObject({ code: 0 });
});
