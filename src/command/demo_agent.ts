// The demo's agent: a real MCP client in this process that makes the three calls an agent would make next.

import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import type { MemoryManager, ToolOutcome, WindowResult } from '../manager/manager.ts';
import { fullText } from '../model/memory_text.ts';
import type { Scope } from '../model/scope.ts';
import type { SeatedMemory } from '../model/window.ts';
import { serveStdioTransport } from '../transport/stdio.ts';
import type { Context } from './command.ts';
import type { Story } from './demo_story.ts';
import { mcpDependencies } from './mcp_dependencies.ts';

/** What a memory tool answers. */
export type ToolContent = Extract<ToolOutcome, { readonly kind: 'memory' }>['content'];

/** A call with its answer. `content` null: it failed, and `problem` says how. */
export interface DemoCall {
  readonly tool: string;
  readonly why: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly content: ToolContent | null;
  readonly problem: string | null;
  /** Tokens of the loop budget that it cost. */
  readonly cost: number;
}

interface Stage {
  readonly manager: MemoryManager;
  readonly scope: Scope;
  readonly story: Story;
  readonly window: WindowResult;
}

/** Connects a client and makes the calls, in the run that the window opened. */
export async function runAgent(context: Context, stage: Stage): Promise<readonly DemoCall[]> {
  const [clientEnd, serverEnd] = InMemoryTransport.createLinkedPair();
  const dependencies = await mcpDependencies(context, {
    scope: stage.scope,
    manager: () => Promise.resolve(stage.manager),
  });
  const server = serveStdioTransport({ ...dependencies, onClose: () => {}, channel: serverEnd });
  const client = new Client({ name: 'demo-agent', version: context.version });
  try {
    await client.connect(clientEnd);
    return await makeCalls(client, stage);
  } finally {
    await client.close();
    await server.close();
  }
}

async function makeCalls(client: Client, { story, window }: Stage): Promise<readonly DemoCall[]> {
  let tokensLeft = Number(window.manifest.budget['tool_reserve']);
  const calls: DemoCall[] = [];
  const make = async (tool: string, why: string, args: Readonly<Record<string, unknown>>): Promise<void> => {
    const call = await callTool(client, { tool, why, args, tokensLeft });
    tokensLeft = call.content?.loop.tokens_left ?? tokensLeft;
    calls.push(call);
  };
  await make('lookup_entity', 'the number that Jane remembers is checked before it is repeated', { ...story.lookup });
  await make('search_memory', 'one thing that the window has no room for is fetched, and no more than one', {
    query: story.retentionQuestion,
    limit: 1,
  });
  await make(...toExpand(window, calls, tokensLeft));
  return calls;
}

// What a result costs beside its text, and how little text a token may be: an agent can only guess, so it guesses high.
const envelopeTokens = 140;
const leastCharactersPerToken = 3.5;

/** What the window shows in part and fits whole now; else a summary with its correction, to see where it comes from. */
function toExpand(
  window: WindowResult,
  calls: readonly DemoCall[],
  tokensLeft: number,
): [tool: string, why: string, args: { readonly memory_id: string }] {
  const fetched = new Set(calls.flatMap(({ content }) => content?.memories.map(({ id }) => id) ?? []));
  const open = window.seated.filter((seated) => !fetched.has(seated.id) && guessedTokens(seated) <= tokensLeft);
  const inPart = open.find(({ tier }) => tier !== 'full');
  if (inPart !== undefined) return ['expand', 'what the window shows in part is read whole', { memory_id: inPart.id }];
  const summaries = open.filter(({ memory }) => memory.type === 'summary');
  const chosen = summaries.find(({ annotations }) => annotations.length > 0) ?? summaries[0] ?? open[0];
  return ['expand', 'an old summary is read again, to see when it was written', { memory_id: chosen?.id ?? '' }];
}

function guessedTokens({ memory, annotations }: SeatedMemory): number {
  const characters = fullText(memory).length + 250 * annotations.length;
  return envelopeTokens + characters / leastCharactersPerToken;
}

async function callTool(
  client: Client,
  call: {
    readonly tool: string;
    readonly why: string;
    readonly args: Readonly<Record<string, unknown>>;
    readonly tokensLeft: number;
  },
): Promise<DemoCall> {
  const { tool, why, args, tokensLeft } = call;
  const result = await client.callTool({ name: tool, arguments: { ...args } });
  const text = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const base = { tool, why, arguments: args };
  if (result.isError === true || !isContent(result.structuredContent)) {
    return { ...base, content: null, problem: text, cost: 0 };
  }
  const content = result.structuredContent;
  return { ...base, content, problem: null, cost: tokensLeft - content.loop.tokens_left };
}

// The client has validated it against the tool's output schema; this is what the compiler needs to see.
function isContent(value: unknown): value is ToolContent {
  return typeof value === 'object' && value !== null && 'memories' in value && 'loop' in value;
}
