// Rows by table, as erase and retention show them: the empty tables left out.

import type { RowCounts } from '../store/erasure.ts';
import type { Context } from './command.ts';
import { figure } from './table.ts';
import { printTable } from './window_view.ts';

/** The tables that have rows to show, in order of their names. */
export function tablesWithRows(rows: RowCounts): RowCounts {
  const counts = Object.entries(rows).filter(([, count]) => count > 0);
  return Object.fromEntries(counts.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Prints them as a table. */
export function printTables({ print }: Context, rows: RowCounts): void {
  printTable(
    print,
    [['table'], ['rows', 'right']],
    Object.entries(tablesWithRows(rows)).map(([table, count]) => [table, figure(count)]),
  );
}
