// export and import as a person runs them: through the owner of a folder, on files and pipes, between tenants.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { projectRoot, run, runJson, start, storeTemplate, temporaryFolder } from './run_program.ts';

vi.setConfig({ testTimeout: 85_000 });

const folder = temporaryFolder();
let seeded: Awaited<ReturnType<typeof storeTemplate>>;
let empty: Awaited<ReturnType<typeof storeTemplate>>;
let file: string;
const acme = { CONTEXT_TENANT_ID: 'acme', CONTEXT_USER_ID: 'jane' };
const place = (name: string) => join(folder.path, name);
let given: Readonly<Record<string, string>>;

beforeAll(async () => {
  [seeded, empty] = await Promise.all([storeTemplate([['seed']]), storeTemplate([['migrate']])]);
  given = { ...acme, CONTEXT_DATA_DIR: seeded.copy() };
  file = place('acme.jsonl');
});
afterAll(() => {
  for (const { discard } of [folder, seeded, empty]) discard();
});

const rowsOf = async (of: Readonly<Record<string, string>>): Promise<string> => {
  const { json } = await runJson(['doctor'], of);
  return json.checks.find((check: { name: string }) => check.name === 'rows').says;
};

describe('export', () => {
  it('writes a file for this user alone, says what it holds, and replaces one only when told to', async () => {
    const { code, json, stderr } = await runJson(['export', file], given);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(json).toMatchObject({ file, tenant_id: 'acme', left_out: 0, bytes: statSync(file).size });
    expect(json.rows.entity_memory).toBeGreaterThan(10);
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
    const again = await run(['export', file], given);
    expect(again.code).toBe(5);
    expect(again.stderr).toContain('--force');
    expect((await run(['export', file, '--force'], given)).stdout).toMatch(/rows, .* bytes, SHA-256 [0-9a-f]{64}/);
  });

  it('takes a path as the person’s own shell has it, and writes to a pipe', async () => {
    const path = relative(process.cwd(), place('relative.jsonl'));
    expect((await run(['export', path], given)).code).toBe(0);
    const piped = await run(['export', '-'], given);
    expect({ code: piped.code, end: piped.stdout.split('\n').at(-2)?.slice(0, 7) }).toEqual({
      code: 0,
      end: '{"end":',
    });
    expect(piped.stderr).toContain('SHA-256');
    const withoutHead = (text: string) => text.split('\n').slice(1, -2);
    expect(withoutHead(piped.stdout)).toEqual(withoutHead(readFileSync(file, 'utf8')));
    expect((await run(['export', '-', '--json'], given)).code).toBe(2);
  });

  it('of a tenant without rows, or to a place that cannot be, leaves nothing', async () => {
    const nobody = await run(['export', place('nobody.jsonl')], { ...given, CONTEXT_TENANT_ID: 'acmee' });
    expect(nobody.code).toBe(5);
    expect(nobody.stderr).toContain('Tenant acmee holds no rows');
    expect((await run(['export', join(place('no folder'), 'x')], given)).stderr).toContain('folder does not exist');
    expect(readdirSync(folder.path).filter((name) => /nobody|part/.test(name))).toEqual([]);
  });
});

describe('import', () => {
  it('[D3] fills an empty tenant of another folder, gives the same window, and twice is once', async () => {
    const story = JSON.parse(readFileSync(join(projectRoot, 'seeds', 'story.json'), 'utf8'));
    const other = { ...acme, CONTEXT_DATA_DIR: empty.copy() };
    const first = await runJson(['import', relative(process.cwd(), file)], other);
    expect({ code: first.code, stderr: first.stderr }).toEqual({ code: 0, stderr: '' });
    expect(first.json).toMatchObject({ tenant_id: 'acme', unchanged: 0, from: { tenant_id: 'acme' } });
    expect((await run(['import', file], other)).stdout).toContain('already; nothing was changed');
    const scope = {
      CONTEXT_AGENT_ID: 'research-assistant',
      CONTEXT_THREAD_ID: 'jane-helios',
      CONTEXT_ROLES: 'researcher',
    };
    const asked = [];
    for (const where of [given, other]) {
      const { json } = await runJson(['assemble', story.question, '--at', story.evaluation_time], {
        ...where,
        ...scope,
      });
      asked.push({ messages: json.messages, tools: json.tools });
    }
    expect(asked[1]).toEqual(asked[0]);
  });

  it('reads stdin, and takes another tenant’s rows only when told to', async () => {
    const text = readFileSync(file, 'utf8');
    const other = { ...acme, CONTEXT_DATA_DIR: empty.copy(), CONTEXT_TENANT_ID: 'copy' };
    const refused = await runJson(['import', '-'], other, text);
    expect({ code: refused.code, error: refused.json.error.code }).toEqual({ code: 5, error: 'backup_refused' });
    expect(refused.json.error.message).toContain('--as-tenant');
    const { code, json } = await runJson(['import', '-', '--as-tenant'], other, text);
    expect({ code, tenant: json.tenant_id, from: json.from.tenant_id }).toEqual({
      code: 0,
      tenant: 'copy',
      from: 'acme',
    });
  });

  it('[D7] of a bad file, of none, or into a tenant that has rows changes nothing and says why', async () => {
    const before = await rowsOf(given);
    const damaged = place('damaged.jsonl');
    writeFileSync(damaged, readFileSync(file, 'utf8').replace('Helios', 'Hel1os'));
    const fresh = { ...given, CONTEXT_TENANT_ID: 'fresh' };
    const told = async (path: string, as: Readonly<Record<string, string>>) => {
      const { code, stderr } = await run(['import', path, '--as-tenant'], as);
      expect(code).toBe(5);
      return stderr;
    };
    expect(await told(damaged, fresh)).toContain('is damaged');
    expect(await told(place('nothing.jsonl'), fresh)).toContain('it does not exist');
    expect(await told(folder.path, fresh)).toContain('it is a folder');
    expect(await told(file, { ...given, CONTEXT_TENANT_ID: 'globex' })).toContain('holds rows already');
    expect(await rowsOf(given)).toBe(before);
    expect(await rowsOf(fresh)).toContain('none');
  });

  it('[D7] that is interrupted leaves nothing, and the folder goes on', async () => {
    const fresh = { ...given, CONTEXT_TENANT_ID: 'interrupted' };
    const waiting = start(['import', '-', '--as-tenant'], fresh);
    waiting.child.stdin.write(readFileSync(file, 'utf8').slice(0, 100_000));
    await new Promise((resolve) => setTimeout(resolve, 1500));
    waiting.child.kill('SIGINT');
    expect((await waiting.ended).code).toBe(130);
    expect(await rowsOf(fresh)).toContain('none');
    expect((await run(['import', file, '--as-tenant'], fresh)).code).toBe(0);
  });

  const isWindows = process.platform === 'win32';
  if (isWindows) console.warn('a killed import: skipped, Windows has no unlinked files');
  it.skipIf(isWindows)('[D7] that is killed leaves nothing, not even a temporary file', async () => {
    const scratch = temporaryFolder();
    try {
      const own = { ...acme, CONTEXT_DATA_DIR: empty.copy(), CONTEXT_SHARED: '0', TMPDIR: scratch.path };
      const killed = start(['import', file], own);
      await new Promise((resolve) => setTimeout(resolve, 2500));
      killed.child.kill('SIGKILL');
      await killed.ended;
      expect(readdirSync(scratch.path).filter((name) => name.startsWith('context-assembly-memory'))).toEqual([]);
      const { code, json } = await runJson(['import', file], { ...own, TMPDIR: folder.path });
      // It may have been done before the blow: then all of it is there.
      expect({ code, whole: json.inserted === 0 || json.unchanged === 0 }).toEqual({ code: 0, whole: true });
      expect(existsSync(scratch.path)).toBe(true);
    } finally {
      scratch.discard();
    }
  });
});
