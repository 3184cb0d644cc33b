// What the PostgreSQL dialect asks of an engine: one connection at a time, rows as plain values.

import type { DatabaseRow, Parameter } from '../statements/session.ts';
import type { CallOptions, Capabilities } from '../store.ts';

/** One connection, used by one caller at a time. */
export interface Connection {
  query(sql: string, parameters: readonly Parameter[]): Promise<readonly DatabaseRow[]>;
  /** Several statements without parameters. */
  execute(sql: string): Promise<void>;
  /** Commits. Throws `outcome_unknown` where the answer got lost: the transaction may stand or not. */
  commit(): Promise<void>;
}

/** An open engine. */
export interface Engine {
  readonly mode: string;
  readonly capabilities: Capabilities;
  /**
   * Lends a connection until `work` settles. Waiting ends with `cancelled`, `deadline_exceeded` or
   * `store_unavailable`. `discard` says that the connection cannot be trusted any more.
   */
  use<T>(options: CallOptions, work: (connection: Connection, discard: () => void) => Promise<T>): Promise<T>;
  /**
   * Statements that bound a transaction right after its BEGIN, each ended by a semicolon; `leftMs` null: the caller has
   * no deadline. Empty where the engine has no such bounds.
   */
  bounds(leftMs: number | null): string;
  /**
   * Calls back after commit with the tenant of changed tools; null: changes may have been missed, of whatever tenant.
   */
  onToolboxChange(listener: (tenantId: string | null) => void): () => void;
  /** What the engine needs after many rows came in: some gather planner statistics by themselves. */
  readonly analyzesItself: boolean;
  /** A tar of the database's files, where they are the engine's own. To be called by whoever uses the connection. */
  readonly copyFiles?: () => Promise<{ readonly tar: Uint8Array; readonly postgresMajor: string }>;
  close(): Promise<void>;
}
