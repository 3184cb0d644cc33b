// Whatever comes over HTTP: messages, headers and bytes that no client would send end in an answer or with their own
// connection, tell nothing, and leave nothing behind. FUZZ_RUNS sets how many of each (default 400).
import { connect as connectSocket } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openIdentityProvider, type IdentityProvider } from '../auth/identity_provider.ts';
import { audience, openVerifier } from '../auth/verifier.ts';
import { openFixture, type Fixture } from '../fixture.ts';
import { newerEnvelope } from '../protocol/harness.ts';
import { messagesOf, openHttp, type HttpFixture, type PostOptions } from './harness.ts';
import { loadSeeds, wordsIn } from './load_tenants.ts';

const numRuns = Number(process.env['FUZZ_RUNS'] ?? 400);
const seed = 20260928;
vi.setConfig({ testTimeout: 120_000 + numRuns * 200 });

let provider: IdentityProvider;
let fixture: Fixture;
let served: HttpFixture;
let authorization = '';
let session = '';

const post = (text: string, headers: PostOptions['headers'] = {}) =>
  served.post(text, { identity: null, headers: { authorization, ...headers } });

beforeAll(async () => {
  provider = await openIdentityProvider();
  fixture = await openFixture({ seeds: [] });
  await fixture.operator.seed(loadSeeds, { requestId: 'seed' });
  const judge = openVerifier(provider, { clock: Date.now });
  served = await openHttp(fixture, { judge, limits: { requestMs: 3_000, headersMs: 2_000 }, clarifyDeadlineMs: 200 });
  authorization = `Bearer ${await provider.sign({ aud: audience, sub: 'somebody', tenant_id: 'aspen' })}`;
  const greeting = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'hand', version: '1' } };
  const greeted = await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: greeting }));
  await greeted.text();
  session = greeted.headers.get('mcp-session-id') ?? '';
});
afterAll(async () => {
  await served.close();
  await fixture.close();
  await provider.close();
});

const methods = [
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/read',
  'resources/templates/list',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'server/discover',
  'subscriptions/listen',
  'initialize',
  'ping',
  'logging/setLevel',
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/progress',
];

const name = fc.oneof(
  fc.constantFrom('search_memory', 'clarify', 'context_window', 'memory://guidelines', 'memory://manifests/../x'),
  fc.constantFrom('__proto__', 'constructor', '', 'memory://', '%00', '\u202e', 'x'.repeat(5_000)),
  fc.string({ unit: 'binary', maxLength: 20 }),
);
const id = fc.oneof(
  fc.constantFrom<unknown>(1, 0, -1, 1e308, 2 ** 53 + 2, 1.5, null, true, '', 'x'.repeat(10_000), {}, []),
  fc.integer(),
  fc.string(),
);
const nested = fc.integer({ min: 1, max: 250 }).map((levels) => {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
});
const anything = fc.oneof({ weight: 4, arbitrary: fc.jsonValue({ maxDepth: 3 }) }, { weight: 1, arbitrary: nested });
const meta = fc.oneof(
  fc.constant<unknown>(newerEnvelope),
  fc.record({ progressToken: id }),
  fc.record({ 'io.modelcontextprotocol/protocolVersion': anything, 'context-assembly-memory/thread_id': anything }),
  fc.record(
    Object.fromEntries(
      Object.entries(newerEnvelope).map(([key, value]) => [key, fc.oneof(fc.constant<unknown>(value), anything)]),
    ),
  ),
  anything,
);
const params = fc.oneof(
  anything,
  fc.record(
    {
      name,
      uri: name,
      cursor: anything,
      arguments: fc.oneof(
        fc.record({ query: anything, question: anything, limit: anything, intent: anything }),
        anything,
      ),
      ref: fc.oneof(
        fc.record({ type: fc.constantFrom('ref/prompt', 'ref/resource', 'ref/x'), name, uri: name }),
        anything,
      ),
      argument: fc.oneof(fc.record({ name, value: name }), anything),
      requestState: anything,
      inputResponses: anything,
      notifications: anything,
      requestId: id,
      protocolVersion: fc.oneof(fc.constantFrom('2025-11-25', '1999-01-01'), anything),
      _meta: meta,
    },
    { requiredKeys: [] },
  ),
);
const message = fc.record(
  {
    jsonrpc: fc.oneof({ weight: 9, arbitrary: fc.constant<unknown>('2.0') }, { weight: 1, arbitrary: anything }),
    id,
    method: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom<unknown[]>(...methods) },
      { weight: 1, arbitrary: anything },
    ),
    params,
    result: anything,
  },
  { requiredKeys: ['jsonrpc'] },
);

/** A text that was one JSON value, cut or changed at a place. */
const broken = fc.tuple(message, fc.nat(), fc.string({ maxLength: 3 })).map(([value, at, text]) => {
  const json = JSON.stringify(value);
  return `${json.slice(0, at % json.length)}${text}${json.slice((at % json.length) + text.length)}`;
});

const body = fc.oneof(
  { weight: 6, arbitrary: message.map((value) => JSON.stringify(value)) },
  { weight: 2, arbitrary: fc.array(message, { maxLength: 8 }).map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: anything.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: broken },
);

/** What may stand in a header at all. */
const headerText = fc.oneof(
  fc.constantFrom(
    '',
    '2026-07-28',
    '2025-11-25',
    '1999-01-01',
    'tools/call',
    'search_memory',
    '*/*',
    'text/html',
    '=?base64?!?=',
  ),
  fc.string({ unit: fc.constantFrom(...'abcXYZ019 -/;,=?*"%'.split('')), maxLength: 40 }).map((text) => text.trim()),
);
const headers = fc.record(
  {
    'mcp-protocol-version': headerText,
    'mcp-method': headerText,
    'mcp-name': headerText,
    'mcp-session-id': fc.oneof(fc.constant('SESSION'), headerText),
    accept: headerText,
    'content-type': fc.oneof({ weight: 4, arbitrary: fc.constant('application/json; charset=utf-8') }, headerText),
    'last-event-id': headerText,
    traceparent: headerText,
    'transfer-encoding': fc.constant('chunked'),
    origin: fc.oneof({ weight: 4, arbitrary: fc.constant('http://localhost:1') }, headerText),
  },
  { requiredKeys: [] },
);

/** The headers that a client of the newer era would send with this text, as far as it is a message. */
function fittingHeaders(text: string): Record<string, string> {
  const said = /"method":"([\w/]+)"/.exec(text)?.[1];
  const named = /"(?:name|uri)":"([\w:/.]*)"/.exec(text)?.[1];
  return {
    'mcp-protocol-version': '2026-07-28',
    ...(said === undefined ? {} : { 'mcp-method': said }),
    ...(named === undefined ? {} : { 'mcp-name': named }),
  };
}

/** Refusals that are meant; a 500 is not. */
const statuses = [200, 202, 204, 400, 401, 403, 404, 405, 406, 408, 413, 415, 422, 429, 431, 503];
const innards = /node_modules|\.(?:ts|mjs|js):\d+|at async |TypeError|RangeError|select .* from|memory\.\w+_memory/i;

function expectHarmless(status: number, text: string): void {
  expect(statuses).toContain(status);
  expect(text).not.toMatch(innards);
  expect(wordsIn(text).filter((word) => word !== 'zqaspen')).toEqual([]);
  // A failure inside tells so by its code, and it is none of these messages' doing. The protocol's package calls wrong
  // parameters by the same number, with the list of what is wrong with them as its message.
  expect(text).not.toContain('"internal"');
  expect(text.replaceAll(/-32603,"message":"\[\\n/g, '')).not.toContain('-32603');
}

/** A stream has no end of its own: what it says within a moment counts. */
async function heard(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return '';
  const decoder = new TextDecoder();
  let text = '';
  const timer = setTimeout(() => void reader.cancel().catch(() => {}), 1_000);
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      text += decoder.decode(part.value, { stream: true });
      if (text.includes('subscriptions/acknowledged')) await reader.cancel();
    }
  } catch {
    // It was given up.
  } finally {
    clearTimeout(timer);
  }
  return text;
}

async function expectAlive(): Promise<void> {
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: newerEnvelope } };
  const [answer] = await messagesOf(
    await post(JSON.stringify(list), { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }),
  );
  expect(answer).toMatchObject({ id: 1, result: { tools: expect.any(Array) } });
  await expect
    .poll(() => ({ ...served.server.counts(), sessions: 0 }), { timeout: 10_000 })
    .toEqual({ exchanges: 0, sessions: 0, tenants: 0, running: 0, waiting: 0 });
}

describe('messages that no client would send', () => {
  it('[T1,T6] are answered or refused, in whatever headers they come', async () => {
    expect.hasAssertions();
    const property = fc.asyncProperty(body, headers, fc.boolean(), async (text, given, fits) => {
      const { 'transfer-encoding': _, ...rest } = given;
      const own = Object.entries(rest).map(([key, value]) => [key, value.replace('SESSION', session)] as const);
      const response = await post(text, fits ? fittingHeaders(text) : Object.fromEntries(own));
      expectHarmless(response.status, await heard(response));
    });
    await fc.assert(property, { seed, numRuns });
    await expectAlive();
  });

  it('[T1] of the older era leave its session as it was', async () => {
    const property = fc.asyncProperty(body, async (text) => {
      const response = await post(text, { 'mcp-session-id': session });
      expectHarmless(response.status, await heard(response));
    });
    await fc.assert(property, { seed, numRuns });
    const again = await post('{"jsonrpc":"2.0","id":7,"method":"tools/list"}', { 'mcp-session-id': session });
    expect((await messagesOf(again)).at(-1)).toMatchObject({ id: 7, result: { tools: expect.any(Array) } });
    await expectAlive();
  });
});

/** Sends bytes, and gives what is said until the server closes. */
function speak(bytes: Buffer): Promise<string> {
  const socket = connectSocket({ port: served.server.port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => {});
  socket.write(bytes);
  // No more comes; a server that waits for more is left after a moment.
  const timer = setTimeout(() => socket.end(), 100);
  const last = setTimeout(() => socket.destroy(), 5_000);
  return new Promise((resolve) => {
    let said = '';
    socket.setEncoding('latin1').on('data', (part: string) => (said += part));
    socket.once('end', () => socket.end());
    socket.once('close', () => {
      clearTimeout(timer);
      clearTimeout(last);
      resolve(said);
    });
  });
}

describe('bytes that are no request', () => {
  const whole = () => {
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: newerEnvelope } });
    const head = [
      'POST /mcp HTTP/1.1',
      'Host: localhost',
      `Authorization: ${authorization}`,
      'Content-Type: application/json',
      'Accept: application/json, text/event-stream',
      'Mcp-Protocol-Version: 2026-07-28',
      'Mcp-Method: tools/list',
      'Connection: close',
      `Content-Length: ${Buffer.byteLength(text)}`,
    ];
    return Buffer.from(`${head.join('\r\n')}\r\n\r\n${text}`);
  };
  /** Bytes put in place of some, or between them. */
  const changes = fc.array(fc.record({ at: fc.nat(), drop: fc.nat(8), put: fc.uint8Array({ maxLength: 8 }) }), {
    minLength: 1,
    maxLength: 3,
  });

  it('[T1] end their own connection at most', async () => {
    expect(await speak(whole())).toMatch(/^HTTP\/1\.1 200 /);
    const property = fc.asyncProperty(changes, fc.nat(), async (given, cut) => {
      let bytes = whole();
      for (const { at, drop, put } of given) {
        const place = at % bytes.length;
        bytes = Buffer.concat([bytes.subarray(0, place), put, bytes.subarray(place + drop)]);
      }
      const said = await speak(cut % 4 === 0 ? bytes.subarray(0, cut % bytes.length) : bytes);
      const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(said) ?? [];
      if (status !== undefined) expectHarmless(Number(status), said);
    });
    await fc.assert(property, { seed, numRuns: Math.ceil(numRuns / 3) });
    await expectAlive();
  });
});
