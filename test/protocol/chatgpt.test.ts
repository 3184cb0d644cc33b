// search and fetch in ChatGPT's shapes (T3): from rows, of the same memory, under the same budget, rules and isolation.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createManager } from '../../src/manager/create_manager.ts';
import type { Scope } from '../../src/model/scope.ts';
import { loadTokenizer } from '../../src/tokens/tokenizer.ts';
import { callAs, jane, openFixture, operatorCall, projectJson, scopeOf, type Fixture } from '../fixture.ts';
import { eras, failureOf, linkHost, type CallAnswer, type Era, type Host, type LinkOptions } from './harness.ts';

let fixture: Fixture;
const hosts: Host[] = [];
beforeAll(async () => {
  fixture = await openFixture();
  const seed = await projectJson('seeds/chatgpt.json');
  for (const tenant of ['acme', 'globex']) await fixture.operator.apply(operatorCall(tenant), 'chatgpt.json', seed);
  await fixture.operator.apply(operatorCall('acme'), 'more', {
    documents: [
      {
        collection: 'shelf',
        title: 'Walrus notes',
        source_uri: 'file:walrus',
        text: 'The walrus counted 4711 mussels.',
      },
    ],
  });
});
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close();
});
afterAll(() => fixture.close());

let threads = 0;
const freshJane = () => scopeOf({ thread: `chatgpt-${(threads += 1)}` });

async function hostOf(era: Era, scope: Scope = freshJane(), more: Partial<LinkOptions> = {}): Promise<Host> {
  const host = await linkHost({ era, manager: fixture.manager, scope, ...more });
  hosts.push(host);
  return host;
}

interface Link {
  readonly id: string;
  readonly title: string;
  readonly url: string;
}

/** The content of an answer, which stands in it twice. */
function contentOf(answer: CallAnswer): unknown {
  expect(answer.isError ?? false).toBe(false);
  expect(answer.content).toHaveLength(1);
  expect(JSON.parse(answer.content[0]!.text)).toEqual(answer.structuredContent);
  return answer.structuredContent;
}

interface Links {
  readonly results: readonly Link[];
  readonly notes?: readonly string[];
}

const search = async (host: Host, query: string) => contentOf(await host.call('search', { query })) as Links;

interface Document extends Link {
  readonly text: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

const fetchDocument = async (host: Host, id: string) => contentOf(await host.call('fetch', { id })) as Document;

const latest = async (scope: Scope) =>
  (await fixture.manager.recentManifests({ scope, requestId: 'test', client: null }, 1))[0]!.manifest;

describe.each(eras)('search and fetch (%s era)', (era) => {
  it('[T3,T5] answer in the shapes that the host expects, twice the same', async () => {
    const scope = freshJane();
    const host = await hostOf(era, scope);
    const found = await search(host, 'How does Letta evict memory?');
    expect(Object.keys(found)).toEqual(['results']);
    expect(found.results.length).toBeGreaterThan(1);
    expect(found.results.length).toBeLessThanOrEqual(10);
    for (const link of found.results) {
      expect(Object.keys(link)).toEqual(['id', 'title', 'url']);
      expect(link.id).toMatch(/^B[0-9a-f]{10}$/);
      expect(link.url).toMatch(/^https:\/\//);
    }
    expect(new Set((await latest(scope)).memories.map(({ tier }) => tier))).toEqual(new Set(['pointer']));
    const [first] = found.results;
    const document = await fetchDocument(host, first!.id);
    expect(Object.keys(document)).toEqual(['id', 'title', 'text', 'url', 'metadata']);
    expect(document).toMatchObject({ ...first, metadata: { type: 'chunk', status: 'evidence', tier: 'full' } });
    expect(document.text.length).toBeGreaterThan(100);
    const manifest = await latest(scope);
    expect(manifest.memories.map(({ id, tier }) => ({ id, tier }))).toEqual([{ id: first!.id, tier: 'full' }]);
    expect(JSON.stringify([found, document])).not.toContain('canary');
  });

  it('[L1] cost the loop the text that is returned', async () => {
    const scope = freshJane();
    const host = await hostOf(era, scope);
    const countTokens = await loadTokenizer();
    const answers: string[] = [];
    const left: number[] = [];
    for (const [tool, args] of [
      ['search', { query: 'eviction' }],
      ['search', { query: 'retention of events' }],
    ] as const) {
      answers.push((await host.call(tool, args)).content[0]!.text);
      left.push((await latest(scope)).loop!.tokens_left);
    }
    expect(left[0]! - left[1]!).toBe(countTokens(answers[1]!) + 4);
  });

  it('[T6,L3] fail as other tools do: bad arguments, ids that were not issued, other principals', async () => {
    const thread = `shared-${era}`;
    const mine = await hostOf(era, scopeOf({ thread }));
    const [found] = (await search(mine, 'eviction')).results;
    expect(failureOf(await mine.call('search', { query: 'x', limit: 3 })).code).toBe('invalid_argument');
    expect(failureOf(await mine.call('search', {})).code).toBe('invalid_argument');
    expect(failureOf(await mine.call('fetch', { id: 7 })).code).toBe('invalid_argument');
    expect(failureOf(await mine.call('fetch', { id: 'not an id' })).code).toBe('invalid_argument');
    expect(failureOf(await mine.call('fetch', { id: 'B0123456789' })).code).toBe('not_issued');
    for (const scope of [
      scopeOf({ user: 'sam', thread }),
      scopeOf({ agent: null, thread }),
      scopeOf({ tenant: 'globex', thread }),
      scopeOf({ thread: `${thread}-2` }),
    ]) {
      const other = await hostOf(era, scope);
      expect(failureOf(await other.call('fetch', { id: found!.id })).code).toBe('not_issued');
    }
  });

  it('[N2] of another tenant find its own documents alone, look-alikes under the same addresses', async () => {
    const titles = async (scope: Scope, query: string) =>
      (await search(await hostOf(era, scope), query)).results.map(({ title }) => title);
    const globex = scopeOf({ tenant: 'globex', thread: `globex-${era}` });
    const [own, other] = [await titles(freshJane(), 'Helios-RAG on BEIR'), await titles(globex, 'Helios-RAG on BEIR')];
    expect(own.length).toBeGreaterThan(0);
    expect(other.length).toBeGreaterThan(0);
    expect(other.filter((title) => own.includes(title))).toEqual([]);
    expect((await titles(freshJane(), 'Globex canary')).join()).not.toMatch(/globex|canary/i);
  });
});

it('[T3] a document without an address of its own gets one of ours, or one that is configured', async () => {
  const ours = await search(await hostOf('newer'), 'walrus mussels');
  expect(ours.results[0]).toMatchObject({ title: 'Walrus notes', url: `memory://memories/${ours.results[0]!.id}` });
  const manager = createManager({ ...fixture.parts, documentUrl: 'https://kb.example/memory/' });
  const host = await hostOf('newer', freshJane(), { manager });
  const [found] = (await search(host, 'walrus mussels')).results;
  expect(found?.url).toBe(`https://kb.example/memory/${found?.id}`);
  expect(await fetchDocument(host, found!.id)).toMatchObject({
    url: found?.url,
    text: expect.stringContaining('4711'),
  });
});

it('[L2] a spent loop answers in the same shape, and says so where the host reads', async () => {
  const scope = freshJane();
  const host = await hostOf('newer', scope);
  const { manifest } = await fixture.manager.assembleWindow(callAs(scope), {
    question: 'Eviction?',
    intent: null,
    at: null,
    model: null,
  });
  expect(manifest.kind).toBe('window');
  const [found] = (await search(host, 'eviction')).results;
  for (let round = 0; round < 2; round += 1) await search(host, 'retention');
  const spent = await search(host, 'eviction');
  expect(spent).toEqual({ results: [], notes: [expect.stringContaining('budget')] });
  const document = await fetchDocument(host, found!.id);
  expect(document).toMatchObject({ id: found!.id, text: expect.stringContaining('budget'), metadata: { tier: null } });
});

it('[T2] the two tools add little to the menu, and what a model reads of all six is under 1,200 tokens', async () => {
  const host = await hostOf('newer', jane);
  const { tools } = await host.request<{ readonly tools: readonly Listed[] }>('tools/list');
  const added = tools.filter(({ name }) => ['search', 'fetch'].includes(name));
  expect(tools).toHaveLength(6);
  expect(added).toHaveLength(2);
  const countTokens = await loadTokenizer();
  const read = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  expect(countTokens(JSON.stringify(read))).toBeLessThan(1_200);
  expect(countTokens(JSON.stringify(added))).toBeLessThan(450);
  expect(countTokens(JSON.stringify(tools.filter((tool) => !added.includes(tool))))).toBeLessThan(1_200);
});

interface Listed {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
}
