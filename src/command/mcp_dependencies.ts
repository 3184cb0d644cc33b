// What MCP connections of this process are made of, whoever is at their other end.

import { randomBytes } from 'node:crypto';
import type { MemoryManager } from '../manager/manager.ts';
import type { Scope } from '../model/scope.ts';
import type { McpDependencies } from '../transport/call_context.ts';
import type { Context } from './command.ts';

// Clients of the SDKs give up after 60 s by default: ours must speak before, while somebody still listens.
const callDeadlineMs = 45_000;
const clarifyDeadlineMs = 45_000;

/** What all connections have in common; `stateKey` seals what clients carry between two rounds of one call. */
export async function commonDependencies(
  context: Context,
  served: { readonly manager: () => Promise<MemoryManager>; readonly stateKey: Uint8Array },
): Promise<Omit<McpDependencies, 'scope'>> {
  return {
    ...served,
    instructions: await context.instructions(),
    version: context.version,
    log: context.log,
    callDeadlineMs,
    clarifyDeadlineMs,
    newRequestId: () => context.newRequestId(),
  };
}

/** For one connection under a scope that the operator configured. The key that seals state lives as long as it. */
export async function mcpDependencies(
  context: Context,
  { scope, manager }: { readonly scope: Scope; readonly manager: () => Promise<MemoryManager> },
): Promise<McpDependencies> {
  return { ...(await commonDependencies(context, { manager, stateKey: randomBytes(32) })), scope };
}
