// The same memories give the same window, whichever engine keeps them (design N10). Distances of vectors are summed up
// in another order by another build of pgvector, so scores agree to five decimals and everything else to the letter.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { callAs, jane, openFixture, readStory } from '../fixture.ts';
import type { Fixture, Story } from '../fixture.ts';
import { openStoreOnServer } from './server_session.ts';
import { describeOnServer } from './server_tests.ts';

/** A value without its measured numbers, and those in order. */
function split(value: unknown): { readonly said: unknown; readonly scores: readonly number[] } {
  const scores: number[] = [];
  const said: unknown = JSON.parse(
    JSON.stringify(value, (_, inner: unknown) => {
      if (typeof inner !== 'number' || Number.isInteger(inner)) return inner;
      scores.push(inner);
      return 'measured';
    }),
  );
  return { said, scores };
}

describeOnServer('the embedded engine and a PostgreSQL server', () => {
  let story: Story;
  const fixtures: Fixture[] = [];
  beforeAll(async () => {
    story = await readStory();
    fixtures.push(await openFixture(), await openFixture({ openStore: openStoreOnServer }));
  });
  afterAll(async () => {
    await Promise.all(fixtures.map(async (fixture) => fixture.close()));
  });

  it.each(['question', 'comparisonQuestion', 'retentionQuestion', 'japaneseQuestion'] as const)(
    '[N10] give the same request and the same decisions for the demo’s %s',
    async (which) => {
      const question = { question: story[which], intent: null, at: story.evaluationTime, model: null };
      const windows = [];
      for (const { manager } of fixtures) windows.push(await manager.assembleWindow(callAs(jane), question));
      const [embedded, server] = windows.map(({ request, manifest }) => {
        const { memories, excluded, prefix, dependencies, totals } = manifest;
        return split({ request, memories, excluded, prefix, dependencies, totals });
      });
      expect(server?.said).toEqual(embedded?.said);
      expect(embedded?.scores.length).toBeGreaterThan(0);
      const differences = embedded?.scores.map((score, place) => Math.abs(score - (server?.scores[place] ?? Infinity)));
      expect(Math.max(...(differences ?? [Infinity]))).toBeLessThan(1e-5);
    },
  );
});
