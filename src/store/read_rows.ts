// A row that cannot be read is no failure of the read (design N2): it is left out and told to the log.

import { z } from 'zod';
import type { LogProblem } from './problem.ts';

const named = z.object({ id: z.string().optional(), event_id: z.string().optional() });

/**
 * Maps rows one by one; a row that cannot be read as its type is left out and logged without its text, as if it were
 * quarantined (design N2).
 */
export function readRows<Row, Value>(
  rows: readonly Row[],
  map: (row: Row) => Value,
  report: { readonly requestId: string; readonly log: LogProblem; readonly what: string },
): Value[] {
  return rows.flatMap((row) => {
    try {
      return [map(row)];
    } catch (error) {
      const columns = named.safeParse(row).data;
      report.log({
        kind: 'bad_row',
        requestId: report.requestId,
        message: `A row of ${report.what} cannot be read and is left out.`,
        detail: {
          id: columns?.id ?? columns?.event_id ?? null,
          fields: error instanceof z.ZodError ? error.issues.map((issue) => issue.path.join('.')) : [],
        },
      });
      return [];
    }
  });
}
