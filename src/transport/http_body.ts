// The body of a request: read up to a size, whether its length was told or not, and as JSON or not at all.

import type { IncomingMessage } from 'node:http';

/** A body, or what is wrong with it. */
export type Body = { readonly kind: 'json'; readonly value: unknown } | { readonly kind: WrongBody };

/** What can be wrong with a body. */
export type WrongBody = 'too_large' | 'too_many' | 'too_deep' | 'not_json' | 'cut_off';

/** Far more than any message has, and far less than what walks through a message could lose its way in. */
const mostLevels = 200;

/** How long, and how much of it, a body that is refused anyway is still taken in, so that its sender hears why. */
const discardMs = 3_000;
const discardTimes = 4;

/** Reads bodies; of one tenant only so many large ones at once, since each is held in memory until it is whole. */
export type BodyReader = (request: IncomingMessage, tenant: string) => Promise<Body>;

/** Bodies up to this size take no more room than a request does anyway. */
const smallBytes = 65_536;

/** A reader of bodies of at most so many bytes. */
export function createBodyReader(limits: { readonly bodyBytes: number; readonly largeOfTenant: number }): BodyReader {
  const reading = new Map<string, number>();
  const count = (tenant: string, change: number) => {
    const now = (reading.get(tenant) ?? 0) + change;
    if (now === 0) reading.delete(tenant);
    else reading.set(tenant, now);
  };
  return async (request, tenant) => {
    // A length that is not told may become any.
    if (Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY) <= smallBytes)
      return readJsonBody(request, limits.bodyBytes);
    if ((reading.get(tenant) ?? 0) >= limits.largeOfTenant) return { kind: 'too_many' };
    count(tenant, 1);
    try {
      return await readJsonBody(request, limits.bodyBytes);
    } finally {
      count(tenant, -1);
    }
  };
}

/** Reads a body of at most so many bytes; of a longer one the rest is left. Never rejects. */
async function readJsonBody(request: IncomingMessage, mostBytes: number): Promise<Body> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const end = await new Promise<'whole' | 'too_large' | 'cut_off'>((resolve) => {
    const settle = (how: 'whole' | 'too_large' | 'cut_off') => {
      request.off('data', take).off('end', whole).off('close', cut).off('error', cut);
      request.pause();
      resolve(how);
    };
    const whole = () => settle('whole');
    const cut = () => settle('cut_off');
    const take = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > mostBytes) settle('too_large');
      else chunks.push(chunk);
    };
    if (Number(request.headers['content-length'] ?? 0) > mostBytes) return resolve('too_large');
    request.on('data', take).once('end', whole).once('close', cut).once('error', cut);
  });
  return end === 'whole' ? parse(Buffer.concat(chunks)) : { kind: end };
}

function parse(bytes: Buffer): Body {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return isDeep(text) ? { kind: 'too_deep' } : { kind: 'json', value: JSON.parse(text) };
  } catch {
    return { kind: 'not_json' };
  }
}

/** Counts brackets that are no part of a string, each character once. */
function isDeep(text: string): boolean {
  let levels = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const mark = text[at];
    if (isInString && mark === '\\') at += 1;
    else if (mark === '"') isInString = !isInString;
    else if (isInString) continue;
    else if (mark === '[' || mark === '{') levels += 1;
    else if (mark === ']' || mark === '}') levels -= 1;
    if (levels > mostLevels) return true;
  }
  return false;
}

/**
 * Takes in what is left of a body that nobody reads, and throws it away: an answer that comes while the sender still
 * writes is often lost to it. Ends early when the body is much too long.
 */
export async function discardBody(request: IncomingMessage, mostBytes: number): Promise<void> {
  if (request.readableEnded || request.destroyed) return;
  let bytes = 0;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, discardMs);
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > discardTimes * mostBytes) end();
    });
    request.once('end', end).once('close', end).once('error', end);
    request.resume();
  });
}
