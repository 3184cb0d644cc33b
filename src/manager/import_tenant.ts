// Import: a file of `export` becomes the rows of an empty tenant. Everything is looked at before anything is written
// (design D7), what is derived is made before the transaction (N3), and all of it stands or none (D3, D4).

import { abortedBy, MemoryError } from '../model/errors.ts';
import { checkOf } from './check_tenant_rows.ts';
import { linesOf, parseRow, readTenantFile, rowLine } from '../store/tenant_file.ts';
import type { TenantHeader } from '../store/tenant_file.ts';
import type { TenantRow } from '../store/tenant_checks.ts';
import { tenantTables } from '../store/tenant_tables.ts';
import type { TenantTable } from '../store/tenant_tables.ts';
import type { OperatorWriter } from '../store/store.ts';
import { callOptions } from './call_options.ts';
import type { Placed } from './index_rows.ts';
import type { OperatorCall, TenantFile, TenantImport } from './manager.ts';
import type { ManagerParts } from './parts.ts';
import { createRowProgress } from './row_progress.ts';
import { openSpool } from './spool.ts';
import type { Spool } from './spool.ts';
import { indexedAtOnce, spoolIndex, writeSpooledIndex } from './spooled_index.ts';
import { tenantMemories } from './tenant_memories.ts';

/** How much goes into one statement. */
const mostRows = 200;
const mostChars = 4_000_000;

/** What an import works on. */
interface Work {
  readonly parts: ManagerParts;
  readonly call: OperatorCall;
  readonly name: string;
  readonly header: TenantHeader;
  readonly total: number;
  /** The lines of rows, as they stood in the file. */
  readonly rows: Spool;
}

/**
 * Imports a file into the call's tenant. Throws `backup_refused` for a file that is none of ours or damaged, one of
 * another tenant, and a tenant that holds other rows; `schema_newer`; `invalid_seed`, `policy_invalid`, `text_refused`
 * and `secret_refused` with line and field for a bad row.
 */
export async function importTenant(parts: ManagerParts, call: OperatorCall, file: TenantFile): Promise<TenantImport> {
  const rows = await openSpool();
  const derived = await openSpool();
  try {
    const header = await readTenantFile(file.name, file.source, {
      header: (read) => refuseHeader(read, call, file),
      async row(line) {
        refuseAborted(call);
        await rows.add(line);
        await rows.add('\n');
      },
    });
    await refuseNewer(parts, header, file.name);
    const total = Object.values(header.counts).reduce((sum, count) => sum + count, 0);
    const work: Work = { parts, call, name: file.name, header, total, rows };
    await checkRows(work, file);
    const told = { header, embedder: (await parts.store.schemaState()).embedder };
    if (await isThereAlready(work)) return { ...told, inserted: 0, unchanged: total };
    await derive(work, derived);
    await writeRows(work, derived);
    return { ...told, inserted: total, unchanged: 0 };
  } finally {
    await Promise.all([rows.close(), derived.close()]);
  }
}

function refuseHeader(header: TenantHeader, { scope }: OperatorCall, { name, asTenant }: TenantFile): void {
  if (header.tenant_id === scope.tenantId || asTenant) return;
  const message = `${name} holds tenant ${header.tenant_id}, and CONTEXT_TENANT_ID is ${scope.tenantId}. Set it to that tenant, or add --as-tenant to import the rows as tenant ${scope.tenantId}.`;
  throw new MemoryError('backup_refused', message, { file: name, tenant_id: header.tenant_id });
}

async function refuseNewer({ store }: ManagerParts, header: TenantHeader, name: string): Promise<void> {
  const { known } = await store.schemaState();
  if (header.schema <= known) return;
  const message = `${name} has schema ${header.schema}, written by version ${header.program}, and this version knows only ${known}. Use that version or a newer one.`;
  throw new MemoryError('schema_newer', message, { applied: header.schema, known, program: header.program });
}

function refuseAborted({ signal }: OperatorCall): void {
  if (signal?.aborted === true) throw abortedBy(signal);
}

/** The rows of the file, one at a time; `advance` is told of each. */
async function* rowsOf({ name, rows, call }: Work, advance: (rows: number) => void): AsyncGenerator<TenantRow> {
  // The first line was the header's.
  let line = 1;
  for await (const bytes of linesOf(name, rows.read())) {
    refuseAborted(call);
    line += 1;
    yield parseRow(name, bytes, line);
    advance(1);
  }
}

async function checkRows(work: Work, { allowSecrets }: TenantFile): Promise<void> {
  const { parts, call, total } = work;
  const check = checkOf(work.name, { allowSecrets });
  const advance = createRowProgress(call, { what: 'checking', total, clockMs: parts.clockMs });
  for await (const row of rowsOf(work, advance)) await check.row(row);
  await check.end();
}

/** True when the tenant holds every row of the file as it is there. Throws where it holds rows and not all of these. */
async function isThereAlready(work: Work): Promise<boolean> {
  const { parts, call, name, total } = work;
  const { tenantId } = call.scope;
  return parts.store.inspect(call.scope, callOptions(call), async (reader) => {
    if (isEmpty(await reader.countRows())) return false;
    const advance = createRowProgress(call, { what: 'comparing', total, clockMs: parts.clockMs });
    const wanted = linesOf(name, work.rows.read());
    let next = await wanted.next();
    for await (const { table, rows } of reader.tenantRows()) {
      for (const row of rows) {
        if (next.done === true) return true;
        // Both stand in the same order, so that a row which was passed by does not come later.
        if (`${next.value.toString('utf8')}\n` !== rowLine(table, row)) continue;
        next = await wanted.next();
        advance(1);
      }
    }
    if (next.done === true) return true;
    const message = `Tenant ${tenantId} holds rows already, and not those of ${name}. An import needs a tenant that is empty: set CONTEXT_TENANT_ID to another one and add --as-tenant.`;
    throw new MemoryError('backup_refused', message, { file: name, tenant_id: tenantId });
  });
}

function isEmpty(counts: ReadonlyMap<string, number>): boolean {
  return tenantTables.every((table) => (counts.get(table) ?? 0) === 0);
}

/** Makes what is derived from each memory, outside of any transaction. */
async function derive(work: Work, derived: Spool): Promise<void> {
  const { parts, call, total } = work;
  const [embedder, countTokens] = [await parts.embedder(), await parts.tokenizer()];
  const advance = createRowProgress(call, { what: 'indexing', total, clockMs: parts.clockMs });
  let held: Placed[] = [];
  for await (const placed of tenantMemories(rowsOf(work, advance), call.scope)) {
    held.push(placed);
    if (held.length < indexedAtOnce) continue;
    await spoolIndex(derived, held, { embedder, countTokens });
    held = [];
  }
  await spoolIndex(derived, held, { embedder, countTokens });
}

async function writeRows(work: Work, derived: Spool): Promise<void> {
  const { parts, call, total } = work;
  await parts.store.operate(call.scope, callOptions(call), async (writer) => {
    // Somebody may have come first since the look at the tenant.
    if (!isEmpty(await writer.countRows())) {
      throw new MemoryError('version_conflict', 'The tenant was written to while the file was being checked.');
    }
    const advance = createRowProgress(call, { what: 'writing', total, clockMs: parts.clockMs });
    await putRows(work, writer, advance);
    await writeSpooledIndex(writer, derived);
  });
}

async function putRows(work: Work, writer: OperatorWriter, advance: (rows: number) => void): Promise<void> {
  let table: TenantTable = tenantTables[0];
  let rows: string[] = [];
  let chars = 0;
  const put = async (): Promise<void> => {
    await writer.putTenantRows({ table, rows });
    rows = [];
    chars = 0;
  };
  for await (const row of rowsOf(work, advance)) {
    if (row.table !== table || rows.length >= mostRows || chars >= mostChars) await put();
    table = row.table;
    rows.push(row.text);
    chars += row.text.length;
  }
  await put();
}
