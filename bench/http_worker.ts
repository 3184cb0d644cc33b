// One process of bench/http.ts that asks: so many clients, each one request after another, until the time is over.

import { parseArgs } from 'node:util';
import { openBenchClient, type BenchClient, type Era } from './http_client.ts';

const { values } = parseArgs({
  options: {
    urls: { type: 'string', default: '' },
    clients: { type: 'string', default: '1' },
    milliseconds: { type: 'string', default: '3000' },
    era: { type: 'string', default: 'newer' },
    tokens: { type: 'string', default: '' },
  },
});
const urls = values.urls.split(',');
const tokens = values.tokens === '' ? [null] : values.tokens.split(',');

const clients = await Promise.all(
  Array.from({ length: Number(values.clients) }, (_, place) => {
    const token = tokens[place % tokens.length] ?? null;
    return openBenchClient({ url: urls[place % urls.length] ?? '', era: values.era as Era, token });
  }),
);

/** Searches, each in a thread of its own, so that no loop is ever spent; gives how many were answered. */
async function askUntil(endMs: number, client: BenchClient, place: number): Promise<number> {
  let answers = 0;
  for (; performance.now() < endMs; answers += 1) {
    await client.ask('tools/call', {
      name: 'search_memory',
      arguments: { query: 'How was cache eviction measured?' },
      _meta: { 'context-assembly-memory/thread_id': `bench-${process.pid}-${values.era}-${place}-${answers}` },
    });
  }
  return answers;
}

await Promise.all(clients.map((client, place) => askUntil(performance.now() + 200, client, place + 1_000)));
const startedMs = performance.now();
const endMs = startedMs + Number(values.milliseconds);
const counts = await Promise.all(clients.map((client, place) => askUntil(endMs, client, place)));
const answers = counts.reduce((sum, count) => sum + count, 0);
process.stdout.write(`${JSON.stringify({ answers, seconds: (performance.now() - startedMs) / 1000 })}\n`);
for (const client of clients) client.close();
