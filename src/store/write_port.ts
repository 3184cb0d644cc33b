// What a transaction can write: an end user's side of the port, and an operator's.

import type { Compression } from '../model/candidate.ts';
import type { AgentId, CitationId, RunId } from '../model/ids.ts';
import type { ProvenanceEdge, Ref } from '../model/memory.ts';
import type { IndexRebuilder } from './rebuild_port.ts';
import type { TenantRows } from './tenant_tables.ts';
import type {
  AppendedEvent,
  DocumentKey,
  ImportBatch,
  ImportReport,
  IndexEntry,
  NewEvent,
  NewPersona,
  NewRun,
  NewThreadDigest,
  NewTokenCount,
  NewVersionedRow,
} from './written_rows.ts';

/** A run of the agent loop as stored (design L1, L2). */
export interface Run {
  readonly runId: RunId;
  readonly kind: 'window' | 'implicit';
  readonly maxRounds: number;
  readonly roundsUsed: number;
  readonly toolReserve: number;
  readonly tokensLeft: number;
  readonly maxToolResultTokens: number;
  readonly idleSeconds: number;
  /** Whole seconds since its last call, by the database's clock. */
  readonly idleFor: number;
}

/** A memory whose citation id was issued in a run. */
export interface Issued {
  readonly citationId: CitationId;
  readonly ref: Ref;
}

/** Writes under an end user's scope: one READ COMMITTED transaction, all or nothing (design N3). */
export interface Writer {
  /** Throws `text_refused` for U+0000. A user or model turn gets the next turn_index of its thread. */
  appendEvent(event: NewEvent): Promise<AppendedEvent>;
  /** Appends events in this order, none of which is a turn. Throws `text_refused` for U+0000. */
  appendEvents(events: readonly NewEvent[]): Promise<void>;
  /** The current run, locked until the transaction ends, so that two calls of one loop cannot spend the same tokens. */
  lockRun(): Promise<Run | null>;
  /** `spent`: tokens of a call that is the run's first round, and opens it. */
  openRun(run: NewRun, spent?: number): Promise<void>;
  /** Spends a round and tokens and marks the call's time. Throws `version_conflict` if `roundsUsed` has moved on. */
  spendRound(runId: RunId, spent: { readonly tokens: number; readonly roundsUsedBefore: number }): Promise<void>;
  issue(runId: RunId, issued: readonly Issued[]): Promise<void>;
  /**
   * What is about to be written was made of these. Throws `version_conflict` when one is gone by now: a row of an
   * earlier snapshot may have been erased since (design E1).
   */
  requireSources(refs: readonly Ref[]): Promise<void>;
  addProvenance(edges: readonly ProvenanceEdge[]): Promise<void>;
  /** Replaces the index rows of each ref whose content hash is still the one given; others are skipped. */
  putIndex(entries: readonly IndexEntry[]): Promise<void>;
  /** Locks each source and writes only where its hash is still the one given (design N3, C1). */
  putCompressions(compressions: readonly Compression[]): Promise<readonly Compression[]>;
  putTokenCounts(counts: readonly NewTokenCount[]): Promise<void>;
  /**
   * Replaces the digest of the scope's thread, its turns locked. Null, and nothing written, when another digest came
   * first or a turn has gone meanwhile.
   */
  putThreadDigest(digest: NewThreadDigest): Promise<Ref | null>;
  /**
   * Retires the active row of the key and inserts the next version with its index rows, in this transaction (D2).
   * `expectedVersion` 0: there must be none. Throws `version_conflict` when another update won, or when the event that
   * an end user's row came of is gone. An end user can write only rows of their own user id (`scope_violation`).
   */
  putVersion(row: NewVersionedRow, expectedVersion: number, index: readonly IndexEntry[]): Promise<Ref>;
}

/** Which documents are asked for. */
export interface DocumentsUnder {
  readonly agentId: AgentId | null;
  readonly collection: string;
  readonly writtenBy: string;
  readonly prefix: string;
  readonly after: string;
  readonly limit: number;
}

/** Writes of an operator: the whole tenant, shared rows too. */
export interface OperatorWriter
  extends IndexRebuilder,
    Omit<
      Writer,
      | 'appendEvent'
      | 'appendEvents'
      | 'lockRun'
      | 'openRun'
      | 'spendRound'
      | 'issue'
      | 'requireSources'
      | 'putThreadDigest'
    > {
  importRows(batch: ImportBatch): Promise<ImportReport>;
  /** Replaces the value of a persona key in place of the active row (personas have no versions). */
  putPersona(row: NewPersona): Promise<Ref>;
  /** The active row of this row's key and scope; `same`: its own columns (content, not ids, times or writer) are equal. */
  activeVersion(row: NewVersionedRow | NewPersona): Promise<{ readonly ref: Ref; readonly same: boolean } | null>;
  /**
   * Addresses of active documents for all users that this writer wrote in a collection and that begin with a prefix; by
   * address, after one (empty: from the first), at most `limit`.
   */
  documentsUnder(of: DocumentsUnder): Promise<readonly string[]>;
  /** Retires the active version of a document's key without a next one; null: there is none. */
  retireDocument(key: DocumentKey): Promise<Ref | null>;
  /** True when the tenant ever had a toolbox row. */
  hasToolbox(): Promise<boolean>;
  /** Marks rows as quarantined with a reason, or clears it (null). */
  quarantine(ref: Ref, reason: string | null): Promise<void>;
  /** Rows by table, for `doctor`. */
  countRows(): Promise<ReadonlyMap<string, number>>;
  /** Writes rows of an export in their order, which was checked. Throws `version_conflict` for one that is there. */
  putTenantRows(rows: TenantRows): Promise<void>;
  /** Like `putIndex`, for memories that this transaction wrote: they have no index rows yet. */
  putNewIndex(entries: readonly IndexEntry[]): Promise<void>;
}
