// A caller over HTTP, of either era, by hand: what an answer says, and what it says beyond the names it was asked with.

import { randomUUID } from 'node:crypto';
import { threadMetaKey } from '../../src/transport/call_context.ts';
import { post } from '../http/harness.ts';
import { newerEnvelope } from '../protocol/harness.ts';
import type { Principal } from './model.ts';

/** Revisions that callers speak; the last one is the newer era. */
export const revisions = ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const;
export type Revision = (typeof revisions)[number];

/** An answer, whole and by its parts. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly result: Readonly<Record<string, unknown>>;
}

/** What a request brings beside its parameters. */
export interface Extra {
  readonly headers?: Readonly<Record<string, string>>;
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Joins the address. */
  readonly query?: string;
}

/** Somebody who is signed in. */
export interface Caller {
  readonly who: Principal;
  readonly revision: Revision;
  /** Null in the newer era. */
  readonly session: string | null;
  ask(method: string, params?: Readonly<Record<string, unknown>>, extra?: Extra): Promise<Answer>;
  /** Asks within a session of the older era, whatever the caller's own is. */
  askIn(session: string): Promise<Answer>;
}

/** Signs a caller in, and greets where the era wants it. */
export async function openCaller(
  url: string,
  as: { readonly who: Principal; readonly token: string; readonly revision: Revision },
): Promise<Caller> {
  const { who, token, revision } = as;
  const authorization = `Bearer ${token}`;
  const thread = { [threadMetaKey]: who.thread };
  const send = async (body: object, headers: Readonly<Record<string, string>>, query = '') => {
    const response = await post(`${url}${query}`, body, { identity: null, headers: { authorization, ...headers } });
    const text = await response.text();
    return { response, answer: { status: response.status, text, result: resultIn(text) } };
  };
  const session = revision === '2026-07-28' ? null : await greet(send, revision);
  const own: Record<string, string> = session === null ? {} : sessionHeaders(session, revision);
  return {
    who,
    revision,
    session,
    async ask(method, params = {}, { headers = {}, meta = {}, query = '' } = {}) {
      const envelope = session === null ? newerEnvelope : {};
      const whole = { ...params, _meta: { ...meta, ...envelope, ...thread } };
      return (await send({ jsonrpc: '2.0', id: 1, method, params: whole }, { ...own, ...headers }, query)).answer;
    },
    async askIn(other) {
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
      return (await send(body, sessionHeaders(other, '2025-11-25'))).answer;
    },
  };
}

const sessionHeaders = (session: string, revision: Revision) => ({
  'mcp-session-id': session,
  'mcp-protocol-version': revision,
});

async function greet(
  send: (body: object, headers: Readonly<Record<string, string>>) => Promise<{ readonly response: Response }>,
  revision: Revision,
): Promise<string> {
  const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'hand', version: '1' } };
  const { response } = await send({ jsonrpc: '2.0', id: 0, method: 'initialize', params }, {});
  const session = response.headers.get('mcp-session-id');
  if (session === null) throw new Error(`no session: ${response.status}`);
  await send({ jsonrpc: '2.0', method: 'notifications/initialized' }, sessionHeaders(session, revision));
  return session;
}

/** The result of the last message; empty where there is none. */
function resultIn(text: string): Readonly<Record<string, unknown>> {
  const messages = text.startsWith('{')
    ? [text]
    : text.split('\n').flatMap((line) => line.match(/^data: (.+)$/)?.[1] ?? []);
  const last = messages.at(-1);
  if (last === undefined) return {};
  const { result } = JSON.parse(last) as { readonly result?: Readonly<Record<string, unknown>> };
  return result ?? {};
}

/** An answer byte for byte, but for what names the request, and for the names that it was asked with. */
export function blurred({ status, text }: Answer, ...names: readonly string[]): string {
  let rest = `${status} ${text.replaceAll(/req_[\w-]{36}/g, 'REQUEST')}`;
  for (const name of names) rest = rest.replaceAll(name, 'NAME');
  return rest;
}

const hexDigits = (count: number) => randomUUID().replaceAll('-', '').slice(0, count);

/** Names in the form of real ones, of nothing that there is. */
export const unknown = {
  session: () => randomUUID(),
  citation: () => `B${hexDigits(10)}`,
  /** Of the same kind as this one: manifests and runs have a word before the digits. */
  like: (id: string) => id.replace(/[0-9a-f]{32}$/, hexDigits(32)),
} as const;
