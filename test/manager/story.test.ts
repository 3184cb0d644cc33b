// The story of the demo through the manager: one seeded store, Jane's question, the tools within the loop's budget.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ToolResultContent } from '../../src/assembly/assembly_input.ts';
import type { AskUser, WindowResult } from '../../src/manager/manager.ts';
import type { MemoryError } from '../../src/model/errors.ts';
import { callAs, type Fixture, jane, openFixture, readStory, scopeOf, type Story } from '../fixture.ts';

const nobody: AskUser = async () => ({ outcome: 'unsupported' });
const currentFact = 'ctxseed_2688f0418960d68379370cf8';
const oldFact = 'ctxseed_ac760ed5f12c3f9fa0459951';

let fixture: Fixture;
let story: Story;

beforeAll(async () => {
  fixture = await openFixture();
  story = await readStory();
});

afterAll(async () => {
  await fixture.close();
});

async function janesWindow(): Promise<WindowResult> {
  const question = { question: story.question, intent: null, at: story.evaluationTime, model: null };
  return fixture.manager.assembleWindow(callAs(jane), question);
}

async function memoryOf(tool: string, args: object, scope = jane): Promise<ToolResultContent> {
  const outcome = await fixture.manager.callTool(callAs(scope), tool, args, nobody);
  if (outcome.kind !== 'memory') throw new Error(`${tool} gave ${outcome.kind}`);
  expect(JSON.parse(outcome.text)).toEqual(outcome.content);
  return outcome.content;
}

describe('the window of Jane', () => {
  it('[B5,S1,S3] holds the corrected fact in full, leaves version 1 out by lifecycle, ends with her question', async () => {
    const { manifest, request } = await janesWindow();
    expect(manifest.intent).toBe('fact_check');
    expect(manifest.memories.find(({ ref }) => ref[1] === currentFact)).toMatchObject({
      id: 'B331ec01f36',
      tier: 'full',
      status: 'current',
      slice: 'durable_facts',
    });
    expect(manifest.required_refs).toContainEqual(['entity', currentFact, 2]);
    expect(manifest.excluded).toContainEqual(
      expect.objectContaining({ ref: ['entity', oldFact, 1], rule: 'lifecycle', detail: { state: 'superseded' } }),
    );
    const user = request.messages.at(-1);
    expect(user?.role).toBe('user');
    expect(user?.content?.endsWith(`</memory_context>\n\n${story.question}`)).toBe(true);
    expect(manifest.totals.request).toBeLessThanOrEqual(5000);
  });

  it('[S3,A3] shows the July summary only with its correction', async () => {
    const { manifest, request } = await janesWindow();
    const july = manifest.memories.find(({ ref }) => ref[1] === 'context_july_summary');
    expect(july).toMatchObject({ id: 'Bb08645346e', status: 'historical', slice: 'recalled_history' });
    expect(july?.annotation_refs).toEqual([{ current: ['entity', currentFact, 2], source: ['entity', oldFact, 1] }]);
    expect(request.messages.at(-1)?.content).toContain('<annotation current_fact_id="B331ec01f36">');
  });

  it('[N2,S1] shows nothing of globex, of sam, or of another agent', async () => {
    const { manifest, request } = await janesWindow();
    const text = JSON.stringify({ manifest, request });
    expect(text).not.toMatch(/globex|sam-canary|ent_support_greeting/);
  });

  it('[A1] keeps the prefix byte for byte across questions', async () => {
    const first = await janesWindow();
    const second = await fixture.manager.assembleWindow(callAs(jane), {
      question: story.comparisonQuestion,
      intent: null,
      at: story.evaluationTime,
      model: null,
    });
    expect(second.manifest.intent).toBe('comparison');
    expect(second.manifest.prefix_hash).toBe(first.manifest.prefix_hash);
    expect(second.request.messages[0]).toEqual(first.request.messages[0]);
    expect(second.request.tools).toEqual(first.request.tools);
  });

  it('[M1,N5] stores manifest and request, so that any process can show them', async () => {
    const { manifest, request, runId } = await janesWindow();
    const [stored] = await fixture.manager.run(callAs(jane), runId);
    expect(stored?.manifest).toEqual(manifest);
    expect(stored?.request).toEqual(request);
    expect(manifest.incarnation).not.toBe('');
    expect(manifest.scn).toMatch(/^\d+:\d+:/);
  });

  it('[I2,N2] a manifest of another principal is not found, and neither is its run', async () => {
    const { manifest, runId } = await janesWindow();
    for (const scope of [scopeOf({ user: 'sam' }), scopeOf({ tenant: 'globex' }), scopeOf({ agent: 'hr-assistant' })]) {
      const asked = fixture.manager.manifest(callAs(scope), manifest.manifest_id as never);
      await expect(asked).rejects.toMatchObject({ code: 'not_found' } satisfies Partial<MemoryError>);
      await expect(fixture.manager.run(callAs(scope), runId)).rejects.toMatchObject({ code: 'not_found' });
    }
  });
});

describe('the tools of the story', () => {
  it('[T4,S3] lookup_entity gives 0.78 as current and 0.92 as history with its correction', async () => {
    await janesWindow();
    const content = await memoryOf('lookup_entity', { subject: 'model:helios-rag', predicate: 'beir_ndcg10' });
    const [now, before] = content.memories;
    expect(now).toMatchObject({ id: 'B331ec01f36', status: 'current', provenance: { version: 2 } });
    expect(now?.content).toContain('0.78');
    expect(before).toMatchObject({ status: 'historical', provenance: { version: 1 } });
    expect(before?.annotations[0]).toMatchObject({ current_fact_id: 'B331ec01f36' });
  });

  it('[L1,T4] search_memory fetches the retention paragraph within the run that the window opened', async () => {
    const { manifest } = await janesWindow();
    const content = await memoryOf('search_memory', { query: story.retentionQuestion, limit: 1 });
    expect(content.memories).toHaveLength(1);
    expect(content.memories[0]?.provenance.source).toContain('agentcore');
    expect(content.evidence).toBe('found');
    expect(content.loop.rounds_left).toBe(2);
    expect(content.loop.tokens_left).toBeLessThan(1000);
    const manifests = await fixture.manager.run(callAs(jane), manifest.run_id as never);
    expect(manifests.map((stored) => stored.manifest.round)).toEqual([0, 1]);
    const messages = manifests[1]?.request?.messages ?? [];
    expect(messages.slice(0, 2)).toEqual(manifests[0]?.request?.messages);
    expect(messages.slice(2).map(({ role }) => role)).toEqual(['assistant', 'tool']);
  });

  it('[T4] several conditions are listed and none is chosen', async () => {
    await janesWindow();
    const content = await memoryOf('lookup_entity', { subject: 'model:helios-rag', predicate: 'workload_ndcg10' });
    expect(content.notes.join(' ')).toMatch(/support_search.*research|research.*support_search/);
    const one = await memoryOf('lookup_entity', {
      subject: 'Helios',
      predicate: 'workload_ndcg10',
      conditions: { workload: 'support_search' },
    });
    expect(one.memories.map(({ content: text }) => text).join(' ')).toContain('0.62');
    expect(one.memories.map(({ content: text }) => text).join(' ')).not.toContain('0.86');
  });

  it('[L3] expand shows an issued memory, and only in its own run', async () => {
    await janesWindow();
    const found = await memoryOf('lookup_entity', { subject: 'model:helios-rag', predicate: 'beir_ndcg10' });
    const id = found.memories[0]?.id;
    const expanded = await memoryOf('expand', { memory_id: id });
    expect(expanded.memories[0]?.id).toBe(id);
    await janesWindow();
    await expect(
      fixture.manager.callTool(callAs(jane), 'expand', { memory_id: 'B0123456789' }, nobody),
    ).rejects.toMatchObject({ code: 'not_issued' });
  });

  it('[L1,L2] a spent loop answers without memory and says when it comes back', async () => {
    await janesWindow();
    const lookup = { subject: 'model:helios-rag', predicate: 'beir_ndcg10' };
    for (let round = 0; round < 3; round += 1) await memoryOf('lookup_entity', lookup);
    const spent = await memoryOf('lookup_entity', lookup);
    expect(spent.memories).toEqual([]);
    expect(spent.loop.rounds_left).toBe(0);
    expect(spent.notes.join(' ')).toMatch(/budget.*spent.*\d+ seconds/);
  });

  it('[L2] a host that never asked for a window gets an implicit run with its own limits', async () => {
    const scope = scopeOf({ thread: 'never-asked' });
    const content = await memoryOf('lookup_entity', { subject: 'model:helios-rag', predicate: 'beir_ndcg10' }, scope);
    expect(content.loop.rounds_left).toBe(19);
    expect(content.loop.tokens_left).toBeGreaterThan(15_000);
  });

  it('[N2,T4] the same questions under globex and sam give their own answers and nothing of others', async () => {
    const lookup = { subject: 'model:helios-rag', predicate: 'beir_ndcg10' };
    const globex = await memoryOf('lookup_entity', lookup, scopeOf({ tenant: 'globex', thread: 'g' }));
    expect(JSON.stringify(globex)).toContain('0.99');
    expect(JSON.stringify(globex)).not.toContain('0.78');
    const sam = await memoryOf('lookup_entity', lookup, scopeOf({ user: 'sam', thread: 's' }));
    expect(JSON.stringify(sam)).toContain('sam-canary');
  });
});
