// Erasure and retention as the port gives them (design E1, N4): what can be named, and what went or would go.

import { z } from 'zod';
import type { AgentId, RowId, ThreadId, UserId } from '../model/ids.ts';

/** What can be erased; all that came of it goes with it. Every version of a document is that document. */
export type ErasureTarget =
  | { readonly kind: 'user'; readonly userId: UserId }
  /** `agentId` null: the user's threads of this name with whatever agent. */
  | { readonly kind: 'thread'; readonly userId: UserId; readonly threadId: ThreadId; readonly agentId: AgentId | null }
  | { readonly kind: 'event'; readonly id: RowId }
  | { readonly kind: 'document'; readonly id: RowId }
  | { readonly kind: 'tenant' };

/** Rows by table, every table that erasure reaches and its history, those without a row too. */
export type RowCounts = Readonly<Record<string, number>>;

/** What an erasure took, or in a dry run would take. */
export interface ErasureReport {
  readonly tables: RowCounts;
  /** Manifests, and turns of threads that go on, in whose place an event without content stands. */
  readonly tombstones: number;
  /** Turns and passages that stay and were indexed with words of a neighbour: now as if they stood alone. */
  readonly neighbours: number;
  /** Earlier tombstones that named the erased user. */
  readonly ownersForgotten: number;
  /** True: the database's files were written anew, so that they hold nothing of it; false where they are a server's. */
  readonly filesRewritten: boolean;
}

/** What retention took, or in a dry run would take. */
export interface RetentionReport {
  /** Expired events and all that came of them. */
  readonly expired: ErasureReport;
  /** Old versions by history table; empty where none was old enough. */
  readonly pruned: RowCounts;
}

/** One step of retention. */
export interface RetentionStep extends RetentionReport {
  /** Expired events are left: another step is due. */
  readonly more: boolean;
}

/** The target as the statements take it. */
export function targetColumns(target: ErasureTarget): string {
  switch (target.kind) {
    case 'user':
      return JSON.stringify({ kind: target.kind, user_id: target.userId });
    case 'thread':
      return JSON.stringify({
        kind: target.kind,
        user_id: target.userId,
        thread_id: target.threadId,
        agent_id: target.agentId,
      });
    case 'event':
    case 'document':
      return JSON.stringify({ kind: target.kind, id: target.id });
    case 'tenant':
      return JSON.stringify({ kind: target.kind });
    default:
      throw target satisfies never;
  }
}

const counts = z.record(z.string(), z.number().int().nonnegative());
const erasedColumns = z.object({
  tables: counts,
  tombstones: z.number().int(),
  neighbours: z.number().int(),
  owners_forgotten: z.number().int().default(0),
});
const stepColumns = erasedColumns.extend({ pruned: counts, more: z.boolean() });

/** A report as the database gives it. */
export function erasureReport(row: unknown): ErasureReport {
  const { report } = z.object({ report: erasedColumns }).parse(row);
  return {
    tables: report.tables,
    tombstones: report.tombstones,
    neighbours: report.neighbours,
    ownersForgotten: report.owners_forgotten,
    filesRewritten: false,
  };
}

/** A step of retention as the database gives it; null: no policy, or nothing is due. */
export function retentionStep(row: unknown): RetentionStep | null {
  const { report } = z.object({ report: stepColumns.nullable() }).parse(row);
  if (report === null) return null;
  return { expired: erasureReport({ report }), pruned: report.pruned, more: report.more };
}

/** Two reports as one. */
export function addReports(a: RetentionReport, b: RetentionReport): RetentionReport {
  return {
    expired: {
      tables: addCounts(a.expired.tables, b.expired.tables),
      tombstones: a.expired.tombstones + b.expired.tombstones,
      neighbours: a.expired.neighbours + b.expired.neighbours,
      ownersForgotten: a.expired.ownersForgotten + b.expired.ownersForgotten,
      filesRewritten: a.expired.filesRewritten || b.expired.filesRewritten,
    },
    pruned: addCounts(a.pruned, b.pruned),
  };
}

function addCounts(a: RowCounts, b: RowCounts): RowCounts {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return Object.fromEntries(names.map((name) => [name, (a[name] ?? 0) + (b[name] ?? 0)]));
}

/** All rows of a count. */
export function rowsIn(rows: RowCounts): number {
  return Object.values(rows).reduce((sum, count) => sum + count, 0);
}
