// Which embedder and reranker the variables mean, and which of them do not go together.
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';

const machine = { platform: 'linux', home: '/home/ada', userName: 'ada' } as const;
const modelsOf = (given: Readonly<Record<string, string>>) => readConfig(given, machine).models;

describe('the models of a configuration', () => {
  it('[Q5][Q6] are the built-in ones where nothing is said', () => {
    expect(modelsOf({})).toEqual({ embedder: { kind: 'built-in' }, reranker: { kind: 'built-in' } });
  });

  it('[Q5] takes a folder or a name of the hub for onnx, keeps prefixes as they are, and fetches only when it may', () => {
    const given = {
      CONTEXT_EMBEDDER: 'onnx',
      CONTEXT_EMBEDDER_MODEL: 'intfloat/multilingual-e5-small',
      CONTEXT_EMBEDDER_QUERY_PREFIX: 'query: ',
      CONTEXT_EMBEDDER_TEXT_PREFIX: 'passage: ',
    };
    const embedder = {
      kind: 'onnx',
      model: 'intfloat/multilingual-e5-small',
      prefixes: { query: 'query: ', text: 'passage: ' },
      mayDownload: false,
    };
    expect(modelsOf(given).embedder).toEqual(embedder);
    expect(modelsOf({ ...given, CONTEXT_EMBEDDER_DOWNLOAD: '1' }).embedder).toEqual({ ...embedder, mayDownload: true });
  });

  it('[Q5] takes address, models, key and dimensions of a service, and keeps the key as a secret', () => {
    const config = readConfig(
      {
        CONTEXT_EMBEDDER: 'http',
        CONTEXT_EMBEDDER_URL: 'https://models.example/v1',
        CONTEXT_EMBEDDER_MODEL: 'e5-passage',
        CONTEXT_EMBEDDER_QUERY_MODEL: 'e5-query',
        CONTEXT_EMBEDDER_API_KEY: 'hush',
        CONTEXT_EMBEDDER_DIMENSIONS: '384',
        CONTEXT_RERANKER: 'http',
        CONTEXT_RERANKER_URL: 'http://127.0.0.1:8080',
        CONTEXT_RERANKER_SHAPE: 'tei',
        CONTEXT_RERANKER_API_KEY: 'hushed',
      },
      machine,
    );
    expect(config.models).toEqual({
      embedder: {
        kind: 'http',
        url: 'https://models.example/v1',
        apiKey: 'hush',
        model: 'e5-passage',
        queryModel: 'e5-query',
        prefixes: { query: '', text: '' },
        dimensions: 384,
      },
      reranker: { kind: 'http', url: 'http://127.0.0.1:8080', apiKey: 'hushed', shape: 'tei', model: null },
    });
    expect(config.secrets).toEqual(['hush', 'hushed']);
  });

  it('[Q5][Q6] takes the names of models in the database', () => {
    const given = {
      CONTEXT_EMBEDDER: 'database',
      CONTEXT_EMBEDDER_MODEL: 'ALL_MINILM',
      CONTEXT_EMBEDDER_DIMENSIONS: '384',
      CONTEXT_RERANKER: 'database',
      CONTEXT_RERANKER_MODEL: 'BGE_RERANKER',
    };
    expect(modelsOf(given)).toEqual({
      embedder: { kind: 'database', model: 'ALL_MINILM', dimensions: 384 },
      reranker: { kind: 'database', model: 'BGE_RERANKER' },
    });
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    ['CONTEXT_EMBEDDER_MODEL', { CONTEXT_EMBEDDER: 'onnx' }],
    ['CONTEXT_EMBEDDER_MODEL', { CONTEXT_EMBEDDER_MODEL: '/models/minilm' }],
    ['CONTEXT_EMBEDDER_URL', { CONTEXT_EMBEDDER: 'http', CONTEXT_EMBEDDER_MODEL: 'm' }],
    [
      'CONTEXT_EMBEDDER_DIMENSIONS',
      { CONTEXT_EMBEDDER: 'http', CONTEXT_EMBEDDER_MODEL: 'm', CONTEXT_EMBEDDER_URL: 'https://models.example' },
    ],
    [
      'CONTEXT_EMBEDDER_DIMENSIONS',
      { CONTEXT_EMBEDDER: 'onnx', CONTEXT_EMBEDDER_MODEL: '/m', CONTEXT_EMBEDDER_DIMENSIONS: '384' },
    ],
    ['CONTEXT_EMBEDDER_MODEL', { CONTEXT_EMBEDDER: 'database', CONTEXT_EMBEDDER_DIMENSIONS: '384' }],
    ['CONTEXT_EMBEDDER_API_KEY', { CONTEXT_EMBEDDER_API_KEY: 'hush' }],
    ['CONTEXT_RERANKER_MODEL', { CONTEXT_RERANKER: 'onnx' }],
    ['CONTEXT_RERANKER_SHAPE', { CONTEXT_RERANKER: 'http', CONTEXT_RERANKER_URL: 'https://models.example' }],
    [
      'CONTEXT_RERANKER_MODEL',
      { CONTEXT_RERANKER: 'http', CONTEXT_RERANKER_URL: 'https://models.example', CONTEXT_RERANKER_SHAPE: 'cohere' },
    ],
    ['CONTEXT_RERANKER_URL', { CONTEXT_RERANKER_URL: 'https://models.example' }],
  ])('refuses a configuration that lacks %s, or in which it means nothing', (variable, given) => {
    expect(() => modelsOf(given)).toThrow(
      expect.objectContaining({
        code: 'invalid_configuration',
        data: { variable },
        message: expect.not.stringContaining('hush'),
      }),
    );
  });
});
