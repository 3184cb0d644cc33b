// HTTP in front of a PostgreSQL server: a client that goes takes its statement with it, and two processes serve as one.
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { openFixture, type Fixture } from '../fixture.ts';
import { newerEnvelope, until } from '../protocol/harness.ts';
import { administer, openStoreOnServer, type TestDatabase } from '../store/server_session.ts';
import { describeOnServer } from '../store/server_tests.ts';
import { beginSession, jane, messagesOf, openHttp, post, type HttpFixture } from './harness.ts';
import { listen } from './run_http.ts';

const search = { name: 'search_memory', arguments: { query: 'eviction' } };

describeOnServer('http on a PostgreSQL server', () => {
  let database: TestDatabase;
  let fixture: Fixture;
  let served: HttpFixture;
  beforeAll(async () => {
    fixture = await openFixture({
      seeds: ['acme_policy.json', 'corpus_research.json'],
      async openStore(made) {
        const store = await openStoreOnServer({ ...made, log: { warn: () => {}, error: () => {} } });
        ({ database } = store);
        return store;
      },
    });
    served = await openHttp(fixture);
  });
  afterAll(async () => {
    await served.close();
    await fixture.close();
  });
  const cleanUp: (() => void)[] = [];
  afterEach(() => {
    for (const undo of cleanUp.splice(0)) undo();
  });

  /** Statements of the serving login that wait for a lock. */
  const waiting = async () =>
    administer(
      database.administrator,
      `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );

  /** Holds the toolbox so that whoever reads it waits. */
  async function withToolboxHeld(work: () => Promise<void>): Promise<void> {
    const holder = new pg.Client({ connectionString: database.administrator });
    await holder.connect();
    try {
      await holder.query('begin; lock table memory.toolbox_memory in access exclusive mode');
      await work();
    } finally {
      await holder.end();
    }
  }

  /** What a call is in each era, and how it is withdrawn. */
  const ways = {
    'a newer client that goes': async () => {
      const params = { ...search, _meta: newerEnvelope };
      return goingAway({ jsonrpc: '2.0', id: 5, method: 'tools/call', params }, {});
    },
    'an older client that goes': async () => {
      const session = { 'mcp-session-id': await beginSession(served.url) };
      return goingAway({ jsonrpc: '2.0', id: 5, method: 'tools/call', params: search }, session);
    },
    'an older client that says so': async () => {
      const session = { 'mcp-session-id': await beginSession(served.url) };
      const asked = served.post({ jsonrpc: '2.0', id: 5, method: 'tools/call', params: search }, { headers: session });
      return async () => {
        const params = { requestId: 5 };
        await served.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params }, { headers: session });
        void asked.then(async (response) => response.body?.cancel());
      };
    },
  } as const;

  function goingAway(body: object, headers: Readonly<Record<string, string>>): () => Promise<void> {
    const controller = new AbortController();
    served.post(body, { headers, signal: controller.signal }).catch(() => {});
    return async () => controller.abort();
  }

  it.each(Object.entries(ways))('[T9] %s takes its statement with it', async (_, begin) => {
    await withToolboxHeld(async () => {
      const withdraw = await begin();
      await until(async () => (await waiting()).length === 1);
      await withdraw();
      // The lock is still held: the statement ended because nobody wants it.
      await expect.poll(waiting, { timeout: 5_000 }).toEqual([]);
    });
    await until(() => served.server.counts().running === 0);
  });

  /** The real program on this database. */
  async function process(): Promise<string> {
    const running = await listen({ CONTEXT_ENGINE: 'postgres', DATABASE_URL: database.app });
    cleanUp.push(() => running.child.kill('SIGKILL'));
    return running.url;
  }

  it('[L4,N6] what one process sealed another one opens, and a question is asked once', async () => {
    const [first, second] = await Promise.all([process(), process()]);
    const args = { question: 'Which workload?', options: ['papers', 'tickets'] };
    const round = async (url: string, more: object) => {
      const params = { name: 'clarify', arguments: args, ...more, _meta: newerEnvelope };
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
      const [answer] = await messagesOf(await post(url, body, { identity: jane }));
      return (answer as { readonly result: Readonly<Record<string, unknown>> }).result;
    };
    const { requestState } = await round(first, {});
    const inputResponses = { answer: { action: 'accept', content: { answer: 'tickets' } } };
    expect(await round(second, { requestState, inputResponses })).toMatchObject({
      structuredContent: { status: 'answered', answer: 'tickets' },
    });
  }, 60_000);
});
