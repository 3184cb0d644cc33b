// Commands through the owner: as if they ran alone, until they are interrupted or killed; status and stop.
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { run, runJson, start, temporaryFolder } from '../command/run_program.ts';
import { isRunning, ownerPid, startHost, toolCount, until } from './stdio_host.ts';

vi.setConfig({ testTimeout: 85_000 });

const folder = temporaryFolder();
afterAll(() => folder.discard());

describe('commands through the owner', () => {
  const given = { CONTEXT_DATA_DIR: join(folder.path, 'commands'), CONTEXT_OWNER_IDLE_SECONDS: '60' };

  it('[N7] read stdin and relative files as if they ran alone, and give the same exit codes', async () => {
    expect(await run(['apply', '-'], given, '{"entities":[]}')).toMatchObject({
      code: 0,
      stdout: 'The file holds no rows.\n',
    });
    const missing = await run(['apply', 'nothing at all.json'], given);
    expect(missing).toMatchObject({ code: 5, stdout: '' });
    expect(missing.stderr).toContain('nothing at all.json cannot be read: it does not exist');
    const relative = await runJson(['apply', join('examples', 'apply_example.json')], given);
    expect(relative.code).toBe(0);
    const wrong = await runJson(['apply', '-'], given, '{"entities":[{"subject":7}]}');
    expect({ code: wrong.code, error: wrong.json.error.code }).toEqual({ code: 5, error: 'invalid_seed' });
    const doctor = await runJson(['doctor'], given);
    expect(doctor.json.checks).toContainEqual(
      expect.objectContaining({ name: 'data directory', state: 'ok', says: expect.stringContaining('shared through') }),
    );
  });

  it('[N7] end with 130 when they are interrupted, and the owner goes on', async () => {
    const pid = ownerPid(given.CONTEXT_DATA_DIR);
    // It waits for its stdin, which never ends.
    const waiting = start(['apply', '-'], given);
    await untilClients(1);
    waiting.child.kill('SIGINT');
    expect(await waiting.ended).toMatchObject({ code: 130, stdout: '', stderr: '' });
    expect((await runJson(['init'], given)).code).toBe(0);
    expect(ownerPid(given.CONTEXT_DATA_DIR)).toBe(pid);
  });

  it('[N7] that are killed leave the owner to the others', async () => {
    const waiting = start(['apply', '-'], given);
    await untilClients(1);
    waiting.child.kill('SIGKILL');
    await untilClients(0);
    expect((await runJson(['init'], given)).code).toBe(0);
  });

  it('status and stop say who it is and end it; hosts come back with their next request', async () => {
    const host = startHost(given);
    await host.initialize();
    await toolCount(host);
    const pid = ownerPid(given.CONTEXT_DATA_DIR);
    const shown = await run(['status'], given);
    expect(shown.code).toBe(0);
    for (const part of [`${pid}, version`, 'owner.log', 'stdio']) expect(shown.stdout).toContain(part);
    expect((await runJson(['stop'], given)).json).toEqual({ data_directory: given.CONTEXT_DATA_DIR, stopped: pid });
    await until(() => !isRunning(pid));
    expect((await runJson(['status'], given)).json).toEqual({
      data_directory: given.CONTEXT_DATA_DIR,
      owner: null,
      holder: null,
    });
    expect((await run(['stop'], given)).stdout).toContain('No process serves');
    expect(await toolCount(host)).toBe(4);
    expect(ownerPid(given.CONTEXT_DATA_DIR)).not.toBe(pid);
    expect(await host.close()).toMatchObject({ code: 0, stderr: '' });
    expect((await run(['stop'], given)).code).toBe(0);
  });

  async function untilClients(count: number): Promise<void> {
    for (;;) {
      const { json } = await runJson(['status'], given);
      if (json.owner.clients.length === count) return;
    }
  }
});
