// What bounds a request over HTTP: the size and form of a body, the time it may take to come, how many run, and the stop.
import { request } from 'node:http';
import { connect as connectSocket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { MemoryManager } from '../../src/manager/manager.ts';
import { usualLimits } from '../../src/transport/http_limits.ts';
import { openFixture, type Fixture } from '../fixture.ts';
import { newerEnvelope, until } from '../protocol/harness.ts';
import {
  beginSession,
  jane,
  messagesOf,
  openHttp,
  tokenOf,
  type HttpFixture,
  type HttpFixtureOptions,
} from './harness.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture({ seeds: ['acme_policy.json', 'globex.json'] });
});
afterAll(() => fixture.close());

const opened: HttpFixture[] = [];
afterEach(async () => {
  for (const served of opened.splice(0)) await served.close();
});

async function serve(options: HttpFixtureOptions = {}, manager: MemoryManager = fixture.manager): Promise<HttpFixture> {
  const served = await openHttp({ ...fixture, manager }, options);
  opened.push(served);
  return served;
}

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: newerEnvelope } };
const megabyte = 2 ** 20;

/** Sends a body in parts, its length told or not, and gives the status. */
function statusOfBody(served: HttpFixture, parts: readonly string[], isTold: boolean): Promise<number | undefined> {
  const length = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    authorization: `Bearer ${tokenOf()}`,
    ...(isTold ? { 'content-length': length } : { 'transfer-encoding': 'chunked' }),
  };
  return new Promise((resolve, reject) => {
    const asked = request(served.url, { method: 'POST', headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asked.on('error', reject);
    for (const part of parts) asked.write(part);
    asked.end();
  });
}

/** Speaks bytes to a server, and gives what it says until it closes. */
function speak(
  served: HttpFixture,
  text: string,
): { readonly said: Promise<string>; write(more: string): void; end(): void } {
  const socket = connectSocket(served.server.port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(text);
  const said = new Promise<string>((resolve) => {
    let heard = '';
    socket.setEncoding('utf8').on('data', (part: string) => (heard += part));
    socket.once('close', () => resolve(heard));
  });
  return { said, write: (more) => void socket.write(more), end: () => socket.destroy() };
}

/** A manager whose lists hang until they are let go. */
function gated(): { readonly manager: MemoryManager; readonly started: string[]; readonly letGo: () => void } {
  const started: string[] = [];
  const waiting: (() => void)[] = [];
  const manager: MemoryManager = {
    ...fixture.manager,
    async listTools(call) {
      started.push(call.scope.tenantId);
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        call.signal?.addEventListener('abort', () => resolve());
      });
      return [];
    },
  };
  const letGo = () => {
    for (const go of waiting.splice(0)) go();
  };
  return { manager, started, letGo };
}

const gate = (more: Partial<typeof usualLimits.gate>) => ({ limits: { gate: { ...usualLimits.gate, ...more } } });

describe('a body', () => {
  it('that is too large is answered as such, its length told or not, and the server goes on', async () => {
    const served = await serve();
    const large = Array.from({ length: 5 }, () => 'x'.repeat(megabyte));
    for (const isTold of [true, false]) expect(await statusOfBody(served, large, isTold)).toBe(413);
    const nearly = ['"', 'x'.repeat(4 * megabyte - 2), '"'];
    expect(await statusOfBody(served, nearly, false)).toBe(400);
    expect((await served.post(list)).status).toBe(200);
  });

  it('that is large has to wait until others of its tenant are whole, and small ones need not', async () => {
    const served = await serve({ limits: { largeOfTenant: 1 } });
    const begun = speak(
      served,
      `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${tokenOf()}\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{`,
    );
    await until(() => served.server.counts().exchanges === 1);
    const large = ['"', 'x'.repeat(100_000), '"'];
    expect(await statusOfBody(served, large, true)).toBe(429);
    expect((await served.post(list)).status).toBe(200);
    begun.end();
    await until(() => served.server.counts().exchanges === 0);
    expect(await statusOfBody(served, large, false)).toBe(400);
  });

  it('that is no JSON, no message or nested without end is a wrong request, in both eras', async () => {
    const served = await serve();
    const session = { 'mcp-session-id': await beginSession(served.url) };
    const bodies = [
      '',
      '{',
      'null',
      '7',
      '"tools/list"',
      '[]',
      '[[]]',
      '{}',
      '{"jsonrpc":"2.0"}',
      '{"jsonrpc":"1.0","id":1,"method":"tools/list"}',
      '{"jsonrpc":"2.0","id":{},"method":"tools/list"}',
      '{"jsonrpc":"2.0","id":1,"method":7}',
      '[1,2,3]',
      '['.repeat(100_000),
      `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
      `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`,
      JSON.stringify(Array.from({ length: 101 }, () => ({ jsonrpc: '2.0', id: 1, method: 'ping' }))),
      '{"__proto__":{"method":"initialize"}}',
      '\\"'.repeat(1_000_000),
      `"${'['.repeat(1_000)}`,
    ];
    for (const body of bodies) {
      for (const headers of [{}, session, { 'mcp-protocol-version': '2026-07-28' }]) {
        const response = await served.post(body, { headers });
        const told = { body: body.slice(0, 60), headers, status: response.status };
        const text = await response.text();
        // A message may also be well-formed and wrong: then its own answer says so.
        if (response.status === 200)
          expect({ ...told, text }).toMatchObject({ text: expect.stringContaining('"error"') });
        else expect(told).toMatchObject({ status: 400 });
        expect(text).not.toMatch(/at .*\.(?:ts|js|mjs)|node_modules|RangeError/);
      }
    }
    expect((await served.post(list)).status).toBe(200);
  }, 30_000);

  it('of another type, or compressed, is refused', async () => {
    const served = await serve();
    expect((await served.post(list, { headers: { 'content-type': 'text/plain' } })).status).toBe(415);
    expect((await served.post(list, { headers: { 'content-type': 'application/jsonp' } })).status).toBe(415);
    expect((await served.post(list, { headers: { 'content-encoding': 'gzip' } })).status).toBe(415);
    const put = await fetch(served.url, { method: 'PUT', headers: { authorization: `Bearer ${tokenOf()}` } });
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'POST, GET, DELETE']);
  });

  it('that is not UTF-8 is refused', async () => {
    const served = await serve();
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${tokenOf()}` };
    const body = Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","id":1,"method":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}'),
    ]);
    expect((await fetch(served.url, { method: 'POST', headers, body })).status).toBe(400);
  });
});

describe('a request that hardly comes', () => {
  it('is ended when its head takes too long, and when its body does', async () => {
    const served = await serve({ limits: { headersMs: 200, requestMs: 400 } });
    const head = speak(served, 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Slow: ');
    const drip = setInterval(() => head.write('a'), 20);
    const body = speak(
      served,
      `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${tokenOf()}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
    );
    const both = await Promise.all([head.said, body.said]);
    clearInterval(drip);
    for (const said of both) expect(said).toMatch(/^(?:HTTP\/1\.1 408|$)/);
    await until(() => served.server.counts().exchanges === 0);
    expect((await served.post(list)).status).toBe(200);
  });

  it('is garbage, and nothing more than that connection ends', async () => {
    const served = await serve();
    expect(await speak(served, 'nonsense\r\n\r\n').said).toContain('400');
    expect(
      await speak(served, `GET /mcp HTTP/1.1\r\nHost: localhost\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`).said,
    ).toContain('431');
    expect((await served.post(list)).status).toBe(200);
  });
});

describe('many at once', () => {
  it('a tenant with too many in line is told so, and when to come again; another one is served', async () => {
    const { manager, started, letGo } = gated();
    const served = await serve(gate({ runningOfTenant: 2, waitingOfTenant: 3, running: 4 }), manager);
    const asked = Array.from({ length: 8 }, () => served.post(list));
    await until(() => served.server.counts().exchanges === 5);
    expect(started).toEqual(['acme', 'acme']);
    const other = served.post(list, { identity: { ...jane, tenant: 'globex' } });
    await until(() => started.includes('globex'));
    await until(() => {
      letGo();
      return served.server.counts().exchanges === 0;
    });
    const answers = await Promise.all(asked);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(3);
    expect(answers.find(({ status }) => status === 429)?.headers.get('retry-after')).toBe('1');
    expect((await other).status).toBe(200);
    expect(served.server.counts()).toMatchObject({ running: 0, waiting: 0, tenants: 0 });
  });

  it('whoever waits too long is told that the server is busy', async () => {
    const { manager, letGo } = gated();
    const served = await serve(gate({ running: 1, waitMs: 50 }), manager);
    const first = served.post(list);
    await until(() => served.server.counts().running === 1);
    const second = await served.post(list, { identity: { ...jane, tenant: 'globex' } });
    expect([second.status, second.headers.get('retry-after')]).toEqual([503, '2']);
    letGo();
    expect((await first).status).toBe(200);
  });

  it('whoever waits for a person lends the place to others', async () => {
    const served = await serve({ ...gate({ running: 1 }), clarifyDeadlineMs: 3_000 });
    let answer: (value: { action: 'decline' }) => void = () => {};
    const host = await served.host('older', jane, () => new Promise((resolve) => (answer = resolve)));
    const asked = host.call('clarify', { question: 'Which?', options: ['a', 'b'] });
    await until(() => served.server.counts().running === 0 && served.log.lines.length > 0);
    expect((await served.post(list)).status).toBe(200);
    answer({ action: 'decline' });
    expect((await asked).structuredContent).toMatchObject({ status: 'declined' });
  });
});

describe('the stop', () => {
  it('lets what runs come to its end, takes nothing more, and ends streams and sessions', async () => {
    const { manager, started, letGo } = gated();
    const served = await serve({}, manager);
    const session = await beginSession(served.url);
    const stream = await fetch(served.url, {
      headers: { accept: 'text/event-stream', authorization: `Bearer ${tokenOf()}`, 'mcp-session-id': session },
    });
    const params = { notifications: { toolsListChanged: true }, _meta: newerEnvelope };
    const listening = await served.post({ jsonrpc: '2.0', id: 9, method: 'subscriptions/listen', params });
    const running = served.post(list);
    await until(() => started.length === 1);
    const closed = served.server.close();
    await until(async () => (await fetch(served.url).catch(() => null)) === null);
    letGo();
    const [answer] = await messagesOf(await running);
    expect(answer).toMatchObject({ result: { tools: [] } });
    await closed;
    expect(await stream.text()).toBe('');
    expect(JSON.stringify(await messagesOf(listening))).toContain('"resultType":"complete"');
    expect(served.server.counts()).toEqual({ exchanges: 0, sessions: 0, tenants: 0, running: 0, waiting: 0 });
  });

  it('does not wait for ever for what hangs', async () => {
    const { manager, started } = gated();
    const served = await serve({ limits: { drainMs: 100 } }, manager);
    const running = served.post(list).then(
      ({ status }) => status,
      () => 'broken off',
    );
    await until(() => started.length === 1);
    await served.server.close();
    expect([499, 'broken off']).toContain(await running);
  });
});
