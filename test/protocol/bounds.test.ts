// What bounds a request (design T9): its deadline, its cancellation, its progress, and the size of a page.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Call, MemoryManager } from '../../src/manager/manager.ts';
import { MemoryError } from '../../src/model/errors.ts';
import { actionFor, errorBody } from '../../src/transport/present.ts';
import { errorCodes } from '../../src/model/errors.ts';
import { jane, openFixture, operatorCall, scopeOf, type Fixture } from '../fixture.ts';
import {
  eras,
  failureOf,
  linkHost,
  memoriesOf,
  rejectionOf,
  until,
  type Era,
  type Host,
  type LinkOptions,
} from './harness.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture({ seeds: ['acme_policy.json', 'corpus_research.json'] });
});
afterAll(() => fixture.close());

const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close();
});

async function hostOf(era: Era, more: Partial<LinkOptions> = {}): Promise<Host> {
  const host = await linkHost({ era, manager: fixture.manager, scope: jane, ...more });
  hosts.push(host);
  return host;
}

const never = new Promise<never>(() => {});

/** The real manager, whose first tool call hangs until its signal fires and then tells why. */
function hangingOnce(): { manager: MemoryManager; reasons: unknown[]; calls: Call[] } {
  const reasons: unknown[] = [];
  const calls: Call[] = [];
  const manager: MemoryManager = {
    ...fixture.manager,
    callTool: async (call, ...rest) => {
      calls.push(call);
      if (calls.length > 1) return fixture.manager.callTool(call, ...rest);
      await new Promise((resolve) => call.signal?.addEventListener('abort', resolve));
      reasons.push(call.signal?.reason);
      throw call.signal?.reason;
    },
  };
  return { manager, reasons, calls };
}

describe.each(eras)('bounds (%s era)', (era) => {
  it('[T9] a call ends at its deadline, and the manager is told to stop', async () => {
    const { manager, reasons } = hangingOnce();
    const host = await hostOf(era, { manager, callDeadlineMs: 200 });
    const failure = failureOf(await host.call('search_memory', { query: 'eviction' }));
    expect(failure.code).toBe('deadline_exceeded');
    await until(() => reasons.length === 1);
    expect(reasons[0]).toMatchObject({ code: 'deadline_exceeded' });
  });

  it('[T9] a call ends at its deadline even where nothing heeds the signal', async () => {
    const manager = { ...fixture.manager, callTool: () => never, listTools: () => never };
    const host = await hostOf(era, { manager, callDeadlineMs: 100 });
    expect(failureOf(await host.call('search_memory', { query: 'eviction' })).code).toBe('deadline_exceeded');
    const rejection = await rejectionOf(host.request('tools/list'));
    expect(rejection.data).toMatchObject({ error: { code: 'deadline_exceeded' } });
  });

  it('[T9] waiting for the store counts', async () => {
    const host = await hostOf(era, { manager: () => never, callDeadlineMs: 100 });
    expect(failureOf(await host.call('search_memory', { query: 'eviction' })).code).toBe('deadline_exceeded');
  });

  it('[T9] a client can cancel a call, and goes on with the next', async () => {
    const { manager, reasons } = hangingOnce();
    const host = await hostOf(era, { manager });
    const controller = new AbortController();
    const cancelled = rejectionOf(host.call('search_memory', { query: 'eviction' }, { signal: controller.signal }));
    await new Promise((resolve) => setTimeout(resolve, 50));
    controller.abort();
    await cancelled;
    await until(() => reasons.length === 1);
    expect(reasons[0]).toMatchObject({ code: 'cancelled' });
    expect(memoriesOf(await host.call('search_memory', { query: 'eviction' })).length).toBeGreaterThan(0);
  });

  it('[T9] the end of a connection cancels what is under way', async () => {
    const { manager, reasons, calls } = hangingOnce();
    const host = await hostOf(era, { manager });
    host.call('search_memory', { query: 'eviction' }).catch(() => {});
    await until(() => calls.length === 1);
    await host.close();
    await until(() => reasons.length === 1);
    expect(reasons[0]).toBeInstanceOf(MemoryError);
  });

  it('[T9] progress reaches a client that asked for it, rising', async () => {
    const manager: MemoryManager = {
      ...fixture.manager,
      callTool: async (call, ...rest) => {
        for (const done of [0.25, 0.2, 0.5, 7]) call.onProgress?.(done, `at ${done}`);
        return fixture.manager.callTool(call, ...rest);
      },
    };
    const host = await hostOf(era, { manager });
    const seen: number[] = [];
    const onProgress = ({ progress }: { readonly progress: number }) => void seen.push(progress);
    await host.call('search_memory', { query: 'eviction' }, { onProgress });
    expect(seen).toEqual([0.25, 0.5, 1]);
    await host.call('search_memory', { query: 'eviction' });
    expect(seen).toHaveLength(3);
  });
});

describe.each(eras)('pages (%s era)', (era) => {
  const tenant = 'many-tools';
  const schema = { type: 'object', properties: {}, additionalProperties: false };
  const names = Array.from({ length: 120 }, (_, place) => `tool_${String(place).padStart(3, '0')}`);

  interface Page {
    readonly tools: readonly { readonly name: string }[];
    readonly nextCursor?: string;
  }

  it('[T9] of the tool list hold fifty, follow each other, and end', async () => {
    const row = { tool_schema: schema, tool_handler: 'clarify', access_policy: {}, usage_notes: 'One of many.' };
    const toolbox = names.map((name) => ({ tool_name: name, ...row }));
    await fixture.operator.apply(operatorCall(tenant), 'tools.json', { toolbox });
    const host = await hostOf(era, { scope: scopeOf({ tenant }) });
    const seen: string[] = [];
    const sizes: number[] = [];
    let cursor: string | undefined;
    do {
      const page: Page = await host.request('tools/list', cursor === undefined ? {} : { cursor });
      sizes.push(page.tools.length);
      seen.push(...page.tools.map(({ name }) => name));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(sizes).toEqual([50, 50, 20]);
    expect(seen).toEqual(names);
  });

  it('[T9] refuse a cursor that they never gave', async () => {
    const host = await hostOf(era, { scope: scopeOf({ tenant }) });
    const { nextCursor } = await host.request<Page>('tools/list');
    const foreign = Buffer.from(JSON.stringify(['prompts', 'x'])).toString('base64url');
    for (const cursor of ['', 'x', '!!!', `${nextCursor}=`, ` ${nextCursor}`, foreign]) {
      const rejection = await rejectionOf(host.request('tools/list', { cursor }));
      expect(rejection.code).toBe(-32602);
      expect(rejection.data).toMatchObject({ error: { code: 'invalid_argument' } });
    }
    for (const method of ['resources/list', 'resources/templates/list', 'prompts/list']) {
      expect((await rejectionOf(host.request(method, { cursor: nextCursor }))).code).toBe(-32602);
    }
  });
});

describe('failures', () => {
  it('[T6] each have a code, one sentence and what to do', () => {
    for (const code of errorCodes) {
      const action = actionFor(code);
      expect(action).toMatch(/^[A-Z].*\.$/);
      expect(action).not.toMatch(/undefined|null/);
      const body = errorBody(new MemoryError(code, 'A sentence.', { secret: 'x' }, new Error('inside')), 'req_1');
      expect(body).toEqual({ error: { code, message: 'A sentence.', action, request_id: 'req_1' } });
    }
  });

  it.each([new Error('inside'), 'inside', null, undefined, { code: 'not_found', message: 'inside' }])(
    '[T6] that are no MemoryError are told as internal: %o',
    (thrown) => {
      const { error } = errorBody(thrown, 'req_1');
      expect(error.code).toBe('internal');
      expect(error.message).not.toContain('inside');
    },
  );
});
