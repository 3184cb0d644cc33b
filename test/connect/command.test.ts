// `connect` as a person runs it, built, in a home of its own; and what it wrote, started as a host would start it.
import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { parse as parseToml } from 'smol-toml';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hosts } from '../../src/connect/hosts.ts';
import { projectRoot, temporaryFolder } from '../command/run_program.ts';
import type { Parsed } from '../command/run_program.ts';

// A build, and processes on a busy machine.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const execute = promisify(execFile);
const folder = temporaryFolder();
afterAll(() => folder.discard());
const checkout = join(folder.path, 'check out');
const program = join(checkout, 'dist', 'main.js');

// A build of its own, because other tests make and use the one of the checkout.
beforeAll(async () => {
  mkdirSync(checkout);
  for (const name of ['node_modules', 'schema', 'seeds', 'models', 'package.json']) {
    symlinkSync(join(projectRoot, name), join(checkout, name));
  }
  const compiler = join(projectRoot, 'node_modules', '.bin', 'tsc');
  await execute(compiler, ['-p', 'tsconfig.build.json', '--outDir', join(checkout, 'dist')], { cwd: projectRoot });
  chmodSync(folder.path, 0o755);
});

let homes = 0;
function newHome(): string {
  const home = join(folder.path, `home ${(homes += 1)}`);
  mkdirSync(home);
  return home;
}

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a host gives a program: next to nothing. */
const bare = (home: string): Record<string, string> => ({ HOME: home, USERPROFILE: home, PATH: '/nowhere' });

async function connect(
  home: string,
  args: readonly string[],
  more: { readonly environment?: Readonly<Record<string, string>>; readonly uid?: number; readonly cwd?: string } = {},
): Promise<Run> {
  const { environment = {}, uid, cwd = home } = more;
  const options = { env: { ...bare(home), ...environment }, cwd, ...(uid === undefined ? {} : { uid }) };
  try {
    const { stdout, stderr } = await execute(process.execPath, [program, 'connect', ...args], options);
    return { code: 0, stdout, stderr };
  } catch (error) {
    return error as Run;
  }
}

const connectJson = async (...given: Parameters<typeof connect>): Promise<Parsed> =>
  JSON.parse((await connect(given[0], [...given[1], '--json'], given[2])).stdout);

const entryIn = (file: string, format: 'json' | 'toml', container: string): Parsed => {
  const text = readFileSync(file, 'utf8');
  const value: Parsed = format === 'json' ? JSON.parse(text) : parseToml(text);
  return value[container]['context-assembly-memory'];
};

describe.each([...hosts])('connect %s', (id, host) => {
  const { format, container } = host;

  it('writes an entry once, keeps the file’s time, and takes the entry out again', async () => {
    const home = newHome();
    const shown = await connectJson(home, [id, '--print']);
    expect(existsSync(shown.file)).toBe(false);
    const added = await connectJson(home, [id]);
    expect(added).toEqual({
      host: id,
      file: shown.file,
      name: 'context-assembly-memory',
      change: 'added',
      backup: null,
      notes: [],
    });
    expect(shown.file.startsWith(home)).toBe(true);
    expect(readFileSync(shown.file, 'utf8')).toBe(shown.text);
    expect(entryIn(shown.file, format, container)).toMatchObject({
      command: process.execPath,
      args: [program, 'stdio'],
      env: { CONTEXT_DATA_DIR: expect.stringContaining(home) },
    });
    const time = new Date('2020-01-01');
    utimesSync(shown.file, time, time);
    expect(await connectJson(home, [id])).toMatchObject({ change: 'present', backup: null });
    expect(statSync(shown.file).mtime).toEqual(time);
    const { backup } = await connectJson(home, [id, '--remove']);
    expect(readFileSync(backup, 'utf8')).toBe(shown.text);
    expect(readFileSync(shown.file, 'utf8')).not.toContain('context-assembly-memory');
    expect(await connectJson(home, [id, '--remove'])).toMatchObject({ change: 'absent', backup: null });
    expect(readdirSync(home).includes('.local')).toBe(false);
  });

  it('writes an address where the host reads one, and says what to do where it does not', async () => {
    const home = newHome();
    const url = 'https://memory.example/mcp';
    const { code, stdout, stderr } = await connect(home, [id, '--url', url, '--name', 'team']);
    const entry = host.remote(url);
    if (entry === null) {
      expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
      expect(stderr).toContain(`Add custom connector, ${url}`);
      expect(readdirSync(home)).toEqual([]);
    } else {
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const { file, text } = await connectJson(home, [id, '--url', url, '--name', 'team', '--print']);
      expect(readFileSync(file, 'utf8')).toBe(text);
      expect(text).toContain('team');
      expect(text).toContain(url);
    }
  });
});

describe('what connect wrote', () => {
  it.each(['claude-desktop', 'codex'])(
    'for %s starts a server that lists its tools, with nothing but the entry',
    async (id) => {
      const host = hosts.get(id);
      const home = newHome();
      await connect(home, [id], {
        environment: { CONTEXT_DATA_DIR: 'memory', CONTEXT_USER_ID: 'ann', CONTEXT_OWNER_IDLE_SECONDS: '1' },
      });
      const [file = ''] = host?.files({ platform: process.platform, home, environment: {}, storePackages: [] }) ?? [];
      const { command, args, env } = entryIn(file, host?.format ?? 'json', host?.container ?? '');
      const client = new Client({ name: 'host', version: '1' });
      await client.connect(
        new StdioClientTransport({
          command,
          args,
          env: { PATH: '/nowhere', HOME: home, ...env },
          cwd: '/',
          stderr: 'ignore',
        }),
      );
      const { tools } = await client.listTools();
      await client.close();
      expect(tools.map((tool) => tool.name).toSorted()).toEqual([
        'clarify',
        'expand',
        'lookup_entity',
        'search_memory',
      ]);
      expect(existsSync(join(home, 'memory'))).toBe(true);
    },
  );

  it('names a file of variables by its full path and holds nothing of it', async () => {
    const home = newHome();
    writeFileSync(
      join(home, 'memory.env'),
      'CONTEXT_ENGINE=postgres\nDATABASE_URL=postgres://app:very-secret@db.example/memory\nCONTEXT_TENANT_ID=acme\nCONTEXT_USER_ID=ada\n',
    );
    const { file, notes } = await connectJson(home, ['cursor', '--env-file', 'memory.env']);
    const { args, env } = entryIn(file, 'json', 'mcpServers');
    expect(args.slice(1)).toEqual(['stdio', '--env-file', join(home, 'memory.env')]);
    expect({ env, notes }).toEqual({ env: undefined, notes: [] });
    expect(readFileSync(file, 'utf8')).not.toContain('very-secret');
  });

  it('leaves an address of a database out, and says so', async () => {
    const home = newHome();
    const environment = {
      CONTEXT_ENGINE: 'postgres',
      DATABASE_URL: 'postgres://app:very-secret@db.example/memory',
      CONTEXT_TENANT_ID: 'acme',
      CONTEXT_USER_ID: 'ada',
    };
    const { code, stdout, stderr } = await connect(home, ['cursor'], { environment });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('DATABASE_URL: left out');
    expect(stdout).not.toContain('very-secret');
    expect(readFileSync(join(home, '.cursor', 'mcp.json'), 'utf8')).not.toContain('DATABASE_URL');
  });
});

describe('connect refuses', () => {
  it.each([
    [['emacs'], 'There is no host "emacs"; there are claude-desktop'],
    [[], 'An argument is missing.'],
    [['cursor', '--remove', '--print'], '--remove goes with'],
    [['cursor', '--name', '__proto__'], 'A name has up to 64'],
    [['cursor', '--name', 'a.b'], 'A name has up to 64'],
    [['cursor', '--url', 'ftp://a.example'], 'no http or https address'],
    [['cursor', '--url', 'https://ada:very-secret@a.example/mcp'], 'more than an address'],
    [['cursor', '--url', 'https://a.example/mcp?key=very-secret'], 'more than an address'],
  ])('%j', async (args, message) => {
    const home = newHome();
    const { code, stderr } = await connect(home, args);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('very-secret');
    expect(readdirSync(home)).toEqual([]);
  });

  it('a broken file, by name, line and column, and leaves it alone', async () => {
    const home = newHome();
    mkdirSync(join(home, '.cursor'));
    const file = join(home, '.cursor', 'mcp.json');
    writeFileSync(file, '{\n  "mcpServers": {\n    "a": {} "b": {}\n  }\n}\n');
    const before = statSync(file).mtimeMs;
    const { code, stderr } = await connect(home, ['cursor']);
    expect(code).toBe(5);
    expect(stderr).toContain(`The file ${file} was left as it is: line 3, column 13`);
    expect(readdirSync(join(home, '.cursor'))).toEqual(['mcp.json']);
    expect(statSync(file).mtimeMs).toBe(before);
    const { error } = await connectJson(home, ['cursor']);
    expect(error.code).toBe('host_file_refused');
  });

  it('warns of comments in a file whose host may not read them', async () => {
    const home = newHome();
    mkdirSync(join(home, '.cursor'));
    writeFileSync(join(home, '.cursor', 'mcp.json'), '{ // mine\n}\n');
    const { notes } = await connectJson(home, ['cursor']);
    expect(notes).toEqual([expect.stringContaining('which Cursor may not read')]);
  });

  // Whoever runs everything as root may read and write all files, so those runs are somebody else's.
  const nobody = process.getuid?.() === 0 ? 65_534 : undefined;
  const isWindows = process.platform === 'win32';
  if (isWindows) console.warn('files that may not be read: skipped, Windows has no such modes');
  it.skipIf(isWindows)('what this user may not read, and where this user may not write', async () => {
    const home = newHome();
    mkdirSync(join(home, '.cursor'));
    const file = join(home, '.cursor', 'mcp.json');
    writeFileSync(file, '{}', { mode: 0o000 });
    const unreadable = await connect(home, ['cursor'], nobody === undefined ? {} : { uid: nobody });
    expect(unreadable).toMatchObject({ code: 5, stderr: expect.stringContaining('may not read or write it') });
    chmodSync(file, 0o644);
    if (nobody !== undefined) chownSync(file, nobody, nobody);
    chmodSync(join(home, '.cursor'), 0o555);
    const unwritable = await connect(home, ['cursor'], nobody === undefined ? {} : { uid: nobody });
    expect(unwritable).toMatchObject({ code: 5, stderr: expect.stringContaining('may not read or write it') });
    expect(readFileSync(file, 'utf8')).toBe('{}');
    chmodSync(join(home, '.cursor'), 0o755);
    expect(readdirSync(join(home, '.cursor'))).toEqual(['mcp.json']);
  });
});
