// MCP over standard input and output (design T1): one connection, whose first message decides the era.

import { PassThrough } from 'node:stream';
import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { McpDependencies } from './call_context.ts';
import { createMcpServer } from './mcp.ts';
import { wireProblem } from './wire_problem.ts';

/** Larger messages end the connection; arguments are refused long before, with an answer. */
const maxMessageBytes = 32 * 1024 * 1024;
/** How long requests that came before the end of input may still be answered. */
const drainDeadlineMs = 30_000;

/** What serving over stdio needs beside the MCP side itself. */
export interface StdioDependencies extends McpDependencies {
  /** Called once, when nothing more can come or go: close the store and end the process here. */
  readonly onClose: () => void;
  /** Where the client is: at the ends of two streams, or in the same process. */
  readonly channel: Transport | { readonly input: Readable; readonly output: Writable };
}

/** A connection that is being served. */
export interface StdioConnection {
  /** Ends it as the end of input does, without waiting for answers. */
  close(): Promise<void>;
}

/** Serves one client; nothing but the protocol is written to its output. */
export function serveStdioTransport(dependencies: StdioDependencies): StdioConnection {
  const { log, channel } = dependencies;
  const input = new PassThrough();
  const streams = 'output' in channel ? channel : null;
  const transport =
    'output' in channel ? new StdioServerTransport(input, channel.output, { maxBufferSize: maxMessageBytes }) : channel;
  const served = serveStdio(
    ({ era }) => {
      // Only a newer client may be a mere probe that asks for nothing else: it does not open the store.
      if (era === 'legacy') setImmediate(() => void dependencies.manager().catch(() => {}));
      return createMcpServer(dependencies);
    },
    { transport, onerror: (error) => log.warn({ problem: wireProblem(error) }, 'a message could not be served') },
  );
  const closeWire = transport.onclose;
  let isClosed = false;
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a Transport is no EventTarget
  transport.onclose = () => {
    closeWire?.();
    if (isClosed) return;
    isClosed = true;
    streams?.input.unpipe(input).pause();
    dependencies.onClose();
  };
  if (streams !== null) feed(streams.input, input, pendingRequests(transport));
  return { close: () => served.close() };
}

/** Passes input on, and its end only when what was asked before is answered, so that piped requests get their answers. */
function feed(source: Readable, input: PassThrough, pending: PendingRequests): void {
  let hasEnded = false;
  const end = () => {
    if (hasEnded) return;
    hasEnded = true;
    // The last bytes have been passed on, but not yet read.
    setImmediate(() => void pending.answered(drainDeadlineMs).then(() => input.end()));
  };
  source.once('end', end).once('close', end).once('error', end);
  if (source.readableEnded || source.destroyed) end();
  else source.pipe(input, { end: false });
}

interface PendingRequests {
  /** Resolves when every request is answered or withdrawn, or when the time is over. */
  answered(withinMs: number): Promise<void>;
}

/** Counts what has been asked and not answered on a transport whose handlers are set. */
function pendingRequests(transport: Transport): PendingRequests {
  const open = new Set<unknown>();
  let onAnswered: (() => void) | null = null;
  const settle = (id: unknown) => {
    if (open.delete(id) && open.size === 0) onAnswered?.();
  };
  const receive = transport.onmessage;
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a Transport is no EventTarget
  transport.onmessage = (message, extra) => {
    if (isRequest(message)) open.add(message.id);
    else if ('method' in message && message.method === 'notifications/cancelled') settle(message.params?.['requestId']);
    receive?.(message, extra);
  };
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    await send(message, options);
    if (!('method' in message)) settle(message.id);
  };
  const answered = async (withinMs: number) => {
    if (open.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      onAnswered = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  };
  return { answered };
}

/** A subscription stays open by design, so nobody waits for its end. */
function isRequest(message: JSONRPCMessage): message is Extract<JSONRPCMessage, { method: string; id: unknown }> {
  return 'method' in message && 'id' in message && message.method !== 'subscriptions/listen';
}
