// Hears of changed tools (design T3, N8) by asking now and then: one short statement, only while somebody listens.

import { z } from 'zod';
import type { DatabaseRow } from '../statements/session.ts';

/** How often is asked. */
const everyMs = 5000;

// A number is taken before its transaction commits: some that are lower than the highest seen may still come.
const stillOpen = 1000;

const changeColumns = z.object({ tenant_id: z.string(), change_number: z.number() });

/** Tells listeners of changed tools. */
export interface ToolboxWatch {
  /** Calls back with a tenant's id. Returns the way to stop. */
  add(listener: (tenantId: string | null) => void): () => void;
  close(): void;
}

/**
 * A watch that asks `changesAfter` a number; the rows are tenants with the number of their last change. A failure is
 * `changesAfter`'s to log: nothing is lost by it, since the next answer holds what this one would have.
 */
export function createToolboxWatch(
  changesAfter: (after: number) => Promise<readonly DatabaseRow[]>,
  pauseMs: number = everyMs,
): ToolboxWatch {
  const listeners = new Set<(tenantId: string | null) => void>();
  const lastChange = new Map<string, number>();
  let highest = 0;
  let isBaseline = true;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let closed = false;

  const ask = async (): Promise<void> => {
    try {
      const rows = await changesAfter(Math.max(0, highest - stillOpen));
      for (const row of rows) {
        const { tenant_id: tenant, change_number: change } = changeColumns.parse(row);
        if (lastChange.get(tenant) === change) continue;
        lastChange.set(tenant, change);
        highest = Math.max(highest, change);
        // What had changed before anybody listened is no news.
        if (!isBaseline) for (const listener of listeners) listener(tenant);
      }
      isBaseline = false;
    } catch {
      // Asked again below.
    }
    timer = undefined;
    plan(pauseMs);
  };
  function plan(inMs: number): void {
    if (closed || listeners.size === 0 || timer !== undefined) return;
    timer = setTimeout(() => void ask(), inMs).unref();
  }
  return {
    add(listener) {
      const own = (tenantId: string | null): void => listener(tenantId);
      if (listeners.size === 0) isBaseline = true;
      listeners.add(own);
      plan(0);
      return () => void listeners.delete(own);
    },
    close() {
      closed = true;
      clearTimeout(timer);
      listeners.clear();
    },
  };
}
