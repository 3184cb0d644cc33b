// A process of its own that works on a server's store, for tests and benches: what to do comes as JSON in its argument.

import { parseArgs } from 'node:util';
import { openServerStore } from '../../src/store/postgres/server.ts';
import { event, newId, operator, options, scope, testEmbedder, tool, write } from './harness.ts';

/** What the process is to do. */
export type WorkerTask =
  | { readonly kind: 'append'; readonly url: string; readonly tenant: string; readonly times: number }
  | { readonly kind: 'tool'; readonly url: string; readonly tenant: string }
  | { readonly kind: 'read'; readonly url: string; readonly tenant: string; readonly milliseconds: number };

const task: WorkerTask = JSON.parse(parseArgs({ allowPositionals: true }).positionals[0] ?? '{}');
const store = await openServerStore({
  url: task.url,
  purpose: task.kind === 'tool' ? 'operate' : 'serve',
  embedder: testEmbedder,
  log: { warn: () => {}, error: (detail, message) => console.error(message, detail) },
  limits: { pool: { most: 8, longestLine: 500, waitMs: 20_000 }, statementMs: 20_000 },
});
console.log(JSON.stringify(await work()));
await store.close();

async function work(): Promise<unknown> {
  if (task.kind === 'append') {
    const append = async () => write(store, scope(task.tenant), (writer) => writer.appendEvent(event()));
    return (await Promise.all(Array.from({ length: task.times }, append))).map(({ turnIndex }) => turnIndex);
  }
  if (task.kind === 'tool') {
    const row = tool({ id: newId(`tool_${process.pid}`) });
    return store.operate(operator(task.tenant), options(), (writer) => writer.putVersion(row, 0, []));
  }
  return readFor(task.milliseconds);
}

/** Turns and reads under eight calls at a time; gives how many were done. */
async function readFor(milliseconds: number): Promise<number> {
  const end = performance.now() + milliseconds;
  let done = 0;
  const loop = async (number: number): Promise<void> => {
    const as = scope(task.tenant, `user-${process.pid}-${number}`);
    while (performance.now() < end) {
      await write(store, as, (writer) => writer.appendEvent(event({ eventId: newId(`e${process.pid}`) })));
      await store.read(as, { ...options(), evaluationTime: null }, (reader) => reader.tail(10));
      done += 2;
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, number) => loop(number)));
  return done;
}
