// How an answer leaves: at the pace of whoever reads it, its head held back as long as it may still be another answer.

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

/** An answer's bounds. */
export interface Sending {
  /** Aborted when the client has gone, or is not to get more. */
  readonly signal: AbortSignal;
  /** How long a client may read nothing. */
  readonly stallMs: number;
  /** Asked once, before anything is sent: what to answer in place of it, or null. */
  readonly instead: () => Response | null;
  /** True: nothing is sent before the first part of the body is there. */
  readonly isHeld: boolean;
}

/** Sends an answer to its end, and gives its status; never rejects. */
export async function send(to: ServerResponse, answer: Response, sending: Sending): Promise<number> {
  try {
    if (!isEventStream(answer)) return await sendWhole(to, sending.instead() ?? answer);
    return await sendStream(to, answer, sending);
  } catch {
    // A body that breaks off ends the connection, so that nobody takes it for whole.
    to.destroy();
    return answer.status;
  }
}

function isEventStream(answer: Response): boolean {
  return answer.body !== null && answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
}

async function sendWhole(to: ServerResponse, answer: Response): Promise<number> {
  const body = Buffer.from(await answer.arrayBuffer());
  if (answer.body !== null) to.setHeader('content-length', body.length);
  writeHead(to, answer);
  to.end(body);
  return answer.status;
}

async function sendStream(to: ServerResponse, answer: Response, sending: Sending): Promise<number> {
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  const { signal } = sending;
  const giveUp = () => void reader.cancel().catch(() => {});
  if (signal.aborted) giveUp();
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    const first = sending.isHeld ? await reader.read() : undefined;
    const other = sending.instead();
    if (other !== null) {
      giveUp();
      return await sendWhole(to, other);
    }
    writeHead(to, answer);
    if (!to.destroyed) to.flushHeaders();
    await pump(to, reader, { ...sending, first });
    return answer.status;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

function writeHead(to: ServerResponse, answer: Response): void {
  if (to.headersSent || to.destroyed) return;
  // Answers are one principal's own, and what is in them is not to be guessed at.
  to.setHeader('cache-control', 'no-store');
  to.setHeader('x-content-type-options', 'nosniff');
  for (const [name, value] of answer.headers) if (name !== 'connection') to.setHeader(name, value);
  to.writeHead(answer.status);
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

async function pump(
  to: ServerResponse,
  reader: Reader,
  sending: Sending & { readonly first: Awaited<ReturnType<Reader['read']>> | undefined },
): Promise<void> {
  for (let part = sending.first ?? (await reader.read()); !part.done; part = await reader.read()) {
    if (to.destroyed) return;
    if (!to.write(part.value)) await drained(to, sending.stallMs);
  }
  to.end();
}

/** Waits until the client has read on; one that reads nothing for too long is left. */
async function drained(to: ServerResponse, stallMs: number): Promise<void> {
  const waiting = new AbortController();
  const stalled = setTimeout(() => to.destroy(), stallMs);
  const { signal } = waiting;
  try {
    await Promise.race([once(to, 'drain', { signal }), once(to, 'close', { signal })]).catch(() => {});
  } finally {
    clearTimeout(stalled);
    waiting.abort();
  }
}
