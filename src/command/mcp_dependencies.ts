// What an MCP connection of this process is made of, whoever is at its other end.

import { randomBytes } from 'node:crypto';
import type { MemoryManager } from '../manager/manager.ts';
import type { Scope } from '../model/scope.ts';
import type { McpDependencies } from '../transport/call_context.ts';
import type { Context } from './command.ts';

// Clients of the SDKs give up after 60 s by default: ours must speak before, while somebody still listens.
const callDeadlineMs = 45_000;
const clarifyDeadlineMs = 45_000;

/** For one connection under a scope that the operator configured. The key that seals state lives as long as it. */
export async function mcpDependencies(
  context: Context,
  served: { readonly scope: Scope; readonly manager: () => Promise<MemoryManager> },
): Promise<McpDependencies> {
  return {
    ...served,
    instructions: await context.instructions(),
    version: context.version,
    log: context.log,
    callDeadlineMs,
    clarifyDeadlineMs,
    stateKey: randomBytes(32),
    newRequestId: () => context.newRequestId(),
  };
}
