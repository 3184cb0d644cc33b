// Tools over MCP (design T2, T5, T6): listed from the caller's rows, called through the manager, answered in one shape.

import type {
  CallToolResult,
  InputRequiredResult,
  ListToolsResult,
  Server,
  ServerContext,
} from '@modelcontextprotocol/server';
import type { Call, ListedTool, MemoryManager, ToolOutcome } from '../manager/manager.ts';
import { scopeOf, withinCall, type McpDependencies } from './call_context.ts';
import { askInSecondRound, askUser, openSeal, sealFor } from './elicit.ts';
import { pageOf } from './pages.ts';
import { settledWell, type RequestTies, type Settled } from './request_ties.ts';

/** One page of the tools that the caller may see now. */
export async function listTools(
  manager: MemoryManager,
  call: Call,
  cursor: string | undefined,
): Promise<ListToolsResult> {
  const { entries, next } = pageOf(await manager.listTools(call), 'tools', cursor);
  return { tools: entries.map(toolOf), ...next };
}

function toolOf(tool: ListedTool): ListToolsResult['tools'][number] {
  const { inputSchema, outputSchema, annotations, ...words } = tool;
  return {
    ...words,
    // A row whose schema is not an object's never gets this far; the protocol's type wants to see it said.
    inputSchema: { ...inputSchema, type: 'object' },
    outputSchema: { ...outputSchema, type: 'object' },
    annotations,
  };
}

/** Carries out one call, or one round of it. Throws what the manager throws. */
export async function callTool(
  connection: { readonly dependencies: McpDependencies; readonly server: Server },
  request: {
    readonly ties: RequestTies;
    readonly context: ServerContext;
    readonly tool: string;
    readonly args: Readonly<Record<string, unknown>>;
  },
): Promise<{ readonly result: CallToolResult | InputRequiredResult; readonly settled: Settled }> {
  const { dependencies, server } = connection;
  const { stateKey, clarifyDeadlineMs } = dependencies;
  const { context, ties, tool, args } = request;
  const { principalKey } = ties;
  const seal = sealFor(stateKey, { scope: scopeOf(ties.scope, context), principalKey, tool, args });
  const sealed = await openSeal(seal, context);
  const outcome = await withinCall(connection, request, ({ manager, call, deadline }) =>
    manager.callTool(call, tool, args, askUser(server, context, { deadline, clarifyDeadlineMs, sealed })),
  );
  const result =
    outcome.kind === 'input_required'
      ? await askInSecondRound(outcome, seal, { context, clarifyDeadlineMs })
      : toolResult(outcome);
  return { result, settled: settledBy(outcome) };
}

function settledBy(outcome: ToolOutcome): Settled {
  if (outcome.kind !== 'memory') return settledWell;
  // A loop that has nothing left answers without a manifest: nothing was put together.
  if (outcome.manifest === null) return { ...settledWell, outcome: 'spent' };
  return { ...settledWell, tokens: outcome.content.memories.reduce((sum, { tokens }) => sum + tokens, 0) };
}

function toolResult(outcome: Exclude<ToolOutcome, { readonly kind: 'input_required' }>): CallToolResult {
  return { content: [{ type: 'text', text: outcome.text }], structuredContent: { ...outcome.content } };
}
