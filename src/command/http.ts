// http: serves many hosts over Streamable HTTP, each request as whoever its token speaks for (design T1, I1, I4).

import { isLoopbackHost } from '../auth/address.ts';
import type { Verifier } from '../auth/sign_in.ts';
import { createJwtVerifier } from '../auth/verify_jwt.ts';
import { withoutSignIn } from '../auth/without_sign_in.ts';
import { httpSettings } from '../http_settings.ts';
import type { HttpSettings } from '../http_settings.ts';
import { MemoryError } from '../model/errors.ts';
import { rowId } from '../model/ids.ts';
import { serveHttp } from '../transport/http.ts';
import type { HttpServer } from '../transport/http.ts';
import { jsonOption } from './arguments.ts';
import { configuredScope } from './calls.ts';
import type { Command, Context, Parts } from './command.ts';
import { exitCodes } from './exit_codes.ts';
import { commonDependencies } from './mcp_dependencies.ts';
import { plain } from './print.ts';
import { seeToTools } from './tenant_tools.ts';

/** The command. */
export const http: Command = {
  synopsis: '',
  details: [
    'Serves hosts over HTTP at /mcp, in every revision of the protocol, until SIGTERM or SIGINT: then it takes nothing ' +
      'more, lets what runs come to its end, and ends. Each request acts as the tenant, user, agent and roles of its own ' +
      'token; nothing else of a request can name them, and it never acts as operator.',
    'CONTEXT_AUTH_ISSUER and CONTEXT_AUTH_AUDIENCE say whose tokens are believed. With CONTEXT_AUTH none everybody on ' +
      'this machine is the configured tenant and user, and no other address can be listened on.',
    'With --json stdout gets one line with the address as soon as it listens.',
  ],
  options: jsonOption,
  positionals: { least: 0, most: 0 },
  endsItself: true,
  through: 'owner',
  logLevel: 'info',
  interruptionMs: 15_000,
  async run(context) {
    const settings = httpSettings(context.config.http);
    const parts = context.open();
    if (context.signal.aborted) return exitCodes.done;
    const server = await listen(context, settings, parts);
    tell(context, settings, server);
    const stopRetention = await beginRetention(context, parts);
    await interrupted(context.signal);
    context.print.note('Stopping: what runs may come to its end …');
    await Promise.all([server.close(), stopRetention()]);
    return exitCodes.done;
  },
};

async function listen(context: Context, settings: HttpSettings, parts: Parts): Promise<HttpServer> {
  const { tokens, host, port, allowedHosts, allowedOrigins } = settings;
  const verifier = verifierFor(context, settings);
  const [store, manager] = [await parts.store(), await parts.manager()];
  if (tokens === null) await seeToTools(context, parts, manager);
  const common = await commonDependencies(context, {
    manager: async () => manager,
    stateKey: await store.sealingKey(),
  });
  try {
    return await serveHttp({
      host,
      port,
      doors: { allowedHosts, allowedOrigins },
      resource: tokens,
      verifier,
      common,
      // Whatever the answer is, somebody gave one.
      storeIsReady: async () => (await store.schemaState()).applied.length > 0,
    });
  } catch (error) {
    throw notListening(settings, error);
  }
}

/** Sees to what the tenants' policies say of age, where that is wanted; returns the way to stop. */
async function beginRetention(context: Context, parts: Parts): Promise<() => Promise<void>> {
  const { config, log } = context;
  if (config.retentionHours === 0) return async () => {};
  const { startRetention } = await import('../manager/start_retention.ts');
  const newId = () => rowId(context.newRequestId());
  return startRetention({ store: await parts.store(), log, newId }, { hours: config.retentionHours });
}

function verifierFor(context: Context, { tokens }: HttpSettings): Verifier {
  return tokens === null ? withoutSignIn(configuredScope(context)) : createJwtVerifier({ ...tokens, log: context.log });
}

/** What the system said of the address, in words. */
function notListening({ host, port }: HttpSettings, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reasons: Readonly<Record<string, readonly [variable: string, problem: string]>> = {
    EADDRINUSE: ['CONTEXT_PORT', `is ${port}, where another program listens on ${host}`],
    EACCES: ['CONTEXT_PORT', `is ${port}, where this user may not listen`],
    EADDRNOTAVAIL: ['CONTEXT_HOST', `is ${host}, which is no address of this machine`],
    ENOTFOUND: ['CONTEXT_HOST', `is ${host}, a name that leads nowhere`],
  };
  const [variable, problem] = reasons[code] ?? [];
  if (variable === undefined) return error;
  return new MemoryError('invalid_configuration', `${variable} ${problem}.`, { variable }, error);
}

function tell(context: Context, { tokens }: HttpSettings, { host, port }: HttpServer): void {
  const { print, config, json } = context;
  const address = `http://${host.includes(':') ? `[${host}]` : host}:${port}/mcp`;
  if (json) print.line(JSON.stringify({ address, host, port, auth: config.http.CONTEXT_AUTH }));
  print.note(`Listening on ${address}`);
  if (tokens !== null) {
    print.note(`Tokens of ${tokens.issuer} for ${tokens.audience} are accepted.`);
    if (!isLoopbackHost(host)) print.note('Connections are not encrypted here: put a proxy with TLS in front.');
    return;
  }
  const warning = `NO SIGN-IN: whoever can reach this address is user ${plain(config.userId)} of tenant ${plain(config.tenantId)}.`;
  print.note(print.paintNote('bad', warning));
}

function interrupted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
