// Who is measured by the search benchmark: servers over stdio with the official client, each holding the same passages.

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { passagesOfDocument, type SearchCorpus } from './search_corpus.ts';
import { environmentOf, runProgram } from './search_fill.ts';

/** A server that is ready to be asked. */
export interface Contender {
  readonly name: string;
  /** Everything that works for it. */
  readonly processes: readonly number[];
  /** Texts that it answers with, best first. */
  search(question: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Versions that `--peers` installs. mem0 imports a database that it does not use here, and takes a store that is given. */
const peerPackages = ['mem0ai@3.3.1', 'better-sqlite3@12.11.1', '@langchain/core@1.4.0'];

interface Answer {
  readonly isError?: boolean;
  readonly structuredContent?: Readonly<Record<string, unknown>>;
}

interface Connected {
  readonly client: Client;
  readonly pid: number;
}

async function connect(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Connected> {
  const client = new Client({ name: 'bench', version: '1' });
  const own = Object.fromEntries(Object.entries(process.env).filter((entry): entry is [string, string] => !!entry[1]));
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...args],
    env: { ...own, ...env },
    stderr: 'ignore',
  });
  await client.connect(transport);
  return { client, pid: transport.pid ?? 0 };
}

async function call(client: Client, name: string, args: Readonly<Record<string, unknown>>, thread?: string) {
  const meta = thread === undefined ? {} : { _meta: { 'context-assembly-memory/thread_id': thread } };
  const answer = (await client.callTool({ name, arguments: { ...args }, ...meta })) as Answer;
  if (answer.isError === true || answer.structuredContent === undefined) throw new Error(`${name} failed`);
  return answer.structuredContent;
}

/** The product on a filled directory. Each call has a thread of its own, so that no loop's budget is ever spent. */
export async function openProduct(program: string, directory: string): Promise<Contender> {
  const { client, pid } = await connect([program, 'stdio'], environmentOf(directory));
  // The first request wakes whoever holds the directory.
  await client.listTools();
  const { owner } = JSON.parse(runProgram(program, directory, 'status', '--json')) as {
    readonly owner: { pid: number };
  };
  let calls = 0;
  return {
    name: 'context-assembly-memory',
    processes: [pid, owner.pid],
    async search(question) {
      calls += 1;
      const content = await call(client, 'search_memory', { query: question }, `bench-${process.pid}-${calls}`);
      return (content['memories'] as readonly { readonly content: string }[]).map((memory) => memory.content);
    },
    async close() {
      await client.close();
      runProgram(program, directory, 'stop');
    },
  };
}

/** The peer that finds a query as a part of a text: an entity for each document, an observation for each passage. */
export async function openServerMemory(
  corpus: SearchCorpus,
  options: { readonly passages: number; readonly folder: string },
): Promise<Contender> {
  const documents = Math.ceil(options.passages / passagesOfDocument);
  const lines = Array.from({ length: documents }, (_, index) => {
    const { title, passages } = corpus.document(index);
    return JSON.stringify({ type: 'entity', name: title, entityType: 'document', observations: passages });
  });
  const file = join(options.folder, `memory-${options.passages}.jsonl`);
  await writeFile(file, lines.join('\n'));
  const memoryPackage = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-memory/package.json');
  const { client, pid } = await connect([join(dirname(memoryPackage), 'dist/index.js')], { MEMORY_FILE_PATH: file });
  return {
    name: '@modelcontextprotocol/server-memory',
    processes: [pid],
    async search(question) {
      const graph = await call(client, 'search_nodes', { query: question });
      return (graph['entities'] as readonly { readonly observations: readonly string[] }[]).flatMap(
        ({ observations }) => observations,
      );
    },
    close: () => client.close(),
  };
}

/** mem0's open-source library behind a small server of this benchmark, installed into a cache folder when first asked. */
export async function openMem0(options: { readonly passages: number; readonly cache: string }): Promise<Contender> {
  await installPeers(options.cache);
  const server = join(import.meta.dirname, 'search_mem0.ts');
  const tsx = import.meta.resolve('tsx');
  const { client, pid } = await connect(['--import', tsx, server, options.cache, String(options.passages)], {
    MEM0_TELEMETRY: 'false',
  });
  // It answers when it has taken all passages in.
  await client.callTool({ name: 'search', arguments: { query: 'ready' } }, { timeout: 30 * 60_000 });
  return {
    name: 'mem0ai',
    processes: [pid],
    async search(question) {
      return (await call(client, 'search', { query: question }))['texts'] as readonly string[];
    },
    close: () => client.close(),
  };
}

async function installPeers(cache: string): Promise<void> {
  if (existsSync(join(cache, 'node_modules', 'mem0ai'))) return;
  await mkdir(cache, { recursive: true });
  await writeFile(join(cache, 'package.json'), '{"private":true}');
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--legacy-peer-deps'];
  execFileSync('npm', ['install', ...options, ...peerPackages], { cwd: cache, stdio: 'inherit' });
}
