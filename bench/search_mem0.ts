// A small MCP server around mem0's open-source library, so that the search benchmark reaches it as it reaches the others:
// no model, the product's own vectors from a service on this machine, and a plain list as vector store.
// Started by bench/search.ts: search_mem0.ts CACHE_FOLDER PASSAGES

import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { Server } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { openStaticTable } from '../src/embed/static_table.ts';
import { passagesOfDocument, searchCorpus } from './search_corpus.ts';

interface Found {
  readonly results: readonly { readonly memory: string }[];
}

/** As much of the library as is used. */
interface Mem0 {
  add(text: string, options: object): Promise<unknown>;
  search(query: string, options: object): Promise<Found>;
}

const [cache = '', passages = '0'] = process.argv.slice(2);
const tableFolder = join(import.meta.dirname, '..', 'models', 'potion-base-8m');
const table = openStaticTable(tableFolder);
const zeros = new Float32Array(table.dimensions);

const endpoint = createServer((request, response) => {
  void text(request).then((body) => {
    const { input } = JSON.parse(body) as { readonly input: string | readonly string[] };
    const data = table
      .embedNow(typeof input === 'string' ? [input] : input)
      .map((vector, index) => ({ object: 'embedding', index, embedding: [...(vector ?? zeros)] }));
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({ object: 'list', model: table.id, data, usage: { prompt_tokens: 0, total_tokens: 0 } }),
    );
  });
});

type Row = readonly [vector: Float32Array, document: unknown];
const rows: Row[] = [];

/** Vectors have length 1, so that the product is the cosine. */
const vectorStore = {
  async addVectors(vectors: readonly (readonly number[])[], documents: readonly unknown[]) {
    for (const [place, vector] of vectors.entries()) rows.push([Float32Array.from(vector), documents[place]]);
  },
  async similaritySearchVectorWithScore(query: readonly number[], most: number) {
    const asked = Float32Array.from(query);
    const scored = rows.map(([vector, document]) => [document, dot(asked, vector)] as const);
    return scored.toSorted((a, b) => b[1] - a[1]).slice(0, most);
  },
};

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}

async function openMem0(): Promise<Mem0> {
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
  const address = endpoint.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const service = { apiKey: 'none', model: table.id, baseURL: `http://127.0.0.1:${address.port}/v1` };
  const path = createRequire(join(cache, 'package.json')).resolve('mem0ai/oss');
  const { Memory } = (await import(pathToFileURL(path).href)) as { readonly Memory: new (options: object) => Mem0 };
  return new Memory({
    disableHistory: true,
    embedder: { provider: 'openai', config: { ...service, url: service.baseURL, embeddingDims: table.dimensions } },
    llm: { provider: 'openai', config: service },
    vectorStore: { provider: 'langchain', config: { client: vectorStore, dimension: table.dimensions } },
  });
}

async function filled(): Promise<Mem0> {
  const memory = await openMem0();
  const corpus = searchCorpus(tableFolder);
  for (let index = 0; index < Math.ceil(Number(passages) / passagesOfDocument); index += 1) {
    const { title, passages: texts } = corpus.document(index);
    for (const content of texts) await memory.add(`${title}: ${content}`, { userId: 'bench', infer: false });
  }
  return memory;
}

const memory = filled();
const server = new Server({ name: 'mem0', version: '1' }, { capabilities: { tools: {} } });
server.setRequestHandler('tools/list', () => ({
  tools: [{ name: 'search', inputSchema: { type: 'object' as const, properties: { query: { type: 'string' } } } }],
}));
server.setRequestHandler('tools/call', async ({ params }) => {
  const options = { filters: { user_id: 'bench' }, topK: 5, limit: 5 };
  const { results } = await (await memory).search(String(params.arguments?.['query']), options);
  const structuredContent = { texts: results.map((result) => result.memory) };
  return { content: [{ type: 'text' as const, text: JSON.stringify(structuredContent) }], structuredContent };
});
await server.connect(new StdioServerTransport());
process.stdin.once('end', () => process.exit(0));
