// Who is kept out of a shared directory, and how that is told: nothing is harmed, and the way out is named (N7).
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { readAddress, realDirectory } from '../../src/owner/address.ts';
import { reachOwner } from '../../src/owner/connect.ts';
import type { Greeting } from '../../src/owner/connect.ts';
import { projectRoot, run, runJson, storeTemplate, temporaryFolder } from '../command/run_program.ts';
import { isRunning, ownerPid, startHost, toolCount, until } from './stdio_host.ts';

vi.setConfig({ testTimeout: 85_000 });

const template = await storeTemplate([['init']]);
const folder = temporaryFolder();
afterAll(() => {
  template.discard();
  folder.discard();
});

const { version }: { readonly version: string } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));

const nothing = { isTTY: false, columns: null };
const greeting = (directory: string, more: Partial<Greeting> = {}): Greeting => ({
  version,
  kind: 'run',
  argv: ['init', '--json'],
  environment: { CONTEXT_DATA_DIR: directory },
  out: nothing,
  err: nothing,
  ...more,
});

describe('another version of the program', () => {
  it('[N7] is refused while others are served, and told what to do; they go on', async () => {
    const directory = template.copy();
    const host = startHost({ CONTEXT_DATA_DIR: directory });
    await host.initialize();
    expect(await toolCount(host)).toBe(4);
    const pid = ownerPid(directory);
    const refused = await reachOwner(directory, greeting(directory, { version: '99.0.0' }));
    expect(refused).toMatchObject({ code: 'store_locked', again: false, data: { pid, version } });
    expect(JSON.stringify(refused)).toContain('context-assembly-memory stop');
    expect(await toolCount(host)).toBe(4);
    expect(ownerPid(directory)).toBe(pid);
    expect((await host.close()).code).toBe(0);
  });

  it('[N7] gets the directory when the older one serves nobody: that one makes room at once', async () => {
    const directory = template.copy();
    await run(['init'], { CONTEXT_DATA_DIR: directory, CONTEXT_OWNER_IDLE_SECONDS: '60' });
    const pid = ownerPid(directory);
    const refused = await reachOwner(directory, greeting(directory, { version: '99.0.0' }));
    expect(refused).toMatchObject({ code: 'store_locked', again: true });
    await until(() => !isRunning(pid));
    expect((await runJson(['init'], { CONTEXT_DATA_DIR: directory })).code).toBe(0);
  });
});

describe('a directory that another machine holds', () => {
  it('[N7] is refused to a host, which is answered; the holder and unlock are named', async () => {
    const directory = template.copy();
    const locks = join(directory, 'owner');
    const newest =
      readdirSync(locks)
        .toSorted((a, b) => (a < b ? -1 : 1))
        .at(-1) ?? '';
    const lock = JSON.parse(readFileSync(join(locks, newest), 'utf8'));
    const next = `${String(Number.parseInt(newest, 10) + 1).padStart(9, '0')}.json`;
    writeFileSync(join(locks, next), JSON.stringify({ ...lock, state: 'held', pid: 4711, host: 'elsewhere' }));
    const host = startHost({ CONTEXT_DATA_DIR: directory });
    const answer = await host.initialize();
    expect(answer.error.data.error).toMatchObject({ code: 'store_locked' });
    expect(answer.error.message).toContain('process 4711 on host elsewhere');
    const { code, stderr } = await host.running.ended;
    expect(code).toBe(4);
    expect(stderr).toContain('context-assembly-memory unlock');
  });

  it('[N7] copied with the address of its owner, leads nobody to that owner', async () => {
    const directory = template.copy();
    await run(['init'], { CONTEXT_DATA_DIR: directory, CONTEXT_OWNER_IDLE_SECONDS: '60' });
    const copy = join(folder.path, 'copied');
    mkdirSync(copy);
    cpSync(join(directory, 'owner.json'), join(copy, 'owner.json'));
    expect(readAddress(directory)).not.toBeNull();
    expect(readAddress(copy)).toBeNull();
    // Whoever follows it all the same is refused by its directory.
    const { socket } = readAddress(directory)!;
    writeFileSync(join(copy, 'owner.json'), JSON.stringify({ socket, directory: realDirectory(copy), pid: 1 }));
    expect(await reachOwner(copy, greeting(copy))).toMatchObject({ code: 'store_unavailable' });
    expect((await run(['stop'], { CONTEXT_DATA_DIR: directory })).code).toBe(0);
  });
});

describe('a directory that cannot be used', () => {
  it('[N7] is told to a host as to a command', async () => {
    const file = join(folder.path, 'file');
    writeFileSync(file, '');
    const given = { CONTEXT_DATA_DIR: join(file, 'data') };
    const host = startHost(given);
    const answer = await host.initialize();
    expect(answer.error.data.error.code).toBe('store_unavailable');
    const { code, stderr } = await host.running.ended;
    expect(code).toBe(4);
    expect(stderr).toContain('a part of its path is a file');
  });

  it('[N7] of another PostgreSQL is refused, and left as it is', async () => {
    const directory = template.copy();
    const mark = join(directory, 'postgres', 'PG_VERSION');
    writeFileSync(mark, '17\n');
    const { code, json } = await runJson(['init'], { CONTEXT_DATA_DIR: directory });
    expect({ code, error: json.error.code }).toEqual({ code: 3, error: 'invalid_configuration' });
    expect(readFileSync(mark, 'utf8')).toBe('17\n');
  });
});

/** A file system of a few megabytes, or null where this user may not mount one. */
function smallDisk(): { readonly path: string; readonly discard: () => void } | null {
  const path = join(folder.path, 'small disk');
  mkdirSync(path);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=100m', 'tmpfs', path]);
  return mounted.status === 0 ? { path, discard: () => void spawnSync('umount', ['-l', path]) } : null;
}

describe('a full disk', () => {
  const disk = smallDisk();
  if (disk === null) console.warn('full disk under an owner: skipped, this user may not mount a small file system');
  afterAll(() => disk?.discard());
  it.skipIf(disk === null)(
    '[N7] fails what cannot be written, with a code, and harms nothing (needs mount)',
    async () => {
      const given = { CONTEXT_DATA_DIR: join(disk!.path, 'data') };
      expect((await runJson(['init'], given)).code).toBe(0);
      const fill = join(disk!.path, 'fill');
      expect(() => writeFileSync(fill, Buffer.alloc(100 * 2 ** 20))).toThrow('ENOSPC');
      const failed = await runJson(['seed'], given);
      expect(failed.code).not.toBe(0);
      expect(failed.json.error.code).toMatch(/^(?:internal|store_unavailable)$/);
      rmSync(fill);
      expect((await runJson(['seed'], given)).code).toBe(0);
      expect((await runJson(['stop'], given)).code).toBe(0);
      const again = await runJson(['seed'], given);
      expect(again.json.tenants.map(({ inserted }: { inserted: number }) => inserted)).toEqual([0, 0]);
    },
  );
});

describe('what is no client', () => {
  it('[N7] sends anything at all to the socket and disturbs nobody', async () => {
    const directory = template.copy();
    await run(['init'], { CONTEXT_DATA_DIR: directory, CONTEXT_OWNER_IDLE_SECONDS: '60' });
    const { socket: path, pid } = readAddress(directory)!;
    for (const bytes of [
      'GET / HTTP/1.1\r\n\r\n',
      'h\0\0\0\u0002{}',
      'h\0\0\0\u0003nul',
      'i\0\0\0\u0000',
      '\u00ff'.repeat(64),
    ]) {
      const socket = connect(path);
      await new Promise<void>((resolve) => {
        socket.on('error', () => resolve()).on('close', () => resolve());
        socket.end(Buffer.from(bytes, 'latin1'));
        socket.resume();
      });
    }
    expect((await runJson(['init'], { CONTEXT_DATA_DIR: directory })).code).toBe(0);
    expect(ownerPid(directory)).toBe(pid);
    expect((await run(['stop'], { CONTEXT_DATA_DIR: directory })).code).toBe(0);
  });
});
