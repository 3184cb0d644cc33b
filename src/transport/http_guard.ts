// Who may speak to the endpoint at all, before anybody is asked for a token: by Host, by Origin, by method and form.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { validateHostHeader } from '@modelcontextprotocol/server';

/** Names and pages that are let in. */
export interface Doors {
  /** Names without port. */
  readonly allowedHosts: readonly string[];
  /** Null: pages of this machine. */
  readonly allowedOrigins: readonly string[] | null;
}

/** What is wrong with a request; its text may be told. */
export interface Objection {
  readonly status: 400 | 403 | 404 | 405 | 406 | 413 | 415;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const methods = 'POST, GET, DELETE';
const machinePage = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/;

/** What a page may send, and what it may see of an answer. */
const pageHeaders = {
  'access-control-allow-methods': `${methods}, OPTIONS`,
  'access-control-allow-headers':
    'Authorization, Content-Type, Accept, Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID, Traceparent, Tracestate',
  'access-control-max-age': '600',
} as const;

/**
 * Looks at where a request came from. A name that the server does not go by is how a page of elsewhere reaches servers
 * of the reader's own machine; a page is let in by its whole origin.
 */
export function objectionToSender({ headers }: IncomingMessage, doors: Doors): Objection | null {
  if (!validateHostHeader(headers.host, [...doors.allowedHosts]).ok) {
    return { status: 403, message: 'The server is not known by this name.' };
  }
  const { origin } = headers;
  if (origin === undefined || isAllowed(origin, doors)) return null;
  return { status: 403, message: 'Pages of this origin may not ask here.' };
}

function isAllowed(origin: string, { allowedOrigins }: Doors): boolean {
  const text = origin.toLowerCase();
  return allowedOrigins === null ? machinePage.test(text) : allowedOrigins.includes(text);
}

/** Lets a page that was let in read the answer. */
export function allowPage({ headers }: IncomingMessage, response: ServerResponse): void {
  response.setHeader('vary', 'Origin');
  if (headers.origin === undefined) return;
  response.setHeader('access-control-allow-origin', headers.origin);
  response.setHeader('access-control-expose-headers', 'Mcp-Session-Id, WWW-Authenticate, Retry-After');
}

/** The answer to a page that asks first what it may ask. */
export function preflightHeaders(): Readonly<Record<string, string>> {
  return pageHeaders;
}

/** Looks at a request's method and at what kind of body it says to bring. */
export function objectionToForm({ method, headers }: IncomingMessage): Objection | null {
  if (method !== 'POST' && method !== 'GET' && method !== 'DELETE') {
    return { status: 405, message: 'This method is not served here.', headers: { allow: methods } };
  }
  if (method !== 'POST') return null;
  const encoding = headers['content-encoding'] ?? 'identity';
  if (!/^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? '') || encoding !== 'identity') {
    return { status: 415, message: 'The body must be application/json, not compressed.' };
  }
  return null;
}
