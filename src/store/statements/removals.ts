// Erasure and retention (design E1, N4): each a transaction of its own, in which one function of the database does the
// work; then, where the files are the engine's own, they are written anew.

import type { TenantId } from '../../model/ids.ts';
import type { OperatorScope } from '../../model/scope.ts';
import {
  addReports,
  erasureReport,
  retentionStep,
  rowsIn,
  targetColumns,
  type ErasureTarget,
  type ErasureReport,
  type RetentionReport,
  type RetentionStep,
} from '../erasure.ts';
import type { CallOptions, Store } from '../store.ts';
import type { StoreParts } from './entrance.ts';

/** Events of one step of retention: each step is a transaction that others wait for. */
const mostExpired = 1000;

type RemovalParts = Pick<StoreParts, 'run' | 'rewriteFiles' | 'residents'>;

interface Asked {
  readonly scope: OperatorScope;
  readonly call: CallOptions;
  readonly dryRun: boolean;
}

/** The removals of a store. */
export function removals(parts: RemovalParts): Pick<Store, 'erase' | 'retain' | 'retainNext'> {
  return {
    erase: (scope, { dryRun, ...call }, target) => erase(parts, { scope, call, dryRun }, target),
    retain: (scope, { dryRun, ...call }) => retain(parts, { scope, call, dryRun }),
    async retainNext(call, everySeconds) {
      const step = await parts.run({ as: 'nobody' }, call, async (session) =>
        retentionStep(await session.one('retain_next', everySeconds, mostExpired)),
      );
      // Of which tenant they were, it does not tell.
      if (step !== null && rowsIn(step.expired.tables) > 0) parts.residents?.forget(null);
      return step;
    },
  };
}

/** Nothing of what was removed stays in the process, whether all went well or not. */
async function forgetting<T>(
  { residents }: RemovalParts,
  { tenantId, dryRun }: { readonly tenantId: TenantId; readonly dryRun: boolean },
  remove: () => Promise<T>,
): Promise<T> {
  try {
    return await remove();
  } finally {
    if (!dryRun) residents?.forget(tenantId);
  }
}

async function erase(
  parts: RemovalParts,
  { scope, call, dryRun }: Asked,
  target: ErasureTarget,
): Promise<ErasureReport> {
  const report = await forgetting(parts, { tenantId: scope.tenantId, dryRun }, () =>
    parts.run({ as: 'erase', scope }, call, async (session) =>
      erasureReport(await session.one('erase', targetColumns(target), dryRun)),
    ),
  );
  if (dryRun || rowsIn(report.tables) + report.ownersForgotten === 0) return report;
  return { ...report, filesRewritten: await rewriteFiles(parts, call) };
}

async function retain(parts: RemovalParts, { scope, call, dryRun }: Asked): Promise<RetentionReport | null> {
  const report = await forgetting(parts, { tenantId: scope.tenantId, dryRun }, () =>
    allSteps(() =>
      parts.run({ as: 'erase', scope }, call, async (session) =>
        retentionStep(await session.one('retain', mostExpired, dryRun)),
      ),
    ),
  );
  if (report === null || dryRun || rowsIn(report.expired.tables) + rowsIn(report.pruned) === 0) return report;
  return { ...report, expired: { ...report.expired, filesRewritten: await rewriteFiles(parts, call) } };
}

async function rewriteFiles(parts: RemovalParts, call: CallOptions): Promise<boolean> {
  return (await parts.rewriteFiles?.(call)) ?? false;
}

async function allSteps(next: () => Promise<RetentionStep | null>): Promise<RetentionReport | null> {
  let all: RetentionReport | null = null;
  for (;;) {
    const step = await next();
    if (step === null) return all;
    all = all === null ? step : addReports(all, step);
    if (!step.more) return { expired: all.expired, pruned: all.pruned };
  }
}
