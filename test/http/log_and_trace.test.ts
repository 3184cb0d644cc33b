// What an operator sees of a request: one line, and spans where somebody collects them; names and numbers, never text.
import { createHash } from 'node:crypto';
import { context, trace } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readTraceparent } from '../../src/transport/trace.ts';
import { openFixture, type Fixture } from '../fixture.ts';
import { newerEnvelope, until } from '../protocol/harness.ts';
import { beginSession, jane, openHttp, type HttpFixture, type Identity } from './harness.ts';

let fixture: Fixture;
let served: HttpFixture;
beforeAll(async () => {
  fixture = await openFixture({ seeds: ['acme_policy.json', 'corpus_research.json'] });
  served = await openHttp(fixture);
});
afterAll(async () => {
  await served.close();
  await fixture.close();
});

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
const secret = 'where is the eviction letter of my neighbour';

const search = (more: object = {}, name = 'search_memory') => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: { query: secret }, _meta: { ...newerEnvelope, ...more } },
});

const lines = () =>
  served.log.lines
    .filter(({ message }) => message === 'a request was answered')
    .map(({ detail }) => detail as Readonly<Record<string, unknown>>);

/** Sends a request and gives the line that it left. */
async function lineOf(body: unknown, options: Parameters<HttpFixture['post']>[1] = {}) {
  const before = lines().length;
  const response = await served.post(body, options);
  const text = await response.text();
  await until(() => lines().length > before);
  expect(lines()).toHaveLength(before + 1);
  return { line: lines().at(-1)!, text };
}

let users = 0;
const somebody = (): Identity => ({ ...jane, user: `logged-${(users += 1)}` });

describe('the log', () => {
  it('has one line for a call: who, what, how it ended, what it took, and nothing of what was said', async () => {
    const identity = somebody();
    const { line } = await lineOf(search(), { identity, headers: { traceparent } });
    expect(line).toEqual({
      requestId: expect.stringMatching(/^req_/),
      tenant: createHash('sha256').update('acme').digest('hex').slice(0, 12),
      method: 'tools/call',
      tool: 'search_memory',
      outcome: 'ok',
      ms: expect.any(Number),
      tokens: expect.any(Number),
      status: 200,
      traceId,
    });
    expect(line['tokens']).toBeGreaterThan(0);
    const all = JSON.stringify(served.log.lines);
    for (const word of [secret, 'eviction', 'acme', identity.user, 'Bearer', 'test.ey'])
      expect(all).not.toContain(word);
  });

  it('names a failure by its code and the id that the caller was given', async () => {
    const { line, text } = await lineOf(search({}, 'no_such_tool'));
    expect(line).toMatchObject({ tool: 'no_such_tool', outcome: 'denied', code: 'unknown_tool', status: 200 });
    expect(text).toContain(String(line['requestId']));
    const wrong = await lineOf({ ...search(), params: { ...search().params, arguments: { nothing: 1 } } });
    expect(wrong.line).toMatchObject({ outcome: 'invalid', code: 'invalid_argument' });
  });

  it('writes down no method, tool or trace that could not be one', async () => {
    const session = { 'mcp-session-id': await beginSession(served.url) };
    const body = { jsonrpc: '2.0', id: 1, method: `my text ${secret}` };
    expect((await lineOf(body, { headers: session })).line).toMatchObject({ method: '?' });
    const call = await lineOf(search({}, secret), { headers: { 'mcp-name': secret, traceparent: secret } });
    expect(call.line).toMatchObject({ tool: '?' });
    expect(call.line).not.toHaveProperty('traceId');
    expect(JSON.stringify(served.log.lines)).not.toContain(secret);
  });

  it('says how a request ended that never became a call', async () => {
    const none = await lineOf(search(), { identity: null, headers: { traceparent } });
    expect(none.line).toMatchObject({
      method: 'POST',
      outcome: 'unauthenticated',
      status: 401,
      reason: expect.any(String),
    });
    // Whoever is not signed in does not say which trace this belongs to.
    expect(none.line).not.toHaveProperty('traceId');
    expect((await lineOf('{')).line).toMatchObject({ outcome: 'invalid', status: 400 });
    expect((await lineOf(search(), { headers: { origin: 'https://evil.example' } })).line).toMatchObject({
      outcome: 'denied',
      status: 403,
    });
  });

  it('tells a call that the client gave up', async () => {
    const controller = new AbortController();
    const hanging = await openHttp({
      ...fixture,
      manager: { ...fixture.manager, callTool: () => new Promise(() => {}) },
    });
    const asked = hanging.post(search(), { signal: controller.signal }).catch(() => {});
    await until(() => hanging.server.counts().running === 1);
    controller.abort();
    await asked;
    await until(() => hanging.log.lines.some(({ message }) => message === 'a request was answered'));
    expect(hanging.log.lines.at(-1)?.detail).toMatchObject({ outcome: 'cancelled', tool: 'search_memory' });
    await hanging.close();
  });
});

describe('spans', () => {
  const exporter = new InMemorySpanExporter();
  beforeAll(() => {
    const spanProcessors = [new SimpleSpanProcessor(exporter)];
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }));
  });
  afterEach(() => exporter.reset());
  afterAll(() => {
    trace.disable();
    context.disable();
  });

  const spansOf = async (body: unknown, options: Parameters<HttpFixture['post']>[1] = {}) => {
    const { line, text } = await lineOf(body, options);
    return { line, text, spans: exporter.getFinishedSpans() };
  };

  it('are one for the request and one inside it for the call, in the trace of the client', async () => {
    const { line, spans } = await spansOf(search(), { identity: somebody(), headers: { traceparent } });
    const [call, whole] = spans;
    expect(spans.map(({ name }) => name)).toEqual(['tools/call search_memory', 'POST /mcp']);
    expect(whole?.parentSpanContext?.spanId).toBe('00f067aa0ba902b7');
    expect(call?.parentSpanContext?.spanId).toBe(whole?.spanContext().spanId);
    expect([whole?.spanContext().traceId, call?.spanContext().traceId, line['traceId']]).toEqual([
      traceId,
      traceId,
      traceId,
    ]);
    expect(whole?.attributes).toMatchObject({ 'http.response.status_code': 200, 'memory.outcome': 'ok' });
    expect(call?.attributes).toMatchObject({ 'gen_ai.tool.name': 'search_memory', 'memory.tokens': line['tokens'] });
    const told = JSON.stringify(spans.map(({ name, attributes, events }) => ({ name, attributes, events })));
    for (const word of [secret, 'eviction', 'acme', 'logged-']) expect(told).not.toContain(word);
  });

  it('take the trace from the message where the newer era puts it', async () => {
    const { spans } = await spansOf(search({ traceparent }), { identity: somebody() });
    expect(spans.map((span) => span.spanContext().traceId)).toEqual([traceId, traceId]);
  });

  it('begin a trace where the client has none, and the log names it', async () => {
    const { line, spans } = await spansOf(search(), { identity: somebody(), headers: { traceparent: '00-0-0-0' } });
    expect(line['traceId']).toMatch(/^[0-9a-f]{32}$/);
    expect(line['traceId']).toBe(spans[0]?.spanContext().traceId);
  });

  it('say what failed by its code', async () => {
    const { spans } = await spansOf(search({}, 'no_such_tool'));
    expect(spans[0]?.attributes).toMatchObject({ 'error.type': 'unknown_tool', 'memory.outcome': 'denied' });
  });
});

describe('traceparent', () => {
  it('is read as W3C writes it, and as nothing else', () => {
    expect(readTraceparent(traceparent)).toEqual({
      traceId,
      spanId: '00f067aa0ba902b7',
      traceFlags: 1,
      isRemote: true,
    });
    // A later version may say more.
    expect(readTraceparent(`${traceparent.replace('00-', '01-')}-more`)).toMatchObject({ traceId });
    const wrong = [
      undefined,
      7,
      '',
      traceparent.toUpperCase(),
      `ff${traceparent.slice(2)}`,
      `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
      `00-${traceId}-${'0'.repeat(16)}-01`,
      traceparent.slice(1),
    ];
    for (const text of wrong) expect(readTraceparent(text)).toBeNull();
  });
});
