// An embedder that is away, slow or wrong (Q5): questions are answered by their words, writes fail and leave nothing.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Embedder } from '../../src/embed/embedder.ts';
import { createManager } from '../../src/manager/create_manager.ts';
import { questionVector } from '../../src/manager/question_vector.ts';
import { MemoryError } from '../../src/model/errors.ts';
import { callAs, type Fixture, jane, keptLog, openFixture, readStory } from '../fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture();
});
afterAll(async () => fixture.close());

const away: Embedder = {
  id: 'potion-base-8m-i8',
  dimensions: 256,
  embed: () => Promise.reject(new MemoryError('embedder_unavailable', 'The embedding service gave no vectors.')),
};
const hanging: Embedder = { ...away, embed: () => new Promise(() => {}) };

describe('the vector of a question', () => {
  const ask = (embedder: Embedder, signal?: AbortSignal) => {
    const log = keptLog();
    const call = { requestId: 'r', ...(signal === undefined ? {} : { signal }) };
    return { log, found: questionVector({ embedder: async () => embedder, log }, call, 'plum and pear', 20) };
  };

  it('[Q5] is missing when the embedder fails or is late, and the log says why without the question', async () => {
    for (const [embedder, fallback] of [
      [away, 'embedder_failed'],
      [hanging, 'embedder_deadline'],
    ] as const) {
      const { log, found } = ask(embedder);
      expect(await found).toEqual({ vector: null, fallback });
      expect(log.lines).toMatchObject([{ level: 'warn', detail: { requestId: 'r', fallback } }]);
      expect(JSON.stringify(log.lines)).not.toMatch(/plum|pear/);
    }
  });

  it('[Q5] is missing without a fallback when nothing in the question is known', async () => {
    const { log, found } = ask({ ...away, embed: async () => [null] });
    expect(await found).toEqual({ vector: null, fallback: null });
    expect(log.lines).toEqual([]);
  });

  it('[Q5,T9] is not waited for when the caller goes', async () => {
    const controller = new AbortController();
    const { log, found } = ask(hanging, controller.signal);
    controller.abort();
    await expect(found).rejects.toMatchObject({ code: 'cancelled' });
    expect(log.lines).toEqual([]);
  });
});

describe('a manager whose embedder is away', () => {
  const manager = () => createManager({ ...fixture.parts, embedder: async () => away });

  it('[Q5] assembles a window by the words of the question, and its manifest says so', async () => {
    const { question } = await readStory();
    const asked = { question, intent: null, at: null, model: null };
    const { manifest } = await manager().assembleWindow(callAs(jane), asked);
    expect(manifest.fallbacks[0]).toBe('embedder_failed');
    expect(manifest.embedder).toBe(away.id);
    expect(manifest.memories.map(({ type }) => type)).toContain('entity');
  });

  it('[Q5] searches by words, and its manifest says so', async () => {
    const ask = async () => ({ outcome: 'unsupported' }) as const;
    const outcome = await manager().callTool(callAs(jane), 'search_memory', { query: 'AgentCore retention' }, ask);
    expect(JSON.stringify(outcome)).toContain('AgentCore');
    const [newest] = await fixture.store.read(jane, { requestId: 'r', evaluationTime: null }, (reader) =>
      reader.recentManifests(1),
    );
    expect(newest?.manifest.fallbacks).toEqual(['embedder_failed']);
  });

  it('[Q5,N3] records no turn that it cannot embed', async () => {
    const turn = { role: 'user', text: 'The plum ripens.', speaker: null, runId: null } as const;
    await expect(manager().recordTurn(callAs(jane), turn)).rejects.toMatchObject({ code: 'embedder_unavailable' });
    const tail = await fixture.store.read(jane, { requestId: 'r', evaluationTime: null }, (reader) => reader.tail(1));
    expect(tail[0]?.text).not.toBe('The plum ripens.');
  });
});
