// stdio as a host sees it: four tools without any setting, the scope of the launch, a shared directory, a clean end.
import { createInterface } from 'node:readline';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { thisMachine } from '../../src/data_folder.ts';
import { run, runJson, start, storeTemplate, temporaryFolder } from './run_program.ts';
import type { Parsed, Running } from './run_program.ts';

let template: Awaited<ReturnType<typeof storeTemplate>>;
beforeAll(async () => (template = await storeTemplate([['init']])));
afterAll(() => template.discard());

const cleanUp: (() => void)[] = [];
afterEach(() => {
  for (const undo of cleanUp.splice(0)) undo();
});

function folder(): string {
  const { path, discard } = temporaryFolder();
  cleanUp.push(discard);
  return path;
}

/** A host of the older era on a running server: sends requests and waits for their answers. */
function hostOf({ child }: Running) {
  cleanUp.push(() => child.kill('SIGKILL'));
  const waiting = new Map<unknown, (message: Parsed) => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line);
    waiting.get(message.id)?.(message);
  });
  let lastId = 0;
  const request = async (method: string, params: object): Promise<Parsed> => {
    const id = (lastId += 1);
    const answer = new Promise<Parsed>((resolve) => waiting.set(id, resolve));
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return answer;
  };
  const initialize = async () => {
    const answer = await request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    });
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
    return answer;
  };
  return { request, initialize };
}

describe('stdio', () => {
  it('[I3] without any setting gives four tools on an empty memory, and says that it made one', async () => {
    const home = folder();
    const server = start(['stdio'], { HOME: home, USERPROFILE: home, LOCALAPPDATA: home });
    const host = hostOf(server);
    const { result } = await host.initialize();
    expect(result.serverInfo.name).toBe('context-assembly-memory');
    const { result: listed } = await host.request('tools/list', {});
    const names = listed.tools.map((tool: { name: string }) => tool.name);
    expect(names.toSorted()).toEqual(['clarify', 'expand', 'lookup_entity', 'search_memory']);
    const { result: found } = await host.request('tools/call', {
      name: 'search_memory',
      arguments: { query: 'anything at all' },
    });
    expect(found.isError ?? false).toBe(false);
    expect(found.structuredContent).toMatchObject({ memories: [], evidence: 'none' });
    server.child.stdin.end();
    const { code, stderr } = await server.ended;
    expect(code).toBe(0);
    expect(stderr).toContain('First start: making a new memory in');
    expect(stderr).toContain('Tenant local was empty: it now has the default profile');
    expect(stderr).toMatch(/Ready after \d+\.\d s\./);
    expect(existsSync(readConfig({}, { ...thisMachine(), home }).dataDirectory)).toBe(true);
  });

  it('[I3] serves the scope of the launch configuration, and says nothing on a second start', async () => {
    const data = join(folder(), 'data');
    const given = { CONTEXT_DATA_DIR: data, CONTEXT_TENANT_ID: 'acme', CONTEXT_USER_ID: 'jane' };
    await run(['seed'], given);
    const server = start(['stdio'], { ...given, CONTEXT_AGENT_ID: 'research-assistant', CONTEXT_ROLES: 'researcher' });
    const host = hostOf(server);
    await host.initialize();
    const { result } = await host.request('tools/call', {
      name: 'lookup_entity',
      arguments: { subject: 'model:helios-rag', predicate: 'beir_ndcg10' },
    });
    expect(JSON.stringify(result)).toContain('0.78');
    expect(JSON.stringify(result)).not.toContain('globex');
    server.child.stdin.end();
    expect(await server.ended).toMatchObject({ code: 0, stderr: '' });
  });

  it('answers what was piped in before it ends with its input', async () => {
    const messages = [
      {
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'pipe', version: '1' } },
      },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/list', params: {} },
    ];
    const input = messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('');
    const { code, stdout } = await run(['stdio'], { CONTEXT_DATA_DIR: template.copy() }, input);
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(code).toBe(0);
    expect(answers.find(({ id }) => id === 2).result.tools).toHaveLength(4);
  });
});

describe('the end of stdio', () => {
  it('[N7] comes with the end of input before any message, and leaves nothing behind', async () => {
    const data = join(folder(), 'data');
    expect(await run(['stdio'], { CONTEXT_DATA_DIR: data })).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
    expect(existsSync(data)).toBe(false);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('[N7] comes with %s before any message', async (signal) => {
    const alone = { CONTEXT_SHARED: '0', CONTEXT_LOG_LEVEL: 'debug' };
    const server = start(['stdio'], { CONTEXT_DATA_DIR: join(folder(), 'data'), ...alone });
    hostOf(server);
    await server.said('waiting for a host');
    server.child.kill(signal);
    expect(await server.ended).toMatchObject({ code: 0, signal: null });
  });

  it('[N7] comes with SIGTERM before any message to a relay too', async () => {
    const server = start(['stdio'], { CONTEXT_DATA_DIR: join(folder(), 'data') });
    hostOf(server);
    // A relay says nothing before its host does; until its own first lines run, the system would end the process.
    await new Promise((resolve) => setTimeout(resolve, 4000));
    server.child.kill('SIGTERM');
    expect(await server.ended).toMatchObject({ code: 0, signal: null });
  });

  it.each(['SIGTERM', 'SIGINT', 'end of input'] as const)(
    '[N7] comes with %s, and frees the directory',
    async (way) => {
      const given = { CONTEXT_DATA_DIR: template.copy() };
      const server = start(['stdio'], given);
      const host = hostOf(server);
      await host.initialize();
      await host.request('tools/list', {});
      if (way === 'end of input') server.child.stdin.end();
      else server.child.kill(way);
      expect(await server.ended).toMatchObject({ code: 0, signal: null });
      const { code, json } = await runJson(['init'], given);
      expect({ code, json }).toEqual({ code: 0, json: { tenant_id: 'local', initialised: false } });
    },
  );
});

describe('an interruption', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('of a command by %s ends it with %i and frees the directory', async (signal, expected) => {
    const given = { CONTEXT_DATA_DIR: join(folder(), 'data') };
    const command = start(['seed'], given);
    while (!existsSync(join(given.CONTEXT_DATA_DIR, 'postgres')))
      await new Promise((resolve) => setTimeout(resolve, 20));
    command.child.kill(signal);
    const { code, stdout, stderr } = await command.ended;
    expect({ code, stdout, stderr }).toEqual({ code: expected, stdout: '', stderr: '' });
    expect((await runJson(['init'], given)).json).toEqual({ tenant_id: 'local', initialised: true });
  });

  it('by a host that stops reading ends stdio', async () => {
    const server = start(['stdio'], { CONTEXT_DATA_DIR: template.copy() });
    const host = hostOf(server);
    await host.initialize();
    server.child.stdout.destroy();
    void host.request('ping', {});
    expect(await server.ended).toMatchObject({ code: 0, signal: null });
  });
});

describe('a data directory that is in use', () => {
  it('[N7] is shared by a second host and by commands, each in its own process', async () => {
    const given = { CONTEXT_DATA_DIR: template.copy() };
    const first = start(['stdio'], given);
    const host = hostOf(first);
    await host.initialize();
    expect((await host.request('tools/list', {})).result.tools).toHaveLength(4);

    const second = start(['stdio'], { ...given, CONTEXT_USER_ID: 'bob' });
    const secondHost = hostOf(second);
    await secondHost.initialize();
    expect((await secondHost.request('tools/list', {})).result.tools).toHaveLength(4);
    const command = await runJson(['init'], given);
    expect(command).toMatchObject({ code: 0, json: { tenant_id: 'local', initialised: false } });
    const doctor = await runJson(['doctor'], given);
    expect(doctor).toMatchObject({ code: 0, json: { ok: true } });

    expect((await host.request('tools/list', {})).result.tools).toHaveLength(4);
    first.child.stdin.end();
    second.child.stdin.end();
    expect([(await first.ended).code, (await second.ended).code]).toEqual([0, 0]);
  });

  it('[N7] is taken over from a process that was killed', async () => {
    const given = { CONTEXT_DATA_DIR: template.copy() };
    const first = start(['stdio'], given);
    const host = hostOf(first);
    await host.initialize();
    await host.request('tools/list', {});
    first.child.kill('SIGKILL');
    await first.ended;
    const { code, json } = await runJson(['init'], given);
    expect({ code, json }).toEqual({ code: 0, json: { tenant_id: 'local', initialised: false } });
  });

  it('is refused in plain words when it cannot be made', async () => {
    const file = join(folder(), 'file');
    writeFileSync(file, '');
    const { code, json } = await runJson(['init'], { CONTEXT_DATA_DIR: join(file, 'data') });
    expect(code).toBe(4);
    expect(json.error.code).toBe('store_unavailable');
    expect(json.error.message).toContain('a part of its path is a file');
  });
});
