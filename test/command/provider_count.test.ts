// The provider's count: a real service on this machine, and all the ways in which one can be of no help.
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { createLog } from '../../src/log.ts';
import type { ChatRequest } from '../../src/model/window.ts';
import { createProviderCount } from '../../src/provider_count.ts';

const request: ChatRequest = {
  messages: [
    { role: 'developer', content: 'rules' },
    { role: 'user', content: 'private words' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'expand', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: 'result' },
  ],
  tools: [{ type: 'function', function: { name: 'expand', description: 'd', parameters: { type: 'object' } } }],
};

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

interface Seen {
  readonly url: string | undefined;
  readonly key: string | undefined;
  readonly body: unknown;
}

async function serve(answer: (response: ServerResponse) => void): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer((incoming: IncomingMessage, response) => {
    let body = '';
    incoming.on('data', (part) => (body += String(part)));
    incoming.on('end', () => {
      seen.push({ url: incoming.url, key: incoming.headers.authorization, body: JSON.parse(body) });
      answer(response);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  stops.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port');
  return { url: `http://127.0.0.1:${address.port}/v1`, seen };
}

function counter(url: string, deadlineMs?: number) {
  const lines: string[] = [];
  const log = createLog({ level: 'warn', write: (line) => lines.push(line) });
  return { count: createProviderCount({ url, apiKey: 'key', model: 'm' }, log, deadlineMs), lines };
}

describe('the provider count', () => {
  it('asks with the whole request in the shape of the endpoint, and gives its figure', async () => {
    const { url, seen } = await serve((response) =>
      response.end('{"object":"response.input_tokens","input_tokens":42}'),
    );
    const { count, lines } = counter(`${url}/`);
    expect(await count(request)).toBe(42);
    expect(lines).toEqual([]);
    expect(seen).toEqual([
      {
        url: '/v1/responses/input_tokens',
        key: 'Bearer key',
        body: {
          model: 'm',
          input: [
            { role: 'developer', content: 'rules' },
            { role: 'user', content: 'private words' },
            { type: 'function_call', call_id: 'call_1', name: 'expand', arguments: '{}' },
            { type: 'function_call_output', call_id: 'call_1', output: 'result' },
          ],
          tools: [
            { type: 'function', name: 'expand', description: 'd', parameters: { type: 'object' }, strict: false },
          ],
        },
      },
    ]);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['status 401', (response) => response.writeHead(401).end('{"error":"private words"}')],
    ['an answer without a count', (response) => response.end('{"input_tokens":"many"}')],
    ['an answer that is no JSON', (response) => response.end('private words')],
    ['an answer that is too long', (response) => response.end(' '.repeat(70_000))],
    ['UND_ERR_SOCKET', (response) => response.destroy()],
  ])('gives null and a warning for %s', async (reason, answer) => {
    const { url } = await serve(answer);
    const { count, lines } = counter(url);
    expect(await count(request)).toBeNull();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(reason);
    expect(lines[0]).not.toMatch(/private words|"key"/);
  });

  it('follows no redirect with the key', async () => {
    const { url: other, seen } = await serve((response) => response.end('{"input_tokens":1}'));
    const { url } = await serve((response) => response.writeHead(307, { location: `${other}/x` }).end());
    expect(await counter(url).count(request)).toBeNull();
    expect(seen).toEqual([]);
  });

  it('waits no longer than its deadline', async () => {
    const { url } = await serve(() => {});
    const { count, lines } = counter(url, 50);
    expect(await count(request)).toBeNull();
    expect(lines[0]).toContain('no answer in time');
  });
});
