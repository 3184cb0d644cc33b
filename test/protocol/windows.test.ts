// Resources, the prompt and completion in both eras: what a host reads of the caller's own, and nothing of others.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Scope } from '../../src/model/scope.ts';
import { threadMetaKey } from '../../src/transport/call_context.ts';
import { callAs, jane, openFixture, readStory, scopeOf, type Fixture, type Story } from '../fixture.ts';
import { eras, linkHost, rejectionOf, type Era, type Host } from './harness.ts';

let fixture: Fixture;
let story: Story;
beforeAll(async () => {
  fixture = await openFixture();
  story = await readStory();
});
afterAll(() => fixture.close());

const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close();
});

async function hostOf(era: Era, scope: Scope = jane): Promise<Host> {
  const host = await linkHost({ era, manager: fixture.manager, scope });
  hosts.push(host);
  return host;
}

interface Prompted {
  readonly description: string;
  readonly messages: readonly {
    readonly role: string;
    readonly content: { readonly type: string; readonly text: string };
  }[];
}

interface Read {
  readonly contents: readonly { readonly uri: string; readonly mimeType: string; readonly text: string }[];
}

const ask = (host: Host, args: Record<string, string>, meta = {}) =>
  host.request<Prompted>('prompts/get', { name: 'context_window', arguments: args, ...meta });

const read = async (host: Host, uri: string) => (await host.request<Read>('resources/read', { uri })).contents[0]!;

/** The ids that the prompt's description names. */
function namesIn(description: string): { run: string; manifest: string } {
  const run = /run ([A-Za-z0-9_.:-]+)/.exec(description)?.[1];
  const manifest = /manifest ([A-Za-z0-9_.-]+)/.exec(description)?.[1];
  if (run === undefined || manifest === undefined) throw new Error(`no run or manifest in: ${description}`);
  return { run, manifest };
}

describe.each(eras)('the prompt context_window (%s era)', (era) => {
  it('[T8] gives the developer text and then memory and question, as user messages, and names run and manifest', async () => {
    const host = await hostOf(era);
    const { description, messages } = await ask(host, { question: story.question, intent: 'fact_check' });
    expect(messages.map(({ role }) => role)).toEqual(['user', 'user']);
    const [developer, user] = messages.map(({ content }) => content.text) as [string, string];
    expect(developer).toContain('# Memory');
    expect(user.startsWith('<memory_context>')).toBe(true);
    expect(user.endsWith(`</memory_context>\n\n${story.question}`)).toBe(true);
    expect(user).toContain('0.78');
    expect(user).not.toContain('canary');
    const { run, manifest } = namesIn(description);
    const rounds = await fixture.manager.run(callAs(jane), run as never);
    expect(rounds.map((round) => round.manifest.manifest_id)).toContain(manifest);
    expect(rounds[0]?.manifest.intent).toBe('fact_check');
    expect(rounds[0]?.manifest.client).toEqual({ name: 'test-host', version: '1.2.3' });
  });

  it('[T8] finds the intent in the question when none is given', async () => {
    const host = await hostOf(era);
    const { description } = await ask(host, { question: story.comparisonQuestion });
    const [round] = await fixture.manager.run(callAs(jane), namesIn(description).run as never);
    expect(round?.manifest.intent).toBe('comparison');
  });

  it.each([
    ['an unknown intent', { question: 'What is current?', intent: 'gossip' }],
    ['no question', {}],
    ['a blank question', { question: '  ' }],
    ['an argument that it does not have', { question: 'What is current?', tenant_id: 'globex' }],
    ['a question of more than 64 KB', { question: 'why '.repeat(20_000) }],
  ])('[T8] refuses %s with the coded object in data', async (_, args) => {
    const rejection = await rejectionOf(ask(await hostOf(era), args));
    expect(rejection.code).toBe(-32602);
    expect(rejection.data).toMatchObject({ error: { code: 'invalid_argument', request_id: expect.any(String) } });
  });

  it('[T8] is the only one', async () => {
    const host = await hostOf(era);
    const { prompts } = await host.request<{ prompts: { name: string; arguments: { name: string }[] }[] }>(
      'prompts/list',
    );
    expect(prompts.map(({ name }) => name)).toEqual(['context_window']);
    expect(prompts[0]?.arguments.map(({ name }) => name)).toEqual(['question', 'intent']);
    expect((await rejectionOf(host.request('prompts/get', { name: 'other', arguments: {} }))).code).toBe(-32602);
  });

  it('[I2] assembles in the thread that the request names', async () => {
    const host = await hostOf(era);
    const thread = `prompt-${era}`;
    const { description } = await ask(host, { question: story.question }, { _meta: { [threadMetaKey]: thread } });
    const own = await fixture.manager.recentManifests(callAs(jane), 50);
    expect(own.map(({ manifest }) => manifest.manifest_id)).toContain(namesIn(description).manifest);
    // A loop continues the window in its own thread alone.
    expect((await host.call('search_memory', { query: 'eviction' }, { thread })).isError).not.toBe(true);
    const rounds = await fixture.manager.run(callAs(scopeOf({ thread })), namesIn(description).run as never);
    expect(rounds).toHaveLength(2);
  });
});

describe.each(eras)('resources (%s era)', (era) => {
  it('[T7,T8] guidelines and persona are the sections of the window, byte for byte', async () => {
    const host = await hostOf(era);
    const { messages } = await ask(host, { question: story.question });
    const developer = messages[0]!.content.text;
    for (const uri of ['memory://guidelines', 'memory://persona']) {
      const contents = await read(host, uri);
      expect(contents.mimeType).toBe('text/markdown');
      expect(contents.text).not.toBe('');
      expect(developer).toContain(contents.text);
    }
    expect((await read(host, 'memory://guidelines')).text).not.toContain('context_budget');
  });

  it('[T7] a manifest and a window are read by their ids', async () => {
    const host = await hostOf(era);
    const { description, messages } = await ask(host, { question: story.question });
    const { run, manifest } = namesIn(description);
    const contents = await read(host, `memory://manifests/${manifest}`);
    expect(contents.mimeType).toBe('application/json');
    expect(JSON.parse(contents.text)).toMatchObject({ manifest_id: manifest, run_id: run, kind: 'window' });
    expect(contents.text).not.toContain(story.question);
    const window = JSON.parse((await read(host, `memory://windows/${run}`)).text) as {
      manifest: { manifest_id: string };
      request: { messages: { content: string }[] };
    }[];
    expect(window.map((round) => round.manifest.manifest_id)).toEqual([manifest]);
    expect(window[0]?.request.messages.map(({ content }) => content)).toEqual(
      messages.map(({ content }) => content.text),
    );
  });

  it('[T7] the list holds guidelines, persona and the newest twenty manifests', async () => {
    const scope = scopeOf({ tenant: 'globex', user: `lister-${era}` });
    const host = await hostOf(era, scope);
    const manifests: string[] = [];
    for (let round = 0; round < 21; round += 1) {
      manifests.push(
        namesIn((await ask(host, { question: `What is current, number ${round}?` })).description).manifest,
      );
    }
    const { resources } = await host.request<{ resources: { uri: string; mimeType: string }[] }>('resources/list');
    expect(resources.map(({ uri }) => uri)).toEqual([
      'memory://guidelines',
      'memory://persona',
      ...manifests
        .toReversed()
        .slice(0, 20)
        .map((id) => `memory://manifests/${id}`),
    ]);
    const { resourceTemplates } = await host.request<{ resourceTemplates: { uriTemplate: string }[] }>(
      'resources/templates/list',
    );
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'memory://manifests/{id}',
      'memory://windows/{run}',
    ]);
  });

  it('[T7] what is another’s is as absent as what never was (peers row 4)', async () => {
    const { description } = await ask(await hostOf(era), { question: story.question });
    const { run, manifest } = namesIn(description);
    for (const scope of [scopeOf({ user: 'sam' }), scopeOf({ tenant: 'globex' }), scopeOf({ agent: 'another' })]) {
      const host = await hostOf(era, scope);
      for (const [mine, never] of [
        [`memory://manifests/${manifest}`, 'memory://manifests/never'],
        [`memory://windows/${run}`, 'memory://windows/never'],
      ] as const) {
        const [refused, absent] = [await failureOf(host, mine), await failureOf(host, never)];
        expect(refused).toEqual({ ...absent, uri: mine });
      }
      const { resources } = await host.request<{ resources: { uri: string }[] }>('resources/list');
      expect(resources.map(({ uri }) => uri)).not.toContain(`memory://manifests/${manifest}`);
      for (const [uri, variable] of [
        ['memory://manifests/{id}', 'id'],
        ['memory://windows/{run}', 'run'],
      ] as const) {
        const { completion } = await complete(host, { type: 'ref/resource', uri }, variable, '');
        expect(completion.values).not.toContain(manifest);
        expect(completion.values).not.toContain(run);
      }
    }
    for (const scope of [scopeOf({ user: 'sam' }), scopeOf({ tenant: 'globex' })]) {
      expect((await read(await hostOf(era, scope), 'memory://persona')).text).not.toContain('Okafor');
    }
  });

  it.each([
    'memory://index',
    'memory://manifests/',
    'memory://manifests/%zz',
    'memory://windows/a b',
    'file:///etc/passwd',
  ])('[T7] an address that leads nowhere is the protocol’s “not found”: %s', async (uri) => {
    expect(await failureOf(await hostOf(era), uri)).toMatchObject({ code: -32602, uri, error: { code: 'not_found' } });
  });
});

/** How a read failed, without the request id, which differs each time. */
async function failureOf(host: Host, uri: string) {
  const { code, message, data } = await rejectionOf(host.request('resources/read', { uri }));
  const { error, uri: named } = data as { uri: string; error: Record<string, string> };
  return { code, message, uri: named, error: { ...error, request_id: '' } };
}

const complete = (host: Host, ref: Record<string, string>, name: string, value: string) =>
  host.request<{ completion: { values: string[]; total: number; hasMore: boolean } }>('completion/complete', {
    ref,
    argument: { name, value },
  });

describe.each(eras)('completion (%s era)', (era) => {
  it('[T7] of manifest and run ids gives the caller’s recent ones', async () => {
    const host = await hostOf(era, scopeOf({ user: `typist-${era}` }));
    const { run, manifest } = namesIn((await ask(host, { question: story.question })).description);
    const manifests = await complete(
      host,
      { type: 'ref/resource', uri: 'memory://manifests/{id}' },
      'id',
      manifest.slice(0, 12),
    );
    expect(manifests.completion).toEqual({ values: [manifest], total: 1, hasMore: false });
    const runs = await complete(host, { type: 'ref/resource', uri: 'memory://windows/{run}' }, 'run', '');
    expect(runs.completion.values).toEqual([run]);
  });

  it('[T8] of the intent gives those that begin with what was typed', async () => {
    const host = await hostOf(era);
    const prompt = { type: 'ref/prompt', name: 'context_window' };
    expect((await complete(host, prompt, 'intent', '')).completion.values).toEqual([
      'comparison',
      'fact_check',
      'how_to',
      'recall',
      'open',
    ]);
    expect((await complete(host, prompt, 'intent', 'fa')).completion.values).toEqual(['fact_check']);
    expect((await complete(host, prompt, 'question', 'Is')).completion.values).toEqual([]);
  });

  it.each([
    [{ type: 'ref/prompt', name: 'other' }, 'intent'],
    [{ type: 'ref/prompt', name: 'context_window' }, 'other'],
    [{ type: 'ref/resource', uri: 'memory://manifests/{id}' }, 'run'],
    [{ type: 'ref/resource', uri: 'memory://other/{id}' }, 'id'],
  ])('[T7] of what does not exist is refused: %o %s', async (ref, name) => {
    const rejection = await rejectionOf(complete(await hostOf(era), ref, name, ''));
    expect(rejection.code).toBe(-32602);
    expect(rejection.data).toMatchObject({ error: { code: 'invalid_argument' } });
  });
});
