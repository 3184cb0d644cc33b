// What a host has asked and not been answered, so that a new owner can be told what the old one knew (design N7).

import { randomBytes } from 'node:crypto';
import { outcomeUnknownAction } from '../model/errors.ts';

type Id = string | number;

/** A message as far as it is looked at. */
interface Message {
  readonly id?: Id;
  readonly method?: string;
  readonly params?: { readonly requestId?: Id; readonly _meta?: Readonly<Record<string, unknown>> };
}

interface Asked {
  readonly id: Id;
  readonly method: string;
  readonly bytes: Buffer;
  /** On a revision whose results say that they are complete. */
  readonly isNewer: boolean;
}

/** Keeps the account of one host's session. */
export interface Ledger {
  /** Notes a message of the host; gives what to send, or null where nobody waits for it any more. */
  toOwner(message: Buffer): Buffer | null;
  /** Notes a message of the owner; gives what the host shall see, or null. */
  toHost(message: Buffer): Buffer | null;
  /** The owner is gone: gives what the host has to be told. */
  lost(): readonly object[];
  /** What a new owner has to be told before anything else. */
  replay(): readonly Buffer[];
  /** True while an answer is owed that only a new owner can give. */
  isOwed(): boolean;
  /** Answers all that is open: there is no owner to be had. */
  refuse(message: string, data: object): readonly object[];
}

/** Requests that can be made again: they change nothing, or only what the connection itself is. */
const repeatable = new Set([
  'initialize',
  'ping',
  'server/discover',
  'logging/setLevel',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'completion/complete',
  'subscriptions/listen',
]);

const listening = 'subscriptions/listen';
const internalError = -32_603;
const protocolMeta = 'io.modelcontextprotocol/protocolVersion';

interface Account {
  /** What the host has asked and not been answered, in its order. */
  readonly asked: Map<Id, Asked>;
  /** Requests of the owner that the host has not answered: the owner's id by the one that the host knows. */
  readonly questions: Map<Id, Id>;
  opening: { readonly message: Message; initialized: Buffer | null } | null;
  /** How many owners have been lost. */
  generation: number;
}

const replayId = ({ generation }: Account): string => `relay:${generation}`;

/** An empty account. */
export function createLedger(): Ledger {
  const account: Account = { asked: new Map(), questions: new Map(), opening: null, generation: 0 };
  return {
    toOwner: (bytes) => noteHost(account, bytes),
    toHost: (bytes) => noteOwner(account, bytes),
    lost: () => noteLoss(account),
    replay: () => replayOf(account),
    isOwed: () => [...account.asked.values()].some(({ method }) => method !== listening),
    refuse(message, data) {
      const open = [...account.asked.values()];
      account.asked.clear();
      return open.map(({ id }) => ({ jsonrpc: '2.0', id, error: { code: internalError, message, data } }));
    },
  };
}

function noteHost(account: Account, bytes: Buffer): Buffer | null {
  const { questions, generation } = account;
  const message = parsed(bytes);
  if (message?.method !== undefined) noteRequest(account, message, bytes);
  if (message === null || message.method !== undefined || message.id === undefined) return bytes;
  const own = questions.get(message.id);
  questions.delete(message.id);
  // An answer to an owner that is gone would be taken for the answer to another question.
  if (own === undefined) return generation === 0 ? bytes : null;
  return own === message.id ? bytes : encoded({ ...message, id: own });
}

function noteRequest(account: Account, message: Message, bytes: Buffer): void {
  const { id, method = '', params } = message;
  const { asked, opening } = account;
  if (id === undefined) {
    if (method === 'notifications/initialized' && opening !== null) opening.initialized = bytes;
    if (method === 'notifications/cancelled' && params?.requestId !== undefined) asked.delete(params.requestId);
    return;
  }
  if (method === 'initialize' && opening === null) account.opening = { message, initialized: null };
  const { _meta: meta } = params ?? {};
  asked.set(id, { id, method, bytes, isNewer: meta?.[protocolMeta] !== undefined });
}

function noteOwner(account: Account, bytes: Buffer): Buffer | null {
  const message = parsed(bytes);
  const { id, method } = message ?? {};
  if (message === null || id === undefined) return bytes;
  if (method === undefined) {
    if (id === replayId(account)) return null;
    account.asked.delete(id);
    return bytes;
  }
  // Each owner counts its questions from the start: to the host they stay apart.
  const shown = account.generation === 0 ? id : `${replayId(account)}:${id}`;
  account.questions.set(shown, id);
  return shown === id ? bytes : encoded({ ...message, id: shown });
}

function noteLoss(account: Account): readonly object[] {
  const { asked, questions } = account;
  account.generation += 1;
  const withdrawn = [...questions.keys()].map((requestId) => ({
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId, reason: 'The process that asked has ended.' },
  }));
  questions.clear();
  const unknown = [...asked.values()].filter(({ method }) => !repeatable.has(method));
  for (const { id } of unknown) asked.delete(id);
  return [...withdrawn, ...unknown.map(unknownOutcome)];
}

function replayOf(account: Account): readonly Buffer[] {
  const { asked, opening, generation } = account;
  if (generation === 0) return [];
  const open = [...asked.values()];
  const isOpening = open.some(isInitialize);
  const again = opening === null || isOpening ? [] : [encoded({ ...opening.message, id: replayId(account) })];
  const initialized = opening?.initialized ?? null;
  return [
    ...again,
    ...open.filter(isInitialize).map(({ bytes }) => bytes),
    ...(initialized === null ? [] : [initialized]),
    ...open.filter((request) => !isInitialize(request)).map(({ bytes }) => bytes),
  ];
}

const isInitialize = ({ method }: Asked): boolean => method === 'initialize';

function encoded(message: object): Buffer {
  return Buffer.from(`${JSON.stringify(message)}\n`);
}

/** Null for what is no single message; the other side sees to that. */
function parsed(bytes: Buffer): Message | null {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** The answer to a call of which nobody knows whether it was carried out. */
function unknownOutcome({ id, method, isNewer }: Asked): object {
  const error = {
    code: 'outcome_unknown',
    message: 'The process that holds the memory ended before it answered; whether the call took effect is not known.',
    action: outcomeUnknownAction,
    request_id: `req_${randomBytes(8).toString('hex')}`,
  };
  if (method !== 'tools/call') {
    return { jsonrpc: '2.0', id, error: { code: internalError, message: error.message, data: { error } } };
  }
  const content = [{ type: 'text', text: JSON.stringify({ error }) }];
  return { jsonrpc: '2.0', id, result: { ...(isNewer ? { resultType: 'complete' } : {}), isError: true, content } };
}
