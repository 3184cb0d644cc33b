// Which row of the static prefix counts (design A1): effective at the evaluation time, narrowest scope for each key.

import { MemoryError } from '../model/errors.ts';
import { type Lifecycle, type Ref, refKey } from '../model/memory.ts';
import type { RowScope, Scope } from '../model/scope.ts';
import type { EvaluationTime } from '../model/time.ts';
import { compareText } from './select/compare.ts';

/** A row with scope and lifecycle. */
interface ScopedRow {
  readonly ref: Ref;
  readonly scope: RowScope;
  readonly lifecycle: Lifecycle;
}

/**
 * Of rows that are current and not quarantined, the one of the narrowest scope for each key (thread, then user, then
 * agent; equal scope: later valid_from, then id), ordered by key, narrower scope last, then id.
 */
export function effectiveRows<Row extends ScopedRow>(
  rows: readonly Row[],
  time: EvaluationTime,
  keyOf: (row: Row) => string,
): readonly Row[] {
  const winners = new Map<string, Row>();
  for (const row of rows) {
    if (!isEffective(row.lifecycle, time)) continue;
    const key = keyOf(row);
    const known = winners.get(key);
    if (known === undefined || beats(row, known)) winners.set(key, row);
  }
  return [...winners.values()].toSorted(
    (a, b) =>
      compareText(keyOf(a), keyOf(b)) || narrowness(a.scope) - narrowness(b.scope) || compareText(a.ref[1], b.ref[1]),
  );
}

/** Throws `scope_violation` for a row that the caller's scope does not see: the store filters, this asserts (design S1). */
export function assertInScope(rows: readonly ScopedRow[], scope: Scope): void {
  for (const row of rows) {
    const foreign =
      row.scope.tenantId !== scope.tenantId ||
      (row.scope.userId !== null && row.scope.userId !== scope.userId) ||
      (row.scope.agentId !== null && row.scope.agentId !== scope.agentId) ||
      (row.scope.threadId !== null && row.scope.threadId !== scope.threadId);
    if (foreign) {
      throw new MemoryError('scope_violation', 'A row outside the scope of the caller reached the assembly.', {
        row: refKey(row.ref).replaceAll('\u0000', ' '),
      });
    }
  }
}

function isEffective(lifecycle: Lifecycle, time: EvaluationTime): boolean {
  return (
    lifecycle.deletedAt === null &&
    lifecycle.quarantinedAt === null &&
    lifecycle.validFrom <= time &&
    (lifecycle.validUntil === null || time < lifecycle.validUntil)
  );
}

function beats(row: ScopedRow, known: ScopedRow): boolean {
  const wider = narrowness(row.scope) - narrowness(known.scope);
  if (wider !== 0) return wider > 0;
  const later = compareText(row.lifecycle.validFrom, known.lifecycle.validFrom);
  return later === 0 ? compareText(row.ref[1], known.ref[1]) < 0 : later > 0;
}

/** Compared in the order thread, user, agent; a set column is narrower than an inherited one. */
function narrowness(scope: RowScope): number {
  return (scope.threadId === null ? 0 : 4) + (scope.userId === null ? 0 : 2) + (scope.agentId === null ? 0 : 1);
}
