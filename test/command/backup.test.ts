// backup and restore: what comes back is what was there, and whatever is in the way leaves everything as it was.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { backup as backupCommand } from '../../src/command/backup.ts';
import type { Context } from '../../src/command/command.ts';
import { createMemoryManager } from '../../src/library.ts';
import { openNewFile } from '../../src/owner/new_file.ts';
import { packBackup, readBackup } from '../../src/store/backup_file.ts';
import { copierOf } from '../../src/store/postgres/backup.ts';
import { openEngine } from '../../src/store/postgres/pglite.ts';
import { migrateSchema } from '../../src/store/postgres/schema.ts';
import { createPostgresStore } from '../../src/store/postgres/store.ts';
import { readMigrations } from '../../src/store/sql_files.ts';
import { isRunning, ownerPid, startHost, toolCount, until } from '../owner/stdio_host.ts';
import { projectRoot, run, runJson, start, storeTemplate, temporaryFolder } from './run_program.ts';
import type { Parsed } from './run_program.ts';

const newest = readMigrations('postgres').length;

vi.setConfig({ testTimeout: 85_000 });

const folder = temporaryFolder();
const place = (name: string): string => join(folder.path, name);
/** A folder with nothing in it but what the test makes. */
const fresh = (name: string): string => {
  mkdirSync(place(name));
  return place(name);
};

let template: Awaited<ReturnType<typeof storeTemplate>>;
/** A backup of what the template holds, and its bytes. */
const sound = place('sound backup.bak');
let bytes: Buffer;
beforeAll(async () => {
  template = await storeTemplate([['apply', join(projectRoot, 'examples', 'apply_example.json')]]);
  const { code, stderr } = await run(['backup', sound], { CONTEXT_DATA_DIR: template.copy() });
  if (code !== 0) throw new Error(stderr);
  bytes = readFileSync(sound);
});
afterAll(() => {
  folder.discard();
  template.discard();
});

const sha256 = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');

/** The sound backup with another header, which is in itself in order. */
function forged(change: object): string {
  const [, header = ''] = bytes.toString('latin1').split('\n', 2);
  const line = JSON.stringify({ ...JSON.parse(header), ...change });
  const rest = bytes.subarray(bytes.indexOf('\n', bytes.indexOf('\n') + 1) + 1);
  const path = place(`forged ${sha256(line).slice(0, 8)}.bak`);
  writeFileSync(
    path,
    Buffer.concat([Buffer.from(`context-assembly-memory backup 1 ${sha256(line)}\n${line}\n`), rest]),
  );
  return path;
}

/** Restores a file that is to be refused, and gives the error; the directory must not come to be. */
async function refusalOf(file: string): Promise<Parsed> {
  const given = { CONTEXT_DATA_DIR: place(`never ${sha256(file).slice(0, 8)}`) };
  const { code, json } = await runJson(['restore', file], given);
  expect(existsSync(given.CONTEXT_DATA_DIR)).toBe(false);
  return { exit: code, ...json.error };
}

describe('a round trip', () => {
  it('gives the same window from the same rows, goes on counting turns, and is another database [N5]', async () => {
    const from = { CONTEXT_DATA_DIR: template.copy(), CONTEXT_USER_ID: 'ann' };
    const to = { ...from, CONTEXT_DATA_DIR: join(fresh('a folder'), 'with spaces') };
    const before = await createMemoryManager({ dataDirectory: from.CONTEXT_DATA_DIR, userId: 'ann' });
    for (const role of ['user', 'assistant'] as const)
      await before.recordTurn(before.call(), { role, text: `Said by ${role}`, runId: null });
    await before.close();

    const file = join(fresh('files of mine'), 'the memory.bak');
    const made = await runJson(['backup', file], from);
    expect(made).toMatchObject({ code: 0, stderr: '', json: { file, schema: newest, postgres_major: '18' } });
    expect(readFileSync(file).length).toBeGreaterThan(made.json.bytes);
    expect(readdirSync(join(file, '..'))).toEqual(['the memory.bak']);
    const restored = await runJson(['restore', file], to);
    expect(restored).toMatchObject({ code: 0, stderr: '', json: { moved_to: null, schema: newest } });
    expect(restored.json.rows).toEqual(made.json.rows);
    expect(restored.json.rows.conversation_memory).toBe(2);
    expect(restored.json.backup.incarnation).toBe(made.json.incarnation);
    expect(restored.json.incarnation).not.toBe(made.json.incarnation);

    const question = ['assemble', 'Which port does the photo library listen on?', '--at', new Date().toISOString()];
    const [here, there] = [await runJson(question, from), await runJson(question, to)];
    expect(there.json.manifest.memories.length).toBeGreaterThan(0);
    expect(there.json.manifest.memories).toEqual(here.json.manifest.memories);
    expect(there.json.messages).toEqual(here.json.messages);
    expect(there.json.manifest.incarnation).toBe(restored.json.incarnation);
    await run(['stop'], to);
    const after = await createMemoryManager({ dataDirectory: to.CONTEXT_DATA_DIR, userId: 'ann' });
    const next = await after.recordTurn(after.call(), { role: 'user', text: 'Afterwards', runId: null });
    await after.close();
    // Turns count from 0, and the question of the window was one too.
    expect(next.turnIndex).toBe(3);
  });

  it('[N6] brings an older schema to the newest, and says whose vectors they are', async () => {
    const engine = await openEngine(null);
    const embedder = { id: 'another-one', dimensions: 8 };
    const migrations = readMigrations('postgres').slice(0, 6);
    const parts = { engine, embedder, log: () => {}, migrations };
    await migrateSchema(parts);
    const copy = (await copierOf(parts)?.({ requestId: 'test' }))!;
    await engine.close();
    const { parts: pieces } = await packBackup(copy.tar, {
      program: '0.0.1',
      created_at: '2026-01-01T00:00:00.000Z',
      schema: 6,
      postgres_major: copy.postgresMajor,
      embedder,
      incarnation: copy.state.incarnation,
      rows: copy.rows,
    });
    writeFileSync(place('older.bak'), Buffer.concat(pieces));
    const { code, stdout } = await run(['restore', place('older.bak')], { CONTEXT_DATA_DIR: place('older') });
    expect(code).toBe(0);
    expect(stdout).toContain(`Its schema went from 6 to ${newest}.`);
    expect(stdout).toContain('Its vectors are those of another-one');
  });
});

describe('backup', () => {
  it('[N7] while a host works on the directory goes through its owner, and the host goes on', async () => {
    const given = { CONTEXT_DATA_DIR: template.copy() };
    const host = startHost(given);
    await host.initialize();
    expect(await toolCount(host)).toBe(4);
    const pid = ownerPid(given.CONTEXT_DATA_DIR);
    const progress = { isDone: false };
    const backups = Promise.all(
      ['one.bak', 'two.bak'].map(async (name) => runJson(['backup', place(name)], given)),
    ).finally(() => (progress.isDone = true));
    for (let call = 0; !progress.isDone; call += 1) {
      const answer = await host.request('tools/call', { name: 'search_memory', arguments: { query: `port ${call}` } });
      expect(answer.result.isError ?? false).toBe(false);
    }
    for (const made of await backups) expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(ownerPid(given.CONTEXT_DATA_DIR)).toBe(pid);
    const occupied = await runJson(['restore', sound, '--replace', '--yes'], given);
    expect({ code: occupied.code, error: occupied.json.error.code }).toEqual({ code: 4, error: 'store_locked' });
    expect(occupied.json.error.message).toContain(`process ${pid} `);
    expect(await toolCount(host)).toBe(4);
    expect((await host.close()).code).toBe(0);
    const to = { CONTEXT_DATA_DIR: place('from a busy one') };
    expect((await runJson(['restore', place('two.bak')], to)).code).toBe(0);
    expect((await run(['doctor'], to)).code).toBe(0);
    await until(() => !isRunning(pid));
  });

  it('alone names what is in the way of the file', async () => {
    const given = { CONTEXT_DATA_DIR: template.copy() };
    const files = fresh('files alone');
    writeFileSync(join(files, 'there.bak'), 'something else');
    const { code, json } = await runJson(['backup', join(files, 'there.bak')], given);
    expect({ code, error: json.error.code }).toEqual({ code: 5, error: 'backup_refused' });
    expect(json.error.message).toContain('it exists; name another file, or add --force to replace it');
    expect(readFileSync(join(files, 'there.bak'), 'utf8')).toBe('something else');
  });

  it('[N7] through an owner names what is in the way of the file, and leaves nothing behind', async () => {
    const given = { CONTEXT_DATA_DIR: template.copy(), CONTEXT_OWNER_IDLE_SECONDS: '60' };
    await run(['init'], given);
    const files = fresh('files through an owner');
    writeFileSync(join(files, 'there.bak'), 'something else');
    for (const [path, reason] of [
      [join(files, 'there.bak'), 'it exists'],
      [files, 'it is a folder'],
      [join(files, 'nowhere', 'a.bak'), 'its folder does not exist'],
      [join(files, 'there.bak', 'a.bak'), 'a part of its path is a file'],
    ] as const) {
      const { code, json } = await runJson(['backup', path], given);
      expect({ code, error: json.error.code }).toEqual({ code: 5, error: 'backup_refused' });
      expect(json.error.message).toContain(reason);
    }
    expect(readFileSync(join(files, 'there.bak'), 'utf8')).toBe('something else');
    expect((await run(['backup', join(files, 'there.bak'), '--force'], given)).code).toBe(0);
    expect(readdirSync(files)).toEqual(['there.bak']);
    await run(['stop'], given);
  });

  it('[N7] that is interrupted ends with 130 and leaves nothing of its file', async () => {
    const given = { CONTEXT_DATA_DIR: template.copy() };
    const files = fresh('interrupted');
    const running = start(['backup', join(files, 'a.bak')], given);
    await until(() => readdirSync(files).some((name) => name.endsWith('.part')));
    running.child.kill('SIGINT');
    expect(await running.ended).toMatchObject({ code: 130, stdout: '', stderr: '' });
    expect(readdirSync(files)).toEqual([]);
  });

  it('has nothing to copy where there is no memory, and makes none', async () => {
    const given = { CONTEXT_DATA_DIR: place('nothing') };
    const { code, json } = await runJson(['backup', place('nothing.bak')], given);
    expect({ code, error: json.error.code }).toEqual({ code: 5, error: 'backup_refused' });
    expect([existsSync(place('nothing')), existsSync(place('nothing.bak'))]).toEqual([false, false]);
    expect((await run(['backup', place('nothing.bak')], { CONTEXT_DATA_DIR: ':memory:' })).code).toBe(5);
    expect((await run(['restore', sound], { CONTEXT_DATA_DIR: ':memory:' })).code).toBe(5);
  });

  it('leaves a database that has no files of ours to its own tools', async () => {
    const { copyFiles: _, ...engine } = await openEngine(null);
    const embedder = { id: 'any', dimensions: 8 };
    const store = createPostgresStore({ engine, embedder, log: () => {}, migrations: [] });
    const context = {
      arguments: { positionals: [place('server.bak')], flag: () => false },
      config: { dataDirectory: '' },
      directoryState: async () => ({ exists: true, holder: null, alive: false }),
      ownerPid: 1,
      open: () => ({ store: async () => store }),
    } as unknown as Context;
    await expect(backupCommand.run(context)).rejects.toMatchObject({
      code: 'backup_refused',
      message: expect.stringContaining('pg_dump'),
    });
    await store.close();
  });
});

describe('a full disk', () => {
  const disk = place('small disk');
  mkdirSync(disk);
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk]).status === 0;
  afterAll(() => void (isMounted && spawnSync('umount', ['-l', disk])));
  if (!isMounted) console.warn('full disk under a backup: skipped, this user may not mount a small file system');
  it.skipIf(!isMounted)('takes neither a part of a backup nor of a restored memory (needs mount)', async () => {
    const made = await runJson(['backup', join(disk, 'a.bak')], { CONTEXT_DATA_DIR: template.copy() });
    expect(made.json.error).toMatchObject({ code: 'backup_refused', message: expect.stringContaining('disk is full') });
    expect(readdirSync(disk)).toEqual([]);
    const restored = await runJson(['restore', sound], { CONTEXT_DATA_DIR: join(disk, 'data') });
    expect({ code: restored.code, error: restored.json.error.code }).toEqual({ code: 4, error: 'store_unavailable' });
    expect(restored.json.error.message).toMatch(/needs \d+ MB of free space/);
    expect(readdirSync(join(disk, 'data')).toSorted()).toEqual(['making', 'owner', 'postgres']);
    expect(readdirSync(join(disk, 'data', 'postgres'))).toEqual([]);
  });
});

describe('a file that is begun', () => {
  it('is not there until it is finished, and never takes the place of another one unasked', async () => {
    const files = fresh('begun');
    const path = join(files, 'a');
    const [first, second] = [await openNewFile(path, { replace: false }), await openNewFile(path, { replace: false })];
    await first.write(Buffer.from('first'));
    expect(existsSync(path)).toBe(false);
    await first.finish();
    await second.write(Buffer.from('second'));
    await expect(second.finish()).rejects.toMatchObject({ code: 'EEXIST' });
    await second.discard();
    const third = await openNewFile(path, { replace: true });
    await third.write(Buffer.from('third'));
    await third.discard();
    expect(readFileSync(path, 'utf8')).toBe('first');
    expect(readdirSync(files)).toEqual(['a']);
  });
});

describe('restore', () => {
  it('sees every changed byte of a file', async () => {
    const told = {
      program: '0.1.0',
      created_at: '2026-01-01T00:00:00.000Z',
      schema: newest,
      postgres_major: '18',
      embedder: null,
      incarnation: null,
      rows: null,
    };
    const whole = Buffer.concat((await packBackup(Buffer.from('not really a tar'), told)).parts);
    expect(Buffer.from((await readBackup('a', whole)).tar).toString()).toBe('not really a tar');
    for (let at = 0; at < whole.length; at += 1) {
      const changed = Buffer.from(whole);
      changed[at]! ^= 1;
      await expect(readBackup('a', changed), `byte ${at}`).rejects.toMatchObject({ code: 'backup_refused' });
      await expect(readBackup('a', whole.subarray(0, at)), `cut at ${at}`).rejects.toMatchObject({
        code: 'backup_refused',
      });
    }
  });

  it('refuses a damaged file, and writes nothing', async () => {
    const flipped = Buffer.from(bytes);
    flipped[Math.floor(bytes.length / 2)]! ^= 4;
    writeFileSync(place('flipped.bak'), flipped);
    writeFileSync(place('cut.bak'), bytes.subarray(0, -1000));
    writeFileSync(place('longer.bak'), Buffer.concat([bytes, Buffer.from('more')]));
    writeFileSync(place('other.bak'), '{"entities":[]}\n');
    for (const [name, reason] of [
      ['flipped.bak', 'is damaged: its content is not what was written'],
      ['cut.bak', 'is damaged: it should hold'],
      ['longer.bak', 'is damaged: it should hold'],
      ['other.bak', 'is no backup of this program'],
      ['missing.bak', 'it does not exist'],
    ] as const) {
      const { exit, code, message } = await refusalOf(place(name));
      expect({ exit, code }).toEqual({ exit: 5, code: 'backup_refused' });
      expect(message).toContain(reason);
    }
  });

  it('[N6] refuses another PostgreSQL, a newer schema and another form, and names the way out', async () => {
    const other = await refusalOf(forged({ postgres_major: '17', program: '0.0.9' }));
    expect(other).toMatchObject({ exit: 5, code: 'backup_refused' });
    expect(other.message).toContain('PostgreSQL 17');
    expect(other.message).toContain('version 0.0.9');
    expect(await refusalOf(forged({ schema: newest + 1 }))).toMatchObject({ exit: 4, code: 'schema_newer' });
    writeFileSync(place('form.bak'), bytes.toString('latin1').replace('backup 1 ', 'backup 2 '), 'latin1');
    expect((await refusalOf(place('form.bak'))).message).toContain('has form 2');
  });

  it('leaves no database when the rows are not those that were counted', async () => {
    const given = { CONTEXT_DATA_DIR: place('miscounted') };
    const { code, json } = await runJson(['restore', forged({ rows: { entity_memory: 12345 } })], given);
    expect({ code, error: json.error.code }).toEqual({ code: 5, error: 'backup_refused' });
    const left = readdirSync(given.CONTEXT_DATA_DIR);
    expect(left).not.toContain('restoring');
    expect(existsSync(join(given.CONTEXT_DATA_DIR, 'postgres', 'PG_VERSION'))).toBe(false);
    // What is left is a directory without a memory, which takes a sound backup.
    expect((await run(['restore', sound], given)).code).toBe(0);
  });

  it('refuses a directory in which something is; --replace moves a memory aside, which opens there', async () => {
    const other = fresh('something in it');
    writeFileSync(join(other, 'letter.txt'), '');
    const foreign = await runJson(['restore', sound, '--replace', '--yes'], { CONTEXT_DATA_DIR: other });
    expect(foreign.json.error).toMatchObject({
      code: 'backup_refused',
      message: expect.stringContaining('letter.txt'),
    });
    expect(readdirSync(other)).toEqual(['letter.txt']);

    const given = { CONTEXT_DATA_DIR: template.copy() };
    const occupied = await runJson(['restore', sound], given);
    expect(occupied.json.error).toMatchObject({
      code: 'backup_refused',
      message: expect.stringContaining('--replace'),
    });
    const nobodyToAsk = await run(['restore', sound, '--replace'], given);
    expect(nobodyToAsk.code).toBe(2);
    expect(nobodyToAsk.stderr).toContain('--yes');
    const { code, json } = await runJson(['restore', sound, '--replace', '--yes'], given);
    expect(code).toBe(0);
    expect(json.moved_to).toContain(`${given.CONTEXT_DATA_DIR}.before-restore-`);
    for (const directory of [json.moved_to, given.CONTEXT_DATA_DIR])
      expect((await runJson(['init'], { CONTEXT_DATA_DIR: directory })).json.initialised).toBe(false);
  });
});

describe('on a database server', () => {
  it.each(['backup', 'restore'])('%s names the tools of the server and asks nobody', async (command) => {
    const done = await run([command, place('never.bak')], {
      CONTEXT_ENGINE: 'postgres',
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
      CONTEXT_TENANT_ID: 't',
      CONTEXT_USER_ID: 'u',
    });
    expect(done.code).toBe(5);
    expect(done.stderr).toContain('pg_dump');
  });
});
