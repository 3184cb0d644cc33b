// Whether the tenant whom a process was started for has tools: in a folder it gets the default ones, on a server it is told.

import type { MemoryManager } from '../manager/manager.ts';
import { MemoryError } from '../model/errors.ts';
import { launchCall } from './calls.ts';
import type { Context, Parts } from './command.ts';
import { initialiseIfEmpty } from './init.ts';

/** Sees to the configured tenant's tools. Throws `tenant_not_initialised` for a tenant on a server that has none. */
export async function seeToTools(context: Context, parts: Parts, manager: MemoryManager): Promise<void> {
  // Whoever has a tool needs no profile: a start on a memory in use loads nothing of the operator's.
  if ((await manager.listTools(launchCall(context))).length > 0) return;
  if (context.config.server === null) await initialiseIfEmpty(context, await parts.operator());
  else await requireTools(context, parts);
}

/** A tenant without a tool, not even for others, was never initialised; on a server that is an operator's to do. */
async function requireTools(context: Context, parts: Parts): Promise<void> {
  const { scope, requestId, signal } = launchCall(context);
  const store = await parts.store();
  const options = { requestId, evaluationTime: null, ...(signal === undefined ? {} : { signal }) };
  const tools = await store.read(scope, options, (reader) => reader.tools());
  if (tools.length > 0) return;
  throw new MemoryError(
    'tenant_not_initialised',
    `Tenant ${scope.tenantId} has no tools. Run: context-assembly-memory init`,
    { command: 'context-assembly-memory init' },
  );
}
