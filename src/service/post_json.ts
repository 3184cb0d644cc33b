// One request to a service that speaks JSON: sent to the address that was configured alone, its answer read with a limit.

import { ServiceFailure, TryAgain } from './retries.ts';

/** Where to ask. */
export interface Service {
  /** Base address, such as `https://api.openai.com/v1`. */
  readonly url: string;
  readonly apiKey: string | null;
}

/** What is asked, and how much of an answer is read. */
export interface JsonRequest {
  /** What is appended to the base address, without a slash before it. */
  readonly path: string;
  readonly body: unknown;
  readonly longestAnswerBytes: number;
  readonly signal: AbortSignal;
}

/** Statuses that another attempt may mend. */
const passing = new Set([408, 409, 425, 429, 500, 502, 503, 504, 529]);

/**
 * The answer, parsed. Rejects with {@link TryAgain} where another attempt may help, and with {@link ServiceFailure};
 * neither repeats a word of what was sent or answered.
 */
export async function postJson(service: Service, request: JsonRequest): Promise<unknown> {
  const response = await sent(service, request);
  if (!response.ok) {
    await response.body?.cancel().catch(() => {});
    const { status } = response;
    const reason = `status ${status}`;
    if (!passing.has(status)) throw new ServiceFailure(reason, status);
    throw new TryAgain(reason, { status, afterMs: retryAfterMs(response.headers.get('retry-after')) });
  }
  const body = await bodyOf(response, request.longestAnswerBytes);
  try {
    return JSON.parse(body) as unknown;
  } catch {
    // The parser's own message quotes what it read.
    throw new ServiceFailure('an answer that is no JSON');
  }
}

async function sent({ url, apiKey }: Service, { path, body, signal }: JsonRequest): Promise<Response> {
  try {
    return await fetch(`${url.replace(/\/+$/, '')}/${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify(body),
      signal,
      // A redirect could lead the key and the text to another host.
      redirect: 'error',
    });
  } catch (error) {
    throw unreachable(error);
  }
}

/** A connection that failed may hold the next time. The service's own words are dropped. */
function unreachable(error: unknown): Error {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'the service cannot be reached';
  return new TryAgain(code);
}

/** The header's seconds or date as milliseconds from now, or null. */
function retryAfterMs(header: string | null): number | null {
  if (header === null) return null;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now());
}

async function bodyOf(response: Response, longestBytes: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const part of response.body ?? []) {
      bytes += part.byteLength;
      if (bytes > longestBytes) break;
      parts.push(part);
    }
  } catch (error) {
    throw unreachable(error);
  }
  if (bytes > longestBytes) throw new ServiceFailure('an answer that is too long');
  return Buffer.concat(parts).toString('utf8');
}

/** A field of a value that may be anything; undefined where it has none. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
