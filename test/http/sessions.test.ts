// Sessions of the older era, and sealed state of the newer: bound to their principal, bounded, and gone when they are over.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openFixture, type Fixture } from '../fixture.ts';
import { newerEnvelope, until } from '../protocol/harness.ts';
import { usualLimits } from '../../src/transport/http_limits.ts';
import {
  beginSession,
  jane,
  messagesOf,
  openHttp,
  tokenOf,
  type HttpFixture,
  type HttpFixtureOptions,
  type Identity,
} from './harness.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture({ seeds: ['acme_policy.json', 'globex.json'] });
});
afterAll(() => fixture.close());

const opened: HttpFixture[] = [];
afterEach(async () => {
  for (const served of opened.splice(0)) await served.close();
});

async function serve(options: HttpFixtureOptions = {}): Promise<HttpFixture> {
  const served = await openHttp(fixture, options);
  opened.push(served);
  return served;
}

const sessions = (more: Partial<typeof usualLimits.sessions>) => ({
  limits: { sessions: { ...usualLimits.sessions, ...more } },
});

const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };

const ask = (served: HttpFixture, session: string, identity: Identity = jane) =>
  served.post(list, { identity, headers: { 'mcp-session-id': session } });

const statusOf = async (served: HttpFixture, session: string, identity?: Identity) => {
  const response = await ask(served, session, identity);
  await response.text();
  return response.status;
};

/** Opens the stream on which a session hears of changes. */
async function openStream(served: HttpFixture, session: string, identity: Identity = jane) {
  const controller = new AbortController();
  const response = await fetch(served.url, {
    headers: {
      accept: 'text/event-stream',
      authorization: `Bearer ${tokenOf(identity)}`,
      'mcp-session-id': session,
    },
    signal: controller.signal,
  });
  return { response, end: () => controller.abort() };
}

const end = (served: HttpFixture, session: string, identity: Identity = jane) =>
  fetch(served.url, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${tokenOf(identity)}`, 'mcp-session-id': session },
  });

describe('a session', () => {
  it('[I2] of another principal, one that ended and one that never was look the same', async () => {
    const served = await serve();
    const own = await beginSession(served.url);
    const ended = await beginSession(served.url);
    expect((await end(served, ended)).status).toBe(200);
    const strangers: readonly (readonly [string, Identity])[] = [
      [own, { ...jane, user: 'sam' }],
      [own, { ...jane, tenant: 'globex' }],
      [own, { ...jane, agent: null }],
      [own, { ...jane, subject: 'another-jane' }],
      [ended, jane],
      ['b7a1f4c2-0000-4000-8000-000000000000', jane],
    ];
    const answers = strangers.map(async ([session, identity]) => {
      const response = await ask(served, session, identity);
      const headers = [...response.headers].filter(([name]) => name !== 'date');
      return { status: response.status, headers, body: await response.text() };
    });
    const [first, ...rest] = await Promise.all(answers);
    expect(first?.status).toBe(404);
    for (const other of rest) expect(other).toEqual(first);
    expect((await end(served, own, { ...jane, user: 'sam' })).status).toBe(404);
    expect((await openStream(served, own, { ...jane, user: 'sam' })).response.status).toBe(404);
    expect(await statusOf(served, own)).toBe(200);
  });

  it('[I1] goes on with another token of the same principal', async () => {
    const served = await serve();
    const session = await beginSession(served.url);
    expect(await statusOf(served, session, { ...jane, endsIn: 60, scopes: ['x'] })).toBe(200);
  });

  it('ends when nobody asks anything of it, and not while its stream is open', async () => {
    const served = await serve(sessions({ idleMs: 150 }));
    const [left, watched] = [await beginSession(served.url), await beginSession(served.url)];
    const stream = await openStream(served, watched);
    await until(() => served.server.counts().sessions === 1);
    expect([await statusOf(served, left), await statusOf(served, watched)]).toEqual([404, 200]);
    stream.end();
    await until(() => served.server.counts().sessions === 0);
  });

  it('ends its stream when the token of the stream ends', async () => {
    const served = await serve();
    const session = await beginSession(served.url);
    const stream = await openStream(served, session, { ...jane, endsIn: 1 });
    expect(stream.response.status).toBe(200);
    expect(await stream.response.text()).toBe('');
    expect(await statusOf(served, session)).toBe(200);
  });

  it('makes room for a newer one of its tenant when it was used least lately, and never for another tenant', async () => {
    const served = await serve(sessions({ ofTenant: 2 }));
    const other = await beginSession(served.url, { ...jane, tenant: 'globex' });
    const [first, second] = [await beginSession(served.url), await beginSession(served.url)];
    expect(await statusOf(served, first)).toBe(200);
    const third = await beginSession(served.url);
    expect(await statusOf(served, second)).toBe(404);
    for (const kept of [first, third]) expect(await statusOf(served, kept)).toBe(200);
    expect(await statusOf(served, other, { ...jane, tenant: 'globex' })).toBe(200);
    const streams = [await openStream(served, first), await openStream(served, third)];
    await expect(beginSession(served.url)).rejects.toThrow('429');
    for (const { end: close } of streams) close();
  });

  it('is refused for a while when all tenants together have too many', async () => {
    const served = await serve(sessions({ inAll: 1 }));
    const stream = await openStream(served, await beginSession(served.url));
    await expect(beginSession(served.url, { ...jane, tenant: 'globex' })).rejects.toThrow('503');
    stream.end();
    await until(() => served.server.counts().exchanges === 0);
    await beginSession(served.url, { ...jane, tenant: 'globex' });
    expect(served.server.counts().sessions).toBe(1);
  });

  it('is not begun by a greeting that is refused, or by anything else', async () => {
    const served = await serve();
    expect((await served.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).status).toBe(400);
    const greeting = { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} };
    await (await served.post([greeting, greeting])).text();
    const refusedForm = await served.post(greeting, { headers: { accept: 'text/html' } });
    expect(refusedForm.status).toBe(406);
    expect(served.server.counts().sessions).toBe(0);
  });
});

describe('requests that are given up', () => {
  it('200 of them leave no session, handler, place or stream behind', async () => {
    const manager = { ...fixture.manager, listTools: () => new Promise<never>(() => {}) };
    const served = await openHttp({ ...fixture, manager });
    opened.push(served);
    const session = await beginSession(served.url);
    const before = served.server.counts();
    for (let round = 0; round < 10; round += 1) {
      const controllers = Array.from({ length: 20 }, () => new AbortController());
      const asked = controllers.map(({ signal }, place) => {
        const params = place % 2 === 0 ? { params: { _meta: newerEnvelope } } : {};
        const headers: Record<string, string> = place % 2 === 0 ? {} : { 'mcp-session-id': session };
        return served.post({ ...list, id: place, ...params }, { signal, headers }).then(async (r) => r.text());
      });
      await until(() => served.server.counts().exchanges === 20);
      for (const controller of controllers) controller.abort();
      for (const outcome of await Promise.allSettled(asked)) expect(outcome.status).toBe('rejected');
      await until(() => served.server.counts().exchanges === 0);
    }
    await until(() => served.server.counts().running === 0);
    expect(served.server.counts()).toEqual({ ...before, exchanges: 0, tenants: 0, sessions: 1, waiting: 0 });
  }, 30_000);
});

describe('sealed state', () => {
  const question = { question: 'Which workload do you mean?', options: ['research papers', 'support tickets'] };
  const capable = { ...newerEnvelope };
  const round = async (served: HttpFixture, more: object, identity: Identity = jane, args: object = question) => {
    const params = { name: 'clarify', arguments: args, ...more, _meta: capable };
    const [answer] = await messagesOf(
      await served.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, { identity }),
    );
    return (answer as { readonly result: Readonly<Record<string, unknown>> }).result;
  };
  const inputResponses = { answer: { action: 'accept', content: { answer: 'support tickets' } } };

  it('[L4,I2] is opened for its own principal and question alone, and a refusal tells nothing', async () => {
    const [served, otherProcess] = [await serve(), await serve()];
    const { requestState } = await round(served, {});
    const more = { requestState, inputResponses };
    const refused = [
      round(served, more, { ...jane, user: 'sam' }),
      round(served, more, { ...jane, tenant: 'globex' }),
      round(served, more, { ...jane, subject: 'another-jane' }),
      round(served, more, jane, { ...question, question: 'Another one?' }),
      round(served, { ...more, requestState: `${String(requestState)}x` }),
    ];
    for (const result of await Promise.all(refused)) {
      expect(result).toMatchObject({ isError: true });
      const [{ text }] = result['content'] as [{ text: string }];
      const { code, message } = (JSON.parse(text) as { error: { code: string; message: string } }).error;
      expect({ code, message }).toEqual({
        code: 'invalid_argument',
        message: 'The requestState was not given for this call.',
      });
    }
    // Every process on the database has the same key.
    expect(await round(otherProcess, more)).toMatchObject({ structuredContent: { status: 'answered' } });
  });
});
