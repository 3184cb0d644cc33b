// An embedder at a service (Q5): a real one on this machine, and all the ways in which one can be of no help.

import { afterEach, describe, expect, it } from 'vitest';
import type { EmbedPurpose } from '../../src/embed/embedder.ts';
import { createHttpEmbedder, httpEmbedderId } from '../../src/embed/http.ts';
import type { Patience } from '../../src/service/retries.ts';
import { type Answer, jsonService, type JsonService } from '../service/json_service.ts';

interface EmbeddingsBody {
  readonly model: string;
  readonly input: readonly string[];
  readonly dimensions?: number;
}

const quick: Patience = { attemptMs: 400, totalMs: 1500, attempts: 3, backOffMs: 5 };

const services: JsonService<EmbeddingsBody>[] = [];
afterEach(() => {
  for (const service of services.splice(0)) service.close();
});

async function serve(answer: Answer<EmbeddingsBody>): Promise<JsonService<EmbeddingsBody>> {
  const service = await jsonService(answer);
  services.push(service);
  return service;
}

/** A vector that says which text it is of: its length in characters, and 1. */
const vectorOf = (text: string): readonly number[] => [text.length, 1, 0];

function answerOf(vectors: readonly (readonly unknown[])[]): string {
  return JSON.stringify({ data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })) });
}

const good: Answer<EmbeddingsBody> = (response, { body }) => response.end(answerOf(body.input.map(vectorOf)));

function embedderAt(
  origin: string,
  given: {
    queryModel?: string;
    prefixes?: Record<EmbedPurpose, string>;
    dimensions?: number;
    patience?: Patience;
  } = {},
) {
  const { queryModel = null, prefixes = { query: '', text: '' }, dimensions = 3, patience = quick } = given;
  const settings = { url: `${origin}/v1/`, apiKey: 'secret-key', model: 'small', queryModel, prefixes, dimensions };
  return createHttpEmbedder(settings, patience);
}

const failureOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => expect.unreachable('it gave vectors'),
    (error: unknown) => error,
  );

describe('the service', () => {
  it('[Q5] is asked for the model with its key, and its vectors come back at unit length', async () => {
    const { origin, seen } = await serve(good);
    const [first, second] = await embedderAt(origin).embed(['plum', 'pear tree'], { purpose: 'text' });
    expect(first?.[0]).toBeCloseTo(4 / Math.sqrt(17), 6);
    expect(second?.[1]).toBeCloseTo(1 / Math.sqrt(82), 6);
    expect(seen.map(({ url, headers, body }) => [url, headers.authorization, body])).toEqual([
      ['/v1/embeddings', 'Bearer secret-key', { model: 'small', input: ['plum', 'pear tree'] }],
    ]);
  });

  it('[Q5] is asked with the model and the prefix of the purpose', async () => {
    const { origin, seen } = await serve(good);
    const embedder = embedderAt(origin, { queryModel: 'small-q', prefixes: { query: 'query: ', text: 'passage: ' } });
    await embedder.embed(['plum'], { purpose: 'query' });
    await embedder.embed(['plum'], { purpose: 'text' });
    expect(seen.map(({ body }) => body)).toEqual([
      { model: 'small-q', input: ['query: plum'] },
      { model: 'small', input: ['passage: plum'] },
    ]);
  });

  it('[Q5] is never asked about a text in which there is nothing', async () => {
    const { origin, seen } = await serve(good);
    const vectors = await embedderAt(origin).embed(['', ' \n', 'plum'], { purpose: 'text' });
    expect(vectors.map((vector) => vector === null)).toEqual([true, true, false]);
    expect(await embedderAt(origin).embed([' '], { purpose: 'query' })).toEqual([null]);
    expect(seen.map(({ body }) => body.input)).toEqual([['plum']]);
  });

  it('[Q5] is asked in requests of bounded size, and the order is that of the texts', async () => {
    const { origin, seen } = await serve(good);
    const texts = [
      ...Array.from({ length: 70 }, (_, place) => 'x'.repeat(place + 1)),
      ...Array(9).fill('ü'.repeat(20_000)),
    ];
    const vectors = await embedderAt(origin).embed(texts, { purpose: 'text' });
    const sizes = seen.map(({ body }) => Buffer.byteLength(body.input.join('')));
    expect(Math.max(...seen.map(({ body }) => body.input.length))).toBeLessThanOrEqual(32);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(32_000);
    // Characters are never cut in two, and a text counts up to its first 16,000 bytes.
    expect(seen.flatMap(({ body }) => body.input).filter((text) => text.startsWith('ü'))).toEqual(
      Array(9).fill('ü'.repeat(8_000)),
    );
    const ratios = vectors.slice(0, 70).map((vector) => Math.round((vector?.[0] ?? 0) / (vector?.[1] ?? 1)));
    expect(ratios).toEqual(Array.from({ length: 70 }, (_, place) => place + 1));
  });

  it('[Q5] may answer in another order', async () => {
    const { origin } = await serve((response, { body }) => {
      const data = body.input.map((text, index) => ({ index, embedding: vectorOf(text) }));
      response.end(JSON.stringify({ data: data.toReversed() }));
    });
    const [first] = await embedderAt(origin).embed(['plum', 'pear tree'], { purpose: 'text' });
    expect(first?.[0]).toBeCloseTo(4 / Math.sqrt(17), 6);
  });

  it('[Q5] is told the dimensions only where its own are others, and then at once', async () => {
    const { origin, seen } = await serve((response, { body }) =>
      response.end(answerOf(body.input.map((text) => [...vectorOf(text), 7, 7].slice(0, body.dimensions ?? 5)))),
    );
    const embedder = embedderAt(origin);
    const [vector] = await embedder.embed(['plum'], { purpose: 'text' });
    expect(vector).toHaveLength(3);
    await embedder.embed(['pear'], { purpose: 'text' });
    expect(seen.map(({ body }) => body.dimensions)).toEqual([undefined, 3, 3]);
  });
});

describe('a service that fails', () => {
  it.each<[string, string, Answer<EmbeddingsBody>]>([
    ['status 404', 'status 404', (response) => response.writeHead(404).end('plum')],
    ['no JSON', 'no JSON', (response) => response.end('plum')],
    ['no vectors', 'without vectors', (response) => response.end('{"data":null}')],
    ['too few vectors', '1 vectors for 2 texts', (response) => response.end(answerOf([[1, 2, 3]]))],
    [
      'one text twice',
      'to one twice',
      (response) => response.end(JSON.stringify({ data: [1, 1].map((index) => ({ index, embedding: [1, 2, 3] })) })),
    ],
    [
      'a text that there is not',
      'to no text',
      (response) => response.end(JSON.stringify({ data: [0, 2].map((index) => ({ index, embedding: [1, 2, 3] })) })),
    ],
    [
      'no number',
      'no numbers',
      (response) =>
        response.end(
          answerOf([
            [1, 2, null],
            [1, 2, 3],
          ]),
        ),
    ],
    [
      'zeros',
      'nothing but zeros',
      (response) =>
        response.end(
          answerOf([
            [0, 0, 0],
            [1, 2, 3],
          ]),
        ),
    ],
    ['a huge answer', 'too long', (response) => response.end(`"${'x'.repeat(1_400_000)}"`)],
  ])('[Q5] by %s is asked once, and says so without text, address or key', async (_name, reason, answer) => {
    const { origin, seen } = await serve(answer);
    const failure = await failureOf(embedderAt(origin).embed(['plum', 'pear'], { purpose: 'text' }));
    expect(failure).toMatchObject({ code: 'embedder_unavailable', message: expect.stringContaining(reason) });
    expect(String(failure)).not.toMatch(/plum|pear|secret-key|127\.0\.0\.1/);
    expect(seen).toHaveLength(1);
  });

  it.each([401, 403])('[Q5] with status %i refuses the key, and the variable is named', async (status) => {
    const { origin, seen } = await serve((response) => response.writeHead(status).end('secret-key'));
    expect(await failureOf(embedderAt(origin).embed(['plum'], { purpose: 'query' }))).toMatchObject({
      code: 'invalid_configuration',
      data: { variable: 'CONTEXT_EMBEDDER_API_KEY' },
      message: expect.not.stringContaining('secret-key'),
    });
    expect(seen).toHaveLength(1);
  });

  it('[Q5] with vectors of another length, and cannot give others, is told as a wrong number of dimensions', async () => {
    const answers: readonly Answer<EmbeddingsBody>[] = [
      (response) => response.end(answerOf([[1, 2]])),
      (response, { body }) =>
        body.dimensions === undefined ? response.end(answerOf([[1, 2]])) : response.writeHead(400).end(),
    ];
    for (const answer of answers) {
      const { origin } = await serve(answer);
      expect(await failureOf(embedderAt(origin).embed(['plum'], { purpose: 'query' }))).toMatchObject({
        code: 'invalid_configuration',
        message: 'CONTEXT_EMBEDDER_DIMENSIONS is 3, but the vectors of the service have 2.',
      });
    }
  });

  it('[Q5] and recovers gives its vectors all the same, as late as it asked', async () => {
    const { origin, seen } = await serve((response, request, count) => {
      if (count === 1) response.writeHead(429, { 'retry-after': '1' }).end();
      else if (count === 2) response.destroy();
      else good(response, request, count);
    });
    const embedder = embedderAt(origin, { patience: { ...quick, totalMs: 10_000 } });
    expect(await embedder.embed(['plum'], { purpose: 'text' })).toHaveLength(1);
    expect(seen[1]!.at - seen[0]!.at).toBeGreaterThan(900);
  });

  it('[Q5] and never answers is given up after its time; what was left is not asked any more', async () => {
    const { origin, seen } = await serve(() => {});
    const embedder = embedderAt(origin, { patience: { ...quick, attemptMs: 60, totalMs: 250 } });
    const failure = await failureOf(embedder.embed(Array(200).fill('plum'), { purpose: 'text' }));
    expect(failure).toMatchObject({ code: 'embedder_unavailable' });
    const asked = seen.length;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(seen.length - asked).toBeLessThanOrEqual(3);
  });

  it('[Q5,T9] is left when the caller goes', async () => {
    const { origin } = await serve(() => {});
    const controller = new AbortController();
    const work = embedderAt(origin).embed(['plum'], { purpose: 'query', signal: controller.signal });
    setTimeout(() => controller.abort(), 20);
    expect(await failureOf(work)).toMatchObject({ code: 'cancelled' });
  });
});

describe('its name', () => {
  it('[D6] changes with the models and the prefixes, and not with the address or the key', () => {
    const settings = { model: 'm', queryModel: null, prefixes: { query: '', text: '' }, dimensions: 3 };
    expect(httpEmbedderId(settings)).toBe('http:m');
    expect(httpEmbedderId({ ...settings, queryModel: 'q' })).toBe('http:m,query=q');
    const prefixed = httpEmbedderId({ ...settings, prefixes: { query: 'a', text: 'b' } });
    expect(prefixed).toMatch(/^http:m,prefixes=[0-9a-f]{8}$/);
    expect(httpEmbedderId({ ...settings, prefixes: { query: 'ab', text: '' } })).not.toBe(prefixed);
  });
});
