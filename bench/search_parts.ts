// Where the processor time of a search goes, on a directory that bench/search.ts filled: the statements that take most of
// it, and what is left for the program itself. Within one process, so without the protocol.
// Run: npx tsx bench/search_parts.ts FOLDER

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createManager } from '../src/manager/create_manager.ts';
import type { AskUser } from '../src/manager/manager.ts';
import type { Connection, Engine } from '../src/store/postgres/connection.ts';
import { reportTo } from '../src/store/problem.ts';
import { openEngine } from '../src/store/postgres/pglite.ts';
import { createPostgresStore } from '../src/store/postgres/store.ts';
import { createQueries, queryNames, readMigrations } from '../src/store/sql_files.ts';
import { callAs, openFixture, scopeOf } from '../test/fixture.ts';
import { searchCorpus } from './search_corpus.ts';
import { environmentOf } from './search_fill.ts';

const [, , folder = ''] = process.argv;
const statement = createQueries('postgres');
const names = new Map(queryNames('postgres').map((name) => [statement(name), name]));
const spent = new Map<string, number>();

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

function measured(connection: Connection): Connection {
  const timed = async <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
    const before = cpuMs();
    try {
      return await work();
    } finally {
      spent.set(name, (spent.get(name) ?? 0) + cpuMs() - before);
    }
  };
  return {
    query: (sql, parameters) => timed(names.get(sql) ?? 'other', () => connection.query(sql, parameters)),
    execute: (sql) => timed('transactions', () => connection.execute(sql)),
    commit: () => timed('transactions', () => connection.commit()),
  };
}

function measuredEngine(engine: Engine): Engine {
  return { ...engine, use: (options, work) => engine.use(options, (lent, discard) => work(measured(lent), discard)) };
}

const fixture = await openFixture({
  isSeeded: true,
  openStore: async ({ embedder, log }) => {
    const engine = measuredEngine(await openEngine(join(folder, 'postgres')));
    const migrations = readMigrations('postgres');
    const store = createPostgresStore({ engine, embedder, log: reportTo(log), migrations });
    await store.migrate();
    return store;
  },
});
const manager = createManager(fixture.parts);
const { questions, warmUp } = searchCorpus(join(import.meta.dirname, '..', 'models', 'potion-base-8m'));
const { CONTEXT_TENANT_ID: tenant = '', CONTEXT_USER_ID: user = '' } = environmentOf(folder);

const nobodyToAsk: AskUser = async () => {
  throw new Error('a search asks nobody');
};

async function ask(question: string): Promise<void> {
  const scope = scopeOf({ tenant, user, agent: null, thread: randomUUID(), roles: [] });
  await manager.callTool(callAs(scope), 'search_memory', { query: question }, nobodyToAsk);
}

try {
  for (const { question } of warmUp) await ask(question);
  spent.clear();
  const before = cpuMs();
  for (const { question } of questions) await ask(question);
  const total = (cpuMs() - before) / questions.length;
  const statements = [...spent].map(([name, ms]) => [name, ms / questions.length] as const);
  const inDatabase = statements.reduce((sum, [, ms]) => sum + ms, 0);
  console.log(`processor milliseconds of a search: ${total.toFixed(1)}`);
  console.log(`${'the program itself'.padEnd(24)}${(total - inDatabase).toFixed(1)}`);
  for (const [name, ms] of statements.toSorted((a, b) => b[1] - a[1])) console.log(name.padEnd(24) + ms.toFixed(1));
} finally {
  await fixture.close();
}
