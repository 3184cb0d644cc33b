// A host's file on a real disk: replaced as a whole, copied before, and left alone when anything is not as expected.
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findFile, replaceFile } from '../../src/connect/config_file.ts';

const root = mkdtempSync(join(tmpdir(), 'context-connect-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let count = 0;
/** A folder that nothing else uses. */
function fresh(): string {
  const folder = join(root, String((count += 1)));
  mkdirSync(folder);
  return folder;
}

const refused = (reason: string) =>
  expect.objectContaining({ code: 'host_file_refused', message: expect.stringContaining(reason) });

describe('a host’s file', () => {
  it('is replaced with its permissions, and a copy with the same ones stands beside it', async () => {
    const file = join(fresh(), 'mcp.json');
    writeFileSync(file, 'old');
    chmodSync(file, 0o664);
    const copy = await replaceFile(await findFile(file), 'new');
    expect(readFileSync(file, 'utf8')).toBe('new');
    expect(copy).toMatch(/mcp\.json\.before-connect-\d{8}T\d{6}Z$/);
    expect(readFileSync(copy ?? '', 'utf8')).toBe('old');
    if (process.platform !== 'win32') {
      expect([file, copy ?? ''].map((path) => statSync(path).mode & 0o777)).toEqual([0o664, 0o664]);
    }
    // Within the same second, too.
    const second = await replaceFile(await findFile(file), 'newer');
    expect(readFileSync(second ?? '', 'utf8')).toBe('new');
    expect(readdirSync(join(file, '..'))).toHaveLength(3);
  });

  it('is made for this user alone where there was none, with its folders', async () => {
    const folder = join(fresh(), 'a', 'b');
    const file = join(folder, 'mcp.json');
    expect(await replaceFile(await findFile(file), 'new')).toBeNull();
    expect(readdirSync(folder)).toEqual(['mcp.json']);
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('that is a link stays one, and the file that it leads to is replaced, or made', async () => {
    const [home, store] = [fresh(), fresh()];
    writeFileSync(join(store, 'there.json'), 'old');
    for (const name of ['there.json', 'missing.json']) {
      symlinkSync(join(store, name), join(home, name));
      const copy = await replaceFile(await findFile(join(home, name)), 'new');
      expect(lstatSync(join(home, name)).isSymbolicLink()).toBe(true);
      expect(readlinkSync(join(home, name))).toBe(join(store, name));
      expect(readFileSync(join(store, name), 'utf8')).toBe('new');
      if (copy !== null) expect(copy.startsWith(store)).toBe(true);
    }
    expect(readdirSync(home).toSorted()).toEqual(['missing.json', 'there.json']);
  });

  it('that changed since it was read is left alone, and neither a draft nor a copy stays', async () => {
    const file = join(fresh(), 'mcp.json');
    writeFileSync(file, 'old');
    const found = await findFile(file);
    writeFileSync(file, 'theirs');
    await expect(replaceFile(found, 'ours')).rejects.toEqual(refused('changed in the meantime'));
    expect(readFileSync(file, 'utf8')).toBe('theirs');
    expect(readdirSync(join(file, '..'))).toEqual(['mcp.json']);
    const again = await findFile(file);
    rmSync(file);
    await expect(replaceFile(again, 'ours')).rejects.toEqual(refused(''));
    expect(readdirSync(join(file, '..'))).toEqual([]);
  });

  it('that was made since nothing was there is left alone', async () => {
    const file = join(fresh(), 'mcp.json');
    const found = await findFile(file);
    writeFileSync(file, 'theirs');
    await expect(replaceFile(found, 'ours')).rejects.toEqual(refused('made in the meantime'));
    expect(readFileSync(file, 'utf8')).toBe('theirs');
  });

  it('that may only be read is left alone', async () => {
    const file = join(fresh(), 'mcp.json');
    writeFileSync(file, 'old');
    chmodSync(file, 0o444);
    await expect(replaceFile(await findFile(file), 'new')).rejects.toEqual(refused('may only be read'));
    expect(readdirSync(join(file, '..'))).toEqual(['mcp.json']);
  });

  it('that is a folder, behind a file, a circle of links or no text is refused by name', async () => {
    const folder = fresh();
    writeFileSync(join(folder, 'file'), '');
    writeFileSync(join(folder, 'utf16'), Buffer.from('\uFEFF{}', 'utf16le'));
    symlinkSync(join(folder, 'two'), join(folder, 'one'));
    symlinkSync(join(folder, 'one'), join(folder, 'two'));
    await expect(findFile(folder)).rejects.toEqual(refused(`${folder} was left as it is: it is a folder`));
    await expect(findFile(join(folder, 'file', 'mcp.json'))).rejects.toEqual(refused('a part of its path is a file'));
    await expect(findFile(join(folder, 'one'))).rejects.toEqual(refused('links lead in a circle'));
    await expect(findFile(join(folder, 'utf16'))).rejects.toEqual(refused('no text in UTF-8'));
  });

  it('keeps its byte order mark when it is read', async () => {
    const file = join(fresh(), 'mcp.json');
    writeFileSync(file, '\uFEFF{}');
    expect((await findFile(file)).text).toBe('\uFEFF{}');
  });
});
