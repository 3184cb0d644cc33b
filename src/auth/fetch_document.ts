// Reading what an identity provider publishes: bounded in time and size, over TLS, and never led elsewhere.

/** How long reading may take in all, and how large one document may be. */
export interface ReadLimits {
  readonly deadlineMs: number;
  readonly longestBytes: number;
}

/**
 * The text of a document. A redirect is refused wherever it leads, since keys count only from the address that was
 * named. Throws an `Error` whose message says what went wrong in words for the log.
 */
export async function fetchDocument(address: string, longestBytes: number, signal: AbortSignal): Promise<string> {
  const response = await fetch(address, { headers: { accept: 'application/json' }, redirect: 'manual', signal });
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel();
    throw new Error(response.status >= 300 && response.status < 400 ? 'a redirect' : `status ${response.status}`);
  }
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body) {
    bytes += part.byteLength;
    // Leaving the loop gives up the rest of the body.
    if (bytes > longestBytes) throw new Error(`more than ${longestBytes} bytes`);
    parts.push(part);
  }
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts));
}

/** What went wrong while reading, without anything that the other side wrote. */
export function readFailure(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if (error.name === 'TimeoutError') return 'no answer in time';
  if (error instanceof SyntaxError) return 'no JSON';
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error.name === 'Error') return error.message;
  return error.cause instanceof Error && 'code' in error.cause ? String(error.cause.code) : error.name;
}
