// The owner's death under its clients: sessions go on, reads are repeated, writes say that nobody knows (design N7).
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { openEngine } from '../../src/store/postgres/pglite.ts';
import { run, runJson, start, storeTemplate } from '../command/run_program.ts';
import { contentOf, failureOf, spawnHost } from '../protocol/harness.ts';
import { rawSession } from '../store/pglite_session.ts';
import { isRunning, ownerPid, startHost, toolCount, until } from './stdio_host.ts';

const rounds = Number(process.env['OWNER_KILL_ROUNDS'] ?? '5');
vi.setConfig({ testTimeout: 60_000 + rounds * 10_000 });

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

interface Row {
  readonly [column: string]: unknown;
}

/** What the database itself says after all owners are gone. */
async function lookInside(directory: string, sql: string): Promise<readonly Row[]> {
  const engine = await openEngine(join(directory, 'postgres'));
  try {
    return (await rawSession(engine).query({ role: null }, sql)) as readonly Row[];
  } finally {
    await engine.close();
  }
}

describe(`${rounds} rounds of kill -9 under a load of writes`, () => {
  it('[N7] lose no acknowledged write, leave no gap, and the store reopens', async () => {
    const directory = template.copy();
    const host = startHost({ CONTEXT_DATA_DIR: directory });
    await host.initialize();
    const acknowledged: string[] = [];
    const unknown: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      let isKilled = false;
      await toolCount(host);
      const owner = ownerPid(directory);
      const killing = pause(Math.random() * 800).then(() => {
        process.kill(owner, 'SIGKILL');
        isKilled = true;
      });
      for (let place = 0; !isKilled; place += 1) {
        const question = `Question ${round}.${place}?`;
        const { result, error } = await host.request('prompts/get', {
          name: 'context_window',
          arguments: { question },
        });
        if (error === undefined) acknowledged.push(/manifest ([\w-]+)/.exec(result.description)?.[1] ?? 'unnamed');
        else unknown.push(error.data.error.code);
      }
      await killing;
    }
    expect(await host.close()).toMatchObject({ code: 0 });
    await run(['stop'], { CONTEXT_DATA_DIR: directory });
    expect(acknowledged.length).toBeGreaterThan(rounds);
    expect(new Set([...unknown, 'outcome_unknown'])).toEqual(new Set(['outcome_unknown']));

    const events = await lookInside(
      directory,
      'select event_id, event_type, run_id, thread_id, user_id, turn_index from memory.conversation_memory order by turn_index',
    );
    const manifests = new Set(
      events.filter((row) => row['event_type'] === 'context_manifest').map((row) => row['event_id']),
    );
    expect(acknowledged.filter((id) => !manifests.has(id))).toEqual([]);
    // At most what nobody knows of was written beside that.
    expect(manifests.size).toBeLessThanOrEqual(acknowledged.length + unknown.length);
    const requests = events.filter((row) => row['event_type'] === 'assembled_request');
    expect(new Set(events.map((row) => row['event_type']))).toContain('context_manifest');
    expect(requests.length === 0 || requests.length === manifests.size).toBe(true);
    const turns = events.map((row) => Number(row['turn_index']));
    expect(turns).toEqual(turns.map((_, place) => place + 1));
  });
});

it('[N7] a marker of a start that never happened keeps nobody out', async () => {
  const directory = template.copy();
  mkdirSync(directory, { recursive: true });
  rmSync(join(directory, 'owner.json'), { force: true });
  writeFileSync(join(directory, 'owner.starting'), '999999999');
  expect(await runJson(['init'], { CONTEXT_DATA_DIR: directory })).toMatchObject({ code: 0 });
});
