// An embedder at an OpenAI-compatible service (design Q5): asked in bounded requests, and believed only when it adds up.

import { createHash } from 'node:crypto';
import { abortedBy, MemoryError } from '../model/errors.ts';
import { fieldOf, postJson, type Service } from '../service/post_json.ts';
import { type Patience, ServiceFailure, withPatience } from '../service/retries.ts';
import type { Embedder, EmbedOptions, EmbedPurpose } from './embedder.ts';
import { beginning, unitVector } from './vectors.ts';

/** Where vectors are asked for, and for which. */
export interface HttpEmbedderSettings extends Service {
  readonly model: string;
  /** The model of questions; null where it is the same. */
  readonly queryModel: string | null;
  /** What is put before each text; some models want it. */
  readonly prefixes: Readonly<Record<EmbedPurpose, string>>;
  readonly dimensions: number;
}

// A small machine takes its time over long texts; who asks a question has a shorter deadline of its own.
const defaultPatience: Patience = { attemptMs: 60_000, totalMs: 120_000, attempts: 4, backOffMs: 400 };

/** Texts of one request, and the bytes of all of them: within what usual services take, and done in time by a small one. */
const mostTexts = 32;
const mostBytes = 32_000;

/** A text counts up to here: below the 8,192 tokens that usual models take, whatever its script. */
const longestTextBytes = 16_000;

/** Requests that are under way for one call. */
const requestsAtOnce = 2;

/** A number of a vector takes up to 25 characters in JSON. */
const bytesForNumber = 32;

/**
 * The name of what such an embedder gives. The address is no part of it: a model that moves to another machine is the
 * same model.
 */
export function httpEmbedderId({ model, queryModel, prefixes }: Omit<HttpEmbedderSettings, keyof Service>): string {
  const { query, text } = prefixes;
  const words = JSON.stringify([query, text]);
  return [
    `http:${model}`,
    ...(queryModel === null || queryModel === model ? [] : [`query=${queryModel}`]),
    ...(query === '' && text === ''
      ? []
      : [`prefixes=${createHash('sha256').update(words).digest('hex').slice(0, 8)}`]),
  ].join(',');
}

/**
 * An embedder that asks the service. `embed` throws `embedder_unavailable` where it gives no vectors, and
 * `invalid_configuration` where it refuses the key or its vectors have another length.
 */
export function createHttpEmbedder(settings: HttpEmbedderSettings, patience: Patience = defaultPatience): Embedder {
  // Whether the model is to be asked for so many dimensions: only where its own number is another.
  const sized = new Map<string, boolean>();
  return {
    id: httpEmbedderId(settings),
    dimensions: settings.dimensions,
    embed: async (texts, options) => {
      const { prefixes, model, queryModel } = settings;
      const asked = texts.flatMap((text, place) =>
        text.trim() === '' ? [] : [{ place, text: beginning(prefixes[options.purpose] + text, longestTextBytes) }],
      );
      const vectors: (Float32Array | null)[] = texts.map(() => null);
      const batches = batched(asked);
      const work = async (): Promise<void> => {
        for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) {
          const name = options.purpose === 'query' ? (queryModel ?? model) : model;
          const found = await told(options, () => askFor(batch ?? [], { name, settings, patience, options, sized }));
          for (const [index, { place }] of batch.entries()) vectors[place] = found[index] ?? null;
        }
      };
      try {
        await Promise.all(Array.from({ length: requestsAtOnce }, work));
      } finally {
        // After a failure nothing more is asked.
        batches.length = 0;
      }
      return vectors;
    },
  };
}

interface Asked {
  readonly place: number;
  readonly text: string;
}

interface Asking {
  readonly name: string;
  readonly settings: HttpEmbedderSettings;
  readonly patience: Patience;
  readonly options: EmbedOptions;
  readonly sized: Map<string, boolean>;
}

function batched(asked: readonly Asked[]): Asked[][] {
  const batches: Asked[][] = [];
  let bytes = Infinity;
  for (const one of asked) {
    const own = Buffer.byteLength(one.text);
    const last = batches.at(-1);
    if (last === undefined || last.length >= mostTexts || bytes + own > mostBytes) {
      batches.push([one]);
      bytes = own;
    } else {
      last.push(one);
      bytes += own;
    }
  }
  return batches;
}

async function askFor(batch: readonly Asked[], asking: Asking): Promise<readonly Float32Array[]> {
  const { name, settings, sized } = asking;
  const first = await request(batch, asking, sized.get(name) === true);
  if (first.every(({ length }) => length === settings.dimensions)) return first.map(unitOrRefused);
  const otherSize = first.find(({ length }) => length !== settings.dimensions)?.length ?? 0;
  if (sized.get(name) === true) throw wrongSize(settings.dimensions, otherSize);
  // Some models can give fewer numbers when they are asked to.
  const second = await request(batch, asking, true).catch((error: unknown) => {
    throw error instanceof ServiceFailure && (error.status === 400 || error.status === 422)
      ? wrongSize(settings.dimensions, otherSize)
      : error;
  });
  if (second.some(({ length }) => length !== settings.dimensions)) throw wrongSize(settings.dimensions, otherSize);
  sized.set(name, true);
  return second.map(unitOrRefused);
}

async function request(
  batch: readonly Asked[],
  { name, settings, patience, options }: Asking,
  asksForSize: boolean,
): Promise<readonly (readonly number[])[]> {
  const body = {
    model: name,
    input: batch.map(({ text }) => text),
    ...(asksForSize ? { dimensions: settings.dimensions } : {}),
  };
  // An answer for another model is still read whole, so that its length can be told.
  const longestAnswerBytes = 1_000_000 + batch.length * 4096 * bytesForNumber;
  const answer = await withPatience(patience, options.signal, (signal) =>
    postJson(settings, { path: 'embeddings', body, longestAnswerBytes, signal }),
  );
  return numbersIn(answer, batch.length);
}

/** The vectors in the order of the texts. Services may answer in another order, and say so. */
function numbersIn(answer: unknown, count: number): readonly (readonly number[])[] {
  const data = fieldOf(answer, 'data');
  if (!Array.isArray(data)) throw new ServiceFailure('an answer without vectors');
  if (data.length !== count) throw new ServiceFailure(`${data.length} vectors for ${count} texts`);
  const ordered = new Map<number, readonly number[]>();
  for (const [place, item] of data.entries()) {
    const index = fieldOf(item, 'index') ?? place;
    const vector = fieldOf(item, 'embedding');
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= count || ordered.has(index)) {
      throw new ServiceFailure('an answer whose vectors belong to no text, or to one twice');
    }
    if (!Array.isArray(vector) || !vector.every((value) => typeof value === 'number' && Number.isFinite(value))) {
      throw new ServiceFailure('a vector that holds no numbers');
    }
    ordered.set(index, vector as readonly number[]);
  }
  return Array.from({ length: count }, (_, index) => ordered.get(index) ?? []);
}

function unitOrRefused(numbers: readonly number[]): Float32Array {
  const vector = unitVector(numbers);
  if (vector === null) throw new ServiceFailure('a vector of nothing but zeros');
  return vector;
}

function wrongSize(set: number, given: number): MemoryError {
  return new MemoryError(
    'invalid_configuration',
    `CONTEXT_EMBEDDER_DIMENSIONS is ${set}, but the vectors of the service have ${given}.`,
    { variable: 'CONTEXT_EMBEDDER_DIMENSIONS' },
  );
}

/** What a caller may know of a failure: a status, never a text, an address or a key. */
async function told<Value>({ signal }: EmbedOptions, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (signal?.aborted === true) throw abortedBy(signal);
    if (!(error instanceof ServiceFailure)) throw error;
    if (error.status === 401 || error.status === 403) {
      const variable = 'CONTEXT_EMBEDDER_API_KEY';
      const message = `The embedding service refused the key of ${variable} (status ${error.status}).`;
      throw new MemoryError('invalid_configuration', message, { variable }, error);
    }
    const message = `The embedding service gave no vectors: ${error.message}.`;
    throw new MemoryError('embedder_unavailable', message, {}, error);
  }
}
