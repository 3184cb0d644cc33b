// Hosts over HTTP, in both eras: each sees its own tenant, is told of its own changes, is asked its own questions.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { MemoryManager } from '../../src/manager/manager.ts';
import { openFixture, operatorCall, type Fixture } from '../fixture.ts';
import {
  contentOf,
  failureOf,
  memoriesOf,
  newerEnvelope,
  rejectionOf,
  until,
  type Elicit,
  type Host,
} from '../protocol/harness.ts';
import { jane, kinds, messagesOf, openHttp, type HttpFixture, type HttpFixtureOptions } from './harness.ts';

let fixture: Fixture;
let served: HttpFixture;
beforeAll(async () => {
  fixture = await openFixture();
  served = await openHttp(fixture, { clarifyDeadlineMs: 400 });
});
afterAll(async () => {
  await served.close();
  await fixture.close();
});

const others: HttpFixture[] = [];
afterEach(async () => {
  for (const other of others.splice(0)) await other.close();
});

/** Another server on the same store, with a manager of its own. */
async function serveWith(manager: MemoryManager, options: HttpFixtureOptions = {}): Promise<HttpFixture> {
  const other = await openHttp({ ...fixture, manager }, options);
  others.push(other);
  return other;
}

interface Listed {
  readonly tools: readonly { readonly name: string }[];
  readonly nextCursor?: string;
}

const namesOf = async (host: Host) => (await host.request<Listed>('tools/list')).tools.map(({ name }) => name);

let users = 0;
/** A user whose loop no other test spends. */
const somebody = () => ({ ...jane, user: `somebody-${(users += 1)}` });

const schema = { type: 'object', properties: {}, additionalProperties: false };
const addTool = (tenant: string, name: string, access: object = {}) =>
  fixture.operator.apply(operatorCall(tenant), 'tools.json', {
    toolbox: [
      { tool_name: name, tool_schema: schema, tool_handler: 'clarify', access_policy: access, usage_notes: 'Asks.' },
    ],
  });

interface Hanging {
  readonly manager: MemoryManager;
  readonly reasons: unknown[];
  calls: number;
}

/** The real manager, whose first tool call hangs until its signal fires and then tells why. */
function hangingOnce(): Hanging {
  const manager: MemoryManager = {
    ...fixture.manager,
    async callTool(call, ...rest) {
      state.calls += 1;
      if (state.calls > 1) return fixture.manager.callTool(call, ...rest);
      await new Promise((resolve) => call.signal?.addEventListener('abort', resolve));
      state.reasons.push(call.signal?.reason);
      throw call.signal?.reason;
    },
  };
  const state: Hanging = { manager, reasons: [], calls: 0 };
  return state;
}

describe.each(kinds)('a host over HTTP (%s)', (kind) => {
  it('[T1] lists the tools of its tenant and calls them', async () => {
    const host = await served.host(kind, { ...jane, tenant: 'globex', user: 'gail' });
    expect(await namesOf(host)).toEqual(['clarify', 'expand', 'lookup_entity', 'search_memory']);
    const found = await (await served.host(kind, somebody())).call('search_memory', { query: 'eviction' });
    expect(memoriesOf(found).length).toBeGreaterThan(0);
    expect(host.serverName()).toBe('context-assembly-memory');
  });

  it('[T7,T8] reads resources and gets windows', async () => {
    const host = await served.host(kind, somebody());
    const { contents } = await host.request<{ contents: readonly { readonly text: string }[] }>('resources/read', {
      uri: 'memory://guidelines',
    });
    expect(contents[0]?.text).not.toBe('');
    const prompt = await host.request<{ messages: readonly unknown[] }>('prompts/get', {
      name: 'context_window',
      arguments: { question: 'Is Helios-RAG still the one to beat?' },
    });
    expect(prompt.messages).toHaveLength(2);
  });

  it('[I2] sees nothing of another tenant, user or agent, whatever it asks for', async () => {
    const own = await served.host(kind, somebody());
    const question = 'Which memory is whose?';
    const { messages: _ } = await own.request<{ messages: unknown }>('prompts/get', {
      name: 'context_window',
      arguments: { question },
    });
    const { resources } = await own.request<{ resources: readonly { readonly uri: string }[] }>('resources/list');
    const uri = resources.map((resource) => resource.uri).find((one) => one.startsWith('memory://manifests/'))!;
    await own.request('resources/read', { uri });
    for (const stranger of [somebody(), { ...jane, tenant: 'globex', user: `somebody-${users - 1}` }]) {
      const host = await served.host(kind, stranger);
      expect((await rejectionOf(host.request('resources/read', { uri }))).message).toContain('no such resource');
    }
  });

  it('[T3] is told of changed tools of its own tenant, and of no other', async () => {
    const [own, other] = [await served.host(kind), await served.host(kind, { ...jane, tenant: 'globex' })];
    // An older client's stream for notices is opened a moment after its greeting.
    await until(() => served.server.counts().exchanges >= 2);
    await namesOf(own);
    await addTool('acme', `added_${kind.replaceAll(' ', '_')}`);
    await until(() => own.changes() > 0);
    expect(await namesOf(own)).toContain(`added_${kind.replaceAll(' ', '_')}`);
    expect(other.changes()).toBe(0);
    await own.close();
    await other.close();
  });

  it('[T9] cancels a call that is under way, and goes on with the next', async () => {
    const hanging = hangingOnce();
    const host = await (await serveWith(hanging.manager)).host(kind, somebody());
    const controller = new AbortController();
    const cancelled = rejectionOf(host.call('search_memory', { query: 'eviction' }, { signal: controller.signal }));
    await until(() => hanging.calls === 1);
    controller.abort();
    await cancelled;
    await until(() => hanging.reasons.length === 1);
    expect(hanging.reasons[0]).toMatchObject({ code: 'cancelled' });
    expect(memoriesOf(await host.call('search_memory', { query: 'eviction' })).length).toBeGreaterThan(0);
  });

  it('[T9] hears of progress, and ends at its deadline', async () => {
    const manager: MemoryManager = {
      ...fixture.manager,
      async callTool(call) {
        call.onProgress?.(0.5, 'half');
        return new Promise(() => {});
      },
    };
    const host = await (await serveWith(manager, { callDeadlineMs: 300 })).host(kind, somebody());
    const seen: number[] = [];
    const answer = await host.call(
      'search_memory',
      { query: 'eviction' },
      { onProgress: (p) => seen.push(p.progress) },
    );
    expect(failureOf(answer).code).toBe('deadline_exceeded');
    expect(seen).toEqual([0.5]);
  });
});

const question = 'Which workload do you mean?';
const options = ['research papers', 'support tickets'];
const after = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe.each(kinds)('clarify over HTTP (%s)', (kind) => {
  const ask = async (elicit?: Elicit) =>
    contentOf(await (await served.host(kind, somebody(), elicit)).call('clarify', { question, options }));

  it('[L4] returns what the person chose', async () => {
    const answered = await ask(async () => ({ action: 'accept', content: { answer: 'support tickets' } }));
    expect(answered).toMatchObject({ status: 'answered', answer: 'support tickets' });
  });

  it('[L4] says that the person declined', async () => {
    expect(await ask(async () => ({ action: 'decline' }))).toMatchObject({ status: 'declined', answer: null });
  });

  it('[L4] hands the question back to a host that cannot ask', async () => {
    expect(await ask()).toMatchObject({ status: 'ask_in_reply', question, options });
  });

  it('[L4] takes no answer that comes late', async () => {
    const late = await ask(async () => {
      await after(700);
      return { action: 'accept', content: { answer: 'support tickets' } };
    });
    expect(late).toMatchObject({ status: 'ask_in_reply', answer: null });
  });
});

describe('what a list says over HTTP', () => {
  const ask = async (method: string, params: object = {}, identity = jane) => {
    const body = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: newerEnvelope } };
    const [answer] = await messagesOf(await served.post(body, { identity }));
    return (answer as { readonly result: Readonly<Record<string, unknown>> }).result;
  };

  it('[T9] it is private to the caller, and how long it may be kept', async () => {
    expect(await ask('tools/list')).toMatchObject({ cacheScope: 'private', ttlMs: 0 });
    expect(await ask('prompts/list')).toMatchObject({ cacheScope: 'private', ttlMs: 3_600_000 });
    expect(await ask('resources/read', { uri: 'memory://guidelines' })).toMatchObject({ cacheScope: 'private' });
  });

  it('[T9] it has pages, each as private as the first', async () => {
    const row = { tool_schema: schema, tool_handler: 'clarify', access_policy: {}, usage_notes: 'One of many.' };
    const names = Array.from({ length: 70 }, (_, place) => `tool_${String(place).padStart(3, '0')}`);
    const toolbox = names.map((name) => ({ tool_name: name, ...row }));
    await fixture.operator.apply(operatorCall('many'), 'tools.json', { toolbox });
    const identity = { ...jane, tenant: 'many' };
    const first = (await ask('tools/list', {}, identity)) as unknown as Listed;
    const second = (await ask('tools/list', { cursor: first.nextCursor }, identity)) as unknown as Listed;
    expect([first.tools.length, second.tools.length]).toEqual([50, 20]);
    expect([...first.tools, ...second.tools].map(({ name }) => name)).toEqual(names);
    expect(second).toMatchObject({ cacheScope: 'private' });
    const host = await served.host('older', identity);
    expect(await namesOf(host)).toHaveLength(50);
    const rejection = await rejectionOf(host.request('tools/list', { cursor: 'bm9uc2Vuc2U' }));
    expect(rejection).toMatchObject({ code: -32_602 });
  });
});
