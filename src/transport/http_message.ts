// What a body asks for, as far as it has to be known before the protocol's own code reads it.

import type { IncomingMessage } from 'node:http';
import type { Asked } from './http_exchange.ts';

/** A body in short. */
export interface MessageOutline extends Asked {
  /** It wants to be told of changes for as long as it stays. */
  readonly isSubscription: boolean;
  /** One call of one tool, and nothing beside it. */
  readonly isSingleCall: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});

/** Outlines a request; `body` undefined: it brings none. */
export function outlineOf({ method: httpMethod = '', headers }: IncomingMessage, body: unknown): MessageOutline {
  const messages: readonly unknown[] = Array.isArray(body) ? body : body === undefined ? [] : [body];
  const requests = messages.map(fieldsOf).filter((message) => 'method' in message && 'id' in message);
  const [first = {}] = messages.map(fieldsOf);
  const { method } = first;
  const params = fieldsOf(first['params']);
  const isSingle = messages.length === 1;
  const isCall = isSingle && method === 'tools/call';
  return {
    method: messages.length === 0 ? httpMethod : !isSingle ? 'batch' : typeof method === 'string' ? method : 'response',
    tool: isCall && typeof params['name'] === 'string' ? params['name'] : null,
    requests: requests.length,
    traceparent: headers['traceparent'] ?? fieldsOf(params['_meta'])['traceparent'],
    isSubscription: isSingle && method === 'subscriptions/listen',
    isSingleCall: isCall,
  };
}
