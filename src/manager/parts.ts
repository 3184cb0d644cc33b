// What the manager is made of: the composition root gives each part once.

import type { Embedder } from '../embed/embedder.ts';
import type { RowId } from '../model/ids.ts';
import type { ChatRequest, CountTokens } from '../model/window.ts';
import type { Reranker } from '../rerank/reranker.ts';
import type { Store } from '../store/store.ts';
import type { Summariser } from '../summarise/summariser.ts';

/** Where the manager writes what only the operator may read. */
export interface ManagerLog {
  info(detail: Readonly<Record<string, unknown>>, message: string): void;
  warn(detail: Readonly<Record<string, unknown>>, message: string): void;
  error(detail: Readonly<Record<string, unknown>>, message: string): void;
}

/** The parts of a manager. */
export interface ManagerParts {
  readonly store: Store;
  /** Loaded when first needed: a tool list needs neither. */
  readonly embedder: () => Promise<Embedder>;
  readonly reranker: () => Promise<Reranker>;
  /** The built-in one, where `reranker` may be another: it ranks when that one fails. */
  readonly standInReranker?: () => Promise<Reranker>;
  readonly tokenizer: () => Promise<CountTokens>;
  readonly summariser: () => Promise<Summariser>;
  readonly log: ManagerLog;
  /** A new id, random and unique: `<prefix>_<32 hex digits>`. */
  readonly newId: (prefix: string) => RowId;
  /** The provider's own count of a request (design B6), or null where it is not asked. */
  readonly providerCount: ((request: ChatRequest) => Promise<number | null>) | null;
  /** Address to which an id is appended for a memory that has none of its own (search, fetch), or null. */
  readonly documentUrl: string | null;
  /** Milliseconds of a steady clock, for durations only. */
  readonly clockMs: () => number;
}
