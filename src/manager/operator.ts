// What an operator may do (design 4, E1): seed, init and apply, validated as a whole before anything is written (D7), erase
// and retain.

import { checkSeedSet, parseSeedFile, type ParsedSeed } from '../store/seed_rows.ts';
import { operatorScope } from '../auth/make_scope.ts';
import { applyFile, readApplyFile } from './apply.ts';
import { exportTenant } from './export_tenant.ts';
import { importTenant } from './import_tenant.ts';
import { indexEntries, placedMemories } from './index_rows.ts';
import { ingest } from './ingest.ts';
import type { OperatorCall, OperatorManager } from './manager.ts';
import type { ManagerParts } from './parts.ts';
import { checkTools, rowTexts } from './operator_rows.ts';
import { reembed } from './reembed.ts';
import { reindex } from './reindex.ts';
import { recordMethods } from './records.ts';
import { refuseSecrets } from './secrets.ts';
import { newTokenCounts } from './token_counts.ts';

/** The manager of operator commands. */
export function createOperatorManager(parts: ManagerParts): OperatorManager {
  return {
    ...recordMethods(parts),
    seed: async (files, call) => {
      const parsed = files.map(({ name, json }) => parseSeedFile(json, name));
      checkSeedSet(parsed);
      const rows = parsed.flatMap((file) => file.rows);
      checkTools(rows);
      await refuseSecrets(rows.flatMap(rowTexts));
      const reports = new Map<string, Awaited<ReturnType<typeof seedTenant>>>();
      for (const [tenant, seeds] of byTenant(parsed)) {
        reports.set(tenant, await seedTenant(parts, { ...call, scope: operatorScope(tenant) }, seeds));
      }
      return reports;
    },
    init: async (call, profile) => {
      const parsed = parseSeedFile({ ...Object(profile), tenant_id: call.scope.tenantId }, 'the default profile');
      checkTools(parsed.rows);
      const known = await parts.store.operate(call.scope, options(call), (writer) => writer.hasToolbox());
      if (known) return false;
      await seedTenant(parts, call, [parsed]);
      return true;
    },
    apply: (call, fileName, json) => applyFile(parts, call, { fileName, json }),
    checkFile: async (call, fileName, json) => {
      await readApplyFile(parts, call, { fileName, json });
    },
    erase: (call, target, { dryRun }) => parts.store.erase(call.scope, { ...options(call), dryRun }, target),
    retain: (call, { dryRun }) => parts.store.retain(call.scope, { ...options(call), dryRun }),
    exportTenant: (call, given) => exportTenant(parts, call, given),
    importTenant: (call, file) => importTenant(parts, call, file),
    ingest: (call, ingestion) => ingest(parts, call, ingestion),
    reembed: (call, given) => reembed(parts, call, given),
    reindex: (call, given) => reindex(parts, call, given),
    countRows: (call) => parts.store.operate(call.scope, options(call), (writer) => writer.countRows()),
  };
}

function options(call: Pick<OperatorCall, 'requestId' | 'signal'>): { requestId: string; signal?: AbortSignal } {
  return { requestId: call.requestId, ...(call.signal === undefined ? {} : { signal: call.signal }) };
}

function byTenant(parsed: readonly ParsedSeed[]): ReadonlyMap<string, readonly ParsedSeed[]> {
  const tenants = new Map<string, ParsedSeed[]>();
  for (const seed of parsed) tenants.set(seed.tenantId, [...(tenants.get(seed.tenantId) ?? []), seed]);
  return tenants;
}

/** All rows of one tenant in one transaction; index rows are made before it. */
async function seedTenant(parts: ManagerParts, call: OperatorCall, seeds: readonly ParsedSeed[]) {
  const rows = seeds.flatMap((seed) => seed.rows);
  const placed = placedMemories(rows, call.scope);
  const index = await indexEntries(await parts.embedder(), placed, (done) =>
    call.onProgress?.(done, `${call.scope.tenantId}: indexing ${placed.length} memories`),
  );
  const counts = newTokenCounts(
    placed.map(({ memory }) => memory),
    await parts.tokenizer(),
  );
  return parts.store.operate(call.scope, options(call), async (writer) => {
    const report = await writer.importRows({
      rows,
      provenance: seeds.flatMap((seed) => seed.provenance),
      links: seeds.flatMap((seed) => seed.links),
      index,
    });
    await writer.putTokenCounts(counts);
    return report;
  });
}
