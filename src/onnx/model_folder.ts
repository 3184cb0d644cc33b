// A model of this machine (design Q5, Q6): the folder it lies in, and all that decides what it gives, read without running it.

import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, isAbsolute, join } from 'node:path';
import { MemoryError } from '../model/errors.ts';
import type { Pooling, RunnableModel } from './runnable_model.ts';

/** A model that was found. */
export interface ModelFolder extends RunnableModel {
  /** The last part of its name, and what decides its results: other files, other fingerprint. */
  readonly name: string;
  readonly fingerprint: string;
  /** Numbers of a vector. */
  readonly hiddenSize: number;
}

/** Which model, and where models of the hub lie on this machine. */
export interface Wanted {
  /** An absolute path, or `org/name`. */
  readonly model: string;
  /** The variable that named it. */
  readonly variable: string;
  /** The user's home folder. */
  readonly home: string;
}

const runtime = '@huggingface/transformers';

/** Attention costs the square of this in memory: what a passage holds beyond it would be bought dearly. */
const mostTokens = 1024;

/** The model's kinds of numbers in the order in which they are looked for, smallest first, with their files' endings. */
const kinds = [
  { numbers: 'q8', ending: '_quantized' },
  { numbers: 'fp32', ending: '' },
] as const;

/** Names of the hub: an organisation or person, and a model. */
export const hubName = /^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*$/;

/**
 * Finds and describes a model. Throws `invalid_configuration` where there is none, where its files are not those of a
 * model that can be run, and where the package that runs it is not installed.
 */
export function findModel(wanted: Wanted): ModelFolder {
  const folder = folderOf(wanted);
  if (folder === null) {
    throw wrong(wanted, `is ${wanted.model}, which is not on this machine; give the absolute path of its folder`);
  }
  requireRuntime(wanted);
  return describe(folder, wanted);
}

/** The folder of a model that is on this machine; null where it is not. Throws where the name can be none. */
export function folderOf(wanted: Wanted): string | null {
  const { model, home } = wanted;
  if (isAbsolute(model)) return existsSync(join(model, 'config.json')) ? model : null;
  if (!hubName.test(model) || model.includes('..')) {
    throw wrong(wanted, 'is neither the absolute path of a folder nor a name such as intfloat/multilingual-e5-small');
  }
  const folders = [ownFolder(wanted), ...snapshots(join(home, '.cache', 'huggingface', 'hub'), model)];
  return folders.find((folder) => existsSync(join(folder, 'config.json')) && fileOf(folder) !== null) ?? null;
}

/** Where this program puts a model of the hub that it fetched. */
export function ownFolder({ model, home }: Pick<Wanted, 'model' | 'home'>): string {
  return join(home, '.cache', 'context-assembly-memory', 'models', ...model.split('/'));
}

/** Folders of the versions of a model that the hub's own tools have fetched, the main one first. */
function snapshots(hub: string, model: string): readonly string[] {
  const home = join(hub, `models--${model.replace('/', '--')}`);
  const all = quiet(() => readdirSync(join(home, 'snapshots')).toSorted()) ?? [];
  const main = quiet(() => readFileSync(join(home, 'refs', 'main'), 'utf8').trim());
  return [...all.filter((name) => name === main), ...all.filter((name) => name !== main)].map((name) =>
    join(home, 'snapshots', name),
  );
}

function requireRuntime({ variable }: Wanted): void {
  try {
    createRequire(import.meta.url).resolve(runtime);
  } catch (cause) {
    const message = `${variable} names a model of this machine, and the package that runs it is missing: npm install ${runtime}`;
    throw new MemoryError('invalid_configuration', message, { variable }, cause);
  }
}

interface ModelFile {
  readonly numbers: (typeof kinds)[number]['numbers'];
  readonly subfolder: '' | 'onnx';
  readonly path: string;
}

function fileOf(folder: string): ModelFile | null {
  for (const { numbers, ending } of kinds) {
    for (const subfolder of ['onnx', ''] as const) {
      const path = join(folder, subfolder, `model${ending}.onnx`);
      if (existsSync(path)) return { numbers, subfolder, path };
    }
  }
  return null;
}

function describe(folder: string, wanted: Wanted): ModelFolder {
  const file = fileOf(folder);
  if (file === null) throw wrong(wanted, 'names a folder without onnx/model_quantized.onnx or onnx/model.onnx');
  if (!existsSync(join(folder, 'tokenizer.json'))) throw wrong(wanted, 'names a folder without tokenizer.json');
  const config = jsonOf(folder, 'config.json');
  if (config === null) throw wrong(wanted, 'names a folder whose config.json cannot be read');
  const pooling = poolingOf(jsonOf(folder, join('1_Pooling', 'config.json')), wanted);
  const longestTokens = tokensOf(folder, config);
  const external = existsSync(`${file.path}_data`);
  const parts = [
    ...[file.path, ...(external ? [`${file.path}_data`] : []), join(folder, 'tokenizer.json')].map(sampleOf),
    file.numbers,
    pooling,
    longestTokens,
  ];
  return {
    folder,
    file: { numbers: file.numbers, subfolder: file.subfolder, isSplit: external },
    pooling,
    longestTokens,
    hiddenSize: numberOf(config, 'hidden_size') ?? numberOf(config, 'dim') ?? numberOf(config, 'd_model') ?? 0,
    name: basename(isAbsolute(wanted.model) ? folder : wanted.model),
    fingerprint: createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 8),
  };
}

/** How the vectors of a text's tokens become one: as the model's own file says, else their mean. */
function poolingOf(config: Readonly<Record<string, unknown>> | null, wanted: Wanted): Pooling {
  if (config === null) return 'mean';
  const chosen = Object.keys(config).filter((name) => name.startsWith('pooling_mode_') && config[name] === true);
  if (chosen.length === 1 && chosen[0] === 'pooling_mode_mean_tokens') return 'mean';
  if (chosen.length === 1 && chosen[0] === 'pooling_mode_cls_token') return 'cls';
  throw wrong(wanted, 'names a model whose 1_Pooling/config.json asks for another pooling than mean or CLS');
}

function tokensOf(folder: string, config: Readonly<Record<string, unknown>>): number {
  const tokenizer = jsonOf(folder, 'tokenizer_config.json') ?? {};
  const sentences = jsonOf(folder, 'sentence_bert_config.json') ?? {};
  const limits = [
    numberOf(tokenizer, 'model_max_length'),
    numberOf(config, 'max_position_embeddings'),
    numberOf(sentences, 'max_seq_length'),
  ].filter((limit) => limit !== null && limit > 2);
  return Math.min(mostTokens, ...limits.map(Number));
}

function jsonOf(folder: string, name: string): Readonly<Record<string, unknown>> | null {
  const value: unknown = quiet(() => JSON.parse(readFileSync(join(folder, name), 'utf8')) as unknown);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : null;
}

function numberOf(values: Readonly<Record<string, unknown>>, name: string): number | null {
  const value = values[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

const sampleBytes = 65_536;

/** A file by its size and by parts of it: two models of one architecture have the same size, and hashing all takes seconds. */
function sampleOf(path: string): readonly [size: number, hash: string] {
  const { size } = statSync(path);
  const hash = createHash('sha256');
  const opened = openSync(path, 'r');
  try {
    const part = Buffer.alloc(sampleBytes);
    for (const share of [0, 0.25, 0.5, 0.75, 1]) {
      const read = readSync(opened, part, 0, sampleBytes, Math.floor(Math.max(0, size - sampleBytes) * share));
      hash.update(part.subarray(0, read));
    }
  } finally {
    closeSync(opened);
  }
  return [size, hash.digest('hex')];
}

function wrong({ variable }: Wanted, problem: string): MemoryError {
  return new MemoryError('invalid_configuration', `${variable} ${problem}.`, { variable });
}

function quiet<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch {
    return null;
  }
}
