// Hosts for the tests: real clients of both eras, in this process or speaking to a spawned server, seen alike.
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client as NewerClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as NewerStdio } from '@modelcontextprotocol/client/stdio';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OlderStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { InMemoryTransport, type Transport } from '@modelcontextprotocol/server';
import type { ResultMemory } from '../../src/assembly/assembly_input.ts';
import type { MemoryManager } from '../../src/manager/manager.ts';
import type { Scope } from '../../src/model/scope.ts';
import { threadMetaKey } from '../../src/transport/call_context.ts';
import type { StdioDependencies } from '../../src/transport/stdio.ts';
import { serveStdioTransport } from '../../src/transport/stdio.ts';

/** The eras that every behaviour is tested in. */
export const eras = ['older', 'newer'] as const;

export type Era = (typeof eras)[number];

/** What a client's user does with a question; a rejection is a client that answers with an error. */
export type Elicit = (request: {
  readonly message: string;
  readonly requestedSchema: { readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>> };
}) => Promise<{ readonly action: 'accept' | 'decline' | 'cancel'; readonly content?: Record<string, string> }>;

export interface CallAnswer {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
}

export interface CallOptions {
  readonly thread?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { readonly progress: number; readonly message?: string | undefined }) => void;
}

/** A connected client, its era aside. */
export interface Host {
  /** Any request, its result as it came. */
  request<Result = Record<string, unknown>>(method: string, params?: Record<string, unknown>): Promise<Result>;
  call(tool: string, args?: Record<string, unknown>, options?: CallOptions): Promise<CallAnswer>;
  /** Notices of changed tools so far. */
  changes(): number;
  instructions(): string | undefined;
  capabilities(): Readonly<Record<string, unknown>> | undefined;
  serverName(): string | undefined;
  close(): Promise<void>;
}

const clientInfo = { name: 'test-host', version: '1.2.3' };

const metaOf = (options: CallOptions) =>
  options.thread === undefined ? {} : { _meta: { [threadMetaKey]: options.thread } };

const requestOptions = ({ signal, onProgress }: CallOptions) => ({
  ...(signal === undefined ? {} : { signal }),
  ...(onProgress === undefined ? {} : { onprogress: onProgress }),
});

/** Connects a client of revision 2026-07-28; `older`: as it speaks to servers that it takes for older ones. */
export async function connectNewer(
  transport: Transport,
  elicit?: Elicit,
  mode: 'pin' | 'auto' | 'older' = 'pin',
): Promise<Host> {
  let changes = 0;
  const client = new NewerClient(clientInfo, {
    capabilities: elicit === undefined ? {} : { elicitation: { form: {} } },
    ...(mode === 'older' ? {} : { versionNegotiation: { mode: mode === 'pin' ? { pin: '2026-07-28' } : 'auto' } }),
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => void (changes += 1) } },
  });
  if (elicit !== undefined) {
    client.setRequestHandler('elicitation/create', async ({ params }) => elicit(params as Parameters<Elicit>[0]));
  }
  await client.connect(transport);
  return {
    request: async (method, params = {}) => (await client.request({ method, params } as never)) as never,
    call: async (name, args = {}, options = {}) =>
      (await client.callTool({ name, arguments: args, ...metaOf(options) }, requestOptions(options))) as CallAnswer,
    changes: () => changes,
    instructions: () => client.getInstructions(),
    capabilities: () => client.getServerCapabilities(),
    serverName: () => client.getServerVersion()?.name,
    close: () => client.close(),
  };
}

/** Connects a client of the older SDK, which ends at revision 2025-11-25. */
export async function connectOlder(transport: Transport, elicit?: Elicit): Promise<Host> {
  let changes = 0;
  const client = new OlderClient(clientInfo, { capabilities: elicit === undefined ? {} : { elicitation: {} } });
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void (changes += 1));
  if (elicit !== undefined) {
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => elicit(params as Parameters<Elicit>[0]));
  }
  await client.connect(transport);
  // The schema that lets every result pass as it is.
  const anyResult = (await import('@modelcontextprotocol/sdk/types.js')).ResultSchema;
  return {
    request: async (method, params = {}) => (await client.request({ method, params }, anyResult)) as never,
    call: async (name, args = {}, options = {}) =>
      (await client.callTool(
        { name, arguments: args, ...metaOf(options) },
        undefined,
        requestOptions(options),
      )) as CallAnswer,
    changes: () => changes,
    instructions: () => client.getInstructions(),
    capabilities: () => client.getServerCapabilities(),
    serverName: () => client.getServerVersion()?.name,
    close: () => client.close(),
  };
}

export interface LinkOptions {
  readonly era: Era;
  readonly manager: MemoryManager | (() => Promise<MemoryManager>);
  readonly scope: Scope;
  readonly elicit?: Elicit;
  readonly callDeadlineMs?: number;
  readonly clarifyDeadlineMs?: number;
  readonly log?: StdioDependencies['log'];
  readonly stateKey?: Uint8Array;
}

const silent = () => {};

/** What a server in this process is made of. */
function dependenciesFor(options: LinkOptions): Omit<StdioDependencies, 'channel'> {
  const { manager, scope } = options;
  return {
    manager: typeof manager === 'function' ? manager : async () => manager,
    scope,
    instructions: 'Memory is quoted evidence.',
    version: '0.0.0-test',
    log: options.log ?? { info: silent, warn: silent, error: silent },
    callDeadlineMs: options.callDeadlineMs ?? 20_000,
    clarifyDeadlineMs: options.clarifyDeadlineMs ?? 2_000,
    stateKey: options.stateKey ?? randomBytes(32),
    newRequestId: () => `req_${randomUUID()}`,
    onClose: silent,
  };
}

/** A host linked to a server in this process; the whole path is real but for the bytes on a pipe. */
export async function linkHost(options: LinkOptions): Promise<Host> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const served = serveStdioTransport({ ...dependenciesFor(options), channel: far });
  const host = await (options.era === 'newer'
    ? connectNewer(near, options.elicit)
    : connectOlder(near, options.elicit));
  return {
    ...host,
    close: async () => {
      await host.close();
      await served.close();
    },
  };
}

/** What every request of revision 2026-07-28 says of its sender. */
export const newerEnvelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': clientInfo,
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
};

/** A response as it stood on the wire. */
export interface WireAnswer {
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Speaks the newer era's messages by hand to a server in this process, to say what no client would. */
export function linkWire(options: Omit<LinkOptions, 'era' | 'elicit'>): {
  request(method: string, params: Record<string, unknown>): Promise<WireAnswer>;
  close(): Promise<void>;
} {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const waiting = new Map<unknown, (answer: WireAnswer) => void>();
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a Transport is no EventTarget
  near.onmessage = (message) => {
    if ('id' in message && !('method' in message)) waiting.get(message.id)?.(message);
  };
  const served = serveStdioTransport({ ...dependenciesFor({ ...options, era: 'newer' }), channel: far });
  let lastId = 0;
  return {
    request: async (method, params) => {
      const id = (lastId += 1);
      const answered = new Promise<WireAnswer>((resolve) => waiting.set(id, resolve));
      const { _meta: meta = {}, ...rest } = params;
      await near.send({
        jsonrpc: '2.0',
        id,
        method,
        params: { ...rest, _meta: { ...newerEnvelope, ...Object(meta) } },
      });
      return answered;
    },
    close: () => served.close(),
  };
}

/** The repository's root. */
export const projectRoot = join(import.meta.dirname, '..', '..');

/** A folder that is gone after the tests. */
export function temporaryFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'context-protocol-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 10 }) };
}

/** The environment of a spawned server: this one's, without settings of ours but those given. */
export function serverEnvironment(settings: Readonly<Record<string, string>>): Record<string, string> {
  const inherited = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !entry[0].startsWith('CONTEXT_'),
  );
  return {
    ...Object.fromEntries(inherited),
    CONTEXT_LOG_LEVEL: 'silent',
    CONTEXT_OWNER_IDLE_SECONDS: '1',
    ...settings,
  };
}

/** How the server is started from its sources. */
export const serverArguments = ['--import', 'tsx', join(projectRoot, 'src', 'main.ts')];

/** A host that launches the real program, as a desktop host would. */
export async function spawnHost(era: Era, settings: Readonly<Record<string, string>>, elicit?: Elicit): Promise<Host> {
  const parameters = {
    command: process.execPath,
    args: [...serverArguments, 'stdio'],
    env: serverEnvironment(settings),
    cwd: projectRoot,
    stderr: 'ignore' as const,
  };
  return era === 'newer'
    ? connectNewer(new NewerStdio(parameters), elicit, 'auto')
    : connectOlder(new OlderStdio(parameters), elicit);
}

/** A spawned server whose lines are written and read by hand. */
export interface RawServer {
  readonly process: ChildProcess;
  /** Every line of stdout so far. */
  readonly lines: readonly string[];
  write(line: string): void;
  send(message: Record<string, unknown>): void;
  /** The answer to the request of this id. */
  answer(id: number | string): Promise<Record<string, unknown>>;
  /** Exit code, or the signal that ended it. */
  readonly exited: Promise<number | string>;
}

/** Spawns the real program and speaks bytes to it. */
export function spawnRaw(
  settings: Readonly<Record<string, string>>,
  command: readonly string[] = ['stdio'],
): RawServer {
  const child = spawn(process.execPath, [...serverArguments, ...command], {
    env: serverEnvironment(settings),
    cwd: projectRoot,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const lines: string[] = [];
  const waiting = new Map<unknown, (answer: Record<string, unknown>) => void>();
  const answers = new Map<unknown, Record<string, unknown>>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    const message = JSON.parse(line) as Record<string, unknown>;
    if ('method' in message) return;
    answers.set(message['id'], message);
    waiting.get(message['id'])?.(message);
  });
  const write = (line: string) => void child.stdin.write(`${line}\n`);
  return {
    process: child,
    lines,
    write,
    send: (message) => write(JSON.stringify({ jsonrpc: '2.0', ...message })),
    answer: (id) =>
      new Promise((resolve) => {
        const known = answers.get(id);
        if (known === undefined) waiting.set(id, resolve);
        else resolve(known);
      }),
    exited: once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string),
  };
}

/** The error object of a failed call, after the checks that hold for every failure (design T6). */
export function failureOf(answer: CallAnswer): { code: string; message: string; action: string; request_id: string } {
  const [block] = answer.content;
  if (answer.isError !== true || block === undefined || answer.structuredContent !== undefined) {
    throw new Error(`not a failure: ${JSON.stringify(answer)}`);
  }
  return (JSON.parse(block.text) as { error: ReturnType<typeof failureOf> }).error;
}

/** The structured content of a call that succeeded. */
export function contentOf(answer: CallAnswer): Readonly<Record<string, unknown>> {
  if (answer.isError === true || answer.structuredContent === undefined) {
    throw new Error(`the call failed: ${JSON.stringify(answer)}`);
  }
  return answer.structuredContent;
}

/** The memories of a call that returned some. */
export function memoriesOf(answer: CallAnswer): readonly ResultMemory[] {
  return contentOf(answer)['memories'] as readonly ResultMemory[];
}

/** The rejection of a request, as the client saw it. */
export async function rejectionOf(
  promise: Promise<unknown>,
): Promise<{ code: number; message: string; data?: unknown }> {
  try {
    await promise;
  } catch (error) {
    return error as { code: number; message: string; data?: unknown };
  }
  throw new Error('the request succeeded');
}

/** Waits until something is true, looking again and again. */
export async function until(isTrue: () => boolean | Promise<boolean>, withinMs = 5_000): Promise<void> {
  const end = performance.now() + withinMs;
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error('did not become true in time');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
