// Models of this machine (Q5, Q6): small real ones whose results are compared with arithmetic, and one from outside.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createOnnxEmbedder, onnxEmbedderId } from '../../src/embed/onnx.ts';
import { findModel, type ModelFolder } from '../../src/onnx/model_folder.ts';
import { createRunner } from '../../src/onnx/runner.ts';
import { createOnnxReranker } from '../../src/rerank/onnx.ts';
import { embeddingModel, scoringModel, words, writeModel } from './onnx_file.ts';

// The models' processes load TypeScript as this one would under tsx; built, they are JavaScript.
process.execArgv.push('--import', import.meta.resolve('tsx'));

const folder = mkdtempSync(join(tmpdir(), 'context-models-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const variable = 'CONTEXT_EMBEDDER_MODEL';
const find = (model: string, home = folder): ModelFolder => findModel({ model, variable, home });

/** A row of weights for each word: its place, and for the second column 100 times its place. */
const twoColumns = words.map((_, place) => [place, 100 * place]);
const pieces = { cls: 2, sep: 3, plum: 4, pear: 5, fig: 6 };

function made(name: string, onnx: Uint8Array, more: Parameters<typeof writeModel>[2] = {}): ModelFolder {
  writeModel(join(folder, name), onnx, more);
  return find(join(folder, name));
}

const none = { query: '', text: '' };
const pooledBy = (mode: string) => ({ '1_Pooling/config.json': { [`pooling_mode_${mode}`]: true } });
const copies = (count: number) => Array.from({ length: count }, () => ({ text: 'plum' }));
const textsOf = (...texts: readonly string[]) => texts.map((text) => ({ text, prior: 0, passage: true }));

describe('an embedder in ONNX', () => {
  it('[Q5] gives the mean of the tokens at unit length, in order, and nothing for an empty text', async () => {
    const weights = words.map((_, place) => (place < 4 ? [0, 0] : [place, 10 - place]));
    const embedder = createOnnxEmbedder(made('mean', embeddingModel(weights)), none);
    const [plum, nothing, both] = await embedder.embed(['plum', '', 'plum fig'], { purpose: 'text' });
    expect(nothing).toBeNull();
    // plum is (4, 6), fig (6, 4): the marks around them add nothing to the direction.
    expect(plum?.[0]).toBeCloseTo(4 / Math.sqrt(52), 6);
    expect(both?.[0]).toBeCloseTo(Math.SQRT1_2, 6);
    expect(both?.[1]).toBeCloseTo(Math.SQRT1_2, 6);
    expect(embedder.dimensions).toBe(2);
  });

  it('[Q5] gives the first token where the model is made for that, and puts the prefix before the text', async () => {
    const weights = words.map((_, place) => [place === pieces.cls ? 1 : 0, place === words.indexOf('query') ? 1 : 0]);
    const first = createOnnxEmbedder(made('cls', embeddingModel(weights), { files: pooledBy('cls_token') }), none);
    expect([...((await first.embed(['plum'], { purpose: 'text' }))[0] ?? [])]).toEqual([1, 0]);
    const prefixed = createOnnxEmbedder(made('prefix', embeddingModel(weights)), { query: 'query ', text: '' });
    const [asked] = await prefixed.embed(['plum'], { purpose: 'query' });
    const [told] = await prefixed.embed(['plum'], { purpose: 'text' });
    expect(asked?.[1]).toBeCloseTo(Math.SQRT1_2, 6);
    expect(told?.[1]).toBe(0);
  });

  it('[Q5] counts a text up to the limit of the model', async () => {
    const weights = words.map((_, place) => [1, place === pieces.fig ? 1 : 0]);
    const model = made('short', embeddingModel(weights), { longestTokens: 4 });
    const [cut, whole] = await createOnnxEmbedder(model, none).embed(['plum pear fig', 'fig'], { purpose: 'text' });
    expect(model.longestTokens).toBe(4);
    expect(cut?.[1]).toBe(0);
    expect(whole?.[1]).toBeGreaterThan(0);
  });

  it('[Q5] whose file is no model fails with a code and without a word of the text', async () => {
    const embedder = createOnnxEmbedder(made('broken', Buffer.from('no model')), none);
    const failure: unknown = await embedder.embed(['plum'], { purpose: 'text' }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'embedder_unavailable', message: expect.not.stringContaining('plum') });
    // It is tried anew.
    writeModel(join(folder, 'broken'), embeddingModel(twoColumns));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await embedder.embed(['plum'], { purpose: 'text' })).toHaveLength(1);
  });
});

describe('the process of a model', () => {
  const runner = createRunner(made('line', embeddingModel(twoColumns)), 'embed');

  it('[Q5] lets a question go before texts that wait, and this thread go on', async () => {
    const order: string[] = [];
    let turns = 0;
    const counting = setInterval(() => (turns += 1), 1);
    const many = runner.run(copies(300), { isUrgent: false }).then(() => order.push('texts'));
    const one = runner.run([{ text: 'fig' }], { isUrgent: true }).then(() => order.push('question'));
    await Promise.all([many, one]);
    clearInterval(counting);
    expect(order).toEqual(['question', 'texts']);
    expect(turns).toBeGreaterThan(1);
  });

  it('[T9] is left by a caller that goes, and serves the next one', async () => {
    const controller = new AbortController();
    const left = runner.run(copies(5_000), { isUrgent: false, signal: controller.signal });
    setTimeout(() => controller.abort(), 20);
    await expect(left).rejects.toMatchObject({ code: 'cancelled' });
    expect(await runner.run([{ text: 'fig' }], { isUrgent: false })).toHaveLength(1);
    await expect(runner.run([{ text: 'x' }], { isUrgent: true, signal: controller.signal })).rejects.toThrow();
  });
});

describe('a reranker in ONNX', () => {
  it('[Q6][S4] gives the logit of question and text together, in order', async () => {
    const model = made('score', scoringModel(words.map((_, place) => [place])));
    const scores = await createOnnxReranker(model).score('plum plum', textsOf('fig', 'pear plum'));
    const { plum, pear, fig, sep } = pieces;
    // Only the text and the mark after it count: the question is no part of the sum.
    expect(scores).toEqual([fig + sep, pear + plum + sep].map((value) => ({ kind: 'logit', value })));
  });

  it('[Q6][S4] takes by how much the second of two classes leads the first', async () => {
    const model = made('classes', scoringModel(twoColumns));
    const [score] = await createOnnxReranker(model).score('plum', textsOf('fig'));
    expect(score).toEqual({ kind: 'logit', value: 99 * (pieces.fig + pieces.sep) });
  });

  it('[Q6] counts question and text together up to the limit of the model, the mark at its end included', async () => {
    const model = made('pair', scoringModel(words.map((_, place) => [place === pieces.sep ? 100 : 1])), {
      longestTokens: 6,
    });
    const [score] = await createOnnxReranker(model).score('plum', textsOf('fig '.repeat(50)));
    // [CLS] plum [SEP] fig fig [SEP]
    expect(score?.value).toBe(102);
  });
});

describe('the folder of a model', () => {
  it('[D6] names what changes vectors: files, pooling, prefixes', () => {
    const plain = made('name a', embeddingModel(twoColumns));
    expect(onnxEmbedderId(plain, none)).toMatch(/^onnx:name a,fp32,mean,[0-9a-f]{8}$/);
    expect(onnxEmbedderId(find(plain.folder), none)).toBe(onnxEmbedderId(plain, none));
    const ids = [
      onnxEmbedderId(plain, none),
      onnxEmbedderId(plain, { query: 'q', text: '' }),
      onnxEmbedderId(plain, { query: '', text: 'q' }),
      onnxEmbedderId({ ...made('name b', embeddingModel(words.map(() => [1, 2]))), name: plain.name }, none),
      onnxEmbedderId({ ...made('name c', embeddingModel(twoColumns), { longestTokens: 7 }), name: plain.name }, none),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('[Q5] is found by its name where the hub’s own tools keep it, its main version first', () => {
    const hub = join(folder, '.cache', 'huggingface', 'hub', 'models--org--tiny');
    for (const version of ['aaa', 'bbb']) writeModel(join(hub, 'snapshots', version), embeddingModel(twoColumns));
    expect(find('org/tiny').folder).toBe(join(hub, 'snapshots', 'aaa'));
    mkdirSync(join(hub, 'refs'));
    writeFileSync(join(hub, 'refs', 'main'), 'bbb');
    expect(find('org/tiny')).toMatchObject({ folder: join(hub, 'snapshots', 'bbb'), name: 'tiny' });
  });

  it.each([
    ['org/absent', 'is not on this machine'],
    ['../secrets/x', 'is neither'],
    ['models', 'is neither'],
    ['/no/such/folder', 'is not on this machine'],
  ])('[Q5] %s is refused with the variable', (model, reason) => {
    expect(() => find(model)).toThrow(
      expect.objectContaining({
        code: 'invalid_configuration',
        data: { variable },
        message: expect.stringContaining(reason),
      }),
    );
  });

  it('[Q5] without a model, a tokenizer or a pooling that is known is refused', () => {
    const odd = join(folder, 'odd');
    writeModel(odd, embeddingModel(twoColumns), { files: pooledBy('max_tokens') });
    expect(() => find(odd)).toThrow('another pooling');
    rmSync(join(odd, 'tokenizer.json'));
    expect(() => find(odd)).toThrow('without tokenizer.json');
    rmSync(join(odd, 'onnx'), { recursive: true });
    expect(() => find(odd)).toThrow('without onnx/model_quantized.onnx');
  });
});

const outside = process.env['TEST_ONNX_MODELS'] ?? '';
if (outside === '') {
  console.warn('\nSKIPPED: all-MiniLM-L6-v2 in ONNX, because TEST_ONNX_MODELS names no folder that holds it.\n');
}

describe.skipIf(outside === '')('all-MiniLM-L6-v2', () => {
  it('[Q5] finds what means the same, and gives a text the same vector in any company', async () => {
    const embedder = createOnnxEmbedder(find(join(outside, 'all-MiniLM-L6-v2')), none);
    const texts = ['How do I cancel my subscription?', 'Steps to end a paid plan', 'The kernel schedules threads'];
    const [asked, same, other] = await embedder.embed(texts, { purpose: 'text' });
    const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
    expect(embedder.dimensions).toBe(384);
    expect(cosine(asked!, same!)).toBeGreaterThan(0.42);
    expect(cosine(asked!, other!)).toBeLessThan(0.1);
    expect(await embedder.embed([texts[1]!], { purpose: 'text' })).toEqual([same]);
  });
});
