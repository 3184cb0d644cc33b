// One process owns a data directory (design N7): proven with real processes and with lock files as others would write them.

import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { directoryState, holdDirectory, unlock } from '../../src/store/postgres/data_directory.ts';
import { currentProcess, judgeHolder } from '../../src/store/postgres/process_identity.ts';

const root = mkdtempSync(join(tmpdir(), 'lock-'));
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

let count = 0;
const newDirectory = (): string => join(root, `data_${(count += 1)}`);

/** A process that takes the directory, says what came of it, and stays until it is killed or its input ends. */
function holder(directory: string): { readonly child: ChildProcess; readonly said: Promise<string> } {
  const script = `
    import { holdDirectory } from ${JSON.stringify(join(import.meta.dirname, '../../src/store/postgres/data_directory.ts'))};
    try {
      const held = holdDirectory(${JSON.stringify(directory)});
      console.log('held');
      process.stdin.resume().on('end', () => { held.release(); });
    } catch (error) { console.log(error.code); }`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
    cwd: join(import.meta.dirname, '../..'),
  });
  children.push(child);
  const said = new Promise<string>((resolve) =>
    child.stdout.once('data', (data: Buffer) => resolve(String(data).trim())),
  );
  return { child, said };
}

const ended = (child: ChildProcess): Promise<void> => new Promise((resolve) => child.once('exit', () => resolve()));

/** Writes a lock as another process would have left it. */
function writeLock(directory: string, changes: Partial<ReturnType<typeof currentProcess>>): void {
  mkdirSync(join(directory, 'owner'), { recursive: true });
  const content = { state: 'held', ...currentProcess(), ...changes, since: '2020-01-01T00:00:00.000Z' };
  const path = join(directory, 'owner', '000000001.json');
  writeFileSync(path, JSON.stringify(content));
  utimesSync(path, new Date(0), new Date(0));
}

const refusal = (directory: string): unknown => {
  try {
    holdDirectory(directory).release();
    return null;
  } catch (error) {
    return error;
  }
};

describe('a data directory', () => {
  it('[N7] is created for its user alone, held by one, and free again when released', () => {
    const directory = newDirectory();
    expect(directoryState(directory)).toEqual({ exists: false, holder: null, alive: false });
    const held = holdDirectory(directory);
    for (const folder of [directory, held.databaseFolder, join(directory, 'owner')]) {
      expect(statSync(folder).mode & 0o777).toBe(0o700);
    }
    expect(refusal(directory)).toMatchObject({
      code: 'store_locked',
      message: expect.stringContaining(`process ${process.pid} on host ${hostname()} since `),
      data: { pid: process.pid, host: hostname(), alive: true },
    });
    expect(directoryState(directory)).toMatchObject({
      alive: true,
      holder: expect.stringContaining(String(process.pid)),
    });
    held.release();
    held.release();
    expect(directoryState(directory).holder).toBeNull();
    expect(refusal(directory)).toBeNull();
  });

  it('[N7] names a living holder of another process, and is taken over once that was killed', async () => {
    const directory = newDirectory();
    const first = holder(directory);
    expect(await first.said).toBe('held');
    expect(refusal(directory)).toMatchObject({ code: 'store_locked', data: { pid: first.child.pid, alive: true } });
    const gone = ended(first.child);
    first.child.kill('SIGKILL');
    await gone;
    expect(directoryState(directory)).toMatchObject({ holder: null, alive: false });
    expect(refusal(directory)).toBeNull();
  });

  it('[N7] goes to exactly one of many takers of a dead holder’s lock', async () => {
    const directory = newDirectory();
    writeLock(directory, { pid: 2 ** 22 + 7 });
    const takers = Array.from({ length: 6 }, () => holder(directory));
    const said = await Promise.all(takers.map((taker) => taker.said));
    expect(said.toSorted()).toEqual(['held', ...Array.from({ length: 5 }, () => 'store_locked')]);
  });

  it('[N7] can be taken and released over and over without files piling up', () => {
    const directory = newDirectory();
    for (let round = 0; round < 20; round += 1) holdDirectory(directory).release();
    expect(readdirSync(join(directory, 'owner')).length).toBeLessThanOrEqual(3);
  });

  it.each([
    ['pid is not there', { pid: 2 ** 22 + 7 }],
    ['pid began at another time', { startTime: '1' }],
    ['host has been started anew since', { bootId: 'another-boot', pidNamespace: 'pid:[1]' }],
  ] as const)('[N7] is taken over from a holder whose %s', (_, changes) => {
    const directory = newDirectory();
    writeLock(directory, changes);
    expect(refusal(directory)).toBeNull();
  });

  it.each([
    ['on another host', { host: 'elsewhere', pid: 2 ** 22 + 7 }],
    ['on another host, which was started anew', { host: 'elsewhere', bootId: 'another-boot' }],
    ['in another pid namespace', { pidNamespace: 'pid:[1]', pid: 2 ** 22 + 7 }],
  ] as const)('[N7] is never taken over from a holder %s, however old: unlock is named', (_, changes) => {
    const directory = newDirectory();
    writeLock(directory, changes);
    expect(refusal(directory)).toMatchObject({
      code: 'store_locked',
      message: expect.stringMatching(/unlock/),
      data: { alive: false, since: '2020-01-01T00:00:00.000Z' },
    });
    expect(directoryState(directory)).toMatchObject({ holder: expect.stringContaining('since 2020'), alive: false });
    unlock(directory);
    expect(directoryState(directory).holder).toBeNull();
    expect(refusal(directory)).toBeNull();
  });

  it('[N7] with a lock that cannot be read is refused until it is unlocked', () => {
    const directory = newDirectory();
    mkdirSync(join(directory, 'owner'), { recursive: true });
    writeFileSync(join(directory, 'owner', '000000004.json'), '{"state":');
    expect(refusal(directory)).toMatchObject({ code: 'store_locked', message: expect.stringContaining('unlock') });
    expect(directoryState(directory)).toMatchObject({ alive: false, holder: expect.any(String) });
    unlock(directory);
    expect(refusal(directory)).toBeNull();
    unlock(newDirectory());
  });

  it('[N7] whose first making was cut off is made anew; one that was opened once never is', () => {
    const directory = newDirectory();
    const first = holdDirectory(directory);
    writeFileSync(join(first.databaseFolder, 'PG_VERSION'), '18\n');
    first.release();
    expect(directoryState(directory).exists).toBe(false);
    const second = holdDirectory(directory);
    expect(readdirSync(second.databaseFolder)).toEqual([]);
    writeFileSync(join(second.databaseFolder, 'PG_VERSION'), '18\n');
    second.opened();
    second.release();
    expect(directoryState(directory).exists).toBe(true);
    const third = holdDirectory(directory);
    expect(readdirSync(third.databaseFolder)).toEqual(['PG_VERSION']);
    third.release();
  });

  it('[N6] of another PostgreSQL is refused with the way out, and left as it is', () => {
    for (const place of ['postgres', '.']) {
      const directory = newDirectory();
      mkdirSync(join(directory, place), { recursive: true });
      writeFileSync(join(directory, place, 'PG_VERSION'), '17\n');
      expect(refusal(directory)).toMatchObject({
        code: 'invalid_configuration',
        message: expect.stringMatching(/PostgreSQL 17.*CONTEXT_DATA_DIR/),
      });
      expect(readFileSync(join(directory, place, 'PG_VERSION'), 'utf8')).toBe('17\n');
      expect(directoryState(directory).holder).toBeNull();
      expect(existsSync(join(directory, 'postgres', 'base'))).toBe(false);
    }
  });

  it('[N7] judges a holder by host, boot, namespace, pid and start, in this order', () => {
    const self = currentProcess();
    expect(judgeHolder(self, self)).toBe('alive');
    expect(judgeHolder({ ...self, startTime: null }, self)).toBe('alive');
    expect(judgeHolder({ ...self, bootId: null, pid: 2 ** 22 + 7 }, self)).toBe('dead');
    expect(judgeHolder({ ...self, host: 'x', bootId: 'x', startTime: 'x' }, self)).toBe('unknowable');
    expect(judgeHolder({ ...self, bootId: 'x', pidNamespace: 'x' }, self)).toBe('dead');
  });
});
