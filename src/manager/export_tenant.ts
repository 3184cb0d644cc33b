// Export: one tenant's rows out of one snapshot (design N3), written down only after the database is free again.

import { MemoryError } from '../model/errors.ts';
import { rowLine, sealTenantFile } from '../store/tenant_file.ts';
import type { TenantCounts, TenantHeader } from '../store/tenant_file.ts';
import { tenantTables } from '../store/tenant_tables.ts';
import type { TenantTable } from '../store/tenant_tables.ts';
import type { Instant } from '../model/time.ts';
import { callOptions } from './call_options.ts';
import type { OperatorCall, TenantExport } from './manager.ts';
import type { ManagerParts } from './parts.ts';
import { createRowProgress } from './row_progress.ts';
import { openSpool } from './spool.ts';
import type { Spool } from './spool.ts';

/** Writes an export of the call's tenant. Throws `backup_refused` where that has no rows. */
export async function exportTenant(
  parts: ManagerParts,
  call: OperatorCall,
  given: { readonly program: string; write(bytes: Uint8Array): Promise<void> },
): Promise<TenantExport> {
  const spool = await openSpool();
  try {
    const { at, counts, leftOut } = await readTenant(parts, call, spool);
    const { applied, embedder } = await parts.store.schemaState();
    const told: Omit<TenantHeader, 'format' | 'form'> = {
      tenant_id: call.scope.tenantId,
      schema: Math.max(0, ...applied),
      embedder,
      counts,
      program: given.program,
      created_at: at,
    };
    const seal = sealTenantFile(told);
    await given.write(Buffer.from(seal.header));
    for await (const bytes of spool.read()) {
      call.signal?.throwIfAborted();
      seal.add(bytes);
      await given.write(bytes);
    }
    const { line, sha256 } = seal.end();
    await given.write(Buffer.from(line));
    const bytes = Buffer.byteLength(seal.header) + spool.size + Buffer.byteLength(line);
    return { counts, bytes, sha256, leftOut, createdAt: at };
  } finally {
    await spool.close();
  }
}

/** Whoever takes the bytes may be slow, and a transaction must not wait for them: the rows go to a file of ours first. */
async function readTenant(
  parts: ManagerParts,
  call: OperatorCall,
  spool: Spool,
): Promise<{ readonly at: Instant; readonly counts: TenantCounts; readonly leftOut: number }> {
  return parts.store.inspect(call.scope, callOptions(call), async (reader) => {
    // A transaction that the database gave up runs again from its beginning.
    spool.clear();
    const present = await reader.countRows();
    const total = tenantTables.reduce((sum, table) => sum + (present.get(table) ?? 0), 0);
    if (total === 0) {
      const message = `Tenant ${call.scope.tenantId} holds no rows: there is nothing to export.`;
      throw new MemoryError('backup_refused', message, { tenant_id: call.scope.tenantId });
    }
    const advance = createRowProgress(call, { what: 'reading', total, clockMs: parts.clockMs });
    const counts = Object.fromEntries(tenantTables.map((table) => [table, 0])) as Record<TenantTable, number>;
    for await (const { table, rows } of reader.tenantRows()) {
      for (const row of rows) await spool.add(rowLine(table, row));
      counts[table] += rows.length;
      advance(rows.length);
    }
    const exported = Object.values(counts).reduce((sum, count) => sum + count, 0);
    return { at: reader.position.evaluationTime, counts, leftOut: total - exported };
  });
}
