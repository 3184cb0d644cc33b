// Hears of changed tools on a connection of its own (design T3, N8): as long as somebody listens, it is made again when
// it ends, and whoever listens is told that something may have been missed.

import type { Client } from 'pg';
import type { LogProblem } from '../problem.ts';

const channel = 'memory_toolbox';
const firstPauseMs = 200;
const longestPauseMs = 15_000;

/** Tells listeners of changed tools. */
export interface ToolboxListener {
  /** Calls back with a tenant's id, or null after a gap. Returns the way to stop. */
  add(listener: (tenantId: string | null) => void): () => void;
  close(): Promise<void>;
}

/** A listener that connects when it is first needed. */
export function createToolboxListener(open: () => Client, log: LogProblem): ToolboxListener {
  const listeners = new Set<(tenantId: string | null) => void>();
  let client: Client | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pauseMs = firstPauseMs;
  let hadGap = false;
  let closed = false;

  // Tools may change in the middle of a call of the listener's own: it is told outside of it.
  const tell = (tenantId: string | null): void =>
    void setImmediate(() => {
      for (const listener of listeners) listener(tenantId);
    });
  const lost = (ended: Client, error: Error | null): void => {
    if (client !== ended) return;
    client = null;
    hadGap = true;
    ended.end().catch(() => {});
    if (closed) return;
    log({ kind: 'connection_lost', requestId: null, message: error?.message ?? 'the listener ended', detail: {} });
    timer = setTimeout(connect, pauseMs).unref();
    pauseMs = Math.min(longestPauseMs, pauseMs * 2);
  };
  function connect(): void {
    const made = open();
    client = made;
    made.on('error', (error) => lost(made, error));
    made.on('end', () => lost(made, null));
    made.on('notification', ({ channel: name, payload }) => {
      if (name === channel) tell(payload ?? null);
    });
    listen(made).then(
      () => {
        pauseMs = firstPauseMs;
        if (hadGap) tell(null);
        hadGap = false;
      },
      (error: unknown) => lost(made, error instanceof Error ? error : null),
    );
  }
  return {
    add(listener) {
      const own = (tenantId: string | null): void => listener(tenantId);
      listeners.add(own);
      if (client === null && timer === undefined && !closed) connect();
      return () => void listeners.delete(own);
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      listeners.clear();
      await client?.end().catch(() => {});
    },
  };
}

async function listen(client: Client): Promise<void> {
  await client.connect();
  await client.query(`LISTEN ${channel}`);
}
