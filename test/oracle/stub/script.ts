// What a scripted server is told to answer, and what it saw.

import type { Login } from './login.ts';
import type { ColumnType, StubValue } from './values.ts';

/** A statement as it came over the wire. */
export interface StubCall {
  /** Counts from 1, a number for each connection that was ever made. */
  readonly connection: number;
  readonly login: Login;
  readonly sql: string;
  /** By name, in lower case; what a block is to give has the value null. */
  readonly binds: Readonly<Record<string, StubValue>>;
  /** What the session is tagged with, where it ever was. */
  readonly tags: { readonly clientId?: string; readonly module?: string; readonly action?: string };
}

/** An answer: rows of a query, what a block gives in `:result`, a failure, no answer at all, or the end of the socket. */
export type StubReply =
  | {
      readonly rows: readonly Readonly<Record<string, StubValue>>[];
      readonly columns: Readonly<Record<string, ColumnType>>;
    }
  | { readonly result: StubValue }
  | { readonly error: readonly [number: number, message: string] }
  | { readonly affected: number }
  | { readonly warning: true }
  | 'hang'
  | 'kill';

/** Answers statements, one after the other on a connection. */
export type Script = (call: StubCall) => StubReply | Promise<StubReply>;

/** How a transaction ends. */
export type Ending = 'commit' | 'rollback';

/** Something that the server saw, in order. */
export interface StubEvent {
  readonly connection: number;
  readonly what: 'login' | 'statement' | Ending | 'break' | 'logoff' | 'ping' | 'closed' | 'fault';
  /** The statement, or what went wrong in the server itself. */
  readonly detail: string;
}
