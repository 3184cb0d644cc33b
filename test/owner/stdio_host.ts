// A host of the older era on the spawned program, and looks at the owner behind it.
import { createInterface } from 'node:readline';
import { readAddress } from '../../src/owner/address.ts';
import { start } from '../command/run_program.ts';
import type { Outcome, Parsed, Running } from '../command/run_program.ts';

export interface StdioHost {
  readonly running: Running;
  readonly lines: readonly string[];
  request(method: string, params?: object): Promise<Parsed>;
  initialize(): Promise<Parsed>;
  /** Closes its output and waits for the program's end. */
  close(): Promise<Outcome>;
}

/** Starts `stdio` as a host does. */
export function startHost(given: Readonly<Record<string, string>>): StdioHost {
  const running = start(['stdio'], given);
  const { child } = running;
  const waiting = new Map<unknown, (message: Parsed) => void>();
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    const message = JSON.parse(line);
    waiting.get(message.id)?.(message);
  });
  const send = (message: object) => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  let lastId = 0;
  const request = async (method: string, params: object = {}): Promise<Parsed> => {
    const id = (lastId += 1);
    const answer = new Promise<Parsed>((resolve) => waiting.set(id, resolve));
    send({ id, method, params });
    const ended = running.ended.then(({ code, stderr }) => {
      throw new Error(`the program ended (${code}) before it answered ${method}: ${stderr}`);
    });
    return Promise.race([answer, ended]);
  };
  return {
    running,
    lines,
    request,
    async initialize() {
      const answer = await request('initialize', {
        protocolVersion: '2025-11-25',
        capabilities: { elicitation: {} },
        clientInfo: { name: 'test', version: '1' },
      });
      send({ method: 'notifications/initialized' });
      return answer;
    },
    async close() {
      child.stdin.end();
      return running.ended;
    },
  };
}

/** Number of the tools that a host sees. */
export async function toolCount(host: StdioHost): Promise<number> {
  return (await host.request('tools/list')).result.tools.length;
}

/** The process that holds a directory; throws where nobody says so. */
export function ownerPid(directory: string): number {
  const address = readAddress(directory);
  if (address === null) throw new Error(`nobody left an address in ${directory}`);
  return address.pid;
}

/** True while a process runs that is not merely waiting to be forgotten. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Looks again and again until it is true. */
export async function until(isTrue: () => boolean, withinMs = 20_000): Promise<void> {
  const end = performance.now() + withinMs;
  while (!isTrue()) {
    if (performance.now() > end) throw new Error('did not become true in time');
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
