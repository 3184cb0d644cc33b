// The allowlist of tool handlers (design T3): what each returns and what hosts are told about it. Rows name them.

import type { JsonObject } from '../model/json.ts';

/** The handlers that a toolbox row may name. */
export const handlerNames = [
  'search_memory',
  'search_history',
  'lookup_entity',
  'expand',
  'clarify',
  'search',
  'fetch',
] as const;

/** One of {@link handlerNames}. */
export type HandlerName = (typeof handlerNames)[number];

/** What belongs to the handler and not to the row. */
export interface HandlerDescription {
  readonly name: HandlerName;
  readonly outputSchema: JsonObject;
  readonly hints: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
}

// Declared shallow (design T5): hosts pay for every word of the menu.
// One of two types in this form, because some hosts' validators take no list of types.
const textOrNull: JsonObject = { anyOf: [{ type: 'string' }, { type: 'null' }] };

const memoryResult: JsonObject = {
  type: 'object',
  properties: {
    memories: {
      type: 'array',
      items: { type: 'object', required: ['id', 'type', 'status', 'tier', 'content', 'tokens', 'provenance'] },
    },
    evidence: { enum: ['found', 'weak', 'none'] },
    more: textOrNull,
    loop: { type: 'object', required: ['tokens_left', 'rounds_left'] },
    notes: { type: 'array', items: { type: 'string' } },
  },
  required: ['memories', 'evidence', 'more', 'loop', 'notes'],
};

const clarifyResult: JsonObject = {
  type: 'object',
  properties: {
    status: { enum: ['answered', 'declined', 'ask_in_reply'] },
    question: { type: 'string' },
    options: { type: 'array', items: { type: 'string' } },
    answer: textOrNull,
    notes: { type: 'array', items: { type: 'string' } },
  },
  required: ['status', 'question', 'options', 'answer', 'notes'],
};

// The shapes that ChatGPT asks of a connector.
const linksResult: JsonObject = {
  type: 'object',
  properties: { results: { type: 'array', items: { type: 'object', required: ['id', 'title', 'url'] } } },
  required: ['results'],
};

const documentResult: JsonObject = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    title: { type: 'string' },
    text: { type: 'string' },
    url: { type: 'string' },
    metadata: { type: 'object' },
  },
  required: ['id', 'title', 'text', 'url'],
};

// Reading spends the loop's budget and writes audit events, but changes no memory: hosts should call it read-only.
const reading = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
// A question reaches a person outside and its answer is stored.
const asking = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true };

const handlers: Readonly<Record<HandlerName, HandlerDescription>> = {
  search_memory: { name: 'search_memory', outputSchema: memoryResult, hints: reading },
  search_history: { name: 'search_history', outputSchema: memoryResult, hints: reading },
  lookup_entity: { name: 'lookup_entity', outputSchema: memoryResult, hints: reading },
  expand: { name: 'expand', outputSchema: memoryResult, hints: reading },
  clarify: { name: 'clarify', outputSchema: clarifyResult, hints: asking },
  search: { name: 'search', outputSchema: linksResult, hints: reading },
  fetch: { name: 'fetch', outputSchema: documentResult, hints: reading },
};

/** The handler of this name, or null: a row that names another is broken. */
export function handlerOf(name: string): HandlerDescription | null {
  return handlerNames.some((known) => known === name) ? handlers[name as HandlerName] : null;
}
