// A balancer as plain as can be: each request goes to the next server in turn; where it is told to, a session's requests
// go to where the session began.
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A balancer that listens until it is closed. */
export interface Balancer {
  readonly url: string;
  /** What newer clients asked for, and the place of the server that it went to. */
  readonly sent: readonly { readonly method: string; readonly place: number }[];
  close(): Promise<void>;
}

/** Balances over servers. `isSticky`: by `Mcp-Session-Id`. */
export async function openBalancer(
  urls: readonly string[],
  options: { readonly isSticky?: boolean } = {},
): Promise<Balancer> {
  const sent: { method: string; place: number }[] = [];
  const begunAt = new Map<string, number>();
  let turn = 0;
  const server = createServer((asked, answer) => {
    const known = options.isSticky === true ? begunAt.get(String(asked.headers['mcp-session-id'])) : undefined;
    const place = known ?? (turn += 1) % urls.length;
    sent.push({ method: String(asked.headers['mcp-method'] ?? asked.method), place });
    const onward = request(new URL(asked.url ?? '/', urls[place]), { method: asked.method, headers: asked.headers });
    onward.once('response', (response) => {
      const session = response.headers['mcp-session-id'];
      if (typeof session === 'string') begunAt.set(session, place);
      answer.writeHead(response.statusCode ?? 502, response.headers);
      answer.flushHeaders();
      response.pipe(answer);
      response.once('error', () => answer.destroy());
    });
    onward.once('error', () => answer.destroy());
    answer.once('close', () => onward.destroy());
    asked.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    sent,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
