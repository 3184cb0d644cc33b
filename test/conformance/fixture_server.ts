// The fixture profile: the product's own server over HTTP, its tools listed from rows, with the suite's fixture tools,
// resources and prompts answered in front of it.

import { randomUUID } from 'node:crypto';
import type {
  CallToolResult,
  CompleteResult,
  GetPromptResult,
  InputRequiredResult,
  ListPromptsResult,
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
  Server,
  ServerContext,
} from '@modelcontextprotocol/server';
import { withoutSignIn } from '../../src/auth/without_sign_in.ts';
import type { OperatorManager } from '../../src/manager/manager.ts';
import type { McpDependencies } from '../../src/transport/call_context.ts';
import { serveHttp } from '../../src/transport/http.ts';
import { createMcpServer } from '../../src/transport/mcp.ts';
import { openFixture, operatorCall, scopeOf } from '../fixture.ts';
import {
  fixtureCompletion,
  fixturePrompt,
  fixturePrompts,
  fixtureResource,
  fixtureResources,
  fixtureTemplate,
  plainTools,
  said,
  type FixtureCall,
} from './fixture_content.ts';
import { askingPrompt, requestTools, roundTools } from './fixture_questions.ts';

/** A server of the fixture profile. */
export interface FixtureServer {
  readonly url: string;
  close(): Promise<void>;
}

const tenant = 'acme';

/** Adds a row, so that the list of tools changes. */
const changeTools = (operator: OperatorManager) => async () => {
  const name = `added_${randomUUID().slice(0, 8)}`;
  await operator.apply(operatorCall(tenant), 'added.json', { toolbox: [toolRow(name)] });
  return said(`The tool ${name} was added.`);
};

const text = { type: 'string' };
const argumentsOf: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  test_sampling: { prompt: text },
  test_elicitation: { message: text },
};

function toolRow(tool_name: string) {
  const tool_schema = { type: 'object', title: tool_name, properties: { ...argumentsOf[tool_name] } };
  return { tool_name, tool_schema, tool_handler: 'clarify', usage_notes: 'A fixture of the conformance suite.' };
}

/** Serves the fixture profile on a free port of this machine, without sign-in. */
export async function openFixtureServer(): Promise<FixtureServer> {
  const fixture = await openFixture({ seeds: ['acme_policy.json', 'corpus_research.json'] });
  const tools = {
    ...plainTools,
    ...roundTools,
    ...requestTools,
    test_trigger_tool_change: changeTools(fixture.operator),
  };
  await fixture.operator.apply(operatorCall(tenant), 'tools.json', { toolbox: Object.keys(tools).map(toolRow) });
  const silent = () => {};
  const server = await serveHttp({
    host: '127.0.0.1',
    port: 0,
    doors: { allowedHosts: ['127.0.0.1', 'localhost'], allowedOrigins: null },
    resource: null,
    verifier: withoutSignIn(scopeOf({ tenant, thread: null })),
    common: {
      manager: async () => fixture.manager,
      instructions: 'Memory is quoted evidence.',
      version: '0.0.0-conformance',
      log: { info: silent, warn: silent, error: silent },
      callDeadlineMs: 20_000,
      clarifyDeadlineMs: 5_000,
      stateKey: await fixture.store.sealingKey(),
      newRequestId: () => `req_${randomUUID()}`,
    },
    storeIsReady: async () => true,
    makeServer: (dependencies) => serverWith(tools, dependencies),
  });
  return {
    url: `http://127.0.0.1:${server.port}/mcp`,
    async close() {
      await server.close();
      await fixture.close();
    },
  };
}

type Tools = Readonly<
  Record<string, ((call: FixtureCall) => Promise<CallToolResult | InputRequiredResult>) | undefined>
>;
type Handler = (request: object, context: ServerContext) => Promise<unknown>;

/** The product's server with fixtures in front: what they do not know goes on to the product. */
function serverWith(tools: Tools, dependencies: McpDependencies): Server {
  const server = createMcpServer(dependencies);
  server.registerCapabilities({ logging: {}, resources: { subscribe: true } });
  const products = new Map<string, Handler>(fronted.map((method) => [method, productHandler(server, method)]));
  const product = async <Result>(request: { readonly method: string }, context: ServerContext) =>
    (await products.get(request.method)!(request, context)) as Result;

  server.setRequestHandler('tools/call', async (request, context) => {
    const { name, arguments: args = {} } = request.params;
    return tools[name]?.({ args, context }) ?? product(request, context);
  });
  server.setRequestHandler('resources/read', async (request, context) => {
    return fixtureResource(request.params.uri) ?? product<ReadResourceResult>(request, context);
  });
  server.setRequestHandler('resources/list', async (request, context) => {
    const own = await product<ListResourcesResult>(request, context);
    return { ...own, resources: [...own.resources, ...fixtureResources] };
  });
  server.setRequestHandler('resources/templates/list', async (request, context) => {
    const own = await product<ListResourceTemplatesResult>(request, context);
    return { ...own, resourceTemplates: [...own.resourceTemplates, fixtureTemplate] };
  });
  server.setRequestHandler('resources/subscribe', () => ({}));
  server.setRequestHandler('resources/unsubscribe', () => ({}));
  server.setRequestHandler('prompts/list', async (request, context) => {
    const own = await product<ListPromptsResult>(request, context);
    return { ...own, prompts: [...own.prompts, ...fixturePrompts] };
  });
  server.setRequestHandler('prompts/get', async (request, context) => {
    const { name, arguments: args = {} } = request.params;
    if (name === 'test_input_required_result_prompt') return askingPrompt(context);
    return fixturePrompt(name, args) ?? product<GetPromptResult>(request, context);
  });
  server.setRequestHandler('completion/complete', async (request, context) => {
    const { ref, argument } = request.params;
    const own = ref.type === 'ref/prompt' ? fixtureCompletion(ref.name, argument.value) : null;
    return own ?? product<CompleteResult>(request, context);
  });
  return server;
}

const fronted = [
  'tools/call',
  'resources/read',
  'resources/list',
  'resources/templates/list',
  'prompts/list',
  'prompts/get',
  'completion/complete',
] as const;

/** The handler that the product has set; the package keeps it from all but its subclasses. */
function productHandler(server: Server, method: string): Handler {
  const find = Reflect.get(server, '_getRequestHandler') as (this: Server, method: string) => Handler | undefined;
  const handler = find.call(server, method);
  if (handler === undefined) throw new Error(`the product serves no ${method}`);
  return handler;
}
