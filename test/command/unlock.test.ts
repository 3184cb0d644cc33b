// unlock: for a lock that no machine can judge; it asks a person, and does nothing when there is none.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { run, runJson, storeTemplate, temporaryFolder } from './run_program.ts';

const cleanUp: (() => void)[] = [];
afterEach(() => {
  for (const undo of cleanUp.splice(0)) undo();
});

/** A directory whose newest lock was written by a process of another host. */
async function heldElsewhere(): Promise<{ readonly CONTEXT_DATA_DIR: string }> {
  const template = await storeTemplate([['init']]);
  cleanUp.push(template.discard);
  const given = { CONTEXT_DATA_DIR: template.copy() };
  const locks = join(given.CONTEXT_DATA_DIR, 'owner');
  mkdirSync(locks, { recursive: true });
  const newest =
    readdirSync(locks)
      .toSorted((a, b) => (a < b ? -1 : 1))
      .at(-1) ?? '';
  const lock = JSON.parse(readFileSync(join(locks, newest), 'utf8'));
  const next = `${String(Number.parseInt(newest, 10) + 1).padStart(9, '0')}.json`;
  writeFileSync(join(locks, next), JSON.stringify({ ...lock, state: 'held', pid: 4711, host: 'elsewhere' }));
  return given;
}

describe('unlock', () => {
  it('[N7] is what a directory held on another host needs; its start names the holder and the command', async () => {
    const given = await heldElsewhere();
    const refused = await run(['init'], given);
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain('process 4711 on host elsewhere');
    expect(refused.stderr).toContain('context-assembly-memory unlock');
    const doctor = await runJson(['doctor'], given);
    expect(doctor.code).toBe(1);
    expect(doctor.json.checks).toContainEqual(
      expect.objectContaining({ name: 'data directory', state: 'wrong', action: expect.stringContaining('unlock') }),
    );

    const nobodyToAsk = await run(['unlock'], given);
    expect(nobodyToAsk.code).toBe(2);
    expect(nobodyToAsk.stderr).toContain('process 4711 on host elsewhere');
    expect(nobodyToAsk.stderr).toContain('--yes');
    expect((await run(['init'], given)).code).toBe(4);

    const unlocked = await runJson(['unlock', '--yes'], given);
    expect(unlocked).toMatchObject({
      code: 0,
      stderr: '',
      json: { data_directory: given.CONTEXT_DATA_DIR, unlocked: true },
    });
    expect((await runJson(['init'], given)).json).toEqual({ tenant_id: 'local', initialised: false });
  });

  it('has nothing to do where nobody holds the directory', async () => {
    const folder = temporaryFolder();
    cleanUp.push(folder.discard);
    const { code, stdout } = await run(['unlock'], { CONTEXT_DATA_DIR: join(folder.path, 'data') });
    expect(code).toBe(0);
    expect(stdout).toContain('Nobody holds');
    expect(readdirSync(folder.path)).toEqual([]);
  });
});
