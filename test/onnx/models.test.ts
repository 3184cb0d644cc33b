// Models of this machine (Q5, Q6): small real ones whose results are compared with arithmetic, and one from outside.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createOnnxEmbedder, onnxEmbedderId, type Prefixes } from '../../src/embed/onnx.ts';
import { findModel, type ModelFolder } from '../../src/onnx/model_folder.ts';
import type { Task } from '../../src/onnx/runnable_model.ts';
import { createRunner, type Runner } from '../../src/onnx/runner.ts';
import { createOnnxReranker } from '../../src/rerank/onnx.ts';
import { embeddingModel, scoringModel, words, writeModel } from './onnx_file.ts';

// The models' processes load TypeScript as this one would under tsx; built, they are JavaScript.
process.execArgv.push('--import', import.meta.resolve('tsx'));

const folder = mkdtempSync(join(tmpdir(), 'context-models-'));
const runners: Runner[] = [];
afterAll(() => {
  for (const runner of runners) runner.close();
  rmSync(folder, { recursive: true, force: true });
});

function runnerOf(model: ModelFolder, task: Task): Runner {
  const runner = createRunner(model, task);
  runners.push(runner);
  return runner;
}

const embedderOf = (model: ModelFolder, prefixes: Prefixes) =>
  createOnnxEmbedder(model, prefixes, runnerOf(model, 'embed'));
const rerankerOf = (model: ModelFolder) => createOnnxReranker(model, runnerOf(model, 'score'));

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
  // The marks around a text add nothing to its direction; at most two words have room between them.
  const weights = words.map((_, place) => (place < 4 ? [0, 0] : [place, 10 - place]));
  const model = made('mean', embeddingModel(weights), { longestTokens: 4 });
  const runner = runnerOf(model, 'embed');
  const direction = (vector: Float32Array | null | undefined) => (vector?.[0] ?? 0) / (vector?.[1] ?? 0);

  it('[Q5] gives the mean of the tokens at unit length, in order, and nothing for an empty text', async () => {
    const embedder = createOnnxEmbedder(model, none, runner);
    const [plum, nothing, both] = await embedder.embed(['plum', '', 'plum fig'], { purpose: 'text' });
    expect(nothing).toBeNull();
    expect(plum?.[0]).toBeCloseTo(4 / Math.sqrt(52), 6);
    expect(both?.[0]).toBeCloseTo(Math.SQRT1_2, 6);
    expect(both?.[1]).toBeCloseTo(Math.SQRT1_2, 6);
    expect(embedder.dimensions).toBe(2);
  });

  it('[Q5] counts a text up to the limit of the model', async () => {
    const [cut] = await createOnnxEmbedder(model, none, runner).embed(['plum pear fig'], { purpose: 'text' });
    expect(model.longestTokens).toBe(4);
    expect(direction(cut)).toBeCloseTo((4 + 5) / (6 + 5), 6);
  });

  it('[Q5] puts the prefix of the purpose before the text', async () => {
    const embedder = createOnnxEmbedder(model, { query: 'query ', text: '' }, runner);
    const [asked] = await embedder.embed(['plum'], { purpose: 'query' });
    const [told] = await embedder.embed(['plum'], { purpose: 'text' });
    expect(direction(asked)).toBeCloseTo((8 + 4) / (2 + 6), 6);
    expect(direction(told)).toBeCloseTo(4 / 6, 6);
  });

  it('[Q5] gives the first token where the model is made for that', async () => {
    const firstOnly = words.map((_, place) => (place === pieces.cls ? [3, 4] : [1, 0]));
    const first = embedderOf(made('cls', embeddingModel(firstOnly), { files: pooledBy('cls_token') }), none);
    const [vector] = await first.embed(['plum'], { purpose: 'text' });
    expect(direction(vector)).toBeCloseTo(3 / 4, 6);
  });

  it('[Q5] whose file is no model fails with a code and without a word of the text', async () => {
    const embedder = embedderOf(made('broken', Buffer.from('no model')), none);
    const failure: unknown = await embedder.embed(['plum'], { purpose: 'text' }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'embedder_unavailable', message: expect.not.stringContaining('plum') });
    // It is tried anew.
    writeModel(join(folder, 'broken'), embeddingModel(twoColumns));
    expect(await embedder.embed(['plum'], { purpose: 'text' })).toHaveLength(1);
  });
});

describe('the process of a model', () => {
  const runner = runnerOf(made('line', embeddingModel(twoColumns)), 'embed');

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

  it('[Q5] that is ended fails what waits, and is started anew by who comes later', async () => {
    const waiting = runner.run(copies(5_000), { isUrgent: false });
    runner.close();
    await expect(waiting).rejects.toThrow('was ended');
    expect(await runner.run([{ text: 'fig' }], { isUrgent: true })).toHaveLength(1);
  });
});

describe('a reranker in ONNX', () => {
  it('[Q6][S4] gives the logit of question and text together, in order and up to the limit of the model', async () => {
    const model = made('score', scoringModel(words.map((_, place) => [place])));
    const texts = textsOf('fig', 'pear plum', 'fig '.repeat(50));
    const scores = await rerankerOf(model).score('plum', texts);
    const { plum, pear, fig, sep } = pieces;
    // Only the text and the mark after it count: the question is no part of the sum. Of eight tokens the long text gets
    // those that [CLS], plum, [SEP] and the mark at its end leave.
    const sums = [fig + sep, pear + plum + sep, 4 * fig + sep];
    expect(scores).toEqual(sums.map((value) => ({ kind: 'logit', value })));
  });

  it('[Q6][S4] takes by how much the second of two classes leads the first', async () => {
    const model = made('classes', scoringModel(twoColumns));
    const [score] = await rerankerOf(model).score('plum', textsOf('fig'));
    expect(score).toEqual({ kind: 'logit', value: 99 * (pieces.fig + pieces.sep) });
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
    const embedder = embedderOf(find(join(outside, 'all-MiniLM-L6-v2')), none);
    const texts = ['How do I cancel my subscription?', 'Steps to end a paid plan', 'The kernel schedules threads'];
    const [asked, same, other] = await embedder.embed(texts, { purpose: 'text' });
    const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
    expect(embedder.dimensions).toBe(384);
    expect(cosine(asked!, same!)).toBeGreaterThan(0.42);
    expect(cosine(asked!, other!)).toBeLessThan(0.1);
    expect(await embedder.embed([texts[1]!], { purpose: 'text' })).toEqual([same]);
  });
});
