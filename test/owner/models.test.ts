// Runs that share a directory and are set to different models (N7, D6): each has its own, or is refused by itself.

import { afterAll, expect, it } from 'vitest';
import { compose, holdDataDirectory, share } from '../../src/compose.ts';
import { readConfig } from '../../src/config.ts';
import { createLog } from '../../src/log.ts';
import { createMeasuring } from '../../src/measures.ts';
import { callAs, jane, projectJson, readStory, scopeOf } from '../fixture.ts';
import { temporaryFolder } from '../command/run_program.ts';

const folder = temporaryFolder();
afterAll(() => folder.discard());

const log = createLog({ level: 'silent', secrets: [] });
const machine = { platform: 'linux', home: folder.path, userName: 'ada' } as const;
const configOf = (given: Readonly<Record<string, string>>) =>
  readConfig({ CONTEXT_DATA_DIR: folder.path, ...given }, machine);
const service = {
  CONTEXT_EMBEDDER: 'http',
  CONTEXT_EMBEDDER_URL: 'http://127.0.0.1:9/v1',
  CONTEXT_EMBEDDER_MODEL: 'small',
  CONTEXT_EMBEDDER_DIMENSIONS: '8',
};

it("[N7,D6] the first run's embedder is the store's, its owner's is nobody's, and another is refused for its run alone", async () => {
  // The owner is started without a word of models.
  const owner = configOf({});
  const held = await holdDataDirectory(owner);
  const shared = share(owner, log, held);
  try {
    const first = compose(configOf(service), log, {}, shared);
    expect((await (await first.store()).schemaState()).embedder).toEqual({ id: 'http:small', dimensions: 8 });
    expect(await first.models()).toMatchObject({ embedder: 'http:small', dimensions: 8 });

    const other = compose(configOf({}), log, {}, shared);
    await expect(other.manager()).rejects.toMatchObject({
      code: 'embedder_mismatch',
      message: expect.stringContaining('reembed'),
      data: { stored: 'http:small', given: 'potion-base-8m-i8' },
    });

    // Another key is another run's, and no other embedder.
    const same = compose(configOf({ ...service, CONTEXT_EMBEDDER_API_KEY: 'hush' }), log, {}, shared);
    expect(await (await same.manager()).listTools(callAs(scopeOf({ tenant: 'local' })))).toEqual([]);
  } finally {
    await shared.close();
    held.release();
  }
});

it('[Q5,Q6] runs that are set alike share their models, and a database without models is no place for them', async () => {
  const measuring = createMeasuring(log);
  const noStore = () => Promise.reject(new Error('no store is needed'));
  const embedderOf = async (given: Readonly<Record<string, string>>) =>
    measuring.of(configOf(given).models).embedder(noStore);
  // Whatever the reranker is.
  const other = { CONTEXT_RERANKER: 'http', CONTEXT_RERANKER_URL: 'http://127.0.0.1:9', CONTEXT_RERANKER_SHAPE: 'tei' };
  expect(await embedderOf(service)).toBe(await embedderOf({ ...service, ...other }));
  expect(await embedderOf(service)).not.toBe(await embedderOf({ ...service, CONTEXT_EMBEDDER_API_KEY: 'hush' }));

  const given = { CONTEXT_RERANKER: 'database', CONTEXT_RERANKER_MODEL: 'BGE' };
  const parts = compose(configOf({ CONTEXT_DATA_DIR: ':memory:', ...given }), log);
  await expect(parts.manager()).rejects.toMatchObject({
    code: 'invalid_configuration',
    message: 'CONTEXT_RERANKER is database, but this engine has no models in its database.',
  });
  await parts.close();
});

it('[Q6] the built-in reranker stands in for a service that is away, and the manifest names both', async () => {
  const given = {
    CONTEXT_RERANKER: 'http',
    CONTEXT_RERANKER_URL: 'http://127.0.0.1:9',
    CONTEXT_RERANKER_SHAPE: 'tei',
  };
  const parts = compose(configOf({ CONTEXT_DATA_DIR: ':memory:', CONTEXT_TENANT_ID: 'acme', ...given }), log);
  try {
    const operator = await parts.operator();
    await operator.seed(
      await Promise.all(
        ['acme_policy.json', 'corpus_research.json'].map(async (name) => ({
          name,
          json: await projectJson(`seeds/${name}`),
        })),
      ),
      { requestId: 'seed' },
    );
    const question = 'Which tier of the Letta-style memory is never evicted?';
    const asked = { question, intent: null, model: null, at: (await readStory()).evaluationTime };
    const { manifest } = await (await parts.manager()).assembleWindow(callAs(jane), asked);
    expect(manifest.reranker).toBe('http:tei');
    expect(manifest.fallbacks).toEqual(['rerank_failed', 'reranked_by:late-interaction:potion-base-8m-i8']);
  } finally {
    await parts.close();
  }
});
