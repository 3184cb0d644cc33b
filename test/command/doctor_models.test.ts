// What doctor says of models (Q5, Q6): services that answer, that do not, and what to look at then.

import { afterAll, expect, it } from 'vitest';
import { modelChecks } from '../../src/command/doctor_models.ts';
import { compose } from '../../src/compose.ts';
import { readConfig } from '../../src/config.ts';
import { createLog } from '../../src/log.ts';
import { jsonService } from '../service/json_service.ts';

const ended: (() => void)[] = [];
afterAll(() => {
  for (const end of ended) end();
});

const machine = { platform: 'linux', home: '/home/ada', userName: 'ada' } as const;

it('[Q5,Q6] doctor asks models that are not built in, and says which answers and what to do about the other', async () => {
  let isAway = false;
  const service = await jsonService<{ input?: readonly string[] }>((response, { body }) => {
    if (body.input === undefined || isAway) response.writeHead(404).end();
    else response.end(JSON.stringify({ data: body.input.map((_, index) => ({ index, embedding: [3, 4] })) }));
  });
  ended.push(() => service.close());
  const environment = {
    CONTEXT_DATA_DIR: ':memory:',
    CONTEXT_EMBEDDER: 'http',
    CONTEXT_EMBEDDER_URL: service.origin,
    CONTEXT_EMBEDDER_MODEL: 'small',
    CONTEXT_EMBEDDER_DIMENSIONS: '2',
    CONTEXT_RERANKER: 'http',
    CONTEXT_RERANKER_URL: service.origin,
    CONTEXT_RERANKER_SHAPE: 'tei',
  };
  const config = readConfig(environment, machine);
  const parts = compose(config, createLog({ level: 'silent', secrets: [] }));
  ended.push(() => void parts.close());
  const context = { config, signal: new AbortController().signal };

  const [embedder, reranker, tokenizer] = await modelChecks(context, parts);
  expect(embedder).toMatchObject({ name: 'embedder', state: 'ok' });
  expect(embedder?.says).toMatch(/^http:small, 2 dimensions, answered in \d+ ms$/);
  expect(reranker).toMatchObject({ name: 'reranker', state: 'wrong', says: 'http:tei: status 404.' });
  expect(reranker?.action).toContain('CONTEXT_RERANKER_URL');
  expect(tokenizer).toMatchObject({ name: 'tokenizer', state: 'ok' });

  // What it asked before does not answer for the service.
  isAway = true;
  const [again] = await modelChecks(context, parts);
  expect(again).toMatchObject({ state: 'wrong', says: expect.stringContaining('gave no vectors: status 404') });
  await parts.close();
});
