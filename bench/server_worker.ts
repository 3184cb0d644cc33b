// One process of bench/server.ts: calls the manager on a server's store for a while, and prints how often.

import { parseArgs } from 'node:util';
import { openServerStore } from '../src/store/postgres/server.ts';
import type { AskUser } from '../src/manager/manager.ts';
import { callAs, openFixture, readStory, scopeOf } from '../test/fixture.ts';

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: '' },
    callers: { type: 'string', default: '8' },
    milliseconds: { type: 'string', default: '5000' },
  },
});
const nobody: AskUser = async () => ({ outcome: 'unsupported' });

const story = await readStory();
const fixture = await openFixture({
  seeds: [],
  isSeeded: true,
  openStore: ({ embedder, log }) =>
    openServerStore({
      url: values.url,
      purpose: 'serve',
      embedder,
      log,
      limits: { pool: { most: Number(values.callers), longestLine: 100, waitMs: 10_000 }, statementMs: 30_000 },
    }),
});

/** A window and a search in its run, over and over, in a thread of its own; gives the calls that were answered. */
async function callUntil(endMs: number, number: number): Promise<number> {
  const call = () => callAs(scopeOf({ thread: `bench-${process.pid}-${number}` }));
  let calls = 0;
  while (performance.now() < endMs) {
    await fixture.manager.assembleWindow(call(), {
      question: story.question,
      intent: null,
      at: story.evaluationTime,
      model: null,
    });
    await fixture.manager.callTool(call(), 'search_memory', { query: story.retentionQuestion }, nobody);
    calls += 2;
  }
  return calls;
}

// The first calls load the tokenizer and the table, and open the connections.
await callUntil(performance.now() + 1, 0);
process.stdout.write('ready\n');
await new Promise((resolve) => process.stdin.once('data', resolve));
process.stdin.destroy();
const startedMs = performance.now();
const endMs = startedMs + Number(values.milliseconds);
const counts = await Promise.all(
  Array.from({ length: Number(values.callers) }, (_, number) => callUntil(endMs, number)),
);
const calls = counts.reduce((sum, count) => sum + count, 0);
process.stdout.write(`${JSON.stringify({ calls, seconds: (performance.now() - startedMs) / 1000 })}\n`);
await fixture.close();
