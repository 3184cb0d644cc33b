// A service on this machine that speaks the protocol of chat completions, as well or as badly as a test asks.

import { createServer } from 'node:http';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';

/** A request as the service got it. */
export interface SeenRequest {
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: { readonly model: string; readonly messages: readonly { role: string; content: string }[] };
  readonly at: number;
}

/** What the service does with each request. */
export type Answer = (response: ServerResponse, request: SeenRequest, count: number) => void;

/** A running service. */
export interface ChatService {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
  close(): void;
}

/** Starts a service on a free port of the loopback address. */
export async function chatService(answer: Answer): Promise<ChatService> {
  const seen: SeenRequest[] = [];
  const server = createServer((incoming, response) => {
    let text = '';
    incoming.on('data', (part) => (text += String(part)));
    incoming.on('end', () => {
      const body: SeenRequest['body'] = JSON.parse(text);
      const request = { url: incoming.url, headers: incoming.headers, body, at: performance.now() };
      seen.push(request);
      answer(response, request, seen.length);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port');
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    seen,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A completion that says this. */
export function completion(content: unknown, finishReason = 'stop'): string {
  return JSON.stringify({
    id: 'c',
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: finishReason }],
  });
}
