// The file for what is too much to be held at once: it gives back what it got, and has no name that could be left behind.

import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openSpool } from '../../src/manager/spool.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spool-test-'));
  vi.stubEnv('TMPDIR', folder);
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const isWindows = process.platform === 'win32';
if (isWindows) console.warn('a spool without a name: skipped, Windows has no unlinked files');

describe('a spool', () => {
  it.skipIf(isWindows)('[D7] has no name at any moment in which something else could run', async () => {
    const seen: string[] = [];
    const everyMoment = (): void => {
      seen.push(...readdirSync(folder));
      looking = setImmediate(everyMoment);
    };
    let looking = setImmediate(everyMoment);
    const spool = await openSpool();
    clearImmediate(looking);
    await spool.add('x'.repeat(600_000));
    expect([...seen, ...readdirSync(folder)]).toEqual([]);
    await spool.close();
  });

  it('[D7] gives back what it got, as often as it is read, and forgets it when told to', async () => {
    const spool = await openSpool();
    const texts = ['a', 'ü'.repeat(400_000), 'z'];
    for (const text of texts) await spool.add(text);
    const whole = async (): Promise<string> => {
      const parts: Buffer[] = [];
      for await (const part of spool.read()) parts.push(part);
      return Buffer.concat(parts).toString('utf8');
    };
    expect(spool.size).toBe(800_002);
    expect((await whole()) === texts.join('')).toBe(true);
    expect((await whole()) === texts.join('')).toBe(true);
    spool.clear();
    expect(await whole()).toBe('');
    await spool.close();
    await spool.close();
    expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([]);
  });

  it('[D7] is refused where the folder for temporary files is not there', async () => {
    vi.stubEnv('TMPDIR', join(folder, 'nowhere'));
    await expect(openSpool()).rejects.toMatchObject({ code: 'backup_refused' });
  });
});
