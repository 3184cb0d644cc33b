// The real program over stdio, launched as hosts launch it: handshake, eras, hostile input, scope, and its end.
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { loadTokenizer } from '../../src/tokens/tokenizer.ts';
import { jane } from '../fixture.ts';
import {
  contentOf,
  eras,
  linkHost,
  memoriesOf,
  newerEnvelope,
  projectRoot,
  serverArguments,
  serverEnvironment,
  spawnHost,
  spawnRaw,
  temporaryFolder,
  type Host,
  type RawServer,
} from './harness.ts';

// Every test starts the program, some twice: seconds each on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

const folder = temporaryFolder();
const settings = { CONTEXT_DATA_DIR: join(folder.path, 'data'), CONTEXT_TENANT_ID: 'team', CONTEXT_USER_ID: 'ann' };

function runCommand(...command: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...serverArguments, ...command], {
    env: serverEnvironment(settings),
    cwd: projectRoot,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${command.join(' ')} ended with ${status}: ${stderr}`);
  return stdout;
}

beforeAll(() => {
  const file = join(folder.path, 'rows.json');
  const fact = { subject: 'host:attic', predicate: 'ip_address', value: '192.168.20.5' };
  const rows = {
    entities: [
      { ...fact, content: 'The attic server has the address 192.168.20.5.', user_id: 'ann' },
      { ...fact, content: 'Bob’s attic server has the address 10.0.0.9.', value: '10.0.0.9', user_id: 'bob' },
    ],
    toolbox: [
      {
        tool_name: 'for_admins',
        tool_schema: { type: 'object', properties: {}, additionalProperties: false },
        tool_handler: 'clarify',
        access_policy: { roles: ['admin'] },
        usage_notes: 'Only for admins.',
      },
    ],
  };
  writeFileSync(file, JSON.stringify(rows));
  runCommand('init');
  runCommand('apply', file);
});
afterAll(() => folder.remove());

const running: RawServer[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) {
    server.process.kill('SIGKILL');
    await server.exited;
  }
});

function raw(more: Readonly<Record<string, string>> = {}): RawServer {
  const server = spawnRaw({ ...settings, ...more });
  running.push(server);
  return server;
}

const initialize = (protocolVersion: string) => ({
  id: 'hello',
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
});

const resultOf = (answer: Record<string, unknown>) => answer['result'] as Record<string, unknown>;

const toolsIn = (answer: Record<string, unknown>) =>
  (resultOf(answer)['tools'] as readonly { readonly name: string }[]).map(({ name }) => name);

const names = async (host: Host) =>
  (await host.request<{ tools: { name: string }[] }>('tools/list')).tools.map(({ name }) => name);

const fourTools = ['clarify', 'expand', 'lookup_entity', 'search_memory'];

/** Everything on stdout is the protocol's. */
function expectOnlyProtocol(server: RawServer): void {
  for (const line of server.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
}

async function endedBy(server: RawServer): Promise<number | string> {
  server.process.stdin?.end();
  return server.exited;
}

describe('the handshake', () => {
  it.each(['2025-03-26', '2025-06-18', '2025-11-25'])('[T1] serves revision %s', async (revision) => {
    const server = raw();
    server.send(initialize(revision));
    expect(resultOf(await server.answer('hello'))).toMatchObject({
      protocolVersion: revision,
      serverInfo: { name: 'context-assembly-memory' },
      capabilities: { tools: { listChanged: true }, resources: {}, prompts: {}, completions: {} },
    });
    server.send({ method: 'notifications/initialized' });
    server.send({ id: 'tools', method: 'tools/list' });
    expect(toolsIn(await server.answer('tools'))).toEqual(fourTools);
    expect(await endedBy(server)).toBe(0);
    expectOnlyProtocol(server);
  });

  it('[T1] serves revision 2026-07-28, whose lists are private', async () => {
    const server = raw();
    server.send({ id: 'hello', method: 'server/discover', params: { _meta: newerEnvelope } });
    expect(resultOf(await server.answer('hello'))).toMatchObject({
      supportedVersions: ['2026-07-28'],
      cacheScope: 'private',
      capabilities: { tools: { listChanged: true }, resources: {}, prompts: {}, completions: {} },
    });
    server.send({ id: 'tools', method: 'tools/list', params: { _meta: newerEnvelope } });
    const answer = await server.answer('tools');
    expect(toolsIn(answer)).toEqual(fourTools);
    expect(resultOf(answer)).toMatchObject({
      cacheScope: 'private',
      ttlMs: expect.any(Number),
      resultType: 'complete',
    });
    expect(await endedBy(server)).toBe(0);
    expectOnlyProtocol(server);
  });

  it.each(eras)('[T1] is answered before the store is open (%s era)', async (era) => {
    let open: (() => void) | undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    const manager = async () => {
      await opened;
      return { listTools: async () => [], watchTools: () => () => {} } as never;
    };
    const host = await linkHost({ era, manager, scope: jane });
    expect(host.serverName()).toBe('context-assembly-memory');
    let listed = false;
    const list = host.request('tools/list').then(() => (listed = true));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(listed).toBe(false);
    open?.();
    await list;
    await host.close();
  });

  it('[T1] of a newer client that only looks does not open the store', async () => {
    const untouched = join(folder.path, 'untouched');
    const server = raw({ CONTEXT_DATA_DIR: untouched });
    server.send({ id: 'hello', method: 'server/discover', params: { _meta: newerEnvelope } });
    await server.answer('hello');
    expect(await endedBy(server)).toBe(0);
    expect(existsSync(join(untouched, 'postgres', 'PG_VERSION'))).toBe(false);
  });

  it.each(eras)('[T10] brings the rules of memory in at most 200 tokens (%s era)', async (era) => {
    const host = await spawnHost(era, settings);
    const instructions = host.instructions() ?? '';
    await host.close();
    const countTokens = await loadTokenizer();
    expect(countTokens(instructions)).toBeLessThanOrEqual(200);
    for (const rule of [/evidence/i, /instruction/i, /current/i, /square brackets/i])
      expect(instructions).toMatch(rule);
  });
});

describe.each(eras)('a host that launches the program (%s era)', (era) => {
  const hosts: Host[] = [];
  afterEach(async () => {
    for (const host of hosts.splice(0)) await host.close();
  });

  async function launch(more: Readonly<Record<string, string>> = {}): Promise<Host> {
    const host = await spawnHost(era, { ...settings, ...more });
    hosts.push(host);
    return host;
  }

  const attic = { subject: 'host:attic', predicate: 'ip_address' };

  it('[T1,I3] lists four tools, calls one, and sees what the launched user may see', async () => {
    const host = await launch({ CONTEXT_THREAD_ID: `launch-${era}` });
    expect(await names(host)).toEqual(fourTools);
    const answer = await host.call('lookup_entity', attic);
    expect(
      memoriesOf(answer)
        .map(({ content }) => content)
        .join(),
    ).toContain('192.168.20.5');
    expect(JSON.stringify(answer)).not.toContain('10.0.0.9');
  });

  it('[I3] is another user, with other roles, when the operator says so', async () => {
    const host = await launch({ CONTEXT_USER_ID: 'bob', CONTEXT_ROLES: 'admin' });
    expect(await names(host)).toEqual(['clarify', 'expand', 'for_admins', 'lookup_entity', 'search_memory']);
    const answer = await host.call('lookup_entity', attic);
    expect(JSON.stringify(answer)).toContain('10.0.0.9');
    expect(JSON.stringify(answer)).not.toContain('192.168.20.5');
  });

  it('[I3] gets four working tools on an empty memory without any setting', async () => {
    const host = await spawnHost(era, { CONTEXT_DATA_DIR: join(folder.path, `empty-${era}`) });
    hosts.push(host);
    expect(await names(host)).toEqual(fourTools);
    expect(contentOf(await host.call('search_memory', { query: 'anything' }))).toMatchObject({
      memories: [],
      evidence: 'none',
    });
    expect(contentOf(await host.call('clarify', { question: 'Which one?' }))).toMatchObject({ status: 'ask_in_reply' });
  });
});

describe('hostile input', () => {
  it('[T6] never ends the process, and is answered where there is something to answer', async () => {
    const server = raw();
    server.send(initialize('2025-11-25'));
    await server.answer('hello');
    server.send({ method: 'notifications/initialized' });
    const frames = [
      'not json at all',
      '',
      '{}',
      '[]',
      'null',
      '"text"',
      '42',
      '{"jsonrpc":"2.0"}',
      '{"jsonrpc":"2.0","id":7}',
      '{"jsonrpc":"1.0","id":8,"method":"tools/list"}',
      '{"jsonrpc":"2.0","id":{},"method":"tools/list"}',
      '{"jsonrpc":"2.0","id":9,"method":17}',
      '{"jsonrpc":"2.0","id":10,"method":"tools/call","params":null}',
      '{"jsonrpc":"2.0","id":11,"method":"tools/call","params":[]}',
      '{"jsonrpc":"2.0","id":12,"method":"__proto__"}',
      '{"jsonrpc":"2.0","id":13,"result":{}}',
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":999}}',
      '{"jsonrpc":"2.0","method":"notifications/progress","params":{}}',
      '[{"jsonrpc":"2.0","id":14,"method":"tools/list"}]',
      `{"jsonrpc":"2.0","id":15,"method":"tools/call","params":{"name":"search_memory","arguments":{"query":${'['.repeat(50_000)}${']'.repeat(50_000)}}}}`,
      '\u0000\u0001\ufffd',
    ];
    for (const frame of frames) server.write(frame);
    const calls = [
      { name: 'search_memory', arguments: { query: 'x', limit: null } },
      { name: 'search_memory', arguments: [] },
      { name: 'search_memory', arguments: 'query' },
      { name: 17, arguments: {} },
      { name: 'search_memory', arguments: { query: 'x'.repeat(11_000_000) } },
      { name: 'search_memory', arguments: { query: '\u0000' } },
      { name: '\u202e\u0000', arguments: {} },
      { name: 'x'.repeat(100_000), arguments: {} },
      { name: 'search_memory', arguments: JSON.parse('{"__proto__":{"query":"x"}}') as unknown },
    ];
    calls.forEach((params, place) => server.send({ id: `call-${place}`, method: 'tools/call', params }));
    for (const place of calls.keys()) {
      const answer = await server.answer(`call-${place}`);
      const isFailure = 'error' in answer || resultOf(answer)['isError'] === true;
      expect([place, isFailure]).toEqual([place, true]);
      expect(JSON.stringify(answer)).not.toMatch(/\n\s+at |select |insert |node_modules|\.ts:\d/i);
      expect(JSON.stringify(answer).length).toBeLessThan(2_000);
    }
    server.send({ id: 'unknown', method: 'no/such/method' });
    expect(await server.answer('unknown')).toMatchObject({ error: { code: -32601 } });
    server.send({ id: 'tools', method: 'tools/list' });
    expect(toolsIn(await server.answer('tools'))).toEqual(fourTools);
    expect(await endedBy(server)).toBe(0);
    expectOnlyProtocol(server);
  });
});

describe('the end', () => {
  it('comes with the end of input, also before any message', async () => {
    const server = raw();
    expect(await endedBy(server)).toBe(0);
    expect(server.lines).toEqual([]);
  });

  it('comes after the answers to what was asked before it', async () => {
    const server = raw();
    server.send(initialize('2025-11-25'));
    server.send({ method: 'notifications/initialized' });
    server.send({ id: 'tools', method: 'tools/list' });
    expect(await endedBy(server)).toBe(0);
    expect(toolsIn(await server.answer('tools'))).toEqual(fourTools);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('comes with %s, and leaves the data folder free', async (signal) => {
    const server = raw();
    server.send(initialize('2025-11-25'));
    server.send({ id: 'tools', method: 'tools/list' });
    await server.answer('tools');
    server.process.kill(signal);
    expect([0, signal === 'SIGTERM' ? 143 : 130]).toContain(await server.exited);
    const next = raw();
    next.send(initialize('2025-11-25'));
    next.send({ id: 'tools', method: 'tools/list' });
    expect(toolsIn(await next.answer('tools'))).toEqual(fourTools);
    expect(await endedBy(next)).toBe(0);
  });

  it('comes when the host is gone without a word', async () => {
    const server = raw();
    server.send(initialize('2025-11-25'));
    await server.answer('hello');
    server.process.stdin?.destroy();
    server.process.stdout?.destroy();
    const late = new Promise((resolve) => setTimeout(() => resolve('late'), 10_000).unref());
    expect(await Promise.race([server.exited, late])).not.toBe('late');
  });
});
