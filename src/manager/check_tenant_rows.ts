// Every check of an export's rows before they are written (design D7, D8, T2).

import { toolProblem } from './toolbox.ts';
import { searchSecrets } from './tenant_texts.ts';
import type { JsonObject } from '../model/json.ts';
import { createTenantCheck, isOpen, refuseRow } from '../store/tenant_checks.ts';
import type { TenantRow } from '../store/tenant_checks.ts';

/** Checks rows in their order, then as a whole. Both throw as `importTenant` says. */
export interface RowsCheck {
  row(row: TenantRow): Promise<void>;
  end(): Promise<void>;
}

/** The checks of one file. */
export function checkOf(fileName: string, { allowSecrets }: { readonly allowSecrets: boolean }): RowsCheck {
  const check = createTenantCheck(fileName);
  const secrets = allowSecrets ? null : searchSecrets(fileName);
  return {
    async row(row) {
      check.row(row);
      checkTool(fileName, row);
      await secrets?.row(row);
    },
    async end() {
      check.end();
      await secrets?.end();
    },
  };
}

/** A tool that would be left out when it is read is refused, unless it is history or quarantined. */
function checkTool(fileName: string, row: TenantRow): void {
  const { table, columns } = row;
  if (table !== 'toolbox_memory' || !isOpen(columns) || columns['quarantined_at'] !== null) return;
  const problem = toolProblem({
    name: String(columns['tool_name']),
    schema: columns['tool_schema'] as JsonObject,
    handler: String(columns['tool_handler']),
    usageNotes: String(columns['usage_notes']),
  });
  if (problem !== null) refuseRow(fileName, row, 'tool_name', `the tool cannot be listed: ${problem}`);
}
