// Whole windows and tools through Oracle's adapter: the real driver, a scripted server, and rows that the embedded engine
// gives for the statement of the same name. The order and the text of what is sent is held fast; the window must be the
// one that the embedded engine makes of the same rows (N10). Oracle's own SQL is not run here.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createManager } from '../../src/manager/create_manager.ts';
import { rowId } from '../../src/model/ids.ts';
import { createQueries, queryNames } from '../../src/store/sql_files.ts';
import type { AskUser, MemoryManager, WindowResult } from '../../src/manager/manager.ts';
import { callAs, jane, openFixture, readStory, scopeOf } from '../fixture.ts';
import type { Fixture, Story } from '../fixture.ts';
import { openHttp } from '../http/harness.ts';
import { eras, linkHost } from '../protocol/harness.ts';
import type { CallAnswer } from '../protocol/harness.ts';
import { openAdapterOnEmbedded } from './stub/embedded_store.ts';
import type { AdapterOnEmbedded } from './stub/embedded_store.ts';
import type { StubCall, StubReply } from './stub/script.ts';

let adapter: AdapterOnEmbedded;
let fixture: Fixture;
let embedded: MemoryManager;
let story: Story;
/** Statements that fail, by name, in place of the embedded engine's answers. */
const faults: Record<string, (call: StubCall) => StubReply | undefined> = {};
const failing = (error: number): StubReply => ({ error: [error, `ORA-${String(error).padStart(5, '0')}: not told`] });
const lookup = { subject: 'Helios-RAG', predicate: 'beir_ndcg10' };
const nobody: AskUser = async () => ({ outcome: 'unsupported' });

beforeAll(async () => {
  story = await readStory();
  // The demo's rows are written through the adapter too.
  fixture = await openFixture({
    openStore: async ({ embedder }) => {
      adapter = await openAdapterOnEmbedded(embedder, faults);
      return adapter.store;
    },
  });
  embedded = createManager({ ...fixture.parts, store: adapter.embedded });
});

afterAll(() => fixture.close());

const question = (text: string) => ({ question: text, intent: null, at: story.evaluationTime, model: null });

/** What is sent while something is done, by name, and without the connection's number. */
async function sentBy(work: () => Promise<unknown>): Promise<readonly string[]> {
  adapter.scripted.forget();
  await work();
  return adapter.scripted.seen().map((line) => line.replace(/^\d+ /, ''));
}

/** A window without what no two windows share: ids of events and positions. */
function comparable({ request, manifest }: WindowResult) {
  const { intent, memories, excluded, totals, required_refs: required, budget_ref: budget } = manifest;
  return { request, intent, memories, excluded, totals, required, budget };
}

const thread = (name: string) => callAs(scopeOf({ thread: name }));

describe('windows through the adapter of Oracle (answered by the embedded engine)', () => {
  it('[N10] are those of the embedded engine, for every question of the story', async () => {
    for (const text of [story.question, story.comparisonQuestion, story.retentionQuestion, story.japaneseQuestion]) {
      const [there, here] = [
        await fixture.manager.assembleWindow(callAs(jane), question(text)),
        await embedded.assembleWindow(callAs(jane), question(text)),
      ];
      expect(comparable(there)).toEqual(comparable(here));
      expect(there.manifest).toMatchObject({ mode: 'oracle', scn: expect.stringMatching(/^\d+$/) });
    }
  });

  it('[N3] read in one bracket, under one position, and record the events in the next', async () => {
    await fixture.manager.assembleWindow(callAs(jane), question(story.question));
    const sent = await sentBy(() => fixture.manager.assembleWindow(callAs(jane), question(story.question)));
    expect(sent).toMatchSnapshot();
    const reads = sent.slice(0, sent.indexOf('leave'));
    expect(reads[0]).toBe('enter_read');
    expect(reads.filter((name) => /^(insert|append|add|issue|open|commit)/.test(name))).toEqual([]);
  });

  it.each([
    ['search_memory', { query: 'AgentCore retention' }],
    ['lookup_entity', lookup],
    ['clarify', { question: 'Research retrieval or support search?', options: ['research', 'support'] }],
  ])('[N1] the tool %s sends these statements, in brackets', async (tool, args) => {
    const call = thread(`tool-${tool}`);
    const sent = await sentBy(() => fixture.manager.callTool(call, tool, args, nobody));
    expect(sent).toMatchSnapshot();
    // Whatever is entered is left before anybody else enters.
    const ends = sent.filter((name) => /^(enter_|leave)/.test(name)).map((name) => name.startsWith('enter_'));
    expect(ends).toEqual(ends.map((_, index) => index % 2 === 0));
  });

  it('[N1] the tool expand sends these statements, in brackets', async () => {
    const call = thread('tool-expand');
    const found = await fixture.manager.callTool(call, 'search_memory', { query: 'AgentCore retention' }, nobody);
    const id = found.kind === 'memory' ? found.content.memories[0]?.id : undefined;
    const sent = await sentBy(() => fixture.manager.callTool(call, 'expand', { memory_id: id }, nobody));
    expect(sent).toMatchSnapshot();
    expect(sent.filter((name) => name.startsWith('leave'))).toHaveLength(
      sent.filter((name) => name.startsWith('enter_')).length,
    );
  });

  it('[N10] tools answer as on the embedded engine, and expand shows what was issued', async () => {
    const ask = async (manager: MemoryManager) => {
      const call = thread(manager === embedded ? 'here' : 'there');
      const outcome = await manager.callTool(call, 'search_memory', { query: 'AgentCore retention' }, nobody);
      const id = outcome.kind === 'memory' ? outcome.content.memories[0]?.id : undefined;
      const expanded = await manager.callTool(call, 'expand', { memory_id: id }, nobody);
      const known = await manager.callTool(call, 'lookup_entity', lookup, nobody);
      return [outcome, expanded, known].map((given) => (given.kind === 'memory' ? given.content.memories : given.kind));
    };
    expect(await ask(fixture.manager)).toEqual(await ask(embedded));
  });

  it('[N4,R1] a window is replayed from the past, and comes out the same', async () => {
    const { manifest } = await fixture.manager.assembleWindow(callAs(jane), question(story.question));
    const sent = await sentBy(async () => {
      const replayed = await fixture.manager.replay(callAs(jane), rowId(manifest.manifest_id));
      expect(replayed).toMatchObject({ kind: 'window', sameCode: true, result: { outcome: 'matched' } });
    });
    expect(sent).toMatchSnapshot();
  });

  it('[N1] the text of what is sent is that of the files, none made at run time', () => {
    const statements = adapter.scripted.stub.events.filter(({ what }) => what === 'statement');
    const texts = new Set(statements.map(({ detail }) => detail));
    expect(texts.size).toBeGreaterThan(50);
    const files = new Set(queryNames('oracle').map((name) => createQueries('oracle')(name).trim()));
    expect([...texts].filter((text) => !files.has(text))).toEqual([]);
    expect(adapter.problems).toEqual([]);
    expect(adapter.scripted.stub.events.filter(({ what }) => what === 'fault')).toEqual([]);
  });
});

describe('a snapshot that the database cannot read any more, through the adapter', () => {
  let manifest: WindowResult['manifest'];
  beforeAll(async () => {
    ({ manifest } = await fixture.manager.assembleWindow(callAs(jane), question(story.question)));
  });
  const replayed = () => fixture.manager.replay(callAs(jane), rowId(manifest.manifest_id));

  it.each([
    [1555, ['past_entities', 'past_guidelines', 'history_reaches']],
    [1466, ['past_provenance']],
    [8180, ['past_chunks']],
    [8181, ['past_versions']],
    [51815, ['past_links']],
  ] as const)(
    '[R1,N4] of a recorded position (ORA-%s) is history_gone, and not asked for again',
    async (error, names) => {
      for (const name of names) {
        faults[name] = () => failing(error);
        const sent = await sentBy(async () => {
          const result = { outcome: 'unavailable', reason: 'history_gone', ref: null };
          expect(await replayed()).toMatchObject({ kind: 'window', sameCode: true, result });
        });
        delete faults[name];
        expect(sent.filter((line) => line === 'enter_read' || line === name)).toEqual(['enter_read', name]);
      }
    },
  );

  it('[R1] costs the next replay nothing, and who may not look hears nothing of it', async () => {
    expect((await replayed()).result).toEqual({ outcome: 'matched' });
    faults['past_entities'] = () => failing(1555);
    const bob = callAs(scopeOf({ user: 'bob' }));
    await expect(fixture.manager.replay(bob, rowId(manifest.manifest_id))).rejects.toMatchObject({ code: 'not_found' });
    delete faults['past_entities'];
  });

  it('[R2,R3,N3] of now is taken anew once, for a diff, for consequences and for a trace', async () => {
    const id = rowId(manifest.manifest_id);
    const cited = manifest.memories[0]?.id ?? '';
    const reads = [
      ['versions', () => fixture.manager.diff(callAs(jane), { from: id, to: id })],
      ['versions_now', () => fixture.manager.affected(callAs(jane), cited)],
      ['provenance', () => fixture.manager.trace(callAs(jane), { citation: cited, manifestId: id })],
    ] as const;
    for (const [name, work] of reads) {
      const expected = await work();
      let left = 1;
      faults[name] = () => ((left -= 1) >= 0 ? failing(1555) : undefined);
      expect(await work()).toEqual(expected);
      expect(left, 'it was asked twice').toBe(-1);
      faults[name] = () => failing(1555);
      await expect(work()).rejects.toMatchObject({ code: 'store_unavailable' });
      delete faults[name];
    }
  });
});

describe('a reranker in the database, through the adapter', () => {
  const reranked = (manager: MemoryManager) => manager.assembleWindow(callAs(jane), question(story.question));
  const managerWith = (name: string) =>
    createManager({
      ...fixture.parts,
      reranker: async () => adapter.store.models?.reranker(name) ?? fixture.parts.reranker(),
      standInReranker: fixture.parts.reranker,
    });
  beforeAll(() => {
    faults['database_models'] = () => ({
      columns: { name: 'text', purpose: 'text', inputs: 'json', vector_type: 'text' },
      rows: [
        { name: 'MEM_RERANKER', purpose: 'REGRESSION', inputs: ['FIRST_INPUT', 'SECOND_INPUT'], vector_type: null },
      ],
    });
  });

  it('[Q6,S4] measures between reading and writing, and its logits decide', async () => {
    faults['rerank'] = ({ binds }) => ({
      columns: { logit: 'double' },
      rows: (binds['texts'] as readonly string[]).map((text) => ({ logit: text.includes('0.78') ? 4 : -4 })),
    });
    const manager = managerWith('MEM_RERANKER');
    const sent = await sentBy(async () => {
      const { manifest } = await reranked(manager);
      expect([manifest.reranker, manifest.fallbacks]).toEqual(['database:MEM_RERANKER', []]);
      // sigmoid(4) and sigmoid(-4): nothing else is to be seen.
      const searched = manifest.memories.filter(({ slice }) => slice !== 'volatile_tail');
      const seen = searched.flatMap(({ scores }) => (scores === null ? [] : [scores.p]));
      expect(new Set(seen.map((p) => Math.round(p * 1000)))).toEqual(new Set([982, 18]));
      const replayed = await manager.replay(callAs(jane), rowId(manifest.manifest_id));
      expect(replayed.result).toEqual({ outcome: 'matched' });
    });
    expect(
      sent.filter((name) => name === 'rerank'),
      'a replay uses what was recorded',
    ).toHaveLength(1);
    const [, second = 0] = sent.flatMap((name, at) => (name.startsWith('enter_') ? [at] : []));
    expect(sent.indexOf('leave')).toBeLessThan(sent.indexOf('rerank'));
    expect(sent.indexOf('rerank')).toBeLessThan(second);
  });

  it.each([
    ['fails', 'MEM_RERANKER'],
    ['is not there', 'ANOTHER'],
  ])('[Q6] that %s is stood in for by the built-in one, and the manifest says so', async (_, name) => {
    faults['rerank'] = () => failing(40_284);
    const { manifest } = await reranked(managerWith(name));
    const builtIn = (await fixture.parts.reranker()).id;
    expect(manifest.reranker).toBe(`database:${name}`);
    expect(manifest.fallbacks).toEqual(['rerank_failed', `reranked_by:${builtIn}`]);
    const { manifest: usual } = await reranked(fixture.manager);
    expect(manifest.memories.map(({ id, scores }) => ({ id, scores }))).toEqual(
      usual.memories.map(({ id, scores }) => ({ id, scores })),
    );
  });
});

/** What a tool's answer holds, its loop aside: what is left of that differs from call to call. */
const memoriesOf = ({ structuredContent }: CallAnswer) =>
  structuredContent?.['memories'] as readonly { readonly id: string; readonly content: string }[];

describe('hosts on the adapter', () => {
  const query = { query: 'AgentCore retention' };

  it.each(eras)(
    '[T1,T2,T5] over stdio, in this process: a host of the %s era lists, searches and expands',
    async (era) => {
      const host = await linkHost({ era, manager: fixture.manager, scope: scopeOf({ thread: `stdio-${era}` }) });
      const here = await linkHost({ era, manager: embedded, scope: scopeOf({ thread: `here-${era}` }) });
      try {
        const list = () => host.request<{ tools: readonly { readonly name: string }[] }>('tools/list');
        expect((await list()).tools.map(({ name }) => name)).toContain('search_memory');
        const [there, same] = [await host.call('search_memory', query), await here.call('search_memory', query)];
        expect(memoriesOf(there)).toEqual(memoriesOf(same));
        const [first] = memoriesOf(there);
        expect(memoriesOf(await host.call('expand', { memory_id: first?.id }))[0]?.id).toBe(first?.id);
        const unknown = await host.call('expand', { memory_id: 'B0000000000' });
        expect(unknown).toMatchObject({ isError: true });
      } finally {
        await host.close();
        await here.close();
      }
    },
  );

  it('[T6] a failure of the database reaches a host as a code and a sentence, nothing else', async () => {
    faults['entity_versions'] = () => failing(28_115);
    faults['claim_versions'] = () => failing(28_115);
    const host = await linkHost({ era: 'newer', manager: fixture.manager, scope: scopeOf({ thread: 'stdio-fault' }) });
    try {
      const answer = await host.call('lookup_entity', lookup);
      expect(answer.isError).toBe(true);
      const [{ text } = { text: '' }] = answer.content;
      expect(JSON.parse(text)).toMatchObject({ error: { code: 'scope_violation' } });
      expect(text).not.toMatch(/ORA-|mem_owner|not told/i);
    } finally {
      delete faults['entity_versions'];
      delete faults['claim_versions'];
      await host.close();
    }
  });

  it('[T1,N1,N8] over HTTP: hosts of two tenants at a time see their own, also after every socket has died', async () => {
    const http = await openHttp({ manager: fixture.manager, store: adapter.store });
    try {
      const acme = await http.host('newer');
      const globex = await http.host('older', { tenant: 'globex', user: 'gina', agent: null });
      const ask = async () => {
        const answers = await Promise.all([acme, globex, acme].map((host) => host.call('search_memory', query)));
        return answers.map((answer) => memoriesOf(answer).map(({ content }) => content));
      };
      const [first = [], other = [], second = []] = await ask();
      expect(first.length).toBeGreaterThan(0);
      expect(second).toEqual(first);
      expect(other.filter((content) => first.includes(content))).toEqual([]);
      const open = new Set(adapter.scripted.stub.events.map(({ connection }) => connection));
      for (const connection of open) adapter.scripted.stub.kill(connection);
      expect((await ask())[0]).toEqual(first);
      // Changed tools are asked for all the time.
      await expect.poll(() => adapter.scripted.engine.pool.counts().lent).toBe(0);
    } finally {
      await http.close();
    }
  });
});
