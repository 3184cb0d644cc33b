// An embedder on this machine (design Q5): a sentence model in ONNX, found in a folder and run in a process of its own.

import { createHash } from 'node:crypto';
import { abortedBy, MemoryError } from '../model/errors.ts';
import type { ModelFolder } from '../onnx/model_folder.ts';
import type { Runner } from '../onnx/runner.ts';
import type { Embedder, EmbedPurpose } from './embedder.ts';
import { unitVector } from './vectors.ts';

/** What is put before each text; some models want it. */
export type Prefixes = Readonly<Record<EmbedPurpose, string>>;

/** The name of what a model gives with these prefixes: what changes a vector changes the name. */
export function onnxEmbedderId(model: ModelFolder, { query, text }: Prefixes): string {
  const parts = JSON.stringify([model.fingerprint, query, text]);
  const hash = createHash('sha256').update(parts).digest('hex').slice(0, 8);
  return `onnx:${model.name},${model.file.numbers},${model.pooling},${hash}`;
}

/**
 * An embedder over what runs a model. `embed` throws `embedder_unavailable` where the model
 * cannot be loaded or run.
 */
export function createOnnxEmbedder(model: ModelFolder, prefixes: Prefixes, runner: Runner): Embedder {
  return {
    id: onnxEmbedderId(model, prefixes),
    dimensions: model.hiddenSize,
    embed: async (texts, { purpose, signal }) => {
      const asked = texts.flatMap((text, place) =>
        text.trim() === '' ? [] : [{ place, text: prefixes[purpose] + text.toWellFormed() }],
      );
      const vectors: (Float32Array | null)[] = texts.map(() => null);
      try {
        const bounds = { isUrgent: purpose === 'query', ...(signal === undefined ? {} : { signal }) };
        const found = await runner.run(asked, bounds);
        for (const [index, { place }] of asked.entries()) vectors[place] = checked(found[index], model.hiddenSize);
      } catch (error) {
        if (signal?.aborted === true) throw abortedBy(signal);
        throw new MemoryError('embedder_unavailable', 'The model that embeds texts could not be run.', {}, error);
      }
      return vectors;
    },
  };
}

function checked(numbers: Float32Array | undefined, dimensions: number): Float32Array {
  const vector = numbers?.length === dimensions ? unitVector(numbers) : null;
  if (vector === null)
    throw new RangeError(`${numbers?.length ?? 0} numbers for ${dimensions} dimensions, or none at all`);
  return vector;
}
