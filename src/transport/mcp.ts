// The MCP server of one connection: which requests there are, and how each becomes a call of the manager.

import { ProtocolError, Server, type ServerContext } from '@modelcontextprotocol/server';
import { checkArgumentSize } from '../manager/toolbox.ts';
import { MemoryError, type ErrorCode } from '../model/errors.ts';
import { outcomeOf } from '../manager/record_event.ts';
import { isNewerEra, tiesOf, withinCall, type McpDependencies, type OpenCall } from './call_context.ts';
import { refuseCursor } from './pages.ts';
import { protocolFailure, toolFailure } from './present.ts';
import { completePrompt, getPrompt, prompts } from './prompts.ts';
import { completeResource, listResources, readResource, resourceTemplates } from './resources.ts';
import { settledWell, type Settled } from './request_ties.ts';
import { callTool, listTools } from './tools.ts';

/** What a client may keep for an hour: lists that only another version of this program changes. */
const fixedList = { ttlMs: 3_600_000, cacheScope: 'private' } as const;
/** Erasure, roles and new rows count at once, so nothing else is kept at all. */
const alwaysAsk = { ttlMs: 0, cacheScope: 'private' } as const;

const toolsChanged = 'notifications/tools/list_changed';

interface Connection {
  readonly dependencies: McpDependencies;
  readonly server: Server;
  /** Begins to tell the client of changed tools; the first call counts. */
  readonly watch: () => void;
}

/**
 * The server of one connection, ready to be connected. It serves both eras: the transport's entry decides which. The
 * manager is asked for with the first request that needs it, so that the handshake answers while the store opens.
 */
export function createMcpServer(dependencies: McpDependencies): Server {
  const { version, instructions } = dependencies;
  const server = new Server(
    { name: 'context-assembly-memory', title: 'Context assembly memory', version },
    {
      capabilities: { tools: { listChanged: true }, resources: {}, prompts: {}, completions: {} },
      instructions,
      debouncedNotificationMethods: [toolsChanged],
      cacheHints: {
        'tools/list': alwaysAsk,
        'resources/list': alwaysAsk,
        'resources/read': alwaysAsk,
        'resources/templates/list': fixedList,
        'prompts/list': fixedList,
        'server/discover': alwaysAsk,
      },
    },
  );
  const watch = watchTools(server, dependencies);
  const connection = { dependencies, server, watch };
  serveTools(connection);
  serveResources(connection);
  servePrompts(connection);
  // A client of the older era must not be notified before it has said that it is initialized.
  server.oninitialized = watch;
  return server;
}

/** Returns the function that begins; what it began ends with the connection. */
function watchTools(server: Server, { manager, scope, log, isPerRequest }: McpDependencies): () => void {
  if (isPerRequest === true) return () => {};
  let begun = false;
  let stop: (() => void) | null = null;
  let closed = false;
  const tell = () => {
    server
      .sendToolListChanged()
      .catch((error: unknown) => log.warn({ error }, 'a client could not be told of changed tools'));
  };
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a Server is no EventTarget
  server.onclose = () => {
    closed = true;
    stop?.();
  };
  return () => {
    if (begun) return;
    begun = true;
    manager().then(
      (open) => {
        if (!closed) stop = open.watchTools(scope.tenantId, tell);
      },
      // Whoever asks for the tools learns why the store did not open.
      () => (begun = false),
    );
  };
}

/** Runs one request within its bounds; a failure leaves as JSON-RPC error, its detail in the log alone. */
async function answer<Result>(
  connection: Connection,
  context: ServerContext,
  work: (open: OpenCall) => Promise<Result>,
  more: Readonly<Record<string, string>> = {},
): Promise<Result> {
  const { method } = context.mcpReq;
  const ties = tiesOf(connection.dependencies, context);
  const end = ties.begin(method, null);
  if (isNewerEra(connection.server)) connection.watch();
  try {
    const result = await withinCall(connection, { ties, context }, work);
    end(settledWell);
    return result;
  } catch (error) {
    end(settledBadly(error));
    logFailure(connection, { id: ties.requestId, method, error });
    throw error instanceof ProtocolError ? error : protocolFailure(error, ties.requestId, more);
  }
}

/** The end of a request that failed. What a tool wants of the sign-in stands in the data of its refusal. */
function settledBadly(error: unknown): Settled {
  const { outcome, code } = outcomeOf(error);
  const scopes = error instanceof MemoryError && code === 'tool_denied' ? error.data['scopes'] : [];
  return { outcome, code, tokens: null, neededScopes: Array.isArray(scopes) ? scopes.map(String) : [] };
}

function logFailure(
  { dependencies }: Connection,
  failure: { readonly id: string; readonly method: string; readonly error: unknown },
): void {
  const { id: requestId, method, error } = failure;
  const code = error instanceof MemoryError ? error.code : 'internal';
  dependencies.log[levelOf(code)]({ requestId, method, code, error }, 'a request failed');
}

function levelOf(code: ErrorCode): 'info' | 'warn' | 'error' {
  if (code === 'internal' || code === 'scope_violation') return 'error';
  return code === 'cancelled' ? 'info' : 'warn';
}

function serveTools(connection: Connection): void {
  const { server, dependencies } = connection;
  server.setRequestHandler('tools/list', ({ params }, context) =>
    answer(connection, context, ({ manager, call }) => listTools(manager, call, params?.cursor)),
  );
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const ties = tiesOf(dependencies, context);
    const { requestId: id } = ties;
    const end = ties.begin(context.mcpReq.method, params.name);
    if (isNewerEra(server)) connection.watch();
    try {
      const called = { ties, context, tool: params.name, args: params.arguments ?? {} };
      const { result, settled } = await callTool(connection, called);
      end(settled);
      return result;
    } catch (error) {
      end(settledBadly(error));
      logFailure(connection, { id, method: context.mcpReq.method, error });
      // A name that no row has is the client's mistake, not a tool's answer.
      const isUnknown = error instanceof MemoryError && error.code === 'unknown_tool';
      if (isUnknown) throw protocolFailure(error, id);
      return toolFailure(error, id);
    }
  });
}

function serveResources(connection: Connection): void {
  const { server } = connection;
  server.setRequestHandler('resources/list', ({ params }, context) =>
    answer(connection, context, async ({ manager, call }) => {
      refuseCursor(params?.cursor);
      return listResources(manager, call);
    }),
  );
  server.setRequestHandler('resources/templates/list', ({ params }, context) =>
    answerAtOnce(connection, context, () => {
      refuseCursor(params?.cursor);
      return { resourceTemplates };
    }),
  );
  server.setRequestHandler('resources/read', ({ params: { uri } }, context) =>
    answer(connection, context, ({ manager, call }) => readResource(manager, call, uri), { uri }),
  );
}

function servePrompts(connection: Connection): void {
  const { server } = connection;
  server.setRequestHandler('prompts/list', ({ params }, context) =>
    answerAtOnce(connection, context, () => {
      refuseCursor(params?.cursor);
      return { prompts };
    }),
  );
  server.setRequestHandler('prompts/get', ({ params: { name, arguments: args = {} } }, context) =>
    answer(connection, context, async ({ manager, call }) => {
      checkArgumentSize(args);
      return getPrompt(manager, call, { name, args });
    }),
  );
  server.setRequestHandler('completion/complete', ({ params: { ref, argument } }, context) => {
    const { name: variable, value: typed } = argument;
    return ref.type === 'ref/prompt'
      ? answerAtOnce(connection, context, () => completePrompt({ name: ref.name, argument: variable, typed }))
      : answer(connection, context, ({ manager, call }) =>
          completeResource(manager, call, { uriTemplate: ref.uri, variable, typed }),
        );
  });
}

/** For what needs no memory: answered even while the store opens, or cannot. */
function answerAtOnce<Result>(connection: Connection, context: ServerContext, work: () => Result): Result {
  const { method } = context.mcpReq;
  const ties = tiesOf(connection.dependencies, context);
  const { requestId: id } = ties;
  const end = ties.begin(method, null);
  try {
    const result = work();
    end(settledWell);
    return result;
  } catch (error) {
    end(settledBadly(error));
    logFailure(connection, { id, method, error });
    throw protocolFailure(error, id);
  }
}
