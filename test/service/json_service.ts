// A service on this machine that answers JSON requests, as well or as badly as a test asks.

import { createServer } from 'node:http';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';

/** A request as the service got it. */
export interface SeenRequest<Body> {
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Body;
  readonly at: number;
}

/** What the service does with each request. */
export type Answer<Body> = (response: ServerResponse, request: SeenRequest<Body>, count: number) => void;

/** A running service. */
export interface JsonService<Body> {
  /** Its address without a path. */
  readonly origin: string;
  readonly seen: readonly SeenRequest<Body>[];
  close(): void;
}

/** Starts a service on a free port of the loopback address. */
export async function jsonService<Body>(answer: Answer<Body>): Promise<JsonService<Body>> {
  const seen: SeenRequest<Body>[] = [];
  const server = createServer((incoming, response) => {
    let text = '';
    incoming.on('data', (part) => (text += String(part)));
    incoming.on('end', () => {
      const request = { url: incoming.url, headers: incoming.headers, body: JSON.parse(text), at: performance.now() };
      seen.push(request);
      answer(response, request, seen.length);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    seen,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
