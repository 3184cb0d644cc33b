// Whether the process lives and whether it can serve, for whoever balances load: nothing else is told.

import type { IncomingMessage, ServerResponse } from 'node:http';

/** How long an answer holds, so that asking costs the database nothing. */
const heldMs = 1_000;
const deadlineMs = 2_000;

/** Answers `/healthz` and `/readyz`; false for every other path. */
export type Health = (path: string, request: IncomingMessage, response: ServerResponse) => Promise<boolean>;

/** `isReady`: the store answers and keys are at hand. A rejection means no, and so does no answer in time. */
export function createHealth(isReady: () => Promise<boolean>): Health {
  let last: { readonly atMs: number; readonly ready: Promise<boolean> } | null = null;
  const ready = (): Promise<boolean> => {
    if (last === null || performance.now() - last.atMs > heldMs) {
      last = { atMs: performance.now(), ready: inTime(isReady()).catch(() => false) };
    }
    return last.ready;
  };
  return async (path, request, response) => {
    if (path !== '/healthz' && path !== '/readyz') return false;
    if (request.method !== 'GET' && request.method !== 'HEAD') tell(response, 405, 'method_not_allowed');
    else if (path === '/healthz') tell(response, 200, 'ok');
    else if (await ready()) tell(response, 200, 'ready');
    else tell(response, 503, 'not_ready');
    return true;
  };
}

function tell(response: ServerResponse, status: number, word: string): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify({ status: word }));
}

async function inTime(ready: Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), deadlineMs)));
  try {
    return await Promise.race([ready, late]);
  } finally {
    clearTimeout(timer);
  }
}
