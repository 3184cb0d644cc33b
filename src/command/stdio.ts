// stdio: serves one host over stdin and stdout, under the scope that the operator configured (design T1, I3, N7).

import type { MemoryManager } from '../manager/manager.ts';
import { serveStdioTransport } from '../transport/stdio.ts';
import { configuredScope } from './calls.ts';
import type { Command, Context } from './command.ts';
import { exitCodes } from './exit_codes.ts';
import type { ExitCode } from './exit_codes.ts';
import { failureOf, printFailure } from './failure.ts';
import { mcpDependencies } from './mcp_dependencies.ts';
import { plain } from './print.ts';
import { seeToTools } from './tenant_tools.ts';

/** How long answers that are on their way may take to leave before the process ends on a store that did not open. */
const partingMs = 200;

/** The command. */
export const stdio: Command = {
  synopsis: '',
  details: [
    'Serves the tenant, user, agent and thread of the configuration and never acts as operator, but for one thing: a ' +
      'tenant in a folder that never had a tool gets the default profile of `init`, and stderr says so. The handshake is answered ' +
      'before the store is open. It ends when its input ends, or with SIGTERM or SIGINT. Several may work on one folder: ' +
      'the process that holds it is started when it is needed, and ends by itself.',
  ],
  options: {},
  positionals: { least: 0, most: 0 },
  endsItself: true,
  async run(context) {
    if (context.signal.aborted) return exitCodes.done;
    let exit: ExitCode = exitCodes.done;
    const parting = new AbortController();
    // A store that did not open stays closed; the host sees the server end and shows what stderr says.
    const fail = (error: unknown): never => {
      exit = tellFailure(context, error);
      setTimeout(() => parting.abort(), partingMs);
      throw error;
    };
    let opening: Promise<MemoryManager> | undefined;
    const dependencies = await mcpDependencies(context, {
      scope: configuredScope(context),
      manager: () => (opening ??= openManager(context).catch(fail)),
    });
    await new Promise<void>((resolve) => {
      const channel = { input: context.stdin, output: context.stdout };
      const connection = serveStdioTransport({ ...dependencies, channel, onClose: () => resolve() });
      const ending = AbortSignal.any([context.signal, parting.signal]);
      context.log.debug({ requestId: context.requestId }, 'waiting for a host');
      const close = () => void connection.close();
      // A signal may have come while the server was being made.
      if (ending.aborted) close();
      ending.addEventListener('abort', close, { once: true });
    });
    return exit;
  },
};

function tellFailure({ log, print, requestId }: Context, error: unknown): ExitCode {
  const failure = failureOf(error);
  log.error({ requestId, error }, 'the store did not open');
  printFailure(print, failure, { json: false, requestId });
  return failure.exit;
}

async function openManager(context: Context): Promise<MemoryManager> {
  const { print, config } = context;
  const { exists } = await context.directoryState();
  const startedMs = performance.now();
  if (!exists) print.note(`First start: making a new memory in ${plain(config.dataDirectory)} …`);
  const parts = context.open();
  const manager = await parts.manager();
  await seeToTools(context, parts, manager);
  if (!exists) print.note(`Ready after ${((performance.now() - startedMs) / 1000).toFixed(1)} s.`);
  return manager;
}
