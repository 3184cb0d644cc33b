// A shared directory as hosts and commands see it: one owner, all served, and nobody left when the last one has gone.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { projectRoot, runJson, temporaryFolder } from '../command/run_program.ts';
import { isRunning, ownerPid, startHost, toolCount, until } from './stdio_host.ts';

vi.setConfig({ testTimeout: 85_000 });

const folder = temporaryFolder();
afterAll(() => folder.discard());

/** Owners of directories under this test's folder that are running, by the system's own list. */
function ownersLeft(): string {
  const list = execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' });
  const pids = list
    .split('\n')
    .flatMap((line) => (line.includes('owner --background') ? [line.trim().split(' ')[0]] : []));
  const ours = pids.filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(folder.path);
    } catch {
      return false;
    }
  });
  return ours.join(' ');
}

describe('processes on one directory', () => {
  it('[N7] serves whoever started it, however short it is to stay', async () => {
    const host = startHost({ CONTEXT_DATA_DIR: join(folder.path, 'no idling'), CONTEXT_OWNER_IDLE_SECONDS: '0' });
    await host.initialize();
    expect(await toolCount(host)).toBe(4);
    expect(await host.close()).toMatchObject({ code: 0 });
  });

  it('[N7] ten hosts and three commands started at once on a fresh one have one owner, and all are served', async () => {
    const given = { CONTEXT_DATA_DIR: join(folder.path, 'at once') };
    const hosts = Array.from({ length: 10 }, (_, place) => startHost({ ...given, CONTEXT_USER_ID: `user-${place}` }));
    const commands = [
      runJson(['init'], given),
      runJson(['apply', join(projectRoot, 'examples', 'apply_example.json')], given),
      runJson(['migrate'], given),
    ];
    await Promise.all(hosts.map(async (host) => host.initialize()));
    expect(await Promise.all(hosts.map(async (host) => toolCount(host)))).toEqual(Array(10).fill(4));
    expect((await Promise.all(commands)).map(({ code }) => code)).toEqual([0, 0, 0]);
    const { json } = await runJson(['status'], given);
    expect(json.owner.clients.map(({ command }: { command: string }) => command)).toEqual(Array(10).fill('stdio'));
    expect(json.owner.pid).toBe(ownerPid(given.CONTEXT_DATA_DIR));
    expect(readdirSync(given.CONTEXT_DATA_DIR).filter((name) => name.includes('starting'))).toEqual([]);

    const outcomes = await Promise.all(hosts.map(async (host) => host.close()));
    expect(outcomes.map(({ code }) => code)).toEqual(Array(10).fill(0));
    await until(() => !isRunning(json.owner.pid));
    expect(existsSync(join(given.CONTEXT_DATA_DIR, 'owner.json'))).toBe(false);
    expect(existsSync(json.owner.socket)).toBe(false);
  });

  it('[N7] works with spaces and more than 108 characters in the path', async () => {
    const given = { CONTEXT_DATA_DIR: join(folder.path, 'with spaces', `${'long '.repeat(20)}end`, 'd'.repeat(60)) };
    const host = startHost(given);
    await host.initialize();
    expect(await toolCount(host)).toBe(4);
    const { json } = await runJson(['status'], given);
    expect(Buffer.byteLength(json.owner.socket)).toBeLessThan(100);
    expect((await host.close()).code).toBe(0);
  });
});

it('[N7] a directory that is not to be shared is held by the process itself, and nobody is started', async () => {
  const given = { CONTEXT_DATA_DIR: join(folder.path, 'alone'), CONTEXT_SHARED: '0' };
  const host = startHost(given);
  await host.initialize();
  expect(await toolCount(host)).toBe(4);
  const { json } = await runJson(['status'], given);
  expect(json).toMatchObject({ owner: null, holder: expect.stringContaining(`process ${host.running.child.pid} `) });
  const refused = await runJson(['init'], given);
  expect({ code: refused.code, error: refused.json.error.code }).toEqual({ code: 4, error: 'store_locked' });
  expect((await host.close()).code).toBe(0);
});

it('[N7] leaves no process behind', async () => {
  await until(() => ownersLeft() === '', 10_000);
  expect(ownersLeft()).toBe('');
});
