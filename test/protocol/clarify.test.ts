// Asking the person (design L4): answered, declined, too late or not at all, and never for longer than the deadline.
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { jane, openFixture, scopeOf, type Fixture } from '../fixture.ts';
import {
  contentOf,
  eras,
  failureOf,
  linkHost,
  linkWire,
  type CallAnswer,
  type Elicit,
  type Era,
  type Host,
} from './harness.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture({ seeds: ['acme_policy.json', 'globex.json'] });
});
afterAll(() => fixture.close());

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const question = 'Which workload do you mean?';
const options = ['research papers', 'support tickets'];

async function hostOf(era: Era, elicit?: Elicit, clarifyDeadlineMs = 300): Promise<Host> {
  const deadlines = { clarifyDeadlineMs, callDeadlineMs: 2_000 };
  const host = await linkHost({
    era,
    manager: fixture.manager,
    scope: jane,
    ...deadlines,
    ...(elicit === undefined ? {} : { elicit }),
  });
  closers.push(() => host.close());
  return host;
}

const clarify = async (host: Host, args: Record<string, unknown> = { question, options }) =>
  contentOf(await host.call('clarify', args));

const after = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe.each(eras)('clarify (%s era)', (era) => {
  it('[L4] returns what the person chose', async () => {
    const asked: unknown[] = [];
    const host = await hostOf(era, async (request) => {
      asked.push([request.message, request.requestedSchema.properties['answer']?.['enum']]);
      return { action: 'accept', content: { answer: 'support tickets' } };
    });
    expect(await clarify(host)).toMatchObject({ status: 'answered', answer: 'support tickets', question });
    expect(asked).toEqual([[question, options]]);
  });

  it('[L4] returns what the person wrote', async () => {
    const host = await hostOf(era, async ({ requestedSchema }) => {
      expect(requestedSchema.properties['answer']).toMatchObject({ type: 'string' });
      expect(requestedSchema.properties['answer']).not.toHaveProperty('enum');
      return { action: 'accept', content: { answer: 'the tickets of last week' } };
    });
    expect(await clarify(host, { question })).toMatchObject({ status: 'answered', answer: 'the tickets of last week' });
  });

  it.each(['decline', 'cancel'] as const)('[L4] says so when the person does not answer: %s', async (action) => {
    const host = await hostOf(era, async () => ({ action }));
    expect(await clarify(host)).toMatchObject({ status: 'declined', answer: null, question, options });
  });

  it('[L4] hands the question back to a host that cannot ask', async () => {
    const host = await hostOf(era);
    expect(await clarify(host)).toMatchObject({ status: 'ask_in_reply', answer: null, question, options });
  });

  it('[L4] hands the question back when the answer is not one of the options', async () => {
    const host = await hostOf(era, async () => ({ action: 'accept', content: { answer: 'neither' } }));
    expect(await clarify(host)).toMatchObject({ status: 'ask_in_reply', answer: null });
  });

  it('[L4] takes no answer that comes late (peers row 18)', async () => {
    const host = await hostOf(era, async () => {
      await after(600);
      return { action: 'accept', content: { answer: 'support tickets' } };
    });
    expect(await clarify(host)).toMatchObject({ status: 'ask_in_reply', answer: null, question });
  });

  it('[L4] lets a person think longer than a call may take', async () => {
    const host = await linkHost({
      era,
      manager: fixture.manager,
      scope: jane,
      callDeadlineMs: 500,
      clarifyDeadlineMs: 3_000,
      elicit: async () => {
        await after(900);
        return { action: 'accept', content: { answer: 'support tickets' } };
      },
    });
    closers.push(() => host.close());
    expect(await clarify(host)).toMatchObject({ status: 'answered', answer: 'support tickets' });
  });

  it('[L4] never asks for a secret', async () => {
    let asked = 0;
    const host = await hostOf(era, async () => {
      asked += 1;
      return { action: 'accept', content: { answer: 'hunter2' } };
    });
    expect(failureOf(await host.call('clarify', { question: 'What is your password?' })).code).toBe('invalid_argument');
    expect(asked).toBe(0);
  });
});

describe('clarify in the older era', () => {
  it('[L4] does not wait for a client that declared elicitation and hangs (peers row 18)', async () => {
    const host = await hostOf('older', () => new Promise(() => {}));
    const startedMs = performance.now();
    expect(await clarify(host)).toMatchObject({ status: 'ask_in_reply' });
    expect(performance.now() - startedMs).toBeLessThan(1_500);
    expect(await clarify(await hostOf('older', async () => ({ action: 'decline' })))).toMatchObject({
      status: 'declined',
    });
  });

  it('[L4] hands the question back when the client cannot do what it declared', async () => {
    const host = await hostOf('older', async () => {
      throw new Error('no window to show it in');
    });
    expect(await clarify(host)).toMatchObject({ status: 'ask_in_reply', answer: null });
  });
});

function wireOf(more: { stateKey?: Uint8Array; user?: string; clarifyDeadlineMs?: number } = {}) {
  const { user = 'jane', ...rest } = more;
  const wire = linkWire({ manager: fixture.manager, scope: scopeOf({ user }), clarifyDeadlineMs: 5_000, ...rest });
  closers.push(() => wire.close());
  return wire;
}

const contentIn = (answer: { readonly result?: unknown }) => contentOf(answer.result as CallAnswer);

describe('the sealed second round', () => {
  const args = { question, options };
  const accepted = { answer: { action: 'accept', content: { answer: 'support tickets' } } };

  const call = (wire: ReturnType<typeof linkWire>, params: Record<string, unknown>) =>
    wire.request('tools/call', { name: 'clarify', arguments: args, ...params });

  async function stateOf(wire: ReturnType<typeof linkWire>): Promise<string> {
    const { result } = await call(wire, {});
    expect(result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { answer: { method: 'elicitation/create', params: { message: question } } },
    });
    return result?.['requestState'] as string;
  }

  it('[L4] asks once, and takes the answer to that question', async () => {
    const wire = wireOf();
    const requestState = await stateOf(wire);
    const answer = await call(wire, { requestState, inputResponses: accepted });
    expect(contentIn(answer)).toMatchObject({ status: 'answered', answer: 'support tickets' });
  });

  it('[L4] hands the question back when the second round brings no answer', async () => {
    const wire = wireOf();
    const requestState = await stateOf(wire);
    for (const inputResponses of [{}, { answer: { method: 'x', result: {} } }, { other: accepted.answer }]) {
      expect(contentIn(await call(wire, { requestState, inputResponses }))).toMatchObject({ status: 'ask_in_reply' });
    }
  });

  it('[L4] is bound to tool, arguments, thread and principal, and sealed by this process', async () => {
    const stateKey = randomBytes(32);
    const wire = wireOf({ stateKey });
    const requestState = await stateOf(wire);
    const [head, body, mac] = requestState.split('.') as [string, string, string];
    const payload = JSON.parse(Buffer.from(body, 'base64url').toString()) as { p: { deadlineMs: number } };
    payload.p.deadlineMs += 3_600_000;
    const forged = [head, Buffer.from(JSON.stringify(payload)).toString('base64url'), mac].join('.');
    const refused = [
      call(wire, { requestState, inputResponses: accepted, arguments: { ...args, question: 'Another one?' } }),
      call(wire, { requestState, inputResponses: accepted, name: 'search_memory', arguments: { query: 'eviction' } }),
      call(wire, { requestState, inputResponses: accepted, _meta: { 'context-assembly-memory/thread_id': 'other' } }),
      call(wire, { requestState: forged, inputResponses: accepted }),
      call(wire, { requestState: 'v1.x.y', inputResponses: accepted }),
      call(wireOf({ stateKey, user: 'sam' }), { requestState, inputResponses: accepted }),
      call(wireOf(), { requestState, inputResponses: accepted }),
    ];
    for (const { result } of await Promise.all(refused)) {
      expect(failureOf(result as unknown as CallAnswer).code).toBe('invalid_argument');
    }
    // The same call in the same process is still good, whatever others tried.
    expect(contentIn(await call(wire, { requestState, inputResponses: accepted }))).toMatchObject({
      status: 'answered',
    });
  });

  it('[L4] is late after its deadline, and no longer a question', async () => {
    const wire = wireOf({ clarifyDeadlineMs: 50 });
    const requestState = await stateOf(wire);
    await after(120);
    const answer = await call(wire, { requestState, inputResponses: accepted });
    expect(contentIn(answer)).toMatchObject({ status: 'ask_in_reply', answer: null, question });
  });
});
