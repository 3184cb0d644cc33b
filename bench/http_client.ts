// A client that costs as little as a client can: one connection, one request at a time, by hand in either era.

import { Agent, request } from 'node:http';

/** The eras that are measured. */
export const eras = ['newer', 'older'] as const;
export type Era = (typeof eras)[number];

/** A client that has greeted where its era wants it. */
export interface BenchClient {
  /** Asks, and gives the result. Rejects for an error. */
  ask(method: string, params?: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>;
  close(): void;
}

const clientInfo = { name: 'bench', version: '1' };
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': clientInfo,
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Connects a client; `token` null where there is no sign-in. */
export async function openBenchClient(to: {
  readonly url: string;
  readonly era: Era;
  readonly token: string | null;
}): Promise<BenchClient> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const { hostname, port, pathname: path } = new URL(to.url);
  const fixed: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(to.token === null ? {} : { authorization: `Bearer ${to.token}` }),
  };
  const send = (body: string, headers: Readonly<Record<string, string>>) =>
    new Promise<{ readonly text: string; readonly session: string | undefined }>((resolve, reject) => {
      const length = { 'content-length': String(Buffer.byteLength(body)) };
      const options = { agent, hostname, port, path, method: 'POST', headers: { ...fixed, ...length, ...headers } };
      const asked = request(options, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.once('end', () => {
          const session = response.headers['mcp-session-id'];
          resolve({ text, session: typeof session === 'string' ? session : undefined });
        });
        response.once('error', reject);
      });
      asked.once('error', reject);
      asked.end(body);
    });
  let id = 0;
  const message = (method: string, params: object) => JSON.stringify({ jsonrpc: '2.0', id: (id += 1), method, params });
  const session = to.era === 'newer' ? undefined : await greet(send, message);
  if (session !== undefined) Object.assign(fixed, { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' });
  return {
    async ask(method, params = {}) {
      if (session !== undefined) return resultIn((await send(message(method, params), {})).text);
      const whole = { ...params, _meta: { ...Object(params['_meta']), ...envelope } };
      const name = params['name'] ?? params['uri'];
      const named = typeof name === 'string' ? { 'mcp-name': name } : {};
      const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...named };
      return resultIn((await send(message(method, whole), headers)).text);
    },
    close: () => agent.destroy(),
  };
}

async function greet(
  send: (
    body: string,
    headers: Readonly<Record<string, string>>,
  ) => Promise<{ readonly text: string; readonly session: string | undefined }>,
  message: (method: string, params: object) => string,
): Promise<string> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const { session, text } = await send(message('initialize', params), {});
  if (session === undefined) throw new Error(`no session: ${text}`);
  const headers = { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' };
  await send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }), headers);
  return session;
}

function resultIn(text: string): Readonly<Record<string, unknown>> {
  const json = text.startsWith('{') ? text : (text.split('\n').findLast((line) => line.startsWith('data: {')) ?? '');
  const { result } = JSON.parse(json.replace(/^data: /, '') || '{}') as { result?: Record<string, unknown> };
  if (result === undefined || result['isError'] === true) throw new Error(`a request failed: ${text}`);
  return result;
}
